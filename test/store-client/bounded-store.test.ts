import { describe, expect, it } from 'vitest'
import { memoryStore, StoreUnavailableError, type Store } from '../../src/index.js'
import { createBoundedStore } from '../../src/store-client/bounded-store.js'
import { createStoreHealth } from '../../src/store-client/store-health.js'
import { recordingLogger } from '../support/platform.js'

/** A store of a host that is written in JavaScript: it may return no promise, or throw before it returns one. */
function bound(methods: Partial<Record<keyof Store, () => unknown>>): Store {
  const logger = recordingLogger()
  const storeHealth = createStoreHealth({ logger, emit: () => undefined, now: Date.now })
  return createBoundedStore({ ...memoryStore(), ...methods } as Store, { storeHealth, logger })
}

function fail(): never {
  throw new Error('failed at once')
}

describe('a store whose methods return no promise', () => {
  it('is opened, read and closed', async () => {
    const store = bound({ open: () => undefined, listSigningKeys: () => [], close: () => undefined })
    await expect(store.open()).resolves.toBeUndefined()
    await expect(store.listSigningKeys()).resolves.toEqual([])
    await expect(store.close()).resolves.toBeUndefined()
  })

  it('is unavailable if open() or a call throws, and rejects as close() throws', async () => {
    const store = bound({ open: fail, listSigningKeys: fail, close: fail })
    await expect(store.open()).rejects.toThrow(StoreUnavailableError)
    await expect(store.listSigningKeys()).rejects.toThrow(StoreUnavailableError)
    await expect(store.close()).rejects.toThrow('failed at once')
  })
})
