import { isObject } from '../../lib/is-object.js'
import { asObject, followReference, type JsonObject } from '../../openapi/document.js'
import { describeType } from '../reference/schema-type.js'
import { readText } from './calls.js'

/** A value in a line, such as `integer, 1 to 100, default 20` or `list of Order`. A schema with a name is named only. */
export function describeValue(document: JsonObject, given: unknown): string {
  const schema = asObject(given)
  const reference = readReferenceName(schema)
  if (reference !== undefined) return reference
  const details = [
    describeParents(schema),
    describeValues(schema),
    describeRange(schema),
    describePattern(schema),
    describeDefault(schema),
    schema['readOnly'] === true ? 'only in responses' : '',
    schema['writeOnly'] === true ? 'only in requests' : '',
    schema['deprecated'] === true ? 'deprecated' : '',
  ]
  return [describeType(document, schema), ...details].filter((detail) => detail !== '').join(', ')
}

/** The name of a schema of `components`; another reference as it is. */
function readReferenceName({ $ref: reference }: JsonObject): string | undefined {
  if (typeof reference !== 'string') return undefined
  return NAMED_SCHEMA.exec(reference)?.[1] ?? reference
}

const NAMED_SCHEMA = /^#\/components\/schemas\/([^/]+)$/
const COMBINATIONS = ['oneOf', 'anyOf', 'allOf']

function describeParents({ allOf }: JsonObject): string {
  const names = Array.isArray(allOf) ? allOf.map((part) => readReferenceName(asObject(part))).filter(Boolean) : []
  return names.length > 0 ? `with all of ${names.join(' and ')}` : ''
}

function describeValues({ const: only, enum: values }: JsonObject): string {
  if (only !== undefined) return `always ${JSON.stringify(only)}`
  return Array.isArray(values) ? `one of ${values.map((value) => JSON.stringify(value)).join(', ')}` : ''
}

function describeRange(schema: JsonObject): string {
  const [name, unit] =
    RANGES.find(([each]) => schema[`min${each}`] !== undefined || schema[`max${each}`] !== undefined) ?? []
  if (name === undefined) return ''
  const [least, most] = [schema[`min${name}`], schema[`max${name}`]].map((bound) =>
    bound === undefined ? undefined : JSON.stringify(bound),
  )
  const range =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`
  return `${range}${unit}`
}

const RANGES = [
  ['imum', ''],
  ['Length', ' characters'],
  ['Items', ' items'],
] as const

function describePattern({ pattern }: JsonObject): string {
  return typeof pattern === 'string' ? `matching /${pattern}/` : ''
}

function describeDefault(schema: JsonObject): string {
  return schema['default'] === undefined ? '' : `default ${JSON.stringify(schema['default'])}`
}

/** The properties of an object as a nested list; empty for other types. Arrays have those of their items. */
export function listProperties(document: JsonObject, given: unknown, indent = ''): string[] {
  if (indent.length > MAX_INDENT) return []
  const schema = asObject(given)
  const required = [schema['required']].flat()
  const own = Object.entries(asObject(schema['properties'])).flatMap(([name, property]) => {
    const facts = required.includes(name)
      ? `${describeValue(document, property)}, required`
      : describeValue(document, property)
    const description = readText(asObject(property)['description'])
    return [
      `${indent}- \`${name}\`: ${facts}${description && `. ${toLine(description)}`}`,
      ...listProperties(document, property, `${indent}  `),
    ]
  })
  const inner = [schema['items'], schema['additionalProperties'], ...COMBINATIONS.flatMap((keyword) => schema[keyword])]
  return [...own, ...inner.filter(isObject).flatMap((each) => listProperties(document, each, indent))]
}

const MAX_INDENT = 12

/** The schemas that something refers to, and those that these refer to, by name. */
export function listNamedSchemas(document: JsonObject, described: unknown): ReadonlyMap<string, JsonObject> {
  const references = new Set<string>()
  const pending = [described]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const { $ref: reference, ...members } = asObject(value)
    if (Array.isArray(value)) pending.push(...value.filter((each) => typeof each === 'object'))
    for (const [name, member] of Object.entries(members))
      if (typeof member === 'object' && member !== null && !ARBITRARY_VALUES.has(name)) pending.push(member)
    if (typeof reference !== 'string' || references.has(reference)) continue
    references.add(reference)
    pending.push(followReference(document, reference))
  }
  const named = [...references].flatMap((reference) => {
    const name = NAMED_SCHEMA.exec(reference)?.[1]
    return name === undefined ? [] : [[name, asObject(followReference(document, reference))] as const]
  })
  return new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Members that may hold any JSON. A `$ref` in them is data, not a reference. */
const ARBITRARY_VALUES = new Set(['default', 'enum', 'const', 'example', 'examples'])

/** A text as part of a line. */
export function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
