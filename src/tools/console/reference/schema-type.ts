import { isObject } from '../../../shared/lib/is-object.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { readReference, unescapeStep } from '../../../shared/openapi/references.js'
import { isNullable, readSchema, takeParts } from './read-schema.js'
import { readList, readText, resolve } from './resolve.js'
import { textWith, words } from '../words.js'

/** `string`, `list of Order`, `integer (int64) or null`. */
export function describeType(document: JsonObject, part: unknown, depth = 0): string {
  if (part === false) return words().noValue
  const schema = readSchema(document, part)
  const kind = describeChoices(document, schema, depth) ?? describeOwnType(document, schema, depth)
  const name = readText(resolve(document, part)['title']) ?? readTypeName(document, part)
  const shown = name !== undefined && (kind === undefined || kind === 'object') ? name : kind
  if (!isNullable(schema)) return shown ?? words().any
  const isOnlyNull = shown === undefined && schema['nullable'] !== true
  return isOnlyNull ? 'null' : `${shown ?? words().any} ${words().or} null`
}

/** The types of a few alternatives; undefined if there are none, or many, or if one of them can be anything. */
function describeChoices(document: JsonObject, schema: JsonObject, depth: number): string | undefined {
  const choices = [...readList(schema['oneOf']), ...readList(schema['anyOf'])]
  if (choices.length === 0 || choices.length > (depth === 0 ? MAX_CHOICES : SHOWN_KINDS) || depth > 2) return undefined
  const kinds = new Set(choices.map((each) => readName(each) ?? describeType(document, each, depth + 1)))
  return kinds.size > SHOWN_KINDS || kinds.has(words().any) ? undefined : [...kinds].join(` ${words().or} `)
}

const MAX_CHOICES = 30
const SHOWN_KINDS = 4

function describeOwnType(document: JsonObject, schema: JsonObject, depth: number): string | undefined {
  const format = readText(schema['format']) ?? readText(schema['contentMediaType'])
  const types = readTypes(schema).map((type) => {
    if (type === 'array' && depth < 3) return describeList(document, schema, depth)
    return format === undefined ? type : `${type} (${format})`
  })
  return types.length > 0 ? types.join(` ${words().or} `) : format && `${words().any} (${format})`
}

function describeList(document: JsonObject, { items, prefixItems }: JsonObject, depth: number): string {
  const { any, list, or } = words()
  const kind = prefixItems === undefined ? describeType(document, items, depth + 1) : any
  return kind === any ? list : textWith('listOf', { type: kind.includes(` ${or} `) ? `(${kind})` : kind })
}

/** The name of a schema, or of the only schema that it consists of. */
function readTypeName(document: JsonObject, part: unknown, depth = 0): string | undefined {
  const name = readName(part)
  if (name !== undefined || !isObject(part) || depth > 3) return name
  const { parts } = takeParts(document, part)
  return parts.length === 1 && !isObject(part['properties']) ? readTypeName(document, parts[0], depth + 1) : undefined
}

/** The types that a schema allows, without `null`: OpenAPI 3.0 has one, 3.1 a list. Guessed from other members if missing. */
export function readTypes(schema: JsonObject): string[] {
  const given = [schema['type']].flat().filter((each) => typeof each === 'string')
  const types = given.filter((type) => type !== 'null')
  if (given.length > 0) return types
  if (isObject(schema['properties']) || 'additionalProperties' in schema) return ['object']
  if ('items' in schema || 'prefixItems' in schema) return ['array']
  const values = 'const' in schema ? [schema['const']] : readList(schema['enum'])
  return [...new Set(values.filter((value) => value !== null).map(nameType))]
}

export function readValues(schema: JsonObject): readonly unknown[] {
  return 'const' in schema ? [schema['const']] : readList(schema['enum'])
}

/** Whether a value of the schema is a file: OpenAPI 3.0 has the format `binary`, 3.1 a media type without encoding. */
export function isBinary(schema: JsonObject): boolean {
  if (schema['format'] === 'binary') return true
  const { contentMediaType, contentEncoding, contentSchema } = schema
  return readText(contentMediaType) !== undefined && contentEncoding === undefined && contentSchema === undefined
}

/** The name of a reference's target: `Order` of `#/components/schemas/Order`. */
export function readName(given: unknown): string | undefined {
  const step = readReference(given)?.split('/').at(-1)
  return step === undefined ? undefined : unescapeStep(step)
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
