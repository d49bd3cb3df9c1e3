import { isObject } from '../../lib/is-object.js'
import { ownMembers } from '../../lib/own-members.js'
import type { JsonObject } from '../../openapi/document.js'
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

export function isNullable(schema: JsonObject): boolean {
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

/** The name of what a schema refers to: `Order` of `#/components/schemas/Order`. */
export function readName(given: unknown): string | undefined {
  const reference = isObject(given) ? given['$ref'] : undefined
  return typeof reference === 'string' ? decodeStep(reference.slice(reference.lastIndexOf('/') + 1)) : undefined
}

/** A schema with the properties and the required names of all its `allOf`. `above`: schemas that these are part of. */
export function mergeAllOf(document: JsonObject, schema: JsonObject, above: readonly JsonObject[] = []): JsonObject {
  const parts = readList(schema['allOf'])
  if (parts.length === 0) return schema
  const inside = [...above, schema]
  const resolved = parts.map((part) => resolve(document, part)).filter((part) => !inside.includes(part))
  const merged = Object.create(null) as JsonObject
  for (const part of [...resolved.map((each) => mergeAllOf(document, each, inside)), schema]) {
    for (const [name, value] of Object.entries(part)) {
      const before = merged[name]
      if (name === 'allOf') continue
      if (name === 'properties' && isObject(before) && isObject(value))
        merged[name] = ownMembers({ ...before, ...value })
      else if (name === 'required' && Array.isArray(before) && Array.isArray(value))
        merged[name] = [...before, ...value] // prettier-ignore
      else merged[name] = value
    }
  }
  return merged
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}
