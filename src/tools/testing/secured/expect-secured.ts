import type { PlatformAuth } from '../../../index.js'
import { isObject } from '../../../shared/lib/own-members.js'
import { requirePlatform } from '../credentials.js'
import type { Listener } from '../send.js'
import { findNextRoute, findLayers, type Route } from '../../../shared/express-routes/routes.js'
import { findApiAddress, listBases } from './addresses.js'
import type { CheckContext } from './check-context.js'
import { checkAddress, checkDocumented, checkOperation, checkPath, checkRoute, SOME_METHODS } from './check-places.js'
import { createTestCredentials } from './bad-credentials.js'
import { fillPath, isSamePath, readOperations, type Operation } from './documents.js'
import { findEndpoints, type Endpoint } from './endpoints.js'
import { createJudge, UNKNOWN } from './judge.js'
import { createProblemList, RoutesNotSecuredError } from './problem.js'
import { createProber } from './prober.js'
import { readPublicRoutes } from './public-routes.js'
import type { AlsoTry } from './variations.js'
import { readGroup, refuseUnknown, wrongOption } from '../../../shared/lib/option-checks.js'

export interface ExpectSecuredOptions {
  /** The platform whose guards protect the routes. */
  readonly auth: PlatformAuth
  /** API name -> its OpenAPI document, or the path of a JSON or YAML file, or `{ document, prefix }` for one of several APIs. Routes and operations must then be the same. */
  readonly documents?: Readonly<Record<string, object | string>> | undefined
  /** Routes that need no credential of this platform -> the reason: `{ 'GET /health': 'the load balancer asks it' }`. A path may end with `/*`. */
  readonly public?: Readonly<Record<string, string>> | undefined
  /** Values for parameters in paths, by name, where any value will not do: `{ id: '42' }`. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** Paths for regular expressions for which none can be made, by the path in the failure. */
  readonly examples?: Readonly<Record<string, string>> | undefined
  /** What only the source of the app shows: addresses, and names, values, hosts and client addresses that code before a guard compares. */
  readonly alsoTry?: AlsoTry | undefined
  /**
   * The reason why nothing at all has to be found: no route, and no API's address that a guard refuses. Without it, that is a
   * failure.
   */
  readonly allowNoRoutes?: string | undefined
}

/** The result of the checks. */
export interface SecuredRoutes {
  /** `GET /orders/items/:id`, in the app's order. Of an app without routes: `* /orders/*` for each address of an API, and below, that a guard refuses. */
  readonly routes: readonly string[]
  /** How many requests were sent. */
  readonly requestCount: number
}

