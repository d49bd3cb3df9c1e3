import type { IncomingMessage } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { hasDuplicateHeader, readHeader } from '../../shared/lib/request.js'
import { decodeFormValue, type Form } from './form.js'

/** The API, or what else, at whose endpoints a client authenticates. */
export type ClientApi = Pick<Api, 'name' | 'resource' | 'tokenEndpoint' | 'clientAuthentication'>

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

/** Each way to read what was sent (RFC 6749 2.3.1): clients encode and pad it in several. The literal one comes first. */
export function readPresentedCredentials(req: IncomingMessage, form: Form): readonly ClientCredentials[] {
  const authorization = readHeader(req, 'authorization')
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (hasDuplicateHeader(req, 'authorization'))
    throw new OAuthError('invalid_request', 'There are two Authorization headers')
  if (!isBasic(authorization) || (secret !== undefined && isEmptyBasic(authorization)))
    return id !== undefined && secret !== undefined ? listReadings({ id, secret }) : []

  // RFC 6749 2.3: a client must not use more than one authentication method in a request.
  if (secret !== undefined)
    throw new OAuthError(
      'invalid_request',
      'Client credentials came in the Authorization header (Basic) and in the body; send them once, and no other Basic header',
    )
  const readings = readBasic(authorization)
  if (!readings)
    throw new OAuthError('invalid_request', "The Basic credentials in the Authorization header can't be decoded")
  if (id !== undefined && !readings.some((reading) => reading.id === id || reading.id === id.trim()))
    throw new OAuthError('invalid_request', 'The client_id in the body is not the one in the Authorization header')
  return readings
}

/** Whether an `Authorization` header uses the scheme Basic (RFC 7617). Scheme names are case-insensitive. */
export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization)
}

/** Whether a Basic header has no credentials: nothing, or an empty user name and password, as some clients send. */
function isEmptyBasic(authorization: string): boolean {
  const text = authorization.slice('basic'.length).trim()
  return text === '' || decodeBase64(text) === ':'
}

/** As they were sent; form-decoded (RFC 6749 2.3.1); and with `%3A` alone decoded, as some clients escape only that. */
export function readBasic(authorization: string): readonly ClientCredentials[] | undefined {
  const pair = decodeBase64(authorization.slice('basic'.length).trim())
  // RFC 7617 2: the user name ends at the first colon, and neither part has a control character.
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0) return undefined
  const raw = { id: pair.slice(0, colon), secret: pair.slice(colon + 1) }
  if (CONTROL_CHARACTER.test(`${raw.id.trim()}${raw.secret.trim()}`)) return undefined
  if (NOT_FORM_ENCODED.test(pair)) return listReadings(raw)
  const id = decodeFormValue(raw.id)
  const secret = decodeFormValue(raw.secret)
  const decoded = id === undefined || secret === undefined ? [] : [{ id, secret }]
  return listReadings(raw, ...decoded, { id: decodeColons(raw.id), secret: decodeColons(raw.secret) })
}

/** Different readings in order; then those without white space around, which pasted text and files often end with. */
function listReadings(...readings: readonly ClientCredentials[]): readonly ClientCredentials[] {
  const trimmed = readings.map(({ id, secret }) => ({ id: id.trim(), secret: secret.trim() }))
  return [...readings, ...trimmed].filter(
    (each, at, all) => all.findIndex(({ id, secret }) => id === each.id && secret === each.secret) === at,
  )
}

function decodeColons(text: string): string {
  return text.replaceAll(/%3a/gi, ':')
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
