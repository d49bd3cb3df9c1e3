import { isObject } from '../lib/own-members.js'

export function readReference(given: unknown): string | undefined {
  if (!isObject(given)) return undefined
  const reference = given['$ref'] ?? given['$dynamicRef']
  return pointers.get(given) ?? (typeof reference === 'string' ? reference : undefined)
}

/** Remembers the pointer of a reference that is written in another way, so that the document is served as it was given. */
export function connect(object: Record<string, unknown>, pointer: string): void {
  pointers.set(object, pointer)
}

const pointers = new WeakMap<object, string>()

/** Members that may hold arbitrary JSON. A `$ref` in them is data, not a reference. */
const ARBITRARY_VALUES = new Set(['default', 'enum', 'const', 'example', 'examples', 'value', 'dataValue'])

/** Members whose own members have names of the provider's: an `example` or `x-id` in them is no keyword and no extension. */
const MAPS = new Set(
  (
    'headers properties patternProperties $defs definitions schemas dependentSchemas dependencies parameters requestBodies ' +
    'securitySchemes links callbacks pathItems mediaTypes encoding variables webhooks responses content'
  ).split(' '),
)

export interface PlacedObject {
  readonly object: Record<string, unknown>
  readonly pointer: string
  /** The address that its references are relative to: that of the nearest schema with an `$id`, otherwise the document's. */
  readonly base: string
}

/** The objects of a document or a part. Members of an extension are none: a `$ref` in them is data. */
export function listObjects(value: unknown, base = ''): PlacedObject[] {
  const found: PlacedObject[] = []
  add(value, '#', base, false)
  return found

  function add(part: unknown, at: string, outer: string, hasNames: boolean): void {
    if (typeof part !== 'object' || part === null) return
    const isPlain = !hasNames && isObject(part)
    const { $id: id } = isPlain ? part : {}
    const inner = typeof id === 'string' ? (parseAddress(id, outer)?.address ?? outer) : outer
    if (isPlain) found.push({ object: part, pointer: at, base: inner })
    for (const [member, content] of Object.entries(part)) {
      const here = `${at}/${escapeStep(member)}`
      if (!isPlain) add(content, here, inner, false)
      else if (member === 'examples') addExamples(content, here, inner)
      else if (!ARBITRARY_VALUES.has(member) && !member.startsWith('x-'))
        add(content, here, inner, MAPS.has(member) && !Array.isArray(content))
    }
  }

  /** Examples of media types and parameters may be references. Those of schemas are a list of values. */
  function addExamples(examples: unknown, at: string, outer: string): void {
    for (const [name, example] of Object.entries(isObject(examples) ? examples : {}))
      if (isObject(example) && typeof example['$ref'] === 'string')
        found.push({ object: example, pointer: `${at}/${escapeStep(name)}`, base: outer })
  }
}

/** A name as a step of a pointer in a URI fragment: RFC 6901 sections 3 and 6. */
export function escapeStep(name: string): string {
  return /[~/%]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25') : name
}

export function unescapeStep(step: string): string {
  return decodePercent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

export function parseAddress(text: string, base: string): { address: string; fragment: string } | undefined {
  if (!URL.canParse(text, base || undefined)) return undefined
  const url = new URL(text, base || undefined)
  const fragment = decodePercent(url.hash.slice(1))
  url.hash = ''
  return { address: url.href, fragment }
}

/** Percent-encoded UTF-8. What is none stays as it is. */
export function decodePercent(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
