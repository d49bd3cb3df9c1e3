import { isList } from '../lib/own-members.js'
export interface Parameter {
  /** `querystring`: all of the query (OpenAPI 3.2). */
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  readonly name: string
  readonly value: Value
  /** OpenAPI's `style`; empty for the default of `in`. */
  readonly style?: string
  readonly explode?: boolean
  /** The media type of a parameter with `content`, which has no style. */
  readonly mediaType?: string | undefined
  readonly allowReserved?: boolean
}

/** Texts as they were typed; anything else comes from JSON. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

export function serializePathParameter(parameter: Parameter): string {
  const { name, value, explode = false } = parameter
  const style = parameter.style || 'simple'
  const key = encode(name)
  if (parameter.mediaType !== undefined) return encode(formatContent(parameter))
  if (!isComposite(value)) return addPrefix(style, key, encode(format(value)))
  const parts = listParts(value, explode)
  if (style === 'matrix') {
    if (!explode) return `;${key}=${parts.join(',')}`
    return parts.map((part) => (isList(value) ? `;${key}=${part}` : `;${part}`)).join('')
  }
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`
  return parts.join(',')
}

export function serializeQueryParameter(parameter: Parameter): string[] {
  const { name, value, allowReserved = false } = parameter
  const style = parameter.style || 'form'
  const explode = parameter.explode ?? style === 'form'
  const key = encode(name)
  const text = (each: Value): string => encode(format(each), allowReserved)
  if (parameter.in === 'querystring') return serializeQuery(parameter)
  if (parameter.mediaType !== undefined) return [`${key}=${text(formatContent(parameter))}`]
  if (!isComposite(value)) return [`${key}=${text(value)}`]
  if (style === 'deepObject') return listDeep(key, value, text)
  if (isList(value)) {
    if (value.length === 0) return []
    if (explode) return value.map((each) => `${key}=${text(each)}`)
    return [`${key}=${value.map(text).join(DELIMITERS.get(style) ?? ',')}`]
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return []
  if (explode) return entries.map(([property, each]) => `${encode(property)}=${text(each)}`)
  return [
    `${key}=${entries.flatMap(([property, each]) => [encode(property), text(each)]).join(DELIMITERS.get(style) ?? ',')}`,
  ]
}

export function serializeHeader(parameter: Parameter): string {
  const { value, explode = false } = parameter
  if (parameter.mediaType !== undefined) return formatContent(parameter)
  if (!isComposite(value)) return format(value)
  if (isList(value)) return value.map(format).join(',')
  return Object.entries(value)
    .map(([property, each]) => `${property}${explode ? '=' : ','}${format(each)}`)
    .join(',')
}

export function format(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function formatContent({ value, mediaType }: Parameter): string {
  return isJson(mediaType) ? JSON.stringify(value) : format(value)
}

function serializeQuery(parameter: Parameter): string[] {
  const { value, mediaType = '' } = parameter
  if (mediaType.startsWith('application/x-www-form-urlencoded') && isComposite(value) && !isList(value))
    return Object.entries(value).map(([name, each]) => `${encode(name)}=${encode(format(each))}`)
  return [encode(formatContent(parameter))]
}

/** Encoded, as OpenAPI's examples show them: a space, and a vertical bar. */
const DELIMITERS = new Map(Object.entries({ spaceDelimited: '%20', pipeDelimited: '%7C' }))

function addPrefix(style: string, key: string, text: string): string {
  if (style === 'label') return `.${text}`
  if (style === 'matrix') return text === '' ? `;${key}` : `;${key}=${text}`
  return text
}

function listParts(value: readonly Value[] | { readonly [name: string]: Value }, explode: boolean): string[] {
  if (isList(value)) return value.map((each) => encode(format(each)))
  return Object.entries(value).flatMap(([property, each]) => {
    const pair = [encode(property), encode(format(each))]
    return explode ? [pair.join('=')] : pair
  })
}

/** `filter[name]=tea`. Below the level that OpenAPI defines, items with members have a number: they would be mixed up otherwise. */
function listDeep(key: string, value: Value, text: (value: Value) => string): string[] {
  if (!isComposite(value)) return [`${key}=${text(value)}`]
  if (isList(value))
    return value.flatMap((each, at) => listDeep(`${key}%5B${isComposite(each) ? at : ''}%5D`, each, text))
  return Object.entries(value).flatMap(([property, each]) => listDeep(`${key}%5B${encode(property)}%5D`, each, text))
}

export function encode(text: string, allowReserved = false): string {
  // A lone surrogate makes encodeURIComponent() throw.
  const encoded = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
  if (!allowReserved) return encoded
  // RFC 6570: reserved characters stay, except those that would end the query or a parameter of it.
  return encoded.replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent)
}

export function isComposite(value: Value): value is readonly Value[] | { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null
}

export function isJson(mediaType = ''): boolean {
  return /^[^;,]*[/+]json\s*(?:[;,]|$)/i.test(mediaType)
}

export function isMultipart(mediaType: string): boolean {
  return /^multipart\//i.test(mediaType)
}

/** Chooses from a list such as `image/png, image/*`: the content's own type if allowed, else the first that is no range. */
export function chooseMediaType(list = '', own = ''): string | undefined {
  const types = list.split(',').map((type) => type.trim())
  const isAllowed = types.some(
    (type) => type === own || (type.endsWith('*') && own.startsWith(type.replace(/\*.*/, ''))),
  )
  if (own !== '' && isAllowed) return own
  return types.find((type) => type !== '' && !type.includes('*')) ?? (own || undefined)
}
