import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore, StoreUnavailableError } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { createBoundedStore } from '../../../src/core/store-client/bounded-store.js'
import { createStoreHealth } from '../../../src/core/store-client/store-health.js'
import { recordingLogger } from '../../support/platform.js'

/** A store of a host that is written in JavaScript: it may return no promise, or throw before it returns one. */
function bound(methods: Partial<Record<keyof StoreWith, () => unknown>>): StoreWith {
  const logger = recordingLogger()
  const storeHealth = createStoreHealth({ logger, emit: () => undefined, now: Date.now })
  return createBoundedStore({ ...memoryStore(), ...methods } as StoreWith, { storeHealth, logger }) as StoreWith
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

describe('the outcome of a write that fails', () => {
  afterEach(() => void vi.useRealTimers())

  const change = ['a', 'b'] as const

  it('is unknown if the store says so, and not if the store rejects it otherwise', async () => {
    const unknown = new StoreUnavailableError('Lost.', { outcome: 'unknown' })
    const store = bound({ replaceSecret: () => Promise.reject(unknown), removeSigningKey: fail })
    await expect(store.replaceSecret('pepper', ...change)).rejects.toMatchObject({ outcome: 'unknown', cause: unknown })
    await expect(store.removeSigningKey('k', {} as never)).rejects.toMatchObject({ outcome: undefined })
  })

  it('is unknown if it has timed out, and not if it was never sent', async () => {
    vi.useFakeTimers()
    const store = bound({ replaceSecret: () => new Promise(() => undefined) })
    const failure = store.replaceSecret('pepper', ...change).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(6000)
    expect(await failure).toMatchObject({ outcome: 'unknown' })
    await expect(store.replaceSecret('pepper', ...change)).rejects.toMatchObject({ outcome: undefined })
  })
})
