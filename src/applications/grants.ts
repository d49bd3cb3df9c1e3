import type { ApplicationRecord } from '../contracts/store.js'

/** What an application may do at an API; undefined if nothing. Own members only: a polluted `Object.prototype` grants nothing. */
export function findGrant(
  { apis }: ApplicationRecord,
  { name }: { readonly name: string },
): ApplicationRecord['apis'][string] | undefined {
  return Object.hasOwn(apis, name) ? apis[name] : undefined
}
