import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { isResourceServerOf, isUsableAt } from '../applications/records/grants.js'
import type { Api } from '../../shared/contracts/api.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import { OAuthError, retryAfter, toOAuthError, type Denial } from '../../shared/contracts/denial.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import { readForm, refuseInQuery, type Form } from '../http/form.js'
import type { Endpoint } from '../http/middleware.js'
import { readOrigin } from '../http/origin.js'
import { sendDenial, sendEmpty, sendJson } from '../http/respond.js'
import { deriveRequest, formatFailureKey, readIpAddress } from '../../shared/lib/request.js'
import { didYouMean } from '../../shared/lib/suggest.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import type { AuthenticateClient } from './client-authentication.js'
import {
  CLIENT_PARAMETERS,
  refuseRestrictedSecret,
  CLIENT_FAILED,
  createInvalidClientError,
} from './client-outcomes.js'
import type { ClientApi } from '../http/client-credentials.js'

/** An API, and what resource servers learn of applications there beyond RFC 7662. */
export interface IntrospectedApi extends Api {
  readonly introspection: readonly ('externalId' | 'metadata')[]
}

interface Caller {
  readonly application: ApplicationRecord
  readonly scopes: readonly string[]
  readonly token: AccessToken | undefined
}

type Answer =
  | { readonly denied: Denial; readonly caller: undefined }
  | { readonly denied: undefined; readonly caller: Caller }

/** Judges a request that a resource server asks about as a guard of the API with these scopes would, and counts it; `res` gets the headers that a guard sets. */
type GuardIntrospected = (
  api: Api,
  scopes: readonly string[],
  introspected: IncomingMessage,
  res: ServerResponse,
) => Promise<Answer>

interface Admitted {
  readonly server: ApplicationRecord
  readonly api: IntrospectedApi
}

/** `POST .../introspect` and `POST .../check` for resource servers: below each oauth2 API, and for every API below one path outside of all. */
export function createResourceServerEndpoints(options: {
  readonly authenticateClient: AuthenticateClient
  readonly authenticateResourceServer: (req: IncomingMessage, form: Form) => Promise<ResourceServer<IntrospectedApi>>
  readonly guardIntrospected: GuardIntrospected
  readonly limitFailures: RateLimit | undefined
  /** The time on the monotonic clock until which what this process knows may be served. */
  readonly freshUntil: () => number
  /** Whether the record has changed since, and the store did not tell how. */
  readonly isOutdated: (application: ApplicationRecord) => boolean
  readonly now: () => number
}) {
  const { authenticateClient, authenticateResourceServer, guardIntrospected, limitFailures, freshUntil } = options
  const { isOutdated, now } = options
  async function admit(req: IncomingMessage, form: Form, api: IntrospectedApi | undefined): Promise<Admitted> {
    if (api) {
      const client = await authenticateClient(req, form, api)
      refuseRestrictedSecret(client, api)
      if (isResourceServerOf(client.application, api)) return { server: client.application, api }
    } else {
      const { application: server, apis } = await authenticateResourceServer(req, form)
      const named = apis.find(({ name }) => name === form.get('api'))
      if (named) return { server, api: named }
    }
    throw new OAuthError('invalid_target', 'The resource server has no such API')
  }

  /** `client`: the request by which the resource server has authenticated. */
  async function judge(
    req: IncomingMessage,
    res: ServerResponse,
    { server, api }: Admitted,
    form: Form,
    client: IncomingMessage = req,
  ) {
    // An id that holds a credential of the resource server is left out here, and one of the caller's by who reads it.
    const { requestId } = readOrigin(client, api.keyHeaders)
    const introspected = readIntrospected(req, api, form, { by: server.id, id: requestId })
    // What is read while the answer is made may change it.
    const until = freshUntil()
    const answer = await guardIntrospected(api, readScopes(api, form), introspected, res)
    // An outage says nothing about the credential.
    if (answer.denied && answer.denied.status >= 500) throw toOAuthError(answer.denied)
    // Counted after the look-up, by resource server and address: a good key always passes, whoever else sends bad ones there.
    if (answer.denied?.error === 'invalid_api_key') await limitFailures?.(formatFailureKey(introspected, undefined))
    return { ...answer, maxAge: answer.caller ? findMaxAge(answer.caller, until) : 0 }
  }

  /** Seconds for which the resource server may take the answer for true. */
  function findMaxAge({ application, token }: Caller, until: number): number {
    if (isOutdated(application)) return 0
    const { keys, endsAt = Infinity } = application
    // Which of the keys it was does not matter: with an earlier end it is asked again.
    const ends = keys.map(({ expiresAt = Infinity }) => expiresAt).filter((end) => end > now())
    const end = Math.min(endsAt, ...(token ? [token.exp * 1000] : ends)) - now()
    return Math.max(0, Math.floor(Math.min(until - performance.now(), end) / 1000))
  }

  async function sendIntrospection(req: IncomingMessage, res: ServerResponse, admitted: Admitted, form: Form) {
    const { denied, caller, maxAge } = await judge(req, res, admitted, form)
    const document = denied
      ? { active: false, reason: denied.error, ...readWait(denied) }
      : describeCaller(admitted.api, caller)
    sendJson(res, 200, { ...document, max_age: maxAge }, NO_STORE)
  }

  return {
    sendIntrospection,
    async introspect(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const form = await readTokenForm(req, refuseUnknown)
      await sendIntrospection(req, res, await limitAuthenticationTime(admit(req, form, undefined)), form)
    },
    /** A proxy hands the answer on, so it is about the caller alone: what is wrong with the resource server itself is 503. */
    createCheck: (api: IntrospectedApi | undefined): Endpoint =>
      async function answerCheck(req, res) {
        const form = await readResourceServerForm(req, refuseUnknown)
        // Without a token in the form `Authorization` is the caller's, and must not authenticate the resource server.
        const client = form.get('token') === undefined ? deriveRequest(req, copyHeaders(req, 'authorization')) : req
        const admitted = await limitAuthenticationTime(admit(client, form, api)).catch(hideFromCallers)
        const { denied, caller, maxAge } = await judge(req, res, admitted, form, client).catch(hideFromCallers)
        res.setHeader('Max-Age', maxAge)
        if (denied) return sendDenial(req, res, denied)
        const { application, scopes } = caller
        sendEmpty(res, 204, {
          ...NO_STORE,
          'Client-Id': application.id,
          ...(scopes.length > 0 && { Scope: scopes.join(' ') }),
        })
      },
  }
}

