/** A client's id and secret as they were presented. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** Whether an `Authorization` header is of the scheme Basic (RFC 7617), in whatever case. */
export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization)
}

/**
 * What a Basic header may mean: its form-decoded reading, as RFC 6749 2.3.1 has it, and the raw one, which most clients
 * send; one reading where they are the same. Undefined if it can't be decoded.
 */
export function readBasic(authorization: string): readonly ClientCredentials[] | undefined {
  const pair = decodeBase64(authorization.slice('basic'.length).trim())
  // RFC 7617 2: the user name ends at the first colon, and neither part holds a control character.
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0 || CONTROL.test(pair)) return undefined
  const raw = { id: pair.slice(0, colon), secret: pair.slice(colon + 1) }
  if (PLAIN.test(pair)) return [raw]
  const decoded = { id: formDecode(raw.id), secret: formDecode(raw.secret) }
  if (decoded.id === undefined || decoded.secret === undefined) return [raw]
  if (decoded.id === raw.id && decoded.secret === raw.secret) return [raw]
  return [{ id: decoded.id, secret: decoded.secret }, raw]
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1F\x7F]/
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** What reads the same either way: neither percent-encoding nor plus. */
const PLAIN = /^[^%+]+$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function decodeBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64')
  // Node drops what it can't decode: what does not come out again was no base64. Padding may be left out.
  if (!BASE64.test(text) || bytes.toString('base64').slice(0, text.length) !== text) return undefined
  try {
    return UTF_8.decode(bytes)
  } catch {
    return undefined
  }
}

/** One value of application/x-www-form-urlencoded; undefined if its percent-encoding or its UTF-8 is broken. */
export function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text)
  } catch {
    return undefined
  }
}
