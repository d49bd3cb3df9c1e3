import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { CredentialSource, VerificationKey } from '../../shared/contracts/credential-source.js'
import type { ImportedCredentials } from '../../shared/contracts/imports.js'
import type { SigningKeyRecord, Store } from '../../shared/contracts/store.js'

/** The store as the source of what guards know. Each answer is read from the store: as new as any other process may have read it. */
export function createStoreSource(options: {
  readonly store: Store
  /** Undefined without the feature that recognizes credentials of another system. Read at each look-up, because features are created later. */
  readonly hooks: {
    readonly importedCredentials?: Pick<ImportedCredentials, 'listKeyHashes' | 'adoptKey'> | undefined
  }
  /** Those that the platform wrote. */
  readonly readSigningKeys: () => Promise<readonly SigningKeyRecord[]>
}): CredentialSource {
  const { store, hooks, readSigningKeys } = options
  return {
    findApplication: store.findApplication,
    listRevokedAccessTokens: store.listRevokedAccessTokens,
    isAccessTokenRevoked: store.isAccessTokenRevoked,
    noteCredentialUse: store.noteCredentialUse,
    changesSince: store.changesSince,
    get pollInterval() {
      return store.pollInterval
    },
    /** A key that another system issued is adopted: one look-up, by the platform's hash and by those of other systems. */
    async findApplicationByKey(hash: string, key: string): Promise<ApplicationRecord | undefined> {
      const { importedCredentials } = hooks
      if (!importedCredentials) return store.findApplicationByKey(hash)
      const found = await store.findApplicationByKey(hash, ...importedCredentials.listKeyHashes(key))
      return found && importedCredentials.adoptKey(found, key)
    },
    get hasOtherHashes() {
      return hooks.importedCredentials !== undefined
    },
    async listVerificationKeys(): Promise<readonly VerificationKey[]> {
      return (await readSigningKeys()).map(toVerificationKey)
    },
  }
}

/** An allow list: whatever a record has beside it stays here. */
function toVerificationKey(key: SigningKeyRecord): VerificationKey {
  const { kid, algorithm, publicJwk, createdAt, signsFrom, formerVerifiesFor } = key
  return { kid, algorithm, publicJwk, createdAt, signsFrom, formerVerifiesFor }
}
