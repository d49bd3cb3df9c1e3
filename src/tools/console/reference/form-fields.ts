import { isObject } from '../../../shared/lib/own-members.js'
import type { FieldEncoding } from '../../../shared/samples/body.js'
import { isJson, isMultipart, serializeHeader, type Value } from '../../../shared/samples/serialize.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import type { BodyContent } from './body-contents.js'
import { createExample, listGivenExamples, readInitial } from './examples.js'
import { readSchema, readList, readText, resolve, resolveEntries, isBinary, readTypes } from './read-schema.js'

export interface FormField {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
  readonly encoding: Omit<FieldEncoding, 'name'>
  readonly value: unknown
  readonly example: unknown
}

/** The fields of a form, without those that only answers have. If none is required, those with an example are filled in, and files. */
export function listFormFields(document: JsonObject, content: BodyContent): FormField[] {
  const required = readList(content.schema['required'])
  const [given] = listGivenExamples(document, content.members)
  const values = isObject(given?.value) ? given.value : {}
  const additional = Object.keys(values).map((name) => [name, content.schema['additionalProperties']] as const)
  const fields = [...new Map([...additional, ...Object.entries(asObject(content.schema['properties']))])]
    .filter(([, schema]) => readSchema(document, schema)['readOnly'] !== true)
    .map(([name, schema]) => {
      const stated = Object.hasOwn(values, name) ? values[name] : undefined
      const isRequired = required.includes(name)
      return {
        name,
        schema,
        required: isRequired,
        encoding: readEncoding(document, content, name, schema),
        ...readInitial(document, schema, { required: isRequired || stated !== undefined, stated }),
      }
    })
  if (fields.some((field) => field.required || field.value !== undefined)) return fields
  return fields.map((field) => ({ ...field, value: field.example ?? readFileKind(document, field.schema) }))
}

/**
 * How a property is sent. One of the members `style`, `explode` and `allowReserved` makes it a query parameter's; OpenAPI 3.0
 * ignores them in `multipart/...`. Otherwise it is written in its media type, a list as a field for each item. Before OpenAPI 3.2
 * says so, an own media type `application/json` is that of the whole list, as servers and other tools read it.
 */
function readEncoding(document: JsonObject, { mediaType, members }: BodyContent, name: string, schema: unknown) {
  const encoding = resolve(document, asObject(members['encoding'])[name])
  const { style, explode, allowReserved, contentType, headers } = encoding
  const [, minor = '0'] = String(document['openapi']).split('.')
  const hasStyles = isMultipart(mediaType) ? /^multipart\/form-data/i.test(mediaType) && minor !== '0' : true
  if (hasStyles && [style, explode, allowReserved].some((member) => member !== undefined))
    return {
      style: readText(style) ?? 'form',
      ...(typeof explode === 'boolean' && { explode }),
      allowReserved: allowReserved === true,
    }
  const { contentEncoding, contentMediaType } = readSchema(document, schema)
  const encoded = contentEncoding === undefined ? undefined : (readText(contentMediaType) ?? 'application/octet-stream')
  const type = readText(contentType) ?? (isMultipart(mediaType) ? encoded : undefined)
  return {
    ...(type !== undefined && { mediaType: type }),
    ...(isJson(type) && minor < '2' && { explode: false }),
    ...(isMultipart(mediaType) && { headers: readHeaders(document, headers) }),
  }
}

function readHeaders(document: JsonObject, given: unknown): FieldEncoding['headers'] {
  const headers = resolveEntries(document, given).flatMap(([name, header]) => {
    if (/^content-(?:type|disposition)$/i.test(name)) return []
    const stated = listGivenExamples(document, header)[0]?.value
    const { value } = readInitial(document, header['schema'], { required: true, stated })
    const sent = value ?? (header['required'] === true ? createExample(document, header['schema']) : undefined)
    return sent === undefined ? [] : [[name, serializeHeader({ in: 'header', name, value: sent as Value })] as const]
  })
  return headers.length > 0 ? headers : undefined
}

export function readFileKind(document: JsonObject, given: unknown): 'file' | 'files' | undefined {
  const schema = readSchema(document, given)
  if (isBinary(schema)) return 'file'
  const items = readSchema(document, schema['items'])
  return readTypes(schema).includes('array') && isBinary(items) ? 'files' : undefined
}
