/** With `Authorization: Bearer ` it fits into a header line of 8 KiB, the most of nginx, Apache and many clients. */
export const MAX_ACCESS_TOKEN_LENGTH = 8000

/** Protected header, signature of an RSA key of 2,048 bits, and the claims other than `iss`, `aud` and `scope`, in base64url. */
const OTHER_PARTS = 900

/** About how many characters an access token with these scopes has, without custom claims. */
export function estimateAccessTokenLength(resource: string, scopes: readonly string[]): number {
  return OTHER_PARTS + Math.ceil(((2 * resource.length + scopes.join(' ').length) * 4) / 3)
}
