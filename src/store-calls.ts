import type { Store } from './store.js'

/** The calls of a store that wait for the database. */
export type StoreCallName = Exclude<keyof Store, 'kind' | 'pollInterval' | 'open' | 'close' | 'watch'>

/**
 * What each is for: a `lookUp` anybody's request can cause, a `change` can be refused by a store that answers (full,
 * read-only, locked), a `read` is the rest.
 */
export const STORE_CALLS: Readonly<Record<StoreCallName, 'lookUp' | 'read' | 'change'>> = {
  establishPepper: 'change',
  resealPepper: 'change',
  listSigningKeys: 'read',
  addSigningKey: 'change',
  resealSigningKey: 'change',
  removeSigningKey: 'change',
  findApplication: 'lookUp',
  findApplicationByKey: 'lookUp',
  listApplications: 'read',
  saveApplication: 'change',
  noteCredentialUse: 'change',
  leaseLetter: 'change',
  saveLetter: 'change',
  findLetterByClaim: 'read',
  listLetters: 'read',
  revokeAccessToken: 'change',
  listRevokedAccessTokens: 'read',
  isAccessTokenRevoked: 'lookUp',
  listAudit: 'read',
  changesSince: 'read',
}
