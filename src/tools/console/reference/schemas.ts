import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { readReference } from '../../../shared/openapi/references.js'
import { slug } from './operation-keys.js'
import { readName } from './schema-type.js'

/** A schema that the document gives a name, with its place in the URL. */
export interface NamedSchema {
  readonly key: string
  readonly name: string
  readonly schema: unknown
}

/** Pages ask for each type that they show. */
const known = new WeakMap<JsonObject, ReadonlyMap<string, NamedSchema>>()

/** The schemas of a document's components, in its order. */
export function listNamedSchemas(document: JsonObject): NamedSchema[] {
  return [...readNamedSchemas(document).values()]
}

/** The place of the page of the schema that a reference names; undefined if it has none. */
export function findSchemaKey(document: JsonObject, given: unknown): string | undefined {
  if (!/^#\/components\/schemas\/[^/]+$/.test(readReference(given) ?? '')) return undefined
  return readNamedSchemas(document).get(readName(given) ?? '')?.key
}

function readNamedSchemas(document: JsonObject): ReadonlyMap<string, NamedSchema> {
  const before = known.get(document)
  if (before) return before
  const claimKey = createUniqueNames()
  const { schemas } = asObject(document['components'])
  const named = new Map(
    Object.entries(asObject(schemas)).map(([name, schema]) => [
      name,
      { key: claimKey(slug(name) || 'schema'), name, schema },
    ]),
  )
  known.set(document, named)
  return named
}
