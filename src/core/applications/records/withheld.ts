import { invalidArgument, invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord, Withheld } from '../../../shared/contracts/application-record.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { containsNetwork } from '../../../shared/lib/networks.js'

/** The withheld access once an operator has granted these scopes of an API; `undefined` takes the API away. */
export function withhold(current: ApplicationRecord, api: string, granted: readonly string[] | undefined) {
  const { [api]: former, ...others } = ownMembers(current.withheld?.apis ?? {})
  const had = new Set([...(former?.scopes ?? []), ...listGranted(current, api)])
  const scopes = [...had].filter((scope) => !granted?.includes(scope))
  const apis = granted && scopes.length === 0 ? others : { ...others, [api]: { scopes } }
  return joinWithheld({ ...current.withheld, apis })
}

export function joinWithheld(parts: PartsOfWithheld): Withheld | undefined {
  const { apis = {}, credentials = [], networks } = ownMembers(parts)
  if (Object.keys(apis).length === 0 && credentials.length === 0 && !networks) return undefined
  return ownMembers({ apis, ...(credentials.length > 0 && { credentials }), ...(networks && { networks }) })
}

type PartsOfWithheld = { readonly [Part in keyof Withheld]?: Withheld[Part] | undefined }

/** Whether an operator took away the API, or one of these scopes: then a request for it waits for a decision. */
export function isWithheld(current: ApplicationRecord, api: string, requested: readonly string[]): boolean {
  const apis = current.withheld?.apis ?? {}
  if (!Object.hasOwn(apis, api)) return false
  return !Object.hasOwn(current.apis, api) || requested.some((scope) => apis[api]!.scopes.includes(scope))
}

/** Refuses a contact's change that gives back what operators took away or limited. `applyOperatorTerms` judges credentials. */
export function refuseWithheld(current: ApplicationRecord, changed: ApplicationRecord): void {
  refuseWiderNetworks(current, changed)
  for (const api of Object.keys(changed.apis)) {
    const former = listGranted(current, api)
    const added = changed.apis[api]!.scopes.filter((scope) => !former.includes(scope))
    const isAdded = added.length > 0 || !Object.hasOwn(current.apis, api)
    if (isAdded && isWithheld(current, api, added))
      throw invalidState(`An operator took "${api}", or scopes of it, away: only an operator gives it back.`)
  }
  const isLimitChanged = changed.rateLimits !== current.rateLimits || changed.plan !== current.plan
  if (isLimitChanged) throw invalidState('Limits and plans are set by operators only.')
  if (changed.resourceServer !== current.resourceServer)
    throw invalidState('Which application is a resource server is set by operators only.')
  if (current.status === 'suspended' && changed.status !== 'suspended')
    throw invalidState('Only an operator resumes an application.')
}

function refuseWiderNetworks({ withheld, networks: former }: ApplicationRecord, { networks }: ApplicationRecord): void {
  const given = withheld?.networks
  if (!given || networks === former) return
  const wider = networks?.find((network) => !given.some((outer) => containsNetwork(outer, network)))
  if (networks && wider === undefined) return
  throw invalidArgument(`${wider ?? 'Any network'} is more than the operator allows: ${given.join(', ')}.`)
}

function listGranted({ apis }: ApplicationRecord, api: string): readonly string[] {
  return Object.hasOwn(apis, api) ? apis[api]!.scopes : []
}
