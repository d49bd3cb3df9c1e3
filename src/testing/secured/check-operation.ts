import { findApiAddress } from './addresses.js'
import type { CheckContext } from './check-context.js'
import { formatGuardCall } from './check-endpoint.js'
import { fillPath, isSamePath, type Operation } from './documents.js'
import type { Endpoint } from './endpoints.js'
import { describeOutcome } from './problem.js'

/** The routes that an operation describes, by its path, or by where a request for it arrives. */
export async function findRoutes(
  { auth, endpoints, prober, credentials, report }: CheckContext,
  operation: Operation,
): Promise<Endpoint[]> {
  const { api, method, path, isOpen } = operation
  const found = endpoints.filter((endpoint) => {
    const address = findApiAddress(auth, endpoint.path)
    const hasMethod = endpoint.methods.includes('*') || endpoint.methods.includes(method)
    return endpoint.route && hasMethod && address?.api === api && isSamePath(address.rest, path)
  })
  const bases = [...new Set([`/${api}`, new URL(auth.apis.find(({ name }) => name === api)!.resource).pathname])]
  for (const base of bases) {
    const outcome = await prober.probe(method, base + fillPath(path), (await credentials.good(api)).headers)
    if (found.length === 0)
      found.push(...endpoints.filter(({ route }) => route !== undefined && route === outcome.reached))
    if (found.length > 0) break
    if (base !== bases.at(-1)) continue
    const endpoint = { methods: [method], path: `/${api}${path}`, target: undefined, route: undefined, handlers: [] }
    report('no-route', endpoint, method, `The document of "${api}" describes it, but a request with a good credential reached no handler: ${describeOutcome(outcome)}.`,
      'Add the route, or remove the operation from the document.') // prettier-ignore
  }
  if (isOpen && found.length > 0) await checkOpenOperation({ auth, prober, report }, found[0]!, method)
  return found
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
  report('guarded-but-open-in-document', endpoint, method, 'The document says that no credential is needed, but a request without one is refused.',
    `Give the operation its "security", or remove ${formatGuardCall(auth, api)}.`) // prettier-ignore
}
