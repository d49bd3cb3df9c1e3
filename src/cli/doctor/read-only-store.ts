import type { Store } from '../../index.js'

/** The calls of a store that change nothing. */
type StoreRead =
  | 'kind'
  | 'pollInterval'
  | 'concurrentCalls'
  | 'clock'
  | 'watch'
  | 'diagnose'
  | 'countImportedHashes'
  | 'listSigningKeys'
  | 'findApplication'
  | 'findApplicationByKey'
  | 'findEmail'
  | 'findEmailByClaimLink'
  | 'listEmails'
  | 'listRevokedAccessTokens'
  | 'isAccessTokenRevoked'
  | 'listAudit'
  | 'listUsage'
  | 'listRefusals'
  | 'listReported'
  | 'findSignInByLink'
  | 'listSignOuts'

/**
 * The same store for a platform that is started on trial: its writes change nothing. Each is answered as if another process
 * had just made the change, or as if there were nothing to do.
 */
export async function createReadOnlyStore(store: Store): Promise<Store> {
  const hasStarted = (await store.listSigningKeys()).length > 0
  // The type asks for every call of a store that is not a read.
  const replaced: Omit<Store, StoreRead> = {
    open: async () => undefined,
    close: async () => undefined,
    // A store with signing keys has its secrets. In a store without them, this call would set one.
    establishSecret: async (name, sealed) => (hasStarted ? store.establishSecret(name, sealed) : sealed),
    replaceSecret: async () => false,
    addSigningKey: async () => false,
    resealSigningKey: async () => false,
    removeSigningKey: async () => false,
    saveApplication: async () => false,
    addApplications: async (applications) => applications.map(() => 'exists'),
    replaceCredentialHash: async () => false,
    noteCredentialUse: async () => undefined,
    leaseEmail: async () => undefined,
    saveEmail: async () => false,
    revokeAccessToken: async () => undefined,
    addUsage: async () => undefined,
    addRefusals: async () => undefined,
    addReported: async () => undefined,
    deleteExpiredUsage: async () => 0,
    deleteAudit: async () => 0,
    addSignIn: async () => undefined,
    countSignInGuess: async () => undefined,
    removeSignIn: async () => false,
    addSignOut: async () => undefined,
    // Leaves nothing for the platform's cleanup to delete.
    listApplications: async () => [],
    // Nor does it leave reminders to queue.
    listExpiring: async () => [],
    // A check of its own reports what is wrong with the change feed.
    changesSince: async () => ({ cursor: '', changes: [] }),
  }
  return new Proxy({} as Store, {
    get: (_, name) => Reflect.get(Object.hasOwn(replaced, name) ? replaced : store, name) as unknown,
  })
}
