import { isObject } from '../../../shared/lib/is-object.js'
import { format, type Value } from '../../../shared/samples/serialize.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { readChosenSchema } from './read-schema.js'
import { readText } from './resolve.js'
import { readName } from './schema-type.js'

/** A part of an element: an attribute with what declares its namespace, or what is between the tags. */
interface Node {
  readonly attributes?: readonly string[]
  readonly content?: string
  readonly isElement?: boolean
}

/** A value as XML, as the `xml` keywords of its schema say. Undefined if the document gives its root no name. */
export function writeXml(document: JsonObject, given: unknown, value: unknown): string | undefined {
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
