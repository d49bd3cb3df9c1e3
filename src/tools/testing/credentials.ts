import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import type { ApiName, ApisOptions, Application, CredentialInfo, PlatformAuth, Scheme, ScopeOf } from '../../index.js'
import { send } from './send.js'
import { refuseUnknown, wrongOption } from '../../shared/lib/option-checks.js'
import { isObject } from '../../shared/lib/own-members.js'
import { needsKeySet } from '../../shared/lib/key-set-text.js'

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
  const { secretId, ...client } = await createClient(auth, api, readOptions(options))
  try {
    return await requestAccessToken(auth, api, client)
  } finally {
    // The secret is removed, because an application has at most 20. The access token stays good.
    if (secretId !== undefined) await auth.applications.endCredential(client.application.id, secretId, { by: ACTOR })
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
  readOptions(options)
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

/** A mistyped `scopes` would give a credential with all of them, so that a test proves nothing. */
export function readOptions<Options extends AccessTokenOptions>(options: Options, known = CALLER_OPTIONS): Options {
  if (Array.isArray(options)) throw wrongOption('options', 'is an array', "Write { scopes: ['orders:read'] }.")
  refuseUnknown('', options, known)
  return options
}

const CALLER_OPTIONS: readonly string[] = ['application', 'name', 'externalId', 'metadata', 'scopes']

/** Throws `ConfigurationError` for anything else than a platform, also one of another process. */
export function requirePlatform(auth: unknown): void {
  if (!isObject(auth) || !Array.isArray(auth['apis']))
    throw wrongOption('auth', 'is no platform', 'Give what createPlatformAuth() returns.')
}

export function findApi(auth: AnyPlatform, name: string, scheme?: Scheme): AnyPlatform['apis'][number] {
  requirePlatform(auth)
  const api = auth.apis.find((each) => each.name === name)
  if (!api)
    throw new Error(`The platform has no API "${name}". There are: ${auth.apis.map((each) => each.name).join(', ')}.`)
  if (scheme === undefined || api.scheme === scheme) return api
  throw new Error(
    `The API "${name}" has the scheme "${api.scheme}". This helper needs an API with the scheme "${scheme}".`,
  )
}

interface Client {
  readonly application: Application
  readonly clientId: string
  /** A private key where no method of the API has a secret. */
  readonly secret: string | KeyObject
  /** By the platform's clock, which may be another one than `Date.now()`. */
  readonly createdAt: Date
  /** That of a secret, or key set, which the given application got for this. */
  readonly secretId?: string
}

/** A new application, or the given one with a secret for this token only. */
async function createClient(auth: AnyPlatform, api: string, options: AccessTokenOptions): Promise<Client> {
  const keys = createKeys(findApi(auth, api, 'oauth2'))
  const id = readId(options.application)
  if (id === undefined) return createApplication(auth, api, options)
  const given = { name: `Test ${randomUUID()}`, apis: grant(api, options), by: ACTOR }
  const { application, credential, secret } = keys
    ? { ...(await auth.applications.addKeySet(id, { ...given, ...keys.keySet })), secret: keys.privateKey }
    : await auth.applications
        .addSecret(id, given)
        .then((added) => ({ ...added, secret: added.credentials.clientSecret }))
  return { application, clientId: id, secret, createdAt: credential.createdAt, secretId: credential.id }
}

export async function createApplication(auth: AnyPlatform, api: string, options: AccessTokenOptions): Promise<Client> {
  const { name = `Test of ${api}`, externalId, metadata } = options
  const keys = createKeys(findApi(auth, api))
  const given = { name, apis: grant(api, options), externalId, metadata, keySet: keys?.keySet, by: ACTOR }
  const { application, credentials } = await auth.applications.create(given)
  const { clientId, clientSecret = '' } = credentials
  return { application, clientId, secret: keys?.privateKey ?? clientSecret, createdAt: application.createdAt }
}

/** The audit log says who made the changes. */
export const ACTOR = 'express-platform-auth/testing'

function createKeys(api: AnyPlatform['apis'][number]) {
  if (!needsKeySet(api)) return undefined
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, keySet: { jwks: { keys: [publicKey.export({ format: 'jwk' })] } } }
}

function grant(api: string, { scopes }: AccessTokenOptions): Record<string, { readonly scopes?: readonly string[] }> {
  return { [api]: scopes ? { scopes } : {} }
}

export async function requestAccessToken(auth: AnyPlatform, api: string, client: Client): Promise<string> {
  const { headers, form } = authenticate(findApi(auth, api), client)
  const { status, body } = await send(auth.router, {
    method: 'POST',
    target: `/${api}/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
  })
  const answer = JSON.parse(body.toString()) as { access_token?: string; error?: string; error_description?: string }
  if (answer.access_token !== undefined) return answer.access_token
  throw new Error(`${api}/token answered ${status} ${answer.error}: ${answer.error_description}`)
}

function authenticate(
  { resource, clientAuthentication }: AnyPlatform['apis'][number],
  { clientId, secret, createdAt }: Client,
): { readonly [part in 'headers' | 'form']?: Record<string, string> } {
  if (typeof secret === 'string')
    return clientAuthentication.includes('client_secret_post')
      ? { form: { client_id: clientId, client_secret: secret } }
      : { headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` } }
  const exp = Math.floor(createdAt.getTime() / 1000) + 60
  const claims = { iss: clientId, sub: clientId, aud: resource, jti: randomUUID(), exp }
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: 'ES256' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: secret, dsaEncoding: 'ieee-p1363' })
  const assertion = { client_assertion: `${signed}.${signature.toString('base64url')}` }
  return { form: { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', ...assertion } }
}

/** Keys that were added to given applications, by the id of the credential: an application has at most 20. */
const ADDED_KEYS = new Map<string, string>()

function readId(application: CallerOptions['application']): string | undefined {
  return typeof application === 'object' ? application.id : application
}
