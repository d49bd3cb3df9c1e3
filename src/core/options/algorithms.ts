/** The JWS algorithms (RFC 7518 3.1, RFC 8037) with which access tokens can be signed. */
export type SigningAlgorithm = (typeof ALGORITHMS)[number]
export const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
] as const
