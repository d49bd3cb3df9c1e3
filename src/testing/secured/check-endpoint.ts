import type { AcceptedCredential, GuardDescription, PlatformAuth } from '../../index.js'
import { findApiAddress } from './addresses.js'
import { UNKNOWN_TOKENS } from './bad-credentials.js'
import {
  createCheck,
  joinHeaders,
  listAccepted,
  NO_CREDENTIAL,
  type Check,
  type CheckContext,
  type Headers,
} from './check-context.js'
import { isClosed } from './check-answer.js'
import { checkHints } from './check-hints.js'
import { checkOtherRequests } from './check-other-requests.js'
import { checkRefusal, judge } from './check-refusal.js'
import { checkScopes } from './check-scopes.js'
import type { Endpoint } from './endpoints.js'
import { learnGuards } from './learn-guards.js'
import { describeOutcome } from './problem.js'
import type { Outcome } from './prober.js'

/** Checks one method of a route: which requests reach its handler, and how the others are answered. */
export async function checkEndpoint(
  context: CheckContext,
  endpoint: Endpoint,
  method: string,
  isThorough: boolean,
): Promise<void> {
  const { report, publicRoutes } = context
  const { target } = endpoint
  const isPublic = publicRoutes.has(method, endpoint.path)
  if (target === undefined) {
    if (isPublic) return
    return report(
      'no-path',
      endpoint,
      method,
      'No path could be made that this route matches, so it was not checked.',
      `Give one: examples: { '${endpoint.path}': '/...' }.`,
    )
  }
  const check = createCheck(context, endpoint, method, target)
  const { none, guards, goodHeaders } = await learnGuards(check)
  // Its function calls the router for other requests only.
  if (endpoint.isHidden && !none.reached && none.answer?.status === 404 && none.denied.length === 0) return
  if (!isPublic && isReportOnly(none, guards)) return reportReportOnly(check)
  if (method === 'OPTIONS' && !isPublic && none.denied.length === 0) return checkPreflight(check, none)
  if (none.reached || none.denied.length === 0) {
    if (!isPublic) return reportUnguarded(check, none, guards)
    if (!none.reached) return
  } else if (isPublic) {
    return check.complain(
      'public-but-guarded',
      'It is listed as public, but a request without a credential is refused.',
      'Remove it from "public".',
    )
  } else checkRefusal(check, NO_CREDENTIAL, none, guards)

  const accepted = listAccepted(guards)
  if (accepted.length === 0) return
  checkApi(check, accepted)
  await checkScopes(check, accepted, goodHeaders)
  if (!isThorough) return
  await checkBadCredentials(check, accepted, guards, goodHeaders)
  if (accepted.some(({ otherIssuers }) => otherIssuers)) await checkOtherIssuers(check)
  if (isPublic) return
  await checkOtherRequests(check)
  await checkHints(check, none)
}

/** Preflight requests carry no credential (Fetch, CORS protocol), so a route of OPTIONS may answer, with headers alone. */
function checkPreflight({ complain }: Check, none: Outcome): void {
  if (isClosed(none, 'OPTIONS')) return
  complain(
    'open',
    `A request without a credential ${none.reached ? 'reached another handler' : 'got content'}: ${describeOutcome(none)}.`,
    'Answer preflight requests without a body, or list the route in "public" with the reason.',
  )
}

/** Whether a guard only reports. A guard that the app calls itself, and one of a document, show it by their reports only. */
function isReportOnly({ reported }: Outcome, guards: readonly GuardDescription[]): boolean {
  return reported.length > 0 || guards.some(({ enforces }) => !enforces)
}

function reportReportOnly({ complain }: Check): void {
  complain(
    'report-only',
    'The guard only reports what it would refuse (reportOnly), so every request passes.',
    'Remove "reportOnly" of the guard, the API or the platform, or list the route in "public" with the reason.',
  )
}

