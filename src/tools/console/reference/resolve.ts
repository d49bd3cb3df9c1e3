import { isObject } from '../../../shared/lib/is-object.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { asObject, followReference, type JsonObject } from '../../../shared/openapi/document.js'
import { readReference } from '../../../shared/openapi/references.js'

const MAX_REFERENCES = 10

/**
 * An object of a document, or what it refers to if it is a reference. A description, an example and other annotations beside
 * `$ref` win. Keywords of JSON Schema that both have, such as `properties`, must both hold, so they become an `allOf`.
 */
export function resolve(document: JsonObject, given: unknown, depth = 0): JsonObject {
  const own = asObject(given)
  const reference = readReference(own)
  if (reference === undefined || depth > MAX_REFERENCES) return own
  const { $ref: _reference, $dynamicRef: _dynamic, ...siblings } = own
  const target = resolve(document, reference === '#' ? document : followReference(document, reference), depth + 1)
  if (Object.keys(siblings).length === 0) return target
  const isShared = Object.keys(siblings).some((name) => name in target && KEYWORDS.test(name))
  if (!isShared || typeof siblings['required'] === 'boolean') return ownMembers({ ...target, ...siblings })
  return ownMembers({ ...siblings, allOf: [{ $ref: reference }, ...readList(siblings['allOf'])] })
}

/** The keywords that narrow a value: a value must match both. */
const KEYWORDS =
  /^(?:min|max|exclusive)[A-Z]|^(?:minimum|maximum|multipleOf|required|enum|items|allOf|oneOf|anyOf|not|if|contains)$|properties$/i

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

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
