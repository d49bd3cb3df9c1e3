import { isObject } from '../../../shared/lib/is-object.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { readSchema } from './read-schema.js'
import { readList } from './resolve.js'

/** A schema with the members of its first alternative, unless it has properties without one: examples are of that. */
export function readChosenSchema(document: JsonObject, given: unknown): JsonObject {
  const schema = readSchema(document, given)
  const { oneOf, anyOf, ...own } = schema
  const [choice] = [...readList(oneOf), ...readList(anyOf)]
  if (choice === undefined || isObject(schema['properties'])) return schema
  return readSchema(document, { allOf: [choice, own] })
}
