import type { Store, StorePart, StoreWith } from '../../../store.js'

/** The calls of a store that change something. Each is answered as if another process had just made the change, or as if there were nothing to do. */
const WRITES: Partial<Store> = {
  open: async () => undefined,
  close: async () => undefined,
  replaceSecret: async () => false,
  addSigningKey: async () => false,
  resealSigningKey: async () => false,
  removeSigningKey: async () => false,
  saveApplication: async () => false,
  noteCredentialUse: async () => undefined,
  revokeAccessToken: async () => undefined,
  deleteAudit: async () => 0,
  // Leaves nothing for the platform's cleanup to delete.
  listApplications: async () => [],
  // A check of its own reports what is wrong with the change feed.
  changesSince: async () => ({ cursor: '', changes: [] }),
}

const PART_WRITES: { readonly [Name in StorePart]: Partial<StoreWith[Name]> } = {
  // There are no reminders to queue either.
  emails: { lease: async () => undefined, save: async () => false, listExpiring: async () => [] },
  usage: {
    add: async () => undefined,
    addRefusals: async () => undefined,
    addReported: async () => undefined,
    deleteExpired: async () => 0,
  },
  quotas: { add: async (_, counts) => counts.map(() => ({ ofDay: 0, ofMonth: 0 })), deleteExpired: async () => 0 },
  signIns: {
    add: async () => undefined,
    countGuess: async () => undefined,
    remove: async () => false,
    addSignOut: async () => undefined,
  },
  imports: { add: async (applications) => applications.map(() => 'exists'), replaceHash: async () => false },
  // A check of its own compares the options with the processes that run.
  processes: { announce: async () => undefined, list: async () => [], remove: async () => undefined },
  assertions: { add: async () => 'known' },
}

/** The same store for a platform that is started on trial: its writes change nothing. */
export async function createReadOnlyStore(store: Store): Promise<Store> {
  const hasStarted = (await store.listSigningKeys()).length > 0
  const establishSecret: Store['establishSecret'] = async (name, sealed) =>
    // A store with signing keys has its secrets. In a store without them, this call would set one.
    hasStarted ? store.establishSecret(name, sealed) : sealed
  const parts = Object.entries(PART_WRITES).flatMap(([name, writes]) => {
    const part = store[name as StorePart]
    return part ? [[name, replaceMembers<object>(part, writes)]] : []
  })
  return replaceMembers(store, { ...WRITES, establishSecret, ...Object.fromEntries(parts) })
}

function replaceMembers<Part extends object>(part: Part, replaced: Partial<Part>): Part {
  return new Proxy({} as Part, {
    get: (_, name) => Reflect.get(Object.hasOwn(replaced, name) ? replaced : part, name) as unknown,
    has: (_, name) => name in part,
  })
}
