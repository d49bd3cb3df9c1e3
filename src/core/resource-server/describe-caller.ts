import type { CallerApplication } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { copyJson } from '../../shared/lib/plain-json.js'
import type { AccessToken } from '../tokens/verified-token.js'
import type { AccessTokenInfo } from './auth-info.js'

type JsonMembers = Record<string, unknown>

/** The application as handlers get it. Metadata is copied when it is first read, because most handlers read none. */
export function describeCaller({ id, name, externalId, metadata }: ApplicationRecord): CallerApplication {
  if (metadata === undefined) return { id, name, externalId, metadata }
  let copied: JsonMembers | undefined
  return {
    id,
    name,
    externalId,
    get metadata() {
      return (copied ??= copyJson<JsonMembers>(metadata))
    },
  }
}

/** The access token as handlers get it. Its claims are parsed when they are first read. */
export function describeToken({ id, iat, exp, customClaims }: AccessToken): AccessTokenInfo['token'] {
  const [issuedAt, expiresAt] = [new Date(iat * 1000), new Date(exp * 1000)]
  if (customClaims === undefined) return { id, issuedAt, expiresAt, claims: {} }
  let parsed: JsonMembers | undefined
  return {
    id,
    issuedAt,
    expiresAt,
    get claims() {
      return (parsed ??= JSON.parse(customClaims) as JsonMembers)
    },
  }
}
