import type { ApplicationRecord } from './application-record.js'
import type { SigningKeyRecord, Store } from './store.js'

/** The public part of a signing key: what verifies access tokens. */
export type VerificationKey = Omit<SigningKeyRecord, 'sealedPrivateJwk'>

/** The store, or, in a process without a database, the platform. An answer is as new as all that was read there before. */
export interface CredentialSource extends Pick<
  Store,
  | 'findApplication'
  | 'listRevokedAccessTokens'
  | 'isAccessTokenRevoked'
  | 'noteCredentialUse'
  | 'changesSince'
  | 'pollInterval'
  | 'clock'
  | 'watch'
> {
  /** `hash`: the HMAC of `key` by which this process, and the answer, tell keys. The source may know it by another. */
  findApplicationByKey(hash: string, key: string): Promise<ApplicationRecord | undefined>
  /** Whether the record of an application may have the key by another hash, so that it does not prove a key wrong. */
  readonly hasOtherHashes: boolean
  /** All keys that the platform has, in the order in which they were added. */
  listVerificationKeys(): Promise<readonly VerificationKey[]>
}
