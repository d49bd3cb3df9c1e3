import { findApiAddress } from './addresses.js'
import { EVERY_METHOD } from './check-addresses.js'
import { isClosed } from './check-answer.js'
import type { CheckContext } from './check-context.js'
import { checkEndpoint } from './check-endpoint.js'
import type { Endpoint } from './endpoints.js'
import { describeOutcome } from './problem.js'

/** Methods that stand for those of `app.all()`. */
const SOME_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Checks all methods of a route, with each of its paths. */
export async function checkMethods(
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
  for (const target of endpoint.others)
    for (const method of methods) await checkEndpoint(checked, { ...endpoint, target }, method, false)
  if (endpoint.hasHandlersForAll) await checkOtherMethods(checked, endpoint, methods)

  const address = findApiAddress(auth, endpoint.path)
  // The API's own address greets those who try a credential.
  if (!address || !inDocuments.has(address.api) || address.rest === '') return
  if (isForAll && methods.some((method) => operationsOf(endpoint, method).length > 0)) return
  for (const method of isForAll ? ['*'] : methods) {
    const isKnown =
      method === 'OPTIONS' || publicRoutes.has(method, endpoint.path) || operationsOf(endpoint, method).length > 0
    if (isKnown) continue
    report(
      'not-documented',
      endpoint,
      method,
      `The document of "${address.api}" does not describe it.`,
      `Add ${method} ${address.rest} to the document, or remove the route.`,
    )
  }
}

/** Checks the methods that only Node knows: handlers of `app.all()` and `route.all()` are called for them, too. */
async function checkOtherMethods(context: CheckContext, endpoint: Endpoint, checked: readonly string[]): Promise<void> {
  const { prober, publicRoutes, report, endpoints } = context
  if (endpoint.target === undefined) return
  for (const method of EVERY_METHOD) {
    if (checked.includes(method) || publicRoutes.has(method, endpoint.path)) continue
    const outcome = await prober.probe(method, endpoint.target)
    const owner = endpoints.find(({ route }) => route !== undefined && route === outcome.reached)
    if (isClosed(outcome, method) || (owner && publicRoutes.has(method, owner.path))) continue
    return report(
      'other-method',
      owner ?? endpoint,
      method,
      `A request with the method ${method} and without a credential was not refused: ${describeOutcome(outcome)}.`,
      'Let the guard see every method: app.use(), router.use() or route.all(). A list of methods that it is for leaves out others.',
    )
  }
}
