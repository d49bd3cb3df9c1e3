import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { afterAll, beforeAll, describe } from 'vitest'
import { createPlatformAuth, memoryStore, type ApisOptions, type Logger } from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { fakeClock, type FakeClock } from '../../src/tools/testing/index.js'
import { atEnd } from './at-end.js'
import { translate, type FullPlatform, type TestOptions } from './options.js'

export type { FullPlatform, TestOptions } from './options.js'

/** The unit lane tests less, so that it is fast; `npm test` tests everything. */
const isUnitLane = process.env['LANE'] === 'unit'

const ALL_EXPRESSES = { 'Express 4': express4 as unknown as typeof express5, 'Express 5': express5 }

/** The supported versions of Express; in the unit lane only Express 5. */
export const EXPRESSES = isUnitLane
  ? ({ 'Express 5': ALL_EXPRESSES['Express 5'] } as typeof ALL_EXPRESSES)
  : ALL_EXPRESSES

export interface OpenedStore {
  readonly store: StoreWith
  /** Deletes its files, once the store is closed. */
  remove(): Promise<void>
}

/** Functions that create an empty store. The tests of each folder decide whether they also need PostgreSQL. */
export const STORES = {
  memory: async () => ({ store: memoryStore(), remove: async () => undefined }),
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
    return { store: sqliteStore(join(folder, 'platform.sqlite')), remove }
  },
} satisfies Record<string, () => Promise<OpenedStore>>

/** The oldest and the newest supported version of Express, and each store: they do not depend on each other. In the unit lane only one. */
export const PLATFORMS: readonly (readonly [string, typeof express5, () => Promise<OpenedStore>])[] = isUnitLane
  ? [['Express 5, memory', ALL_EXPRESSES['Express 5'], STORES.memory]]
  : [
      ['Express 4.16, memory', (await import('express4-16')).default, STORES.memory],
      ['Express 5, SQLite', ALL_EXPRESSES['Express 5'], STORES.SQLite],
    ]

export const SECRET = 'a secret of 32 characters or more'

/** The APIs of docs/http.md, and two more. */
export const APIS = {
  orders: {
    scheme: 'oauth2',
    title: 'Orders',
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
  },
  invoices: { scheme: 'oauth2' },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  weather: { scheme: 'apiKey' },
} as const

/** Keeps what is logged, and prints nothing. */
export interface RecordingLogger extends Logger {
  readonly lines: string[]
}

export function recordingLogger(): RecordingLogger {
  const lines: string[] = []
  const record = (message: string, ...details: unknown[]): void =>
    void lines.push([message, ...details.map(String)].join(' '))
  return { lines, debug: record, info: record, warn: record, error: record }
}

export interface TestPlatform<Apis extends ApisOptions = typeof APIS> {
  readonly auth: FullPlatform<Apis>
  /** Has no effect if the test gives another `now`. */
  readonly clock: FakeClock
  /** Stays empty if the test gives another `logger`. */
  readonly logger: RecordingLogger
}

/** Creates a platform on a memory store, with the APIs above, a clock that only tests advance, and a recording logger. */
export function openPlatform<const Apis extends ApisOptions = typeof APIS>(
  options: TestOptions & { readonly apis?: Apis } = {},
): TestPlatform<Apis> {
  const clock = fakeClock()
  const logger = recordingLogger()
  const { apis = APIS as ApisOptions as Apis, ...given } = options
  // Without a store the platform warns that it has created one.
  const { store = memoryStore() } = given
  const defaults = { baseUrl: 'https://api.example.com', secret: SECRET, logger, now: clock.now }
  const auth = createPlatformAuth({ apis, ...translate({ ...defaults, ...given, store }) })
  return { auth: auth as unknown as FullPlatform<Apis>, clock, logger }
}

/** The same, which is closed at the end of the test, or outside of a test of the `describe()` or the file. */
export function usePlatform<const Apis extends ApisOptions = typeof APIS>(
  options: TestOptions & { readonly apis?: Apis } = {},
): TestPlatform<Apis> {
  const opened = openPlatform(options)
  atEnd(() => opened.auth.close())
  return opened
}

/** What `onEveryPlatform` gives to tests: its members exist from the first `beforeAll` on. */
export interface Host extends TestPlatform {
  readonly express: typeof express5
  /** Has `auth.router`; tests add their routes. */
  readonly app: Express
}

/** Runs the same tests on every row of `PLATFORMS`. */
export function onEveryPlatform(tests: (host: Host) => void, options: TestOptions = {}): void {
  describe.each(PLATFORMS)('%s', (_, express, openStore) => {
    const host = { express } as Host
    let remove: () => Promise<void>
    beforeAll(async () => {
      const opened = await openStore()
      remove = opened.remove
      const { auth, ...made } = openPlatform({ ...options, store: opened.store })
      Object.assign(host, made, { auth, app: express().disable('x-powered-by').use(auth.router) })
      await auth.ready()
    })
    afterAll(async () => {
      await host.auth.close()
      await remove()
    })
    tests(host)
  })
}
