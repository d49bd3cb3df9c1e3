import { findApi } from '../credentials.js'
import { findApiAddress, listBases } from './addresses.js'
import { isClosed, isGuardsAnswer } from './check-answer.js'
import { createCheck, type Check, type CheckContext } from './check-context.js'
import { formatGuardCall } from './check-endpoint.js'
import { fillPath, isSamePath, type Operation } from './documents.js'
import type { Endpoint } from './endpoints.js'
import { describeOutcome } from './problem.js'
import type { Outcome } from './prober.js'

/** The routes that an operation describes, by its path, or by the address at which a request for it arrives. */
export async function findRoutes(context: CheckContext, operation: Operation): Promise<Endpoint[]> {
  const { auth, endpoints, prober, credentials } = context
  const { api, method, path } = operation
  const found = endpoints.filter((endpoint) => {
    const address = findApiAddress(auth, endpoint.path)
    const hasMethod = endpoint.methods.includes('*') || endpoint.methods.includes(method)
    return endpoint.route && hasMethod && address?.api === api && isSamePath(address.rest, path)
  })
  const bases = listBases(findApi(auth, api))
  const { headers } = await credentials.good(api)
  const outcomes: Outcome[] = []
  for (const base of found.length > 0 ? [] : bases) {
    const outcome = await prober.probe(method, base + fillPath(path), headers)
    outcomes.push(outcome)
    found.push(...endpoints.filter(({ route }) => route !== undefined && route === outcome.reached))
    if (found.length > 0) break
  }
  if (found.length === 0) await checkWithoutRoute(context, operation, bases, outcomes)
  else if (operation.security.optional) await checkOpenOperation(context, found[0]!, method)
  return found
}

/** An operation that a function answers, such as that of a framework or a proxy, is judged by its answers. */
async function checkWithoutRoute(
  context: CheckContext,
  operation: Operation,
  bases: readonly string[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const { prober, publicRoutes } = context
  const { api, method, path } = operation
  const hasAnswer = (outcome: Outcome): boolean =>
    outcome.answeredBy !== undefined && outcome.answer?.status !== 404 && !isGuardsAnswer(outcome, method)
  // The function may find the operation, and not the object that its path names.
  const at = Math.max(outcomes.findIndex(hasAnswer), 0)
  const target = bases[at]! + fillPath(path)
  const good = outcomes[at]!
  const endpoint = {
    methods: [method],
    path: `/${api}${path}`,
    target,
    others: [],
    route: undefined,
    handlers: good.answeredBy ? [good.answeredBy.handle] : [],
  }
  const check = createCheck(context, endpoint, method, target)
  const none = await prober.probe(method, target)
  const isPublic = operation.security.optional || publicRoutes.has(method, endpoint.path)
  if (!isClosed(none, method) && !isPublic) {
    return check.complain(
      'open',
      `The document of "${api}" describes it, and a request without a credential got an answer: ${describeOutcome(none)}.`,
      `Mount ${formatGuardCall(context.auth, api)} before what answers, or list the route in "public" with the reason.`,
    )
  }
  if (!hasAnswer(good) && !(isGuardsAnswer(none, method) && (await isFound(context, operation, bases[at]!, good)))) {
    return check.complain(
      'no-route',
      `The document of "${api}" describes it, but a request with a good credential reached no handler: ${describeOutcome(good)}.`,
      'Add the route, or remove the operation from the document. If its path repeats the address of the API, give "prefix" with the document.',
    )
  }
  if (!isPublic) await checkCredentials(check, operation, none)
}

/** Whether a 404 differs from that of an unknown path: the operation may exist, and the object that its path names may not. */
async function isFound(
  { prober, credentials }: CheckContext,
  { api, path }: Operation,
  base: string,
  { answer, answeredBy, denied }: Outcome,
): Promise<boolean> {
  if (!answeredBy || !answer || denied.length > 0) return false
  const unknown = `${base}/express-platform-auth-unknown-path`
  const other = await prober.probe('GET', unknown, (await credentials.good(api)).headers)
  if (other.answeredBy?.layer !== answeredBy.layer) return true
  // A text may repeat the path.
  const [text = '', otherText = ''] = [answer.body, other.answer?.body].map(String)
  return text.replaceAll(base + fillPath(path), '') !== otherText.replaceAll(unknown, '')
}

/**
 * Credentials that must not open the operation: of a suspended application, and access tokens that lack a scope of the
 * document.
 */
async function checkCredentials(
  { prober, credentials, auth, method, target, complain }: Check,
  { api, security }: Operation,
  none: Outcome,
): Promise<void> {
  if (!isGuardsAnswer(none, method)) {
    return complain(
      'wrong-refusal',
      `A request without a credential was not refused by a guard: ${describeOutcome(none)}.`,
      `Mount ${formatGuardCall(auth, api)} before what answers.`,
    )
  }
  const { alternatives } = security
  const needed = alternatives.length === 1 ? alternatives[0]! : []
  const suspended = {
    name: 'a credential of a suspended application',
    headers: (await credentials.suspended(api)).headers,
    missingScope: undefined,
  }
  for (const { name, headers, missingScope } of [suspended, ...(await credentials.missingScopes(api, needed))]) {
    const outcome = await prober.probe(method, target, headers)
    if (isGuardsAnswer(outcome, method)) continue
    if (missingScope === undefined) {
      complain(
        'accepted',
        `A request with ${name} got an answer: ${describeOutcome(outcome)}.`,
        'Let no middleware answer before the guard has decided.',
      )
    } else {
      complain(
        'missing-scope',
        `The document requires the scope "${missingScope}", but ${name} got an answer.`,
        `Give the guard the scope: scopes: ['${missingScope}'].`,
      )
    }
  }
}

async function checkOpenOperation(
  { auth, prober, report }: Pick<CheckContext, 'auth' | 'prober' | 'report'>,
  endpoint: Endpoint,
  method: string,
): Promise<void> {
  if (endpoint.target === undefined) return
  const { denied } = await prober.probe(method, endpoint.target)
  if (denied.length === 0) return
  const api = denied[0]?.api ?? ''
  report(
    'guarded-but-open-in-document',
    endpoint,
    method,
    'The document says that no credential is needed, but a request without one is refused.',
    `Give the operation its "security", or remove ${formatGuardCall(auth, api)}.`,
  )
}
