import { ConfigurationError, type PlatformAuth } from '../../index.js'
import { isObject } from '../../lib/is-object.js'
import type { Listener } from '../send.js'
import { createCredentialSource } from './bad-credentials.js'
import type { CheckContext } from './check-context.js'
import { checkApiAddresses, checkHintedPaths, checkMounted, listApiTargets } from './check-addresses.js'
import { checkMethods } from './check-methods.js'
import { findRoutes } from './check-operation.js'
import { readOperations, type Operation } from './documents.js'
import { findEndpoints, type Endpoint } from './endpoints.js'
import { findHiddenRouters } from './hidden-routers.js'
import { findLayers } from '../../express-routes/layers.js'
import { RoutesNotSecuredError, type SecurityProblem } from './problem.js'
import { createProblemList } from './problem-list.js'
import { createProber } from './prober.js'
import { readPublicRoutes } from './public-routes.js'

export interface ExpectSecuredOptions {
  /** The platform whose guards protect the routes. */
  readonly auth: PlatformAuth
  /** API name -> its OpenAPI document, or the path of a JSON or YAML file, or `{ document, prefix }` for one of several APIs. Routes and operations must then be the same. */
  readonly documents?: Readonly<Record<string, object | string>> | undefined
  /** Routes that need no credential of this platform -> the reason: `{ 'GET /health': 'the load balancer asks it' }`. A path may end with `/*`. */
  readonly public?: Readonly<Record<string, string>> | undefined
  /** Values for parameters in paths, by name, where any value will not do: `{ id: '42' }`. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** Paths for routes with a regular expression for which none can be made, by the route's path in the failure. */
  readonly examples?: Readonly<Record<string, string>> | undefined
  /**
   * The reason why nothing at all has to be found: no route, and no API's address that a guard refuses. Without it, that is a
   * failure.
   */
  readonly allowNoRoutes?: string | undefined
}

/** The result of the checks. */
export interface SecuredRoutes {
  /** `GET /orders/items/:id`, in the app's order. Of an app without routes: `* /orders/*` for each API whose address a guard refuses. */
  readonly routes: readonly string[]
  /** How many requests were sent. */
  readonly requestCount: number
}

/**
 * Proves that every route of an Express app is protected by a guard of the platform, or listed as public. It sends requests
 * through the app to each route, without a credential and with bad ones, and rejects with a `RoutesNotSecuredError` that names each
 * request which reached a handler or got another answer than the guard's refusal. Handlers are replaced meanwhile, and do not
 * run; middleware before the guards does. Send no other requests to the app until it resolves.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createTestPlatform, expectSecured } from 'express-platform-auth/testing'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * const app = express()
 * app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json([]))
 * app.get('/health', (req, res) => void res.json({ ok: true }))
 * await expectSecured(app, { auth, public: { 'GET /health': 'the load balancer asks it' } })
 * ```
 */
export function expectSecured(app: Listener, options: ExpectSecuredOptions): Promise<SecuredRoutes> {
  // Calls run one at a time: two would replace each other's handlers.
  const result = last.then(() => checkRoutes(app, readOptions(app, options)))
  last = result.catch(() => undefined)
  return result
}

let last: Promise<unknown> = Promise.resolve()

function readOptions(app: unknown, options: ExpectSecuredOptions): ExpectSecuredOptions {
  if (!isObject(options) || !Array.isArray((options.auth as Partial<PlatformAuth> | undefined)?.apis)) {
    throw new ConfigurationError({
      option: 'auth',
      problem: 'is no platform',
      fix: 'Give what createPlatformAuth() returns.',
    })
  }
  if (findLayers(app)) return options
  throw new ConfigurationError({
    option: 'app',
    problem: 'is no Express app',
    fix: 'Give the app, or a router: express() or express.Router().',
  })
}

async function checkRoutes(app: Listener, options: ExpectSecuredOptions): Promise<SecuredRoutes> {
  const { auth, params = {}, examples = {} } = options
  const mounted = findEndpoints(app, params).flatMap(({ route, target }) =>
    route || target === undefined ? [] : target,
  )
  await findHiddenRouters(app, auth, [...listApiTargets(auth), ...mounted.map((target) => `${target}/value`)])
  const endpoints = findEndpoints(app, params).map((endpoint) => ({
    ...endpoint,
    target: examples[endpoint.path] ?? endpoint.target,
  }))
  const operations = readOperations(auth, options.documents)
  const publicRoutes = readPublicRoutes(options.public)
  const problems = createProblemList(endpoints.flatMap(({ handlers }) => handlers))
  const credentials = createCredentialSource(auth)
  const prober = createProber(app, auth)
  try {
    const documented = new Map<Operation, Endpoint[]>()
    const operationsOf = (endpoint: Endpoint, method: string): Operation[] =>
      [...documented]
        .filter(([each, found]) => found.includes(endpoint) && isMethod(each.method, method))
        .map(([each]) => each)
    const context: CheckContext = {
      auth,
      prober,
      credentials,
      publicRoutes,
      endpoints,
      operationsOf,
      findings: new Map(),
      uses: new Map(),
      report: problems.report,
    }
    for (const operation of operations) documented.set(operation, await findRoutes(context, operation))
    const inDocuments = new Set(operations.map(({ api }) => api))
    const refused = await checkApiAddresses(context)
    for (const endpoint of endpoints) {
      if (endpoint.route === undefined) await checkMounted(context, endpoint)
      else await checkMethods(context, endpoint, inDocuments)
    }
    await checkHintedPaths(context, app)
    for (const entry of publicRoutes.unused()) {
      problems.add({
        kind: 'public-without-route',
        route: entry,
        location: undefined,
        description: 'It is listed as public, but the app has no such route.',
        fix: 'Remove it from "public", or correct it.',
      })
    }
    const routes = endpoints.flatMap(({ methods, path, route }) =>
      route ? methods.map((method) => `${method} ${path}`) : [],
    )
    if (routes.length === 0) routes.push(...refused.map((path) => `* ${path}`))
    if (routes.length === 0 && !isReason(options.allowNoRoutes)) problems.add(NOTHING_FOUND)
    if (problems.list().length > 0) throw new RoutesNotSecuredError(problems.list(), routes.length)
    return { routes, requestCount: prober.count() }
  } finally {
    prober.end()
    await credentials.end()
  }
}

const NOTHING_FOUND: SecurityProblem = {
  kind: 'nothing-found',
  route: 'the app',
  location: undefined,
  description: 'It has no route, and no API has an address that a guard refuses, so nothing is proved.',
  fix: 'Give the app with all its routes, after they were added. If it has none on purpose, say why: allowNoRoutes: "...".',
}

function isReason(given: unknown): boolean {
  return typeof given === 'string' && given.trim() !== ''
}

function isMethod(documented: string, method: string): boolean {
  return documented === method || (documented === 'GET' && method === 'HEAD')
}
