import type { ApiSettings } from '../options/settings.js'
import type { Cors } from '../http/cors.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { parsePath, type Endpoint, type Middleware } from '../http/middleware.js'
import { rootCause, toDenial, sendDenial, sendNothing } from '../http/respond.js'

/** The endpoints of one API. */
export interface ApiEndpoints {
  readonly api: ApiSettings
  readonly token: Endpoint
  readonly revoke: Endpoint
  readonly introspect: Endpoint
  readonly authorize: Endpoint
  readonly authorizationServerMetadata: Endpoint
  readonly protectedResourceMetadata: Endpoint
}

interface RouterOptions {
  readonly endpoints: readonly ApiEndpoints[]
  readonly keySet: Endpoint
  /** The path of `baseUrl`: what an origin's metadata documents lie behind (RFC 8414 3.1, RFC 9728 3.1). */
  readonly basePath: string
  readonly cors: Cors | undefined
  readonly logRefusal: LogRefusal
}

/** Which endpoint answers a method at a path; `*` is every method without one of its own. */
type Routes = Map<string, Record<string, Endpoint>>

/**
 * `auth.router` and `auth.wellKnownRouter`. Every path is known at start-up, so a map finds it: exact in case and
 * trailing slash, and whatever isn't in it goes on to the host.
 */
export function createRouters(options: RouterOptions): {
  router: Middleware
  wellKnownRouter: Middleware
} {
  const { endpoints, keySet, basePath, cors, logRefusal } = options
  const routes: Routes = new Map([['/.well-known/jwks.json', get(answering('platform', keySet))]])
  const rootRoutes: Routes = new Map()

  for (const { api, ...endpoint } of endpoints) {
    const posted = (handler: Endpoint): Endpoint => answering(api.name, withCors(handler))
    const options = cors && {
      OPTIONS: answering(
        api.name,
        withCors((_req, res) => sendNothing(res, 204)),
      ),
    }
    const authorizationServer = get(answering(api.name, endpoint.authorizationServerMetadata))
    const protectedResource = get(answering(api.name, endpoint.protectedResourceMetadata))
    routes
      .set(`/${api.name}/token`, { '*': posted(endpoint.token), ...options })
      .set(`/${api.name}/revoke`, { POST: posted(endpoint.revoke), ...options })
      .set(`/${api.name}/introspect`, { POST: posted(endpoint.introspect), ...options })
      .set(`/${api.name}/authorize`, get(answering(api.name, endpoint.authorize)))
      .set(`/${api.name}/.well-known/oauth-authorization-server`, authorizationServer)
      .set(`/${api.name}/.well-known/openid-configuration`, authorizationServer)
      .set(`/${api.name}/.well-known/oauth-protected-resource`, protectedResource)
    rootRoutes
      .set(`/.well-known/oauth-authorization-server${basePath}/${api.name}`, authorizationServer)
      .set(`/.well-known/openid-configuration${basePath}/${api.name}`, authorizationServer)
      .set(`/.well-known/oauth-protected-resource${basePath}/${api.name}`, protectedResource)
  }

  function withCors(endpoint: Endpoint): Endpoint {
    if (!cors) return endpoint
    return function answerAcrossOrigins(req, res) {
      cors(req, res)
      return endpoint(req, res)
    }
  }

  /** The one place where what an endpoint throws becomes an answer. */
  function answering(api: string, endpoint: Endpoint): Endpoint {
    return async function answer(req, res) {
      try {
        await endpoint(req, res)
      } catch (error) {
        const denied = toDenial(error)
        logRefusal(api, denied, rootCause(error))
        sendDenial(req, res, denied)
      }
    }
  }

  return {
    router: routerOf(basePath === '' ? new Map([...routes, ...rootRoutes]) : routes),
    wellKnownRouter: routerOf(rootRoutes),
  }
}

function get(endpoint: Endpoint): Record<string, Endpoint> {
  return { GET: endpoint, HEAD: endpoint }
}

function routerOf(routes: Routes): Middleware {
  return function platformAuthRouter(req, res, next) {
    const methods = routes.get(parsePath(req.url ?? '/'))
    const endpoint = methods && (methods[req.method ?? ''] ?? methods['*'])
    if (endpoint) void endpoint(req, res)
    else next()
  }
}
