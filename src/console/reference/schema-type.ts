import { isObject } from '../../lib/is-object.js'
import { ownMembers } from '../../lib/own-members.js'
import type { JsonObject } from '../../openapi/document.js'
import { readReference, unescapeStep } from '../../openapi/references.js'
import { readList, readText, resolve } from './resolve.js'

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

function isNullable(schema: JsonObject): boolean {
  return schema['nullable'] === true || readList([schema['type']].flat()).includes('null')
}

/** The values that a schema allows, if it lists them. */
export function readValues(schema: JsonObject): readonly unknown[] {
  return 'const' in schema ? [schema['const']] : readList(schema['enum'])
}

/** Whether a value of the schema is a file: OpenAPI 3.0 has the format `binary`, 3.1 a media type without encoding. */
export function isBinary(schema: JsonObject): boolean {
  if (schema['format'] === 'binary') return true
  return readText(schema['contentMediaType']) !== undefined && schema['contentEncoding'] === undefined
}

/** The name of a reference's target: `Order` of `#/components/schemas/Order`. */
export function readName(given: unknown): string | undefined {
  const step = readReference(given)?.split('/').at(-1)
  return step === undefined ? undefined : unescapeStep(step)
}

/**
 * One `allOf` has at most so many parts, with the parts of these. Further ones are left out: a few lines can describe millions.
 */
const MAX_PARTS = 300
const MAX_LEVELS = 30

/** A schema with the properties and the required names of all its `allOf`. Each part counts once, so that a schema may contain itself. */
export function mergeAllOf(document: JsonObject, schema: JsonObject): JsonObject {
  const seen = new Set<unknown>()
  let count = 0
  return merge(schema, 0)

  function merge(whole: JsonObject, level: number): JsonObject {
    const parts = readList(whole['allOf'])
    if (parts.length === 0) return whole
    seen.add(whole)
    const merged = Object.create(null) as JsonObject
    for (const part of parts) {
      const resolved = resolve(document, part)
      // Members beside `$ref` make a new object each time, so the reference is remembered too.
      if (level > MAX_LEVELS || seen.has(part) || seen.has(resolved) || ++count > MAX_PARTS) continue
      seen.add(part).add(resolved)
      addMembers(merged, merge(resolved, level + 1))
    }
    addMembers(merged, whole)
    return merged
  }
}

function addMembers(merged: JsonObject, schema: JsonObject): void {
  for (const [name, value] of Object.entries(schema)) {
    const before = merged[name]
    if (name === 'allOf') continue
    if (name === 'properties' && isObject(before) && isObject(value)) merged[name] = ownMembers({ ...before, ...value })
    else if (name === 'required' && Array.isArray(before) && Array.isArray(value)) merged[name] = [...before, ...value]
    else merged[name] = value
  }
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** `string`, `list of Order`, `integer (int64) or null`. */
export function describeType(document: JsonObject, part: unknown, depth = 0): string {
  if (part === false) return 'no value'
  const schema = resolve(document, part)
  const choices = [...readList(schema['oneOf']), ...readList(schema['anyOf'])]
  if (choices.length > 1 && choices.length < 5 && depth < 3) {
    const kinds = new Set(choices.map((each) => readName(each) ?? describeType(document, each, depth + 1)))
    if (!kinds.has('any')) return [...kinds].join(' or ')
  }
  const types = readTypes(mergeAllOf(document, schema)).map((type) => {
    if (type === 'array' && depth < 3) return describeList(document, schema['items'], depth)
    const format = readText(schema['format']) ?? readText(schema['contentMediaType'])
    return format === undefined ? type : `${type} (${format})`
  })
  const name = readText(schema['title']) ?? readName(part)
  const kind = [...types, ...(isNullable(schema) ? ['null'] : [])].join(' or ') || 'any'
  return name !== undefined && (kind === 'any' || kind === 'object') ? name : kind
}

function describeList(document: JsonObject, items: unknown, depth: number): string {
  const kind = describeType(document, items, depth + 1)
  return kind === 'any' ? 'list' : `list of ${kind}`
}
