import { isObject } from '../../lib/is-object.js'
import { ownMembers } from '../../lib/own-members.js'
import { asObject, followReference, type JsonObject } from '../../openapi/document.js'

const MAX_REFERENCES = 10

/**
 * An object of a document, or what it refers to if it is a reference. Members beside `$ref` win, as OpenAPI 3.1 has it for
 * `summary` and `description`, and JSON Schema for all.
 */
export function resolve(document: JsonObject, given: unknown, depth = 0): JsonObject {
  const own = asObject(given)
  const { $ref: reference, ...siblings } = own
  if (typeof reference !== 'string' || depth > MAX_REFERENCES) return own
  const target = resolve(document, readReference(document, reference), depth + 1)
  return Object.keys(siblings).length === 0 ? target : ownMembers({ ...target, ...siblings })
}

/** The members of a map in a document, such as `headers`, each resolved. */
export function resolveEntries(document: JsonObject, given: unknown): (readonly [name: string, value: JsonObject])[] {
  return Object.entries(asObject(given))
    .filter(([, value]) => isObject(value))
    .map(([name, value]) => [name, resolve(document, value)])
}

/** A text in a document; undefined if it is missing, empty or something else. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The members of a list in a document; none if it is no list. */
export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Undefined for a reference to another part of the document than a member, such as `#anchor`. */
function readReference(document: JsonObject, reference: string): unknown {
  if (reference === '#') return document
  return reference.startsWith('#/') ? followReference(document, reference) : undefined
}
