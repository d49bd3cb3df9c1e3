const SCHEME = 'Bearer'
const BEARER = /^bearer(?:[ \t]|$)/i
/** RFC 6750 2.1: b64token, after one space or more. */
const CREDENTIALS = /^bearer +[A-Za-z0-9._~+/-]+=*$/i
/** 8 KiB, and the scheme before it. */
const LONGEST = 8 * 1024 + 'Bearer '.length

/** An `Authorization` header with an access token, as the strategy takes it: undefined if it is of another scheme, false if it is malformed. */
export function readBearer(authorization: string | undefined): string | false | undefined {
  if (authorization === undefined || !BEARER.test(authorization)) return undefined
  if (authorization.length > LONGEST || !CREDENTIALS.test(authorization)) return false
  // RFC 6750 2.1 allows several spaces, the strategy one. The header itself goes on wherever it can: a copy costs more than all checks.
  return authorization.charAt(SCHEME.length + 1) === ' ' ? authorization.replace(/ +/, ' ') : authorization
}
