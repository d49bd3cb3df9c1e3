import { createUniqueNames } from '../../lib/unique-names.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import { slug } from './operation-keys.js'

/** A schema that the document gives a name, with its place in the URL. */
export interface NamedSchema {
  readonly key: string
  readonly name: string
  readonly schema: unknown
}

/** The schemas of a document's components, in its order. */
export function listNamedSchemas(document: JsonObject): NamedSchema[] {
  const claimKey = createUniqueNames()
  const { schemas } = asObject(document['components'])
  return Object.entries(asObject(schemas)).map(([name, schema]) => ({
    key: claimKey(slug(name) || 'schema'),
    name,
    schema,
  }))
}
