import type { ApplicationRecord, CredentialRecord } from './application-record.js'
import type { NewAuditRecord } from './events.js'

/** The store's part `imports`: applications with credentials that another system issued. */
export interface ImportStore {
  /**
   * Adds applications, each with its audit record, in one transaction, and resolves the outcome of each. Without `write`
   * nothing is changed: the outcomes are those that each would have alone.
   */
  add(applications: readonly NewApplication[], options: { readonly write: boolean }): Promise<readonly AddOutcome[]>
  /** Replaces the hash `former`. Resolves false, and changes nothing, if no credential has it, or one has the new hash already. */
  replaceHash(replacement: CredentialReplacement): Promise<boolean>
  /** Optional, for the doctor: how many credentials have an imported hash, by its format; formats without any are left out. */
  countHashes?(): Promise<Readonly<Record<string, number>>>
}

/** An application that is added with its credentials, such as one of an import. */
export interface NewApplication {
  readonly record: ApplicationRecord
  readonly audit: NewAuditRecord
  /** Further hashes that no stored credential may have: those of other systems for the same credentials. */
  readonly otherHashes: readonly string[]
}

/**
 * The outcome for a new application. It was not added if its id is stored already (`exists`, also of a deleted application), or
 * another application has its `externalId` or one of its hashes.
 */
export type AddOutcome = 'added' | 'exists' | 'externalIdTaken' | 'credentialTaken'

/** The platform's own hash of a credential, in place of an imported one. */
export interface CredentialReplacement {
  readonly former: string
  readonly hash: string
  readonly prefix: string
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

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
