import { asObject, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { isJson } from '../../../shared/samples/media-type.js'
import { readChosenSchema } from './read-schema.js'
import { resolve, resolveEntries } from './resolve.js'
import { isBinary, readTypes } from './schema-type.js'

export interface BodyContent {
  readonly mediaType: string
  readonly members: JsonObject
  readonly schema: JsonObject
  /** The editor of the body: a text, fields, or the choice of a file. */
  readonly kind: 'text' | 'fields' | 'file'
}

/** The media types of an operation's request body, in the document's order. */
export function listBodyContents(document: JsonObject, { operation }: Operation): BodyContent[] {
  const body = resolve(document, operation['requestBody'])
  return resolveEntries(document, body['content']).map(([mediaType, members]) => {
    const schema = readChosenSchema(document, members['schema'] ?? members['itemSchema'])
    return { mediaType, members, schema, kind: readKind(mediaType, schema) }
  })
}

function readKind(mediaType: string, schema: JsonObject): BodyContent['kind'] {
  const type = mediaType.toLowerCase()
  const isForm = type.startsWith('application/x-www-form-urlencoded') || type.startsWith('multipart/')
  if (isForm) return Object.keys(asObject(schema['properties'])).length > 0 ? 'fields' : 'text'
  if (isBinary(schema) && !isJson(type)) return 'file'
  const isText = isJson(type) || /^text\/|xml|yaml|javascript|graphql|ndjson|jsonl|^\*\/\*/.test(type)
  return isText || readTypes(schema).some((each) => each === 'object' || each === 'array') ? 'text' : 'file'
}

/** Whether an optional body is sent only if one is entered, as HTTP gives it no meaning (RFC 9110 9.3). */
export function isLeftOut(document: JsonObject, { method, operation }: Operation): boolean {
  return /^(?:GET|HEAD|DELETE)$/.test(method) && resolve(document, operation['requestBody'])['required'] !== true
}
