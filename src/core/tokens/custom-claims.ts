import type { CreateClaims } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { copyJson, NotJsonError, stringifyJsonObject } from '../../shared/lib/plain-json.js'
import { callInTime } from '../../shared/lib/timeout.js'

/** The limit of 2 KiB of UTF-8 makes an access token fit into a header of 8 KiB. */
const MAX_CLAIMS_BYTES = 2048

/** The claims of access tokens (RFC 9068 2.2), and the secret of those that may be used from some networks only. */
const ISSUED_CLAIMS = ['iss', 'sub', 'aud', 'client_id', 'iat', 'exp', 'jti', 'scope', 'credential_id']

/** Names with a meaning in a JWT, an access token or an introspection response; of IANA's those that decide about access. */
export const REGISTERED_CLAIMS: ReadonlySet<string> = new Set([
  ...ISSUED_CLAIMS,
  'nbf', // RFC 7519 4.1
  'auth_time',
  'acr',
  'amr',
  'groups',
  'roles',
  'entitlements', // RFC 9068 2.2
  'cnf',
  'sub_jwk', // RFC 7800, OpenID Connect
  'act',
  'may_act', // RFC 8693 4
  'active',
  'username',
  'token_type',
  'token_introspection', // RFC 7662 2.2, RFC 9701
  'authorization_details', // RFC 9396
  'azp',
  'nonce',
  'at_hash',
  'c_hash',
  'sid',
  '_claim_names',
  '_claim_sources', // OpenID Connect
  'events',
  'toe',
  'txn',
  'sub_id', // RFC 8417, RFC 9493
])

/** The claims that the host adds, as JSON; undefined without any. Rejects with a logged cause, as 500. */
export async function readCustomClaims(
  api: string,
  createClaims: CreateClaims,
  { id, name, externalId, metadata }: ApplicationRecord,
): Promise<string | undefined> {
  const option = `apis.${api}.claims`
  try {
    // The host gets a copy: changes that it makes must not reach the cached record.
    const copy = { id, name, externalId, metadata: copyJson(metadata) }
    return stringifyClaims(option, await callInTime(option, () => createClaims(copy)))
  } catch (error) {
    throw new Error(`${option} failed for application ${id}.`, { cause: error })
  }
}

/** What the option `claims` returned, as JSON. Throws for no object, more than 2 KiB, or a registered name. */
export function stringifyClaims(option: string, claims: unknown): string | undefined {
  const text = stringifyJsonObject(`The result of ${option}`, claims, MAX_CLAIMS_BYTES)
  const registered = Object.keys(JSON.parse(text) as object).filter((name) => REGISTERED_CLAIMS.has(name))
  if (registered.length > 0)
    throw new NotJsonError(
      `The result of ${option} has ${registered.map((name) => `"${name}"`).join(', ')}, which other specifications define. Choose another name.`,
    )
  return text === '{}' ? undefined : text
}

/** The JSON text of the claims of a verified access token that the option `claims` added; undefined if there are none. */
export function selectCustomClaims(payload: object): string | undefined {
  const custom = Object.entries(payload).filter(([name]) => !ISSUED_CLAIMS.includes(name))
  return custom.length > 0 ? JSON.stringify(Object.fromEntries(custom)) : undefined
}