function reportUnguarded(check: Check, none: Outcome, guards: readonly GuardDescription[]): void {
  const { endpoint: own, method, endpoints, auth, publicRoutes, target } = check
  // An earlier route may answer this path. It is checked by itself, but not with this path.
  const owners = endpoints.filter(({ route }) => route !== undefined && route === none.reached)
  const endpoint = owners.length === 0 || owners.some(({ route }) => route === own.route) ? own : owners[0]!
  if (endpoint !== own && owners.some(({ path }) => publicRoutes.has(method, path))) return
  const { complain } = createCheck(check, endpoint, method, target)
  if (!none.reached) {
    return complain(
      none.answer && none.answer.status < 300 ? 'open' : 'wrong-refusal',
      `A request without a credential was not refused by a guard: ${describeOutcome(none)}.`,
      'Put the guard before what answers, such as app.param() or your own check. If a parameter needs a certain value, give it: params: { id: "..." }. If the route is protected otherwise, list it in "public" with that reason.',
    )
  }
  if (guards.some(({ optional }) => optional)) {
    return complain(
      'optional',
      'A request without a credential reached the handler: the guard is optional, and no other guard stands behind it.',
      'Remove "optional: true", or list the route in "public" with the reason.',
    )
  }
  const api = findApiAddress(auth, endpoint.path)?.api
  const call = api === undefined ? 'a guard' : formatGuardCall(auth, api)
  complain(
    'open',
    `A request for ${target} without a credential reached the handler.`,
    `Put ${call} before the handler, or list the route in "public" with the reason.`,
  )
}

export function formatGuardCall(auth: PlatformAuth, api: string): string {
  const isToken = auth.apis.find(({ name }) => name === api)?.scheme === 'oauth2'
  return `auth.${isToken ? 'requireBearer' : 'requireApiKey'}('${api}')`
}

function checkApi({ auth, endpoint, complain }: Check, accepted: readonly AcceptedCredential[]): void {
  const expected = findApiAddress(auth, endpoint.path)?.api
  if (expected === undefined || accepted.some(({ api }) => api === expected)) return
  const apis = [...new Set(accepted.map(({ api }) => `"${api}"`))].join(' and ')
  complain(
    'wrong-api',
    `Its path belongs to the API "${expected}", but its guard is for ${apis}.`,
    `Use ${formatGuardCall(auth, expected)}.`,
  )
}

/** Credentials that no guard may accept, with good ones for the other guards. */
async function checkBadCredentials(
  check: Check,
  accepted: readonly AcceptedCredential[],
  guards: readonly GuardDescription[],
  goodHeaders: ReadonlyMap<string, Headers>,
): Promise<void> {
  const { credentials, prober, method, target } = check
  for (const [at, credential] of accepted.entries()) {
    if (accepted.findIndex(({ api }) => api === credential.api) !== at) continue
    const others = accepted.filter(({ api }) => api !== credential.api)
    const isAlternative = guards.some(
      ({ accepts }) => accepts.length > 1 && accepts.some(({ api }) => api === credential.api),
    )
    const base = isAlternative ? {} : joinHeaders(goodHeaders, credential.api)
    for (const bad of await credentials.bad(credential, others)) {
      // An optional guard does not see the other scheme as a credential.
      if (bad.error === 'unauthorized' && guards.some(({ optional }) => optional)) continue
      judge(check, bad, await prober.probe(method, target, { ...base, ...bad.headers }), accepted)
    }
  }
}

async function checkOtherIssuers({ prober, method, target, complain }: Check): Promise<void> {
  for (const token of UNKNOWN_TOKENS) {
    const { reached } = await prober.probe(method, target, { Authorization: `Bearer ${token}` })
    if (!reached) continue
    return complain(
      'other-issuers',
      'A bearer token that nobody has issued reached the handler: the guard in "otherIssuers" let it pass.',
      'Let "otherIssuers" answer 401 unless it has verified the token. What calls next() reaches the route.',
    )
  }
}
