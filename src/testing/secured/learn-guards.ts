import type { GuardDescription, PlatformAuth } from '../../index.js'
import { findApi } from '../credentials.js'
import { listAccepted, type Check, type Headers } from './check-context.js'
import type { Outcome } from './prober.js'

interface Learned {
  /** The result of a request without a credential. */
  readonly none: Outcome
  /** The guards of this platform before the handler. */
  readonly guards: readonly GuardDescription[]
  /** Good credentials for all of them, by API. */
  readonly goodHeaders: ReadonlyMap<string, Headers>
}

/** Adds valid credentials, guard by guard, until the handler runs or no further guard refuses. */
export async function learnGuards({ auth, prober, credentials, method, target }: Check): Promise<Learned> {
  const resources = auth.apis.map(({ resource }) => resource)
  const ours = ({ guards }: Outcome): GuardDescription[] =>
    guards.filter(({ accepts }) => accepts.some(({ resource }) => resources.includes(resource)))
  const none = await prober.probe(method, target)
  const goodHeaders = new Map<string, Headers>()
  let last = none
  for (let api = none.denied[0]?.api; api !== undefined && !goodHeaders.has(api); api = last.denied[0]?.api) {
    goodHeaders.set(api, (await credentials.good(api)).headers)
    last = await prober.probe(method, target, Object.assign({}, ...goodHeaders.values()) as Headers)
  }
  const found = ours(last)
  for (const { accepts } of found)
    for (const { api } of accepts) goodHeaders.set(api, (await credentials.good(api)).headers)
  // A guard that the app calls in a function of its own shows only by its refusals.
  const unseen = [...goodHeaders.keys()].filter((api) => !listAccepted(found).some((each) => each.api === api))
  return { none, guards: [...new Set(found), ...unseen.map((api) => describeUnseenGuard(auth, api))], goodHeaders }
}

function describeUnseenGuard(auth: PlatformAuth, api: string): GuardDescription {
  const { resource, scheme } = findApi(auth, api)
  const accepted = {
    api,
    resource,
    scheme,
    otherIssuers: false,
    hasOwnAnswers: true,
    scopesFor: () => ({ scopes: [], anyScope: [] }),
  }
  return { optional: false, enforces: true, accepts: [accepted] }
}
