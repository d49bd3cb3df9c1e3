import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { parsePath, type Endpoint, type Middleware } from '../http/middleware.js'
import { answerErrors, logDenial, type PaceStarts } from '../http/endpoints.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { readHeader } from '../../shared/lib/request.js'
import { sendDenial, sendEmpty } from '../http/respond.js'
import { describeRefusedClient } from './client-authentication.js'
import type { CheckMount } from './mount-check.js'

interface ApiEndpoints {
  readonly api: Api
  readonly token: Endpoint
  readonly revoke: Endpoint
  readonly introspect: Endpoint
  readonly check: Endpoint
  readonly authorize: Endpoint
  readonly authorizationServerMetadata: Endpoint
  readonly openIdMetadata: Endpoint
  readonly protectedResourceMetadata: Endpoint
}

/** Path -> method -> endpoint. `*` stands for every method that is not listed. */
type Routes = Map<string, Readonly<Record<string, Endpoint>>>

/** `auth.router`, `auth.wellKnownRouter`. Paths match exactly, in case and slash; others go on to the host. */
export function createRouters(options: {
  readonly endpoints: readonly ApiEndpoints[]
  /** The endpoints for every API, which the form names. */
  readonly resourceServers: { readonly introspect: Endpoint; readonly check: Endpoint }
  readonly keySet: Endpoint
  readonly suspension: Endpoint
  /** The path of `baseUrl`; the metadata at the root of the origin has it in its paths (RFC 8414 3.1, RFC 9728 3.1). */
  readonly basePath: string
  readonly cors: Cors | undefined
  readonly paceStarts: PaceStarts
  readonly logRefusal: LogRefusal
  readonly checkMount: CheckMount | undefined
}) {
  const { endpoints, resourceServers, keySet, suspension, basePath, cors, paceStarts, logRefusal } = options
  const { checkMount } = options
  const refuse =
    (api: string) =>
    (error: unknown, req: IncomingMessage, res: ServerResponse): void =>
      sendDenial(req, res, logDenial(logRefusal, api, error, describeRefusedClient(error)?.reason))
  const keySetRoute = routeDocument(answerErrors(keySet, refuse('platform')))
  const routeOfPlatform = (each: Endpoint) => ({ POST: answerErrors(paceStarts(each), refuse('platform')) })
  const routes: Routes = new Map<string, Readonly<Record<string, Endpoint>>>([
    ['/.well-known/jwks.json', keySetRoute],
    // No API's name begins so.
    ['/_resource-server/introspect', routeOfPlatform(resourceServers.introspect)],
    ['/_resource-server/check', routeOfPlatform(resourceServers.check)],
  ])
  const rootRoutes: Routes = new Map()

  for (const { api, ...endpoint } of endpoints) {
    const wrap = (each: Endpoint): Endpoint => answerErrors(each, refuse(api.name))
    const wrapWithCors = (each: Endpoint): Endpoint => wrap(addCors(paceStarts(each), cors))
    const preflight = cors && { OPTIONS: wrap(addCors((_req, res) => sendEmpty(res, 204), cors)) }
    const authorizationServer = routeDocument(wrap(endpoint.authorizationServerMetadata))
    const openId = routeDocument(wrap(endpoint.openIdMetadata))
    const protectedResource = routeDocument(wrap(endpoint.protectedResourceMetadata))
    routes
      .set(`/${api.name}/token`, { '*': wrapWithCors(endpoint.token), ...preflight })
      .set(`/${api.name}/revoke`, { POST: wrapWithCors(endpoint.revoke), ...preflight })
      .set(`/${api.name}/introspect`, { POST: wrapWithCors(endpoint.introspect), ...preflight })
      .set(`/${api.name}/check`, { POST: wrap(paceStarts(endpoint.check)) })
      .set(`/${api.name}/authorize`, routeGet(wrap(endpoint.authorize)))
      .set(`/${api.name}/.well-known/oauth-authorization-server`, authorizationServer)
      .set(`/${api.name}/.well-known/openid-configuration`, openId)
      .set(`/${api.name}/.well-known/oauth-protected-resource`, protectedResource)
      .set(`/${api.name}/.well-known/jwks.json`, keySetRoute)
    rootRoutes
      .set(`/.well-known/oauth-authorization-server${basePath}/${api.name}`, authorizationServer)
      .set(`/.well-known/openid-configuration${basePath}/${api.name}`, openId)
      .set(`/.well-known/oauth-protected-resource${basePath}/${api.name}`, protectedResource)
  }

  return {
    router: createRouter(basePath === '' ? new Map([...routes, ...rootRoutes]) : routes, checkMount),
    wellKnownRouter: createRouter(rootRoutes),
    suspensionRouter: createRouter(new Map([['/', routeOfPlatform(suspension)]])),
  }
}

