import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../src/index.js'
import { openPlatform, PLATFORMS, type Host, type STORES, type TestOptions } from './platform.js'

/** A store that can be made to fail, to be slow or to hang. */
export interface FailingStore extends Store {
  /** Every call from now on rejects. */
  fail(): void
  /** Every call from now on takes that many milliseconds longer. */
  slowDown(milliseconds: number): void
  /** Every call from now on waits for the promise. */
  holdUntil(released: Promise<void>): void
  recover(): void
  /** How often a method was called. */
  calls(name: keyof Store): number
  /** How many `watch()` calls were not ended. */
  watchers(): number
}

/** What calls of a failing store reject with. */
export const STORE_FAILURE = 'connect ECONNREFUSED 10.1.2.3:5432'

export function failingStore(store: Store): FailingStore {
  let failing = false
  let delay = 0
  let hold: Promise<void> | undefined
  let watchers = 0
  const counts = new Map<string, number>()
  const wrapped = Object.entries(store).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || name === 'watch') return [name, value] as const
    const call = async (...args: unknown[]): Promise<unknown> => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (name !== 'close') {
        if (delay > 0) await sleep(delay, undefined, { ref: false })
        await hold
        if (failing) throw new Error(STORE_FAILURE)
      }
      return Reflect.apply(value, store, args) as unknown
    }
    return [name, call] as const
  })
  function watch(wake: () => void): () => void {
    watchers += 1
    const unwatch = store.watch!(wake)
    return () => {
      watchers -= 1
      unwatch()
    }
  }

  return {
    ...(Object.fromEntries(wrapped) as unknown as Store),
    ...(store.watch && { watch }),
    fail: () => void (failing = true),
    slowDown: (milliseconds) => void (delay = milliseconds),
    holdUntil: (released) => void (hold = released),
    recover() {
      failing = false
      delay = 0
      hold = undefined
    },
    calls: (name) => counts.get(name) ?? 0,
    watchers: () => watchers,
  }
}

/** A platform and its app, on a store that can be made to fail. */
export interface FailingHost extends Host {
  readonly store: FailingStore
  /** The same store, never failing. */
  readonly working: Store
  readonly end: () => Promise<void>
}

export async function openFailingPlatform(
  express: Host['express'],
  openStore: (typeof STORES)[keyof typeof STORES],
  options: TestOptions = {},
): Promise<FailingHost> {
  const { store: working, remove } = await openStore()
  const store = failingStore(working)
  const made = openPlatform({ ...options, store })
  const app = express().disable('x-powered-by').use(made.auth.router)
  await made.auth.ready()
  const end = async (): Promise<void> => {
    store.recover()
    await made.auth.close()
    await remove()
  }
  return { ...made, express, app, store, working, end }
}

/** `onEveryPlatform`, on stores that can be made to fail. */
export function onEveryFailingPlatform(tests: (host: FailingHost) => void, options: TestOptions = {}): void {
  describe.each(PLATFORMS)('%s', (_, express, openStore) => {
    const host = {} as FailingHost
    beforeAll(async () => void Object.assign(host, await openFailingPlatform(express, openStore, options)))
    afterAll(() => host.end())
    tests(host)
  })
}
