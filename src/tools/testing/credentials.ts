import { randomUUID } from 'node:crypto'
import type { ApiName, ApisOptions, Application, CredentialInfo, PlatformAuth, Scheme, ScopeOf } from '../../index.js'
import { send } from './send.js'

/** The application that a credential is made for. */
export interface CallerOptions {
  /** An existing application, or its id. Without it there is a new one for each call. */
  readonly application?: string | { readonly id: string }
  /** The name of the new application. */
  readonly name?: string
  /** Your own id of the new application. */
  readonly externalId?: string
  /** Your own data of the new application. */
  readonly metadata?: object
}

export interface AccessTokenOptions<Scope extends string = string> extends CallerOptions {
  /** All scopes of the API, or of the application there, if left out. */
  readonly scopes?: readonly Scope[]
}

export type AnyPlatform = Pick<PlatformAuth, 'apis' | 'applications' | 'router'>

/**
 * An access token for an API, requested from its token endpoint by a new application that has the given scopes (all by
 * default), or by the given one. Rejects with the token endpoint's error if none is issued.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { accessTokenFor } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis: { orders: { scheme: 'oauth2' } } })
 * const headers = { Authorization: `Bearer ${await accessTokenFor(auth, 'orders')}` }
 * ```
 */
export async function accessTokenFor<const Apis extends ApisOptions, Name extends ApiName<Apis, 'oauth2'>>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: AccessTokenOptions<ScopeOf<Apis, Name>> = {},
): Promise<string> {
  const { application, secretId, ...client } = await createClient(auth, api, options)
  try {
    return await requestAccessToken(auth, api, client)
  } finally {
    // The secret is removed, because an application has at most 20. The access token stays good.
    if (secretId !== undefined) await auth.applications.endCredential(application.id, secretId, { by: ACTOR })
  }
}

/**
 * An API key that an API accepts: the key of a new application, or a further one of the given application. It is sent in the
 * API's header, `X-Api-Key` unless the option `apis.x.header` names another. It has the given scopes, or all.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { apiKeyFor } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis: { catalog: { scheme: 'apiKey' } } })
 * const headers = { 'X-Api-Key': await apiKeyFor(auth, 'catalog') }
 * ```
 */
export async function apiKeyFor<const Apis extends ApisOptions, Name extends ApiName<Apis, 'apiKey'>>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: AccessTokenOptions<ScopeOf<Apis, Name>> = {},
): Promise<string> {
  findApi(auth, api, 'apiKey')
  const platform: AnyPlatform = auth
  const id = readId(options.application)
  if (id === undefined) return (await createApplication(platform, api, options)).clientId
  const apis = options.scopes && grant(api, options)
  const isKnown = (key: CredentialInfo): boolean =>
    ADDED_KEYS.has(key.id) && JSON.stringify(key.apis) === JSON.stringify(apis)
  const known = (await auth.applications.get(id))?.keys.find(isKnown)
  if (known) return ADDED_KEYS.get(known.id)!
  const added = { name: `Test ${randomUUID()}`, ...(apis && { apis }), by: ACTOR }
  const { credential, credentials } = await platform.applications.addKey(id, added)
  ADDED_KEYS.set(credential.id, credentials.clientId)
  return credentials.clientId
}

/**
 * The header with a credential for an API: an access token or a key, as its scheme demands. For `fetch(url, { headers })`
 * and supertest's `.set(headers)`.
 *
 * @example
 * ```ts
 * import { createTestPlatform, headersFor } from 'express-platform-auth/testing'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read' } } } })
 * const headers = await headersFor(auth, 'orders', { scopes: ['orders:read'], metadata: { discount: 10 } })
 * ```
 */
export async function headersFor<const Apis extends ApisOptions, Name extends keyof Apis & string>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: AccessTokenOptions<ScopeOf<Apis, Name>> = {},
): Promise<Record<string, string>> {
  const platform: PlatformAuth = auth
  const { scheme } = findApi(platform, api)
  const credential = await (scheme === 'oauth2'
    ? accessTokenFor(platform, api, options)
    : apiKeyFor(platform, api, options))
  return formatHeaders(platform, api, credential)
}

export function formatHeaders(auth: AnyPlatform, name: string, credential: string): Record<string, string> {
  const { scheme, keyHeaders } = findApi(auth, name)
  return scheme === 'oauth2' ? { Authorization: `Bearer ${credential}` } : { [keyHeaders[0]!]: credential }
}

export function findApi(auth: AnyPlatform, name: string, scheme?: Scheme): AnyPlatform['apis'][number] {
  const api = auth.apis.find((each) => each.name === name)
  if (!api) throw new Error(`The platform has no API "${name}".`)
  if (scheme === undefined || api.scheme === scheme) return api
  throw new Error(
    `The API "${name}" has the scheme "${api.scheme}". This helper needs an API with the scheme "${scheme}".`,
  )
}

interface Client {
  readonly application: Application
  readonly clientId: string
  readonly clientSecret: string
  /** That of a secret which the given application got for this. */
  readonly secretId?: string
}

/** A new application, or the given one with a secret for this token only. */
async function createClient(auth: AnyPlatform, api: string, options: AccessTokenOptions): Promise<Client> {
  findApi(auth, api, 'oauth2')
  const id = readId(options.application)
  if (id === undefined) return createApplication(auth, api, options)
  const given = { name: `Test ${randomUUID()}`, apis: grant(api, options), by: ACTOR }
  const { application, credential, credentials } = await auth.applications.addSecret(id, given)
  return { application, clientId: id, clientSecret: credentials.clientSecret, secretId: credential.id }
}

export async function createApplication(auth: AnyPlatform, api: string, options: AccessTokenOptions): Promise<Client> {
  const { name = `Test of ${api}`, externalId, metadata } = options
  const apis = grant(api, options)
  const { application, credentials } = await auth.applications.create({ name, apis, externalId, metadata, by: ACTOR })
  return { application, clientId: credentials.clientId, clientSecret: credentials.clientSecret ?? '' }
}

/** The audit log says who made the changes. */
export const ACTOR = 'express-platform-auth/testing'

function grant(api: string, { scopes }: AccessTokenOptions): Record<string, { readonly scopes?: readonly string[] }> {
  return { [api]: scopes ? { scopes } : {} }
}

export async function requestAccessToken(
  auth: AnyPlatform,
  api: string,
  { clientId, clientSecret }: Omit<Client, 'application'>,
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { status, body } = await send(auth.router, {
    method: 'POST',
    target: `/${api}/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
  const answer = JSON.parse(body.toString()) as { access_token?: string; error?: string; error_description?: string }
  if (answer.access_token !== undefined) return answer.access_token
  throw new Error(`${api}/token answered ${status} ${answer.error}: ${answer.error_description}`)
}

/** Keys that were added to given applications, by the id of the credential: an application has at most 20. */
const ADDED_KEYS = new Map<string, string>()

function readId(application: CallerOptions['application']): string | undefined {
  return typeof application === 'object' ? application.id : application
}
