import type { Api, CallerApplication } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import { isFromNetworks } from '../../shared/lib/networks.js'
import { copyJson } from '../../shared/lib/plain-json.js'

/** The facts that a guard has established about a request. `scheme` tells whether there is an access token. */
export type AuthInfo<Metadata = Record<string, unknown>> = AccessTokenInfo<Metadata> | ApiKeyInfo<Metadata>

/** The caller of an API with the scheme `oauth2`. */
export interface AccessTokenInfo<Metadata = Record<string, unknown>> extends CallerInfo<Metadata> {
  readonly scheme: 'oauth2'
  /** The access token (RFC 9068 2.2). */
  readonly token: {
    /** Its `jti`. */
    readonly id: string
    readonly issuedAt: Date
    readonly expiresAt: Date
    /** The claims that the API's option `claims` added; empty if there are none. */
    readonly claims: Record<string, unknown>
  }
}

/** The caller of an API with the scheme `apiKey`. */
export interface ApiKeyInfo<Metadata = Record<string, unknown>> extends CallerInfo<Metadata> {
  readonly scheme: 'apiKey'
  readonly token?: never
}

interface CallerInfo<Metadata> {
  /** The API's name. */
  readonly api: string
  readonly application: CallerApplication<Metadata>
  /** The scopes of the access token that are still granted, or those of the key. */
  readonly scopes: string[]
}

/** An authenticated application, and its rights at one API. A class for the reason at `PassportRequest`. */
export class Identity {
  readonly api: Api
  readonly application: ApplicationRecord
  /** The scopes of the access token that are still granted, or those of the key. */
  readonly scopes: readonly string[]
  readonly token: AccessToken | undefined
  /** The networks of the credential: of the key, or of the secret that the access token was issued for. */
  readonly networks: readonly string[] | undefined

  constructor(
    api: Api,
    application: ApplicationRecord,
    scopes: readonly string[],
    token: AccessToken | undefined,
    networks: readonly string[] | undefined,
  ) {
    this.api = api
    this.application = application
    this.scopes = scopes
    this.token = token
    this.networks = networks
  }

  /** Whether the request comes from the networks of the application and of the credential. Without a request its address is in none. */
  isFromItsNetworks(req: object | undefined): boolean {
    return isFromNetworks(req, this.application, this)
  }

  /** A new object for each call: its caller may change it. A method: another copy of this package can call it. */
  toAuthInfo(): AuthInfo {
    const caller = { api: this.api.name, application: describeCaller(this.application), scopes: [...this.scopes] }
    return this.token
      ? { scheme: 'oauth2', ...caller, token: describeToken(this.token) }
      : { scheme: 'apiKey', ...caller }
  }
}

type JsonMembers = Record<string, unknown>

/** The application as handlers get it. Metadata is copied when it is first read, because most handlers read none. */
function describeCaller({ id, name, externalId, metadata }: ApplicationRecord): CallerApplication {
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
function describeToken({ id, iat, exp, customClaims }: AccessToken): AccessTokenInfo['token'] {
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
