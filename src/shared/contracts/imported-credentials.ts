import type { ApplicationRecord, CredentialRecord } from './application-record.js'

/**
 * Recognizes credentials by the hashes that another system made of them. At the first use the platform's own hash replaces
 * the imported one, in the background: no request fails because that failed.
 */
export interface ImportedCredentials {
  /** The imported hashes under which a store may have a key. */
  readonly listKeyHashes: (key: string) => readonly string[]
  /** The record with the platform's hash of that key, so that memory finds the key by it. */
  adoptKey(record: ApplicationRecord, key: string): ApplicationRecord
  /** The live secret that has one of the digests, with the platform's hash. Takes the same time for every digest, and for none. */
  matchDigest(secret: string, application: ApplicationRecord | undefined): CredentialRecord | undefined
  /** Whether comparing the application's secrets takes a slow hash, for which callers wait in turns. */
  hasSlowHash(application: ApplicationRecord): boolean
  /**
   * The first of the secrets, which are the readings of one request, that is a live bcrypt or argon2id secret of the application.
   * `address` is the client's. Rejects with `NoTurnError` if others were compared first.
   */
  matchSlowHash(
    secrets: readonly string[],
    application: ApplicationRecord,
    address: string,
  ): Promise<MatchedSecret | undefined>
}

export interface MatchedSecret {
  readonly secret: string
  /** With the platform's hash, where no other text has the imported one. */
  readonly record: CredentialRecord
}
