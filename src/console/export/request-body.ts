import { isObject } from '../../lib/is-object.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import type { SampleBody, SampleField } from '../../samples/call.js'
import type { CallBody } from './calls.js'
import { resolve } from '../reference/resolve.js'

/** The body of a call in the first media type that is JSON, otherwise in its first one. */
export function createRequestBody(document: JsonObject, body: CallBody | undefined): SampleBody | undefined {
  const contents = body?.contents ?? []
  const content = contents.find(({ mediaType }) => isJson(mediaType)) ?? contents[0]
  if (!content) return undefined
  const { mediaType, example } = content
  if (isForm(mediaType)) return { mediaType, fields: listFields(document, content.schema, example) }
  if (isJson(mediaType)) return { mediaType, text: JSON.stringify(example ?? {}, null, 2) }
  return typeof example === 'string' ? { mediaType, text: example } : { mediaType, file: FILE }
}

const FILE = { name: 'file' }

export function isJson(mediaType: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(mediaType)
}

function isForm(mediaType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(mediaType)
}

function listFields(document: JsonObject, schema: unknown, example: unknown): SampleField[] {
  const properties = asObject(resolve(document, schema)['properties'])
  const values: JsonObject = isObject(example) ? example : {}
  return [...new Set([...Object.keys(properties), ...Object.keys(values)])].flatMap((name): SampleField[] => {
    const { type, format, contentMediaType } = resolve(document, properties[name])
    if (format === 'binary' || (contentMediaType !== undefined && type !== 'object')) return [{ name, file: FILE }]
    if (!Object.hasOwn(values, name)) return []
    return [values[name]]
      .flat()
      .map((value) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }))
  })
}
