import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import type { ApiName, ApisOptions, Application, CredentialInfo, PlatformAuth, Scheme, ScopeOf } from '../../index.js'
import { send } from './send.js'
import { readJwtPart } from '../../shared/lib/jwt.js'
import { refuseUnknown, wrongOption } from '../../shared/lib/option-checks.js'
import { isObject } from '../../shared/lib/own-members.js'
import { needsKeySet } from '../../shared/lib/key-set-text.js'
import { inThePast, inThePresent } from './clock.js'

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

function formatHeaders(auth: AnyPlatform, name: string, credential: string): Record<string, string> {
  const { scheme, keyHeaders } = findApi(auth, name)
  return scheme === 'oauth2' ? { Authorization: `Bearer ${credential}` } : { [keyHeaders[0]!]: credential }
}

/** A mistyped `scopes` would give a credential with all of them, so that a test proves nothing. */
function readOptions<Options extends AccessTokenOptions>(options: Options, known = CALLER_OPTIONS): Options {
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

async function requestAccessToken(auth: AnyPlatform, api: string, client: Client): Promise<string> {
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

/** An application with a credential for one API. */
export interface Caller {
  /** The credential for `fetch(url, { headers })` and supertest's `.set(headers)`. */
  readonly headers: Readonly<Record<string, string>>
  /** The access token, or the API key. */
  readonly credential: string
  readonly applicationId: string
}

/** Callers of one API. The API accepts the credential of the first one only. */
export interface Callers {
  readonly allowed: Caller
  /** Its application is suspended. */
  readonly suspended: Caller
  /** Its access token or key has expired. */
  readonly expired: Caller
  /** Its access token was revoked; its key was replaced. */
  readonly revoked: Caller
}

/**
 * One caller that an API accepts, and three that it refuses: suspended, expired and revoked. Each is an application of its
 * own. While the expired one is made, which takes some milliseconds, `Date.now()` and fake clocks are behind.
 *
 * @example
 * ```ts
 * import { callersFor, createTestPlatform, fetchFrom } from 'express-platform-auth/testing'
 * import express from 'express'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * const app = express().get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json([]))
 * const { suspended } = await callersFor(auth, 'orders')
 * const { status } = await fetchFrom(app)('/orders/items', { headers: suspended.headers }) // 401
 * ```
 */
export async function callersFor<const Apis extends ApisOptions, Name extends keyof Apis & string>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: Pick<AccessTokenOptions<ScopeOf<Apis, Name>>, 'scopes'> = {},
): Promise<Callers> {
  const platform: PlatformAuth = auth
  const isToken = findApi(platform, api).scheme === 'oauth2'
  readOptions(options, ['scopes'])
  const create = (): Promise<Caller> => createCaller(platform, api, options)
  // The expired credential is made first, because the clocks are behind for every call meanwhile.
  const expired = await (isToken ? createExpiredToken(platform, api, create) : createExpiredKey(platform, api, create))
  const [allowed, suspended, revoked] = await Promise.all([create(), create(), create()])
  await platform.applications.suspend(suspended.applicationId, { by: ACTOR })
  if (isToken) await platform.applications.revokeTokens(revoked.applicationId, { by: ACTOR })
  else await platform.applications.rotateKey(revoked.applicationId, { overlap: 0, by: ACTOR })
  return { allowed, suspended, expired, revoked }
}

export async function createCaller(auth: AnyPlatform, api: string, options: AccessTokenOptions = {}): Promise<Caller> {
  const client = await createApplication(auth, api, options)
  const isToken = findApi(auth, api).scheme === 'oauth2'
  const credential = isToken ? await requestAccessToken(auth, api, client) : client.clientId
  return toCaller(auth, api, client.application.id, credential)
}

function toCaller(auth: AnyPlatform, api: string, applicationId: string, credential: string): Caller {
  return { credential, applicationId, headers: formatHeaders(auth, api, credential) }
}

async function createExpiredToken(auth: PlatformAuth, api: string, create: () => Promise<Caller>): Promise<Caller> {
  const lifetime = readLifetime((await create()).credential)
  const caller = await inThePast(lifetime + CLOCK_MARGIN, create)
  await checkExpired(() => auth.verifyAccessToken(api, caller.credential))
  return caller
}

async function createExpiredKey(auth: PlatformAuth, api: string, create: () => Promise<Caller>): Promise<Caller> {
  const { applicationId } = await create()
  const { credentials } = await inThePast(CLOCK_MARGIN, async () => {
    // The platform says what time it is: its clock may be another one than Date.now().
    const { createdAt } = (await create().then((each) => auth.applications.get(each.applicationId)))!
    const expiresAt = new Date(createdAt.getTime() + 60_000)
    return auth.applications.addKey(applicationId, { name: 'Expired', expiresAt, by: ACTOR })
  })
  await checkExpired(() => auth.verifyApiKey(api, credentials.clientId))
  return toCaller(auth, api, applicationId, credentials.clientId)
}

/** The seconds by which the clocks are behind: more than any `clockTolerance` that makes sense. */
const CLOCK_MARGIN = 3600

/** A service that asks its platform (`express-platform-auth/remote`) has the platform's time from its answers: the first try may bring it. */
async function checkExpired(verify: () => Promise<unknown>): Promise<void> {
  const isRefused = (): Promise<boolean> =>
    inThePresent(() =>
      verify().then(
        () => false,
        () => true,
      ),
    )
  if ((await isRefused()) || (await isRefused())) return
  throw new Error(
    "The platform's option `now` is a clock that cannot be set back, so no credential could be made that has expired. Use createTestPlatform(), `now: fakeClock().now`, or leave it out.",
  )
}

function readLifetime(accessToken: string): number {
  const { exp, iat } = readJwtPart(accessToken, 'claims') as { readonly exp: number; readonly iat: number }
  return exp - iat
}
