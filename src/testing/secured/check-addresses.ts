import { METHODS } from 'node:http'
import type { PlatformAuth } from '../../index.js'
import { findApiAddress, listBases } from './addresses.js'
import { isClosed, isGuardsAnswer } from './check-answer.js'
import { createCheck, listAccepted, type CheckContext } from './check-context.js'
import { formatGuardCall } from './check-endpoint.js'
import { learnGuards } from './learn-guards.js'
import type { Endpoint } from './endpoints.js'
import { readHints } from './hints.js'
import { listPathVariants } from './path-variants.js'
import { describeOutcome } from './problem.js'
import type { Outcome } from './prober.js'

/** Methods that Node's parser reads, in the order in which they are tried. CONNECT never reaches a listener. */
export const EVERY_METHOD: readonly string[] = [
  ...new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', ...METHODS]),
].filter((method) => method !== 'CONNECT')

/** No route is likely to have these paths. */
const UNKNOWN = 'express-platform-auth-unknown-path'
const DEEPER = `${UNKNOWN}/value.x`

/** An address below an API at which something that is no route may answer. */
interface Address {
  readonly api: string
  /** The name in reports and in `public`: `/orders`, or `/orders/*`. */
  readonly path: string
  readonly target: string
  /** The layer that is mounted there. */
  readonly endpoint?: Endpoint
}

/** The address of each API, and an unknown path below it. */
export function listApiTargets({ apis }: Pick<PlatformAuth, 'apis'>): string[] {
  return apis.flatMap(listBases).flatMap((base) => [base, `${base}/${UNKNOWN}`])
}

/**
 * Sends requests without a credential to the address of each API and to unknown paths below it: each function that is mounted
 * there or above must leave them alone, or be behind a guard. Returns the APIs' addresses that a guard refuses.
 */
export async function checkApiAddresses(context: CheckContext): Promise<string[]> {
  const refused: string[] = []
  // Routes and guards are checked by themselves.
  if (!context.prober.runsFunctions && context.endpoints.some(({ route }) => route)) return refused
  for (const each of context.auth.apis) {
    const api = each.name
    for (const base of listBases(each)) {
      const below = await checkAddress(context, { api, path: `${base}/*`, target: `${base}/${UNKNOWN}` })
      // Functions that are mounted there are checked by themselves; only those that see every path could answer.
      const own = below.isSeen && (await checkAddress(context, { api, path: base, target: base }))
      if (below.isRefused || (own && own.isRefused)) refused.push(`${base}/*`)
      await checkHost(context, api, base, new URL(each.resource).host)
    }
  }
  return refused
}

/** Paths below an API that functions which run name in their own text: `req.path === '/dump'`. */
export async function checkHintedPaths(context: CheckContext, app: unknown): Promise<void> {
  const services = Object.keys((app as { readonly services?: object }).services ?? {}).map((path) => `/${path}`)
  for (const { handle, mount } of context.prober.functions()) {
    const paths = readHints(handle).paths.flatMap((each) => [mount + each, each])
    // Feathers has its services in a table that one function looks into.
    for (const path of [...services, ...paths]) {
      const api = findApiAddress(context.auth, path)?.api
      if (api === undefined) continue
      if (context.findings.has(path)) continue
      context.findings.set(path, { isRefused: false, isSeen: true })
      for (const method of EVERY_METHOD.slice(0, 5))
        if (!(await checkRequest(context, { api, path, target: path }, method, path)).isClosed) break
    }
  }
}

/** Checks layers of `use()` in the same way, at or below an API's address: guards, and functions that may answer. */
export async function checkMounted(context: CheckContext, endpoint: Endpoint): Promise<void> {
  const { auth, prober, credentials } = context
  const { path, target, others } = endpoint
  const api = findApiAddress(auth, path)?.api
  if (api === undefined || target === undefined) return
  // An address that is listed as public need not be open for everything.
  const isPublic = context.publicRoutes.has('GET', path)
  for (const start of [target, ...others]) {
    const mount = start.replace(/\/$/, '')
    const own = await checkAddress(context, { api, path, target: mount === '' ? '/' : mount, endpoint })
    const below = await checkAddress(context, { api, path, target: `${mount}/${UNKNOWN}`, endpoint })
    if (!own.isRefused || !below.isRefused || isPublic || start !== target || endpoint.handlers.length === 0) continue
    const { headers } = await credentials.suspended(api)
    const outcome = await prober.probe('GET', `${mount}/${UNKNOWN}`, headers)
    if (isClosed(outcome, 'GET')) continue
    createCheck(context, endpoint, 'GET', target).complain(
      'open',
      `A request with the credential of a suspended application got an answer: ${describeOutcome(outcome)}.`,
      fixFor(context, api),
    )
  }
}

/** The result at an address. */
interface Finding {
  /** Whether a guard refuses requests there. */
  readonly isRefused: boolean
  /** Whether anything but guards and routes has seen the request, so that it could answer others. */
  readonly isSeen: boolean
}

/** The same address may belong to an API, a guard and a function: it is checked once. */
async function checkAddress(context: CheckContext, address: Address): Promise<Finding> {
  const known = context.findings.get(address.target)
  if (known) return known
  const finding = await checkNewAddress(context, address)
  context.findings.set(address.target, finding)
  return finding
}

