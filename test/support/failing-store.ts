import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { StorePart, StoreWith } from '../../src/store.js'
import { openPlatform, PLATFORMS, type Host, type STORES, type TestOptions } from './platform.js'

/** A store that can be made to fail, to be slow or to hang. */
export type FailingStore = StoreWith & {
  /** Every call from now on rejects. */
  fail(): void
  /** Every call from now on takes that many milliseconds longer. */
  slowDown(milliseconds: number): void
  /** Every call from now on waits for the promise, or only each of that method. */
  holdUntil(released: Promise<void>, name?: StoreCallName): void
  recover(): void
  /** How often a method was called; one of a part by its whole name, such as `emails.lease`. */
  calls(name: StoreCallName): number
  /** How many `watch()` calls were not ended. */
  watchers(): number
}

export type StoreCallName =
  | keyof StoreWith
  | { [Part in StorePart]: `${Part}.${keyof StoreWith[Part] & string}` }[StorePart]

/** What calls of a failing store reject with. */
export const STORE_FAILURE = 'connect ECONNREFUSED 10.1.2.3:5432'

export function failingStore(store: StoreWith): FailingStore {
  let failing = false
  let delay = 0
  let hold: { readonly released: Promise<void>; readonly name: string | undefined } | undefined
  let watchers = 0
  const counts = new Map<string, number>()
  function wrap<Calls extends object>(calls: Calls, prefix: string): Calls {
    const wrapped = Object.entries(calls).map(([name, value]: [string, unknown]) => {
      if (['emails', 'usage', 'quotas', 'signIns', 'imports', 'processes', 'assertions'].includes(name))
        return [name, wrap(value as object, `${name}.`)]
      if (typeof value !== 'function' || name === 'watch') return [name, value]
      const call = async (...args: unknown[]): Promise<unknown> => {
        counts.set(prefix + name, (counts.get(prefix + name) ?? 0) + 1)
        if (name !== 'close') {
          if (delay > 0) await sleep(delay, undefined, { ref: false })
          if (hold?.name === undefined || hold.name === prefix + name) await hold?.released
          if (failing) throw new Error(STORE_FAILURE)
        }
        return Reflect.apply(value, calls, args) as unknown
      }
      return [name, call]
    })
    return Object.fromEntries(wrapped) as Calls
  }
  function watch(wake: () => void): () => void {
    watchers += 1
    const unwatch = store.watch!(wake)
    return () => {
      watchers -= 1
      unwatch()
    }
  }

  return {
    ...wrap(store, ''),
    ...(store.watch && { watch }),
    fail: () => void (failing = true),
    slowDown: (milliseconds) => void (delay = milliseconds),
    holdUntil: (released, name) => void (hold = { released, name }),
    recover() {
      failing = false
      delay = 0
      hold = undefined
    },
    calls: (name) => counts.get(name) ?? 0,
    watchers: () => watchers,
  }
}

/** What each of these answers, if none can save an application before all of them try: each has read a record that another changes. */
export async function saveAtOneMoment<Answer>(
  store: FailingStore,
  sends: readonly (() => PromiseLike<Answer>)[],
): Promise<Answer[]> {
  let release = (): void => undefined
  store.holdUntil(new Promise((resolve) => (release = resolve)), 'saveApplication')
  const before = store.calls('saveApplication')
  const answers = Promise.all(sends.map((send) => send()))
  await expect.poll(() => store.calls('saveApplication')).toBe(before + sends.length)
  release()
  store.recover()
  return answers
}

/** A platform and its app, on a store that can be made to fail. */
export interface FailingHost extends Host {
  readonly store: FailingStore
  /** The same store, never failing. */
  readonly working: StoreWith
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