const PARAMETERS = ['token', 'token_type_hint', 'api', 'ip', 'scope', ...CLIENT_PARAMETERS]
export const NO_STORE = { 'Cache-Control': 'no-store' }

/** `onUnknown` gets the names of parameters that do not exist. */
async function readResourceServerForm(req: IncomingMessage, onUnknown: (name: string) => void): Promise<Form> {
  const form = await readForm(req, PARAMETERS, onUnknown)
  refuseInQuery(req, PARAMETERS, onUnknown)
  return form
}

/** A question with a misspelt `scope` or `ip` would be answered as one without it. */
export function refuseUnknown(name: string): never {
  // The name may be a credential that was sent without its own.
  const shown = /^[a-z_]{1,20}$/i.test(name) ? ` ${name}` : ''
  const similar = didYouMean(name, PARAMETERS, (known) => known)
  throw new OAuthError('invalid_request', `The parameter${shown} is unknown.${similar}`)
}

/** The form of a request about the parameter `token` (RFC 7009 2.1, RFC 7662 2.1). */
export async function readTokenForm(req: IncomingMessage, onUnknown: (name: string) => void): Promise<Form> {
  const form = await readResourceServerForm(req, onUnknown)
  if (form.get('token') === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing')
  return form
}

/** The request that the resource server was sent: its credential, and the address that it came from; without one it is in no network. */
function readIntrospected(
  req: IncomingMessage,
  api: Api,
  form: Form,
  from: { readonly by: string; readonly id: string | undefined },
): IncomingMessage {
  const token = form.get('token')
  const name = api.keyHeaders[0] ?? 'Authorization'
  const value = api.scheme === 'apiKey' ? token! : `Bearer ${VISIBLE.test(token!) ? token! : ''}`
  const headers =
    token === undefined ? copyHeaders(req) : { headers: { [name.toLowerCase()]: value }, rawHeaders: [name, value] }
  const ip = form.get('ip')
  const introspected = deriveRequest(req, headers, { ip: ip ?? '', by: from.by, id: from.id })
  if (ip === undefined || isIP(readIpAddress(introspected)) !== 0) return introspected
  throw new OAuthError('invalid_request', 'The parameter ip must be one IP address')
}

/** White space around a token is none of its own. */
const VISIBLE = /^[\x21-\x7E]+$/

function copyHeaders({ headers, rawHeaders }: IncomingMessage, without?: string) {
  const kept = Object.entries(headers).filter(([name]) => name !== without)
  const raw = rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]!.toLowerCase() !== without)
  return { headers: Object.fromEntries(kept), rawHeaders: raw }
}