/**
 * Proves that every route of an Express app is protected by a guard of the platform, or listed as public. It sends requests
 * through the app, without a valid credential, and judges their answers: each must be the refusal of a guard for that very request.
 * Rejects with a `RoutesNotSecuredError` that names each request which was answered otherwise. The app is not changed: a handler
 * runs where the check fails.
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
  // Calls run one at a time: clocks are set back while credentials are made that have expired.
  const result = last.then(() => checkRoutes(app, readOptions(app, options)))
  last = result.catch(() => undefined)
  return result
}

let last: Promise<unknown> = Promise.resolve()

function readOptions(app: unknown, options: ExpectSecuredOptions): ExpectSecuredOptions {
  requirePlatform(isObject(options) ? options.auth : undefined)
  refuseUnknown('', options, KNOWN_OPTIONS)
  if (findLayers(app)) return options
  throw wrongOption('app', 'is no Express app', 'Give the app, or a router: express() or express.Router().')
}

const KNOWN_OPTIONS: readonly (keyof ExpectSecuredOptions)[] = [
  'auth',
  'documents',
  'public',
  'params',
  'examples',
  'alsoTry',
  'allowNoRoutes',
]

async function checkRoutes(app: Listener, options: ExpectSecuredOptions): Promise<SecuredRoutes> {
  const { auth, params = {}, examples = {} } = options
  const alsoTry = readGroup('alsoTry', options.alsoTry, ['paths', 'names', 'hosts', 'addresses'])
  const endpoints = findEndpoints(app, auth, params).map((endpoint) => {
    const example = examples[endpoint.path]
    return example === undefined ? endpoint : { ...endpoint, targets: [example] }
  })
  const operations = readOperations(auth, options.documents)
  const publicRoutes = readPublicRoutes(options.public)
  const problems = createProblemList(auth)
  const credentials = createTestCredentials(auth)
  const prober = createProber(app, auth)
  const findRoute = (method: string, target: string): Route | undefined => {
    try {
      return findNextRoute(app, target.replace(/\?.*$/, ''), method)?.route
    } catch {
      // A path that cannot be decoded is that of no route.
      return undefined
    }
  }
  const context: CheckContext = {
    auth,
    prober,
    judge: createJudge(auth, prober),
    credentials,
    publicRoutes,
    alsoTry,
    params,
    problems,
    hasFunctions: endpoints.some(({ isFunction }) => isFunction),
    routeOf(method, target) {
      const route = findRoute(method, target)
      return route && (endpoints.find((endpoint) => endpoint.route === route)?.path ?? target)
    },
    failed: new Set(),
  }
  try {
    const documented = new Map(
      operations.map((operation) => [operation, findEndpointsOf(context, operation, endpoints, findRoute)]),
    )
    const operationsOf =
      (endpoint: Endpoint) =>
      (method: string): Operation[] =>
        operations.filter(
          (each) =>
            documented.get(each)!.includes(endpoint) && [method, method === 'HEAD' && 'GET'].includes(each.method),
        )
    const inDocuments = new Set(operations.map(({ api }) => api))
    for (const endpoint of endpoints) {
      if (endpoint.route === undefined) continue
      await checkRoute(context, endpoint, operationsOf(endpoint))
      checkDocumented(context, endpoint, operationsOf(endpoint), inDocuments)
    }
    for (const operation of operations)
      if (documented.get(operation)!.length === 0) await checkOperation(context, operation)
    const refused = await checkAddresses(context, endpoints)
    for (const path of alsoTry.paths ?? []) await checkPath(context, path, SOME_METHODS, true)
    await reportUnused(context)
    const routes = endpoints.flatMap(({ methods, path, route }) =>
      route ? methods.map((method) => `${method} ${path}`) : [],
    )
    if (routes.length === 0) routes.push(...refused.map((path) => `* ${path}`))
    const { allowNoRoutes: reason } = options
    if (routes.length === 0 && (typeof reason !== 'string' || reason.trim() === '')) {
      const text = 'It has no route, and no API has an address that a guard refuses, so nothing is proved.'
      problems.add('nothing-found', 'the app', text)
    }
    if (problems.list().length > 0) throw new RoutesNotSecuredError(problems.list(), routes.length)
    return { routes, requestCount: prober.count() }
  } finally {
    prober.end()
    await credentials.end()
  }
}

/** The addresses of the APIs, and those below them at which something is mounted. Returns those that a guard refuses. */
async function checkAddresses(context: CheckContext, endpoints: readonly Endpoint[]): Promise<string[]> {
  const { auth, publicRoutes } = context
  // Functions for every path show at the addresses of the APIs.
  const mounts = endpoints.flatMap(({ route, path, targets }) =>
    route !== undefined || !(publicRoutes.has('GET', path) || findApiAddress(auth, path))
      ? []
      : targets.flatMap((target) => (target === '' ? [] : [[target.replace(/\/$/, ''), path] as const])),
  )
  const bases = auth.apis.flatMap(listBases).map((base) => [base, `${base}/*`] as const)
  const refused = new Set<string>()
  for (const [mount, path] of new Map([...mounts, ...bases]))
    if (await checkAddress(context, mount, path)) refused.add(path)
  return [...refused]
}

/** The routes that an operation describes, by its path, or by the address at which a request for it arrives. */
function findEndpointsOf(
  { auth }: CheckContext,
  { api, method, path }: Operation,
  endpoints: readonly Endpoint[],
  findRoute: (method: string, target: string) => Route | undefined,
): readonly Endpoint[] {
  const found = endpoints.filter((endpoint) => {
    const address = findApiAddress(auth, endpoint.path)
    const hasMethod = endpoint.methods.includes('*') || endpoint.methods.includes(method)
    return endpoint.route && hasMethod && address?.api === api && isSamePath(address.rest, path)
  })
  if (found.length > 0) return found
  const bases = auth.apis.filter(({ name }) => name === api).flatMap(listBases)
  const routes = bases.map((base) => findRoute(method, base + fillPath(path)))
  return endpoints.filter(({ route }) => route !== undefined && routes.includes(route))
}

/** Entries of `public` that name nothing. Functions outside of the APIs show by their answers only. */
async function reportUnused({ publicRoutes, prober, problems }: CheckContext): Promise<void> {
  for (const { text, path } of publicRoutes.unused()) {
    const targets = path.endsWith('/*') ? [path.replace(/\*$/, UNKNOWN), path.slice(0, -2) || '/'] : [path]
    const outcomes = await Promise.all(targets.map((target) => prober.ask({ method: 'HEAD', target })))
    if (outcomes.some(({ answer }) => answer && answer.status < 400)) continue
    problems.add('public-without-route', text, 'It is listed as public, but the app has no such route.')
  }
}
