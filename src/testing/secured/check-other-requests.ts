import { createCheck, NO_CREDENTIAL, type Check } from './check-context.js'
import { checkRefusal } from './check-refusal.js'
import { overrideMethod } from './check-scopes.js'
import { listPathVariants } from './path-variants.js'
import type { ProblemKind } from './problem.js'
import type { Outcome } from './prober.js'

/** HEAD, OPTIONS and other spellings of the path, with a credential that is refused wherever the guard sees it. */
export async function checkOtherRequests(check: Check): Promise<void> {
  const { prober, method, target, endpoint } = check
  const methods = method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
  for (const other of methods) {
    const outcome = await prober.probe(other, target)
    reportReached(check, 'other-method', outcome, `A request with the method ${other} and without a credential`)
    if (other === 'HEAD' && !outcome.reached && outcome.denied.length === 0)
      checkRefusal(createCheck(check, endpoint, other, target), NO_CREDENTIAL, outcome, [])
  }
  if (endpoint.route === undefined) return
  // Only middleware could replace the method.
  if (method !== 'POST' && prober.runsFunctions) {
    const override = overrideMethod(target, method)
    const outcome = await prober.probe('POST', override.target, override.headers)
    reportReached(
      check,
      'other-method',
      outcome,
      `A POST request that names ${method} in X-HTTP-Method-Override or _method, without a credential,`,
    )
  }
  for (const variant of listPathVariants(target, prober.runsFunctions)) {
    const outcome = await prober.probe(method, variant.target)
    reportReached(
      check,
      'other-path',
      outcome,
      `A request for ${variant.target}, the path ${variant.name}, without a credential`,
    )
  }
}

function reportReached(
  { report, endpoint, endpoints, publicRoutes, method }: Check,
  kind: ProblemKind,
  { reached }: Outcome,
  subject: string,
): void {
  if (!reached) return
  const owners = endpoints.filter(({ route }) => route === reached)
  if (owners.some(({ path }) => publicRoutes.has(method, path) || publicRoutes.has('OPTIONS', path))) return
  const isOther = owners.length > 0 && !owners.includes(endpoint)
  report(
    kind,
    isOther ? owners[0]! : endpoint,
    method,
    `${subject} reached the handler.`,
    isOther
      ? `The route ${owners[0]!.path} takes this request. Put a guard before it, or list it in "public" with the reason.`
      : 'Mount the guard with app.use(), router.use() or on the route. Do not compare req.path or req.url yourself: Express ignores case and a slash at the end.',
  )
}
