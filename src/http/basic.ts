import { decodeFormValue } from './form.js'

/** A client identifier and secret as the client sent them. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** Whether an `Authorization` header uses the scheme Basic (RFC 7617). Scheme names are case-insensitive. */
export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization)
}

/**
 * The credentials of a Basic header in each reading: form-decoded, as RFC 6749 2.3.1 requires, and raw, as most clients
 * send them. One reading where both are the same. Undefined if the header cannot be decoded.
 */
export function readBasic(authorization: string): readonly ClientCredentials[] | undefined {
  const pair = decodeBase64(authorization.slice('basic'.length).trim())
  // RFC 7617 2: the user name ends at the first colon, and neither part has a control character.
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0 || CONTROL_CHARACTER.test(pair)) return undefined
  const raw = { id: pair.slice(0, colon), secret: pair.slice(colon + 1) }
  if (NOT_FORM_ENCODED.test(pair)) return [raw]
  const decoded = { id: decodeFormValue(raw.id), secret: decodeFormValue(raw.secret) }
  if (decoded.id === undefined || decoded.secret === undefined) return [raw]
  if (decoded.id === raw.id && decoded.secret === raw.secret) return [raw]
  return [{ id: decoded.id, secret: decoded.secret }, raw]
}

// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\x00-\x1F\x7F]/
/** Neither percent-encoding nor a plus sign: both readings are the same. */
const NOT_FORM_ENCODED = /^[^%+]+$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64')
  // Node skips characters that it cannot decode, so the bytes are encoded again and compared. Padding is optional.
  if (!BASE64.test(text) || bytes.toString('base64').slice(0, text.length) !== text) return undefined
  try {
    return UTF_8.decode(bytes)
  } catch {
    return undefined
  }
}
