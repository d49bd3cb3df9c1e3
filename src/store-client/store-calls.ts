import type { Store } from '../contracts/store.js'

/** The calls of a store that wait for the database. */
export type StoreCallName = Exclude<keyof Store, 'kind' | 'pollInterval' | 'open' | 'close' | 'watch'>

/** What each does: a `change` can be refused by a store that answers (full, read-only, locked). */
export const STORE_CALLS: Readonly<Record<StoreCallName, 'read' | 'change'>> = {
  establishPepper: 'change',
  resealPepper: 'change',
  listSigningKeys: 'read',
  addSigningKey: 'change',
  resealSigningKey: 'change',
  removeSigningKey: 'change',
  findApplication: 'read',
  findApplicationByKey: 'read',
  listApplications: 'read',
  saveApplication: 'change',
  noteCredentialUse: 'change',
  leaseEmail: 'change',
  saveEmail: 'change',
  findEmail: 'read',
  findEmailByClaimLink: 'read',
  listEmails: 'read',
  revokeAccessToken: 'change',
  listRevokedAccessTokens: 'read',
  isAccessTokenRevoked: 'read',
  listAudit: 'read',
  changesSince: 'read',
}
