import { isObject } from '../../../shared/lib/is-object.js'
import { encodeForm } from '../../../shared/samples/body.js'
import { isJson } from '../../../shared/samples/media-type.js'
import type { Value } from '../../../shared/samples/serialize.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { createExample } from './create-example.js'
import { listGivenExamples, type Example } from './example.js'
import { resolve } from './resolve.js'
import { readTypes } from './schema-type.js'
import { writeXml } from './xml.js'
import { words } from '../words.js'

export interface BodyText {
  readonly label: string
  readonly text: string
}

/** The examples of a media type: the document's, or one of its schema. None if nobody can tell how to write it. */
export function listBodyTexts(
  document: JsonObject,
  mediaType: string,
  content: JsonObject,
  omit: 'readOnly' | 'writeOnly',
): BodyText[] {
  const given = listGivenExamples(document, content)
  const made = (): Example[] => {
    const value = createExample(document, content['schema'] ?? content['itemSchema'], omit)
    // Any JSON will do where a schema says nothing, but a request without a body may be refused.
    const anything = omit === 'readOnly' && 'schema' in content && isJson(mediaType) ? {} : undefined
    return [{ label: words().example, value: value ?? anything }]
  }
  return (given.length > 0 ? given : made())
    .map(({ label, value, serialized }) => ({
      label,
      text: serialized ?? writeText(document, mediaType, content, value),
    }))
    .filter(({ text }) => text !== '')
}

function writeText(document: JsonObject, mediaType: string, content: JsonObject, value: unknown): string {
  const type = mediaType.toLowerCase()
  if (value === undefined) return ''
  if (isJson(type)) return isWritten(document, content, value) ? value : JSON.stringify(value, null, 2)
  if (typeof value === 'string') return value
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (/jsonl|ndjson|jsonlines/.test(type)) return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  if (type.startsWith('text/event-stream')) return items.map(writeEvent).join('')
  if (/[/+]xml\b/.test(type)) return writeXml(document, content['schema'], value) ?? ''
  if (type.startsWith('application/x-www-form-urlencoded') && isObject(value))
    return encodeForm(Object.entries(value).map(([name, each]) => ({ name, value: each as Value })))
  // JSON is valid YAML.
  const isUnknown = /^multipart\/|^text\/(?!plain)|javascript|graphql|json-seq/.test(type) && !type.includes('yaml')
  return isUnknown && typeof value === 'object' ? '' : JSON.stringify(value, null, 2)
}

/** Whether an example is JSON already, in a string: its schema allows no string. */
function isWritten(document: JsonObject, content: JsonObject, value: unknown): value is string {
  const types = readTypes(resolve(document, content['schema']))
  return typeof value === 'string' && types.length > 0 && !types.includes('string') && /^\s*[[{]/.test(value)
}

/** Server-sent events: an object with their fields, or anything else as the data of one. */
function writeEvent(item: unknown): string {
  const isEvent = isObject(item) && Object.keys(item).some((name) => EVENT_FIELDS.includes(name))
  const fields = isEvent ? EVENT_FIELDS.map((name) => [name, item[name]] as const) : [['data', item] as const]
  const lines = fields.flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text.split('\n').map((line) => `${name}: ${line}\n`)
  })
  return `${lines.join('')}\n`
}

const EVENT_FIELDS: readonly string[] = ['event', 'data', 'id', 'retry']
