import { ConfigurationError, type PlatformAuth } from '../../index.js'
import { isObject } from '../../lib/is-object.js'
import type { Listener } from '../send.js'
import { findApiAddress } from './addresses.js'
import { createCredentialSource } from './bad-credentials.js'
import type { CheckContext } from './check-context.js'
import { checkEndpoint, formatGuardCall } from './check-endpoint.js'
import { findRoutes } from './check-operation.js'
import { readOperations, type Operation } from './documents.js'
import { findEndpoints, type Endpoint } from './endpoints.js'
import { findLayers } from './layer.js'
import { RoutesNotSecuredError, describeOutcome } from './problem.js'
import { createProblemList } from './problem-list.js'
import { createProber } from './prober.js'
import { readPublicRoutes } from './public-routes.js'

export interface ExpectSecuredOptions {
  /** The platform whose guards protect the routes. */
  readonly auth: PlatformAuth
  /** API name -> its OpenAPI document, or the path of a JSON file. Routes and operations must then be the same. */
  readonly documents?: Readonly<Record<string, object | string>> | undefined
  /** Routes that need no credential of this platform -> the reason: `{ 'GET /health': 'the load balancer asks it' }`. A path may end with `/*`. */
  readonly public?: Readonly<Record<string, string>> | undefined
  /** Values for parameters in paths, by name, where any value will not do: `{ id: '42' }`. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** Paths for routes with a regular expression for which none can be made, by the route's path in the failure. */
  readonly examples?: Readonly<Record<string, string>> | undefined
}

/** What was checked. */
export interface SecuredRoutes {
  /** `GET /orders/items/:id`, in the app's order. */
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
  // One at a time: two would replace each other's handlers.
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
  const endpoints = findEndpoints(app, params).map((endpoint) => ({
    ...endpoint,
    target: examples[endpoint.path] ?? endpoint.target,
  }))
  const operations = readOperations(auth, options.documents)
  const publicRoutes = readPublicRoutes(options.public)
  const problems = createProblemList()
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
      report: problems.report,
    }
    for (const operation of operations) documented.set(operation, await findRoutes(context, operation))
    const inDocuments = new Set(operations.map(({ api }) => api))
    for (const endpoint of endpoints) {
      if (endpoint.route === undefined) await checkMounted(context, endpoint)
      else await checkMethods(context, endpoint, inDocuments)
    }
    for (const entry of publicRoutes.unused()) {
      problems.add({ kind: 'public-without-route', route: entry, location: undefined, description: 'It is listed as public, but the app has no such route.',
        fix: 'Remove it from "public", or correct it.' }) // prettier-ignore
    }
    const routes = endpoints.flatMap(({ methods, path, route }) =>
      route ? methods.map((method) => `${method} ${path}`) : [],
    )
    if (problems.list().length > 0) throw new RoutesNotSecuredError(problems.list(), routes.length)
    return { routes, requestCount: prober.count() }
  } finally {
    prober.end()
    await credentials.end()
  }
}

/** The methods that stand for those of `app.all()`. */
const SOME_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

async function checkMethods(
  context: CheckContext,
  endpoint: Endpoint,
  inDocuments: ReadonlySet<string>,
): Promise<void> {
  const { auth, report, publicRoutes, operationsOf } = context
  const isForAll = endpoint.methods.includes('*')
  const methods = isForAll ? SOME_METHODS : endpoint.methods
  // One problem for all of them is enough.
  const checked: CheckContext = isForAll
    ? { ...context, report: (kind, each, _method, ...texts) => report(kind, each, 'ALL', ...texts) }
    : context
  for (const [at, method] of methods.entries()) await checkEndpoint(checked, endpoint, method, !isForAll || at === 0)

  const address = findApiAddress(auth, endpoint.path)
  // The API's own address greets those who try a credential.
  if (!address || !inDocuments.has(address.api) || address.rest === '') return
  if (isForAll && methods.some((method) => operationsOf(endpoint, method).length > 0)) return
  for (const method of isForAll ? ['*'] : methods) {
    const isKnown =
      method === 'OPTIONS' || publicRoutes.has(method, endpoint.path) || operationsOf(endpoint, method).length > 0
    if (isKnown) continue
    report('not-documented', endpoint, method, `The document of "${address.api}" does not describe it.`,
      `Add ${method} ${address.rest} to the document, or remove the route.`) // prettier-ignore
  }
}

function isMethod(documented: string, method: string): boolean {
  return documented === method || (documented === 'GET' && method === 'HEAD')
}

/** What is mounted with `use()` at an API's address must leave unknown paths alone, or be behind a guard. */
async function checkMounted(context: CheckContext, endpoint: Endpoint): Promise<void> {
  const { auth, prober, credentials, report, publicRoutes } = context
  const { path, target } = endpoint
  const api = findApiAddress(auth, path)?.api
  if (api === undefined || target === undefined || publicRoutes.has('GET', path)) return
  const { suspended, name } = {
    suspended: await credentials.suspended(api),
    name: 'with the credential of a suspended application',
  }
  for (const [description, headers] of [
    ['without a credential', {}],
    [name, suspended.headers],
  ] as const) {
    const outcome = await prober.probe('GET', target, headers)
    if (outcome.denied.some((event) => event.api !== api)) {
      report(
        'wrong-api',
        endpoint,
        'GET',
        `Its path belongs to the API "${api}", but its guard is for "${outcome.denied[0]?.api}".`,
        `Use ${formatGuardCall(auth, api)}.`,
      )
    }
    const isLeftAlone = outcome.answer !== undefined && [404, 405].includes(outcome.answer.status)
    if (outcome.reached || outcome.denied.length > 0 || isLeftAlone) continue
    return report('open', endpoint, 'GET', `A request ${description} got an answer: ${describeOutcome(outcome)}.`,
      `Mount ${formatGuardCall(auth, api)} before it, or list the path in "public" with the reason.`) // prettier-ignore
  }
}
