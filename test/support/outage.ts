import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe } from 'vitest'
import type { PlatformAuthOptions, Store } from '../../src/index.js'
import { EXPRESSES, platform, STORES, type Host } from './platform.js'

/** A store that can be taken away, or made slow. */
export interface FailingStore extends Store {
  /** Every call from now on rejects. */
  fail(): void
  /** Every call from now on takes that many milliseconds longer. */
  slowDown(milliseconds: number): void
  recover(): void
  /** How many calls of that name there have been. */
  calls(name: keyof Store): number
}

export function failingStore(store: Store): FailingStore {
  let failing = false
  let delay = 0
  const counts = new Map<string, number>()
  const wrapped = Object.entries(store).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || name === 'close' || name === 'watch') return [name, value] as const
    const call = async (...args: unknown[]): Promise<unknown> => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (delay > 0) await sleep(delay, undefined, { ref: false })
      if (failing) throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
      return Reflect.apply(value, store, args) as unknown
    }
    return [name, call] as const
  })
  return {
    ...(Object.fromEntries(wrapped) as unknown as Store),
    fail: () => void (failing = true),
    slowDown: (milliseconds) => void (delay = milliseconds),
    recover() {
      failing = false
      delay = 0
    },
    calls: (name) => counts.get(name) ?? 0,
  }
}

/** A platform and its app, with the store in the test's hands. */
export interface FailingHost extends Host {
  readonly store: FailingStore
  /** The same store as others reach it all the time. */
  readonly working: Store
  readonly end: () => Promise<void>
}

export async function openFailingPlatform(
  express: Host['express'],
  openStore: (typeof STORES)[keyof typeof STORES],
  options: Partial<PlatformAuthOptions> = {},
): Promise<FailingHost> {
  const { store: working, remove } = await openStore()
  const store = failingStore(working)
  const made = platform({ ...options, store })
  const app = express().disable('x-powered-by').use(made.auth.router)
  await made.auth.ready()
  const end = async (): Promise<void> => {
    store.recover()
    await made.auth.close()
    await remove()
  }
  return { ...made, express, app, store, working, end }
}

/** Every Express with every store, by name. */
export const PLATFORMS = Object.entries(EXPRESSES).flatMap(([expressName, express]) =>
  Object.entries(STORES).map(([storeName, openStore]) => [`${expressName}, ${storeName}`, express, openStore] as const),
)

/** `onEveryPlatform`, with the store in the test's hands. */
export function onEveryFailingPlatform(
  tests: (host: FailingHost) => void,
  options: Partial<PlatformAuthOptions> = {},
): void {
  describe.each(PLATFORMS)('%s', (_, express, openStore) => {
    const host = {} as FailingHost
    beforeAll(async () => void Object.assign(host, await openFailingPlatform(express, openStore, options)))
    afterAll(() => host.end())
    tests(host)
  })
}
