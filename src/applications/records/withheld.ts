import type { ApplicationRecord, Withheld } from '../../contracts/application-record.js'

/** The withheld access once an operator has granted these scopes of an API; `undefined` takes the API away. */
export function withhold(
  current: ApplicationRecord,
  api: string,
  granted: readonly string[] | undefined,
): Withheld | undefined {
  const { [api]: former, ...others } = current.withheld?.apis ?? {}
  const had = new Set([...(former?.scopes ?? []), ...listGranted(current, api)])
  const scopes = [...had].filter((scope) => !granted?.includes(scope))
  const apis = granted && scopes.length === 0 ? others : { ...others, [api]: { scopes } }
  return joinWithheld({ apis, networks: current.withheld?.networks })
}

/** What operators have withheld; undefined for nothing. */
export function joinWithheld({ apis, ends = [], networks }: PartsOfWithheld): Withheld | undefined {
  if (Object.keys(apis).length === 0 && ends.length === 0 && !networks) return undefined
  return { apis, ...(ends.length > 0 && { ends }), ...(networks && { networks }) }
}

type PartsOfWithheld = { readonly [Part in keyof Withheld]: Withheld[Part] | undefined } & Pick<Withheld, 'apis'>

/** Whether an operator took away the API, or one of these scopes: then a request for it waits for a decision. */
export function isWithheld(current: ApplicationRecord, api: string, requested: readonly string[]): boolean {
  const apis = current.withheld?.apis ?? {}
  if (!Object.hasOwn(apis, api)) return false
  return !Object.hasOwn(current.apis, api) || requested.some((scope) => apis[api]!.scopes.includes(scope))
}

function listGranted({ apis }: ApplicationRecord, api: string): readonly string[] {
  return Object.hasOwn(apis, api) ? apis[api]!.scopes : []
}
