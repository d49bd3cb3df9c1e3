import { isObject, ownMembers } from '../../../shared/lib/own-members.js'
import { asObject, followReference, type JsonObject } from '../../../shared/openapi/document.js'
import { escapeStep, listObjects, readReference } from '../../../shared/openapi/references.js'
import {
  readSchema,
  takeParts,
  readList,
  readText,
  resolve,
  describeType,
  readSchemaName,
} from '../reference/read-schema.js'
import { listChoices, type Choice } from '../reference/schema-choices.js'
import { listConditions, listMembers, listRules } from '../reference/schema-rules.js'

/** A value in a line, such as `integer, 1 to 100, default 20` or `list of Order`. A schema with a name is named only. */
export function describeValue(document: JsonObject, given: unknown): string {
  const { own, inline, names, hasNull } = takeNamed(document, given)
  const [name] = names
  const isNamed = name !== undefined && names.length === 1 && !isObject(inline['properties'])
  const type = isNamed
    ? `${name}${hasNull || own['nullable'] === true ? ' or null' : ''}`
    : describeType(document, given)
  const parents = !isNamed && names.length > 0 ? [`with all of ${names.join(' and ')}`] : []
  return [type, ...parents, ...listRules(document, inline).map(writeRule)].join(', ')
}

function writeRule({ text, names = [], values = [] }: ReturnType<typeof listRules>[number]): string {
  const listed = [...names.map((name) => `\`${name}\``), ...values.map((value) => JSON.stringify(value))].join(', ')
  return listed === '' ? text : `${text} ${listed}`
}

function takeNamed(document: JsonObject, given: unknown) {
  const name = readSchemaName(given)
  const { $ref: _reference, $dynamicRef: _dynamic, ...beside } = asObject(given)
  const whole = name === undefined ? resolve(document, given) : ownMembers(beside)
  const { own, parts, hasNull } = takeParts(document, whole)
  const names = [given, ...parts].map(readSchemaName).filter((each) => each !== undefined)
  const unnamed = parts.filter((part) => readSchemaName(part) === undefined)
  return { own, names, hasNull, inline: readSchema(document, { ...own, allOf: unnamed }) }
}

/** One schema has at most so many lines, and so many levels. */
const MAX_LINES = 4000
const MAX_LEVELS = 12

export function listProperties(document: JsonObject, given: unknown, indent = ''): string[] {
  let count = 0
  return list(given, indent, 0)

  function list(part: unknown, space: string, level: number): string[] {
    if (level > MAX_LEVELS || count > MAX_LINES) return []
    const { inline } = takeNamed(document, part)
    const required = readList(readSchema(document, part)['required'])
    const write = (label: string, each: unknown, start = space): string[] => {
      count += 1
      const text = toLine(readText(asObject(each)['description']) ?? '')
      return [`${start}- ${label}${text && `. ${text}`}`, ...list(each, `${start}  `, level + 1)]
    }
    const writePart = (label: string, each: unknown): string[] =>
      write(`${label}: ${describeValue(document, each)}`, each)
    // The named schemas that it consists of have their own.
    const groups = ALTERNATIVES.some((member) => member in inline) ? listChoices(document, part) : []
    return [
      ...listMembers(inline).flatMap(({ label, part: each }) =>
        write(`\`${label}\`: ${describeValue(document, each)}${required.includes(label) ? ', required' : ''}`, each),
      ),
      ...groups.flatMap(({ title, by, choices }) => [
        `${space}- ${title}${by === undefined ? '' : `, as \`${by}\` says`}:`,
        ...choices.flatMap((choice) => write(describeChoice(document, choice), choice.part, `${space}  `)),
      ]),
      ...listConditions(inline).flatMap(({ label, part: each }) => writePart(label, each)),
      ...('prefixItems' in inline ? [] : list(inline['items'], space, level + 1)),
    ]
  }
}

const ALTERNATIVES = ['oneOf', 'anyOf', 'discriminator', 'allOf']

function describeChoice(document: JsonObject, { part, values }: Choice): string {
  const type = describeValue(document, part)
  const others = values.filter((value) => value !== type).map((value) => `\`${value}\``)
  return others.length > 0 ? `${type} (${others.join(', ')})` : type
}

/** The schemas that something refers to, and those that these refer to, by name. All of a document if it has nothing else. */
export function listNamedSchemas(document: JsonObject, described: unknown = readDescribed(document)) {
  const references = new Set<string>()
  const pending = [described]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const { object } of listObjects(value)) {
      const groups = 'discriminator' in object ? listChoices(document, object) : []
      for (const each of [object, ...groups.flatMap(({ choices }) => choices.map(({ part }) => part))]) {
        const reference = readReference(each)
        if (reference === undefined || references.has(reference)) continue
        references.add(reference)
        pending.push(followReference(document, reference))
      }
    }
  }
  const named = [...references].flatMap((reference) => {
    const name = readSchemaName({ $ref: reference })
    return name === undefined ? [] : [[name, asObject(followReference(document, reference))] as const]
  })
  return new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function readDescribed({ paths, webhooks, 'x-webhooks': others, components }: JsonObject): unknown {
  if ([paths, webhooks, others].some((each) => isObject(each) && Object.keys(each).length > 0))
    return [{ paths }, { webhooks }, { webhooks: others }]
  const names = Object.keys(asObject(asObject(components)['schemas']))
  return names.map((name) => ({ $ref: `#/components/schemas/${escapeStep(name)}` }))
}

export function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