function readScopes(api: Api, form: Form): readonly string[] {
  const scopes = new Set(
    form
      .get('scope')
      ?.split(' ')
      .filter((scope) => scope !== ''),
  )
  const known = Object.keys(api.scopes).filter((scope) => scopes.has(scope))
  if (known.length === scopes.size) return known
  throw new OAuthError('invalid_scope', 'The parameter scope has a scope that the API does not have')
}

const FAULTS_OF_FORMS = ['invalid_request', 'invalid_scope', 'invalid_target']

/** Whatever refuses the resource server: callers of a proxy must not take it for an answer about their credentials. */
function hideFromCallers(error: unknown): never {
  if (!(error instanceof OAuthError) || FAULTS_OF_FORMS.includes(error.error) || error.status >= 500) throw error
  const headers = { ...retryAfter(1), ...readWaitHeader(error) }
  throw new OAuthError('temporarily_unavailable', 'Credentials cannot be checked now', { headers, cause: error })
}

function readWaitHeader({ headers }: Denial): Readonly<Record<string, string>> {
  return Object.hasOwn(headers, 'Retry-After') ? { 'Retry-After': headers['Retry-After']! } : {}
}

function readWait(denied: Denial): { readonly retry_after?: number } {
  const wait = readWaitHeader(denied)['Retry-After']
  return wait === undefined ? {} : { retry_after: Number(wait) }
}

function describeCaller(api: IntrospectedApi, { application, scopes, token }: Caller): object {
  const { id, externalId, metadata } = application
  const described = token
    ? describeToken({ ...token, scopes })
    : { active: true, token_type: 'api_key', iss: api.resource, aud: api.resource, ...describeClient(id, scopes) }
  return {
    ...described,
    ...(api.introspection.includes('externalId') && externalId !== undefined && { externalId }),
    ...(api.introspection.includes('metadata') && metadata !== undefined && { metadata }),
  }
}

/** RFC 7662 2.2. Custom claims have none of the names below. */
export function describeToken(token: AccessToken): object {
  return {
    ...(token.customClaims !== undefined && (JSON.parse(token.customClaims) as object)),
    active: true,
    token_type: 'bearer',
    iss: token.issuer,
    aud: token.issuer,
    iat: token.iat,
    exp: token.exp,
    jti: token.id,
    ...describeClient(token.applicationId, token.scopes),
  }
}

function describeClient(id: string, scopes: readonly string[]): object {
  return { sub: id, client_id: id, ...(scopes.length > 0 && { scope: scopes.join(' ') }) }
}

export interface ResourceServer<Each extends Api = Api> {
  readonly application: ApplicationRecord
  /** The APIs whose credentials it may check, with what it has presented. */
  readonly apis: readonly Each[]
}

/** For paths that name no API: the audience is `baseUrl`. One that is no resource server is answered as unknown. */
export function createResourceServerAuthentication<Each extends Api>(options: {
  readonly authenticateClient: AuthenticateClient
  readonly apis: ReadonlyMap<string, Each>
  readonly baseUrl: string
}) {
  const { authenticateClient, apis, baseUrl } = options
  const taken = new Set([...apis.values()].flatMap(({ clientAuthentication }) => clientAuthentication))
  const platform: ClientApi = {
    name: 'platform',
    resource: baseUrl,
    tokenEndpoint: undefined,
    // Key APIs name none.
    clientAuthentication: taken.size > 0 ? [...taken] : ['client_secret_basic', 'client_secret_post'],
  }

  return async function authenticateResourceServer(req: IncomingMessage, form: Form): Promise<ResourceServer<Each>> {
    const { application, secret, client } = await authenticateClient(req, form, platform)
    const own = [...apis.values()].filter(
      (api) => isResourceServerOf(application, api) && isUsableAt(secret, api) && takes(api, secret),
    )
    if (own.length > 0) return { application, apis: own }
    const refused = { reason: 'no_resource_server', client, applicationId: application.id }
    throw createInvalidClientError(platform.name, CLIENT_FAILED, refused)
  }
}

/** Whether clients of that API authenticate so: an API that takes private keys only has no secrets of resource servers either. */
function takes({ scheme, clientAuthentication }: Api, { keySet }: CredentialRecord): boolean {
  if (scheme === 'apiKey') return true
  return clientAuthentication.some((method) => (method === 'private_key_jwt') === (keySet !== undefined))
}
