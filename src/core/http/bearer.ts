const SCHEME = 'Bearer'
const BEARER = /^bearer(?:[ \t]|$)/i
/** RFC 6750 2.1: a b64token after one or more spaces. */
const BEARER_CREDENTIALS = /^bearer +[A-Za-z0-9._~+/-]+=*$/i
export const MAX_TOKEN_LENGTH = 8 * 1024
const MAX_HEADER_LENGTH = MAX_TOKEN_LENGTH + 'Bearer '.length

/** The access token in an `Authorization` header; undefined for another scheme, false if it is malformed. */
export function readBearer(authorization: string | undefined): string | false | undefined {
  const found = findBearer(authorization)
  return found && (BEARER_CREDENTIALS.test(found) ? found : false)
}

/** Whether a header that `readBearer` calls malformed is only too long. */
export function isTooLong(authorization: string | undefined): boolean {
  return authorization !== undefined && authorization.length > MAX_HEADER_LENGTH
}

/** Reads like `readBearer` without checking characters, which costs most: an accepted token needs no check. */
export function findBearer(authorization: string | undefined): string | false | undefined {
  if (authorization === undefined || !BEARER.test(authorization)) return undefined
  if (authorization.length > MAX_HEADER_LENGTH) return false
  const tokenAt = SCHEME.length + 1
  if (authorization.charAt(tokenAt - 1) === ' ' && authorization.charAt(tokenAt) !== ' ') return authorization
  // RFC 6750 2.1 allows several spaces, passport-http-bearer only one.
  return BEARER_CREDENTIALS.test(authorization) && authorization.replace(/ +/, ' ')
}
