import { ConfigurationError, memoryStore, type Store } from '../../index.js'
import { inTime } from '../reachable.js'
import { startPlatform } from '../target.js'
import { note, problem, splitCure, type Check } from './finding.js'

/** Whether a platform would start with these options: the secret included, and without changing anything in the store. */
export const optionsCheck: Check = {
  name: 'options',
  lacks: ({ place }) => (place.options ? undefined : '--config'),
  async look({ place: { options, store }, operations, production }) {
    const warnings: string[] = []
    const found = () => warnings.map((message) => (production ? problem : note)(...splitCure(message)))
    const stage = store && (operations ? await lookingOnly(store) : { ...memoryStore(), kind: store.kind })
    try {
      const auth = await startPlatform({ ...options!, store: stage }, (message) => void warnings.push(message))
      await inTime(auth.close())
      return found()
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      return [...found(), problem(...splitCure(error.message))]
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