function routeGet(endpoint: Endpoint): Record<string, Endpoint> {
  return { GET: endpoint, HEAD: endpoint }
}

/** No method of a request has this spelling. */
const PREFLIGHT = 'OPTIONS of CORS'

/** A document that every page may read. It answers preflights; every other OPTIONS goes on to the host. */
function routeDocument(endpoint: Endpoint): Record<string, Endpoint> {
  return { ...routeGet(endpoint), [PREFLIGHT]: answerPublicPreflight }
}

function isPreflight(req: IncomingMessage): boolean {
  return (
    req.method === 'OPTIONS' &&
    readHeader(req, 'origin') !== undefined &&
    readHeader(req, 'access-control-request-method') !== undefined
  )
}

function findEndpoint(methods: Readonly<Record<string, Endpoint>>, method: string): Endpoint | undefined {
  const name = Object.hasOwn(methods, method) ? method : '*'
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

function addCors(endpoint: Endpoint, cors: Cors | undefined): Endpoint {
  if (!cors) return endpoint
  return function answerWithCors(req, res) {
    cors(req, res)
    return endpoint(req, res)
  }
}

function createRouter(routes: Routes, checkMount?: CheckMount): Middleware {
  const isRoute = (path: string): boolean => routes.has(path)

  return function platformAuthRouter(req, res, next) {
    checkMount?.(req, isRoute)
    const methods = routes.get(parsePath(req.url ?? '/'))
    const endpoint =
      methods && ((isPreflight(req) ? methods[PREFLIGHT] : undefined) ?? findEndpoint(methods, req.method ?? ''))
    if (endpoint) void endpoint(req, res)
    else next()
  }
}

/** Sets the headers that let pages of the allowed origins read an answer. To be called before the answer is sent. */
type Cors = (req: IncomingMessage, res: ServerResponse) => void

/** Undefined if no origin is allowed. That is the default, since client secrets do not belong in browsers. */
export function createCors(
  origins: '*' | readonly string[],
  additionalExposedHeaders: readonly string[] = [],
): Cors | undefined {
  if (origins.length === 0) return undefined
  const exposedHeaders = ['WWW-Authenticate', 'Retry-After', ...additionalExposedHeaders].join(', ')

  return function setCorsHeaders(req, res) {
    const origin = readHeader(req, 'origin')
    if (origins !== '*') res.appendHeader('Vary', 'Origin')
    if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return
    res.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
    res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
    if (req.method !== 'OPTIONS') return
    res.setHeader('Access-Control-Allow-Methods', 'POST')
    res.setHeader(
      'Access-Control-Allow-Headers',
      readHeader(req, 'access-control-request-headers') ?? 'Authorization, Content-Type',
    )
    res.setHeader('Access-Control-Max-Age', '600')
  }
}

/** Answers the preflight of a document that every page may read. */
function answerPublicPreflight(req: IncomingMessage, res: ServerResponse): void {
  const headers = readHeader(req, 'access-control-request-headers')
  sendEmpty(res, 204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    ...(headers !== undefined && { 'Access-Control-Allow-Headers': headers }),
    'Access-Control-Max-Age': '600',
  })
}
