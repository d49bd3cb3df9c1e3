import { checkOptions, ConfigurationError, memoryStore, type Store } from '../../index.js'
import { inTime } from '../reachable.js'
import { startPlatform } from '../target.js'
import { configurationFinding, type Check } from './finding.js'

/** Whether a platform would start with these options: the secret included, and without changing anything in the store. */
export const optionsCheck: Check = {
  name: 'options',
  lacks: ({ place }) => (place.options ? undefined : '--config'),
  async look({ place: { options, store }, operations, production }) {
    const { error: refused, warnings } = checkOptions({ ...options!, store })
    const found = warnings.map((warning) => configurationFinding(production ? 'problem' : 'note', warning))
    if (refused) return [...found, configurationFinding('problem', refused)]
    const stage = store && (operations ? await lookingOnly(store) : { ...memoryStore(), kind: store.kind })
    try {
      const auth = await startPlatform({ ...options!, store: stage })
      await inTime(auth.close())
      return found
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      return [...found, configurationFinding('problem', error)]
    }
  },
}

/** The same store for one who only looks: what would change it is answered as if another had just done it. */
async function lookingOnly(store: Store): Promise<Store> {
  const hasStarted = (await store.listSigningKeys()).length > 0
  const untouched: Partial<Store> = {
    open: async () => undefined,
    close: async () => undefined,
    // Where there is a key there is a pepper; otherwise this would become it.
    establishPepper: async (sealed) => (hasStarted ? store.establishPepper(sealed) : sealed),
    resealPepper: async () => false,
    addSigningKey: async () => false,
    resealSigningKey: async () => false,
    removeSigningKey: async () => false,
    saveApplication: async () => false,
    noteCredentialUse: async () => undefined,
    leaseEmail: async () => undefined,
    saveEmail: async () => false,
    revokeAccessToken: async () => undefined,
    // Nothing for housekeeping to delete.
    listApplications: async () => [],
  }
  return new Proxy({} as Store, {
    get: (_, name) => Reflect.get(Object.hasOwn(untouched, name) ? untouched : store, name) as unknown,
  })
}
