import { asObject, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { format, isJson, type Value } from '../../../shared/samples/serialize.js'
import { readChosenSchema, resolve, resolveEntries, isBinary, readTypes, readText, readName } from './read-schema.js'
import { isObject } from '../../../shared/lib/own-members.js'
import { encodeForm } from '../../../shared/samples/body.js'
import { createExample, listGivenExamples, type Example } from './examples.js'
import { words } from '../words.js'

export interface BodyContent {
  readonly mediaType: string
  readonly members: JsonObject
  readonly schema: JsonObject
  readonly kind: 'text' | 'fields' | 'file'
}

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

export function listBodyTexts(
  document: JsonObject,
  mediaType: string,
  content: JsonObject,
  omit: 'readOnly' | 'writeOnly',
): { readonly label: string; readonly text: string }[] {
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

interface Node {
  readonly attributes?: readonly string[]
  readonly content?: string
  readonly isElement?: boolean
}

/** A value as XML, as the `xml` keywords of its schema say. Undefined if the document gives its root no name. */
function writeXml(document: JsonObject, given: unknown, value: unknown): string | undefined {
  const root = readText(asObject(readChosenSchema(document, given)['xml'])['name']) ?? readName(given)
  if (root === undefined) return undefined
  const nodes = listNodes(root, given, value)
  const [node] =
    nodes.length === 1 && nodes[0]?.isElement ? nodes : [createElement(root, readChosenSchema(document, given), nodes)]
  return `<?xml version="1.0" encoding="UTF-8"?>\n${node?.content}`

  function listNodes(fallback: string, part: unknown, each: unknown): Node[] {
    const schema = readChosenSchema(document, part)
    const { nodeType, name = fallback, attribute, wrapped } = asObject(schema['xml'])
    if (Array.isArray(each)) {
      const items = each.flatMap((item) => listNodes(String(name), schema['items'], item))
      return wrapped === true || nodeType === 'element' ? [createElement(fallback, schema, items)] : items
    }
    const raw = isObject(each) ? '' : format((each ?? '') as Value)
    const text = escapeXml(raw)
    if (attribute === true || nodeType === 'attribute')
      return [{ attributes: [`${qualify(fallback, schema)}="${text}"`, ...declareNamespace(schema)] }]
    if (nodeType === 'cdata') return [{ content: `<![CDATA[${raw.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` }]
    const children = isObject(each) ? listMembers(schema, each) : [{ content: text }]
    return nodeType === 'text' || nodeType === 'none' ? children : [createElement(fallback, schema, children)]
  }

  function listMembers(schema: JsonObject, each: JsonObject): Node[] {
    const properties = asObject(schema['properties'])
    return Object.entries(each).flatMap(([name, member]) =>
      listNodes(name, properties[name] ?? schema['additionalProperties'], member),
    )
  }
}

function createElement(fallback: string, schema: JsonObject, children: readonly Node[]): Node {
  const name = qualify(fallback, schema)
  const attributes = [...declareNamespace(schema), ...children.flatMap((child) => child.attributes ?? [])]
  const start = [name, ...new Set(attributes)].join(' ')
  const contents = children.flatMap(({ content }) => (content === undefined || content === '' ? [] : [content]))
  if (contents.length === 0) return { isElement: true, content: `<${start}/>` }
  const inner = !children.some(({ isElement }) => isElement)
    ? contents.join('')
    : `\n  ${contents.join('\n').replaceAll('\n', '\n  ')}\n`
  return { isElement: true, content: `<${start}>${inner}</${name}>` }
}

function qualify(fallback: string, schema: JsonObject): string {
  const { prefix, name } = asObject(schema['xml'])
  const local = (readText(name) ?? fallback).replaceAll(/[^\p{L}\p{N}._-]/gu, '_').replace(/^(?=[^\p{L}_])/u, '_')
  return readText(prefix) === undefined ? local : `${readText(prefix)}:${local}`
}

function declareNamespace(schema: JsonObject): string[] {
  const { prefix, namespace } = asObject(schema['xml'])
  const address = readText(namespace)
  if (address === undefined) return []
  return [`xmlns${readText(prefix) === undefined ? '' : `:${readText(prefix)}`}="${escapeXml(address)}"`]
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