async function checkNewAddress(context: CheckContext, address: Address): Promise<Finding> {
  const { api, target } = address
  const { outcome, isClosed: isGetClosed } = await checkRequest(context, address, 'GET', target)
  const isRefused = isGuardsAnswer(outcome, 'GET')
  const isSeen = outcome.entered.length > 0
  if (isRefused) await checkGuardsApi(context, address, outcome)
  const finding = { isRefused, isSeen }
  if (!isGetClosed || (isSeen && !(await checkOtherMethods(context, address)))) return finding
  if (!target.endsWith(UNKNOWN) || !context.prober.runsFunctions) return finding
  if (isSeen) await checkRequest(context, address, 'GET', target.replace(UNKNOWN, DEEPER))
  // A function that is mounted behind a guard may see the request if the path is spelled differently.
  for (const variant of listPathVariants(target)) {
    const other = await context.prober.probe('GET', variant.target)
    if (isClosed(other, 'GET') || other.reached || (await isOutside(context, api, other))) continue
    reportOpen(
      context,
      address,
      'GET',
      other,
      `A request for ${variant.target}, the path ${variant.name}, without a credential`,
    )
    break
  }
  return finding
}

/** Whether nothing answers there, whatever the method is. */
async function checkOtherMethods(context: CheckContext, address: Address): Promise<boolean> {
  for (const method of EVERY_METHOD.slice(1)) {
    const { isClosed: isMethodClosed } = await checkRequest(context, address, method, address.target)
    if (!isMethodClosed) return false
  }
  return true
}

/** Whether the answer is the same as for a path that is no API's: pages of a website, which answer unknown paths. */
async function isOutside(
  { auth, prober }: CheckContext,
  api: string,
  { answer, answeredBy }: Outcome,
): Promise<boolean> {
  if (answeredBy === undefined || answer === undefined) return false
  const other = (await prober.probe('GET', `/${UNKNOWN}`)).answer
  return (
    findApiAddress(auth, `/${UNKNOWN}`)?.api !== api &&
    other?.status === answer.status &&
    other.headers['content-type'] === answer.headers['content-type'] &&
    other.body.equals(answer.body)
  )
}

async function checkRequest(
  context: CheckContext,
  address: Address,
  method: string,
  target: string,
): Promise<{ readonly isClosed: boolean; readonly outcome: Outcome }> {
  const outcome = await context.prober.probe(method, target)
  if (isClosed(outcome, method)) return { isClosed: true, outcome }
  reportOpen(context, address, method, outcome, `A request for ${method} ${target} without a credential`)
  return { isClosed: false, outcome }
}

/** Under the platform's own name, another app may answer. A check of the name, which refuses it, is no answer. */
async function checkHost(context: CheckContext, api: string, base: string, host: string): Promise<void> {
  if (host === 'localhost') return
  for (const target of [base, `${base}/${UNKNOWN}`]) {
    const outcome = await context.prober.probe('GET', target, { Host: host })
    if (isClosed(outcome, 'GET') || (outcome.answer?.status ?? 0) >= 400) continue
    reportOpen(
      context,
      { api, path: target === base ? base : `${base}/*`, target },
      'GET',
      outcome,
      `A request for ${target} with the host ${host} and without a credential`,
    )
  }
}

function reportOpen(context: CheckContext, address: Address, method: string, outcome: Outcome, subject: string): void {
  const { endpoints, publicRoutes, report } = context
  const { api, path, target } = address
  const { reached, answeredBy, guards, reported } = outcome
  if (reached) {
    const owners = endpoints.filter(({ route }) => route === reached)
    if (owners.some((owner) => publicRoutes.has(method, owner.path))) return
    const owner = owners[0] ?? toEndpoint(address, outcome)
    const isReportOnly = reported.length > 0 || guards.some(({ enforces }) => !enforces)
    const kind = isReportOnly ? 'report-only' : guards.some(({ optional }) => optional) ? 'optional' : 'open'
    return report(
      kind,
      owner,
      owner.methods.includes('*') ? 'ALL' : method,
      `${subject} reached the handler.`,
      fixFor(context, api),
    )
  }
  const mounted = endpoints.find(({ layer }) => layer !== undefined && layer === answeredBy?.layer)
  const owner =
    address.endpoint ??
    (mounted && findApiAddress(context.auth, mounted.path)?.api === api ? mounted : toEndpoint(address, outcome))
  const paths = [owner.path, path, ...(findApiAddress(context.auth, mounted?.path ?? '/') ? [] : ['/*'])]
  if (paths.some((each) => publicRoutes.has(method, each))) return
  const name = answeredBy?.handle.name ?? ''
  const by = answeredBy ? ` of ${name === '' ? 'a function' : `the function "${name}"`} that is mounted with use()` : ''
  report(
    'open',
    owner,
    method,
    `${subject} got an answer${by}: ${describeOutcome(outcome)}.`,
    `${fixFor(context, api)} Express calls what is mounted in the order in which it is mounted; what is mounted above ${target} answers there, too.`,
  )
}

function toEndpoint({ path, target }: Address, { answeredBy }: Outcome): Endpoint {
  const handlers = answeredBy ? [answeredBy.handle] : []
  return { methods: ['*'], path, target, others: [], route: undefined, handlers }
}

function fixFor({ auth }: CheckContext, api: string): string {
  return `Mount ${formatGuardCall(auth, api)} before it, or list the path in "public" with the reason.`
}

/** A guard that refuses must be one for this API, or one of several that must all let a request pass. */
async function checkGuardsApi(context: CheckContext, address: Address, outcome: Outcome): Promise<void> {
  const { api, target } = address
  if (outcome.denied.some((event) => event.api === api)) return
  const check = createCheck(context, address.endpoint ?? toEndpoint(address, outcome), 'GET', target)
  const { guards } = await learnGuards(check)
  if (listAccepted(guards).some((accepted) => accepted.api === api)) return
  check.complain(
    'wrong-api',
    `Its path belongs to the API "${api}", but its guard is for "${outcome.denied[0]?.api}".`,
    `Use ${formatGuardCall(context.auth, api)}.`,
  )
}
