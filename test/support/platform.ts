import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { afterAll, beforeAll, describe } from 'vitest'
import { createPlatformAuth, memoryStore, type Logger, type PlatformAuthOptions, type Store } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { fakeClock } from '../../src/testing/index.js'

/** Both Expresses that hosts use. */
export const EXPRESSES = { 'Express 4': express4 as unknown as typeof express5, 'Express 5': express5 }

/** Every store, each opened afresh. */
export const STORES = {
  memory: async () => ({ store: memoryStore(), remove: async () => undefined }),
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
    return { store: sqliteStore(join(folder, 'platform.sqlite')), remove }
  },
} satisfies Record<string, () => Promise<{ store: Store; remove: () => Promise<void> }>>

export const SECRET = 'a secret of 32 characters or more'

/** Says nothing, and remembers what it was told. */
export function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (message: string, ...details: unknown[]): void =>
    void lines.push([message, ...details.map(String)].join(' '))
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}

/** The two APIs of the contract's example. */
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

/** A platform with the contract's APIs that logs nothing, on a clock that tests advance. */
export function platform(options: Partial<PlatformAuthOptions> = {}) {
  const clock = fakeClock()
  const logger = recordingLogger()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    secret: SECRET,
    logger,
    now: clock.now,
    ...(options as object),
    store: options.store ?? memoryStore(),
    apis: APIS,
  })
  return { auth, clock, logger }
}

export type TestPlatform = ReturnType<typeof platform>

/** What a test is given by `onEveryPlatform`: filled in before the first test runs. */
export interface Host extends TestPlatform {
  readonly express: typeof express5
  /** An app of that Express with `auth.router` mounted; tests add their routes. */
  readonly app: Express
}

/** Runs the same tests on both Expresses and on every store. */
export function onEveryPlatform(tests: (host: Host) => void, options: Partial<PlatformAuthOptions> = {}): void {
  for (const [expressName, express] of Object.entries(EXPRESSES)) {
    for (const [storeName, openStore] of Object.entries(STORES)) {
      describe(`${expressName}, ${storeName}`, () => {
        const host = { express } as { -readonly [Key in keyof Host]: Host[Key] }
        let remove: () => Promise<void>
        beforeAll(async () => {
          const opened = await openStore()
          remove = opened.remove
          Object.assign(host, platform({ ...options, store: opened.store }))
          host.app = express().disable('x-powered-by').use(host.auth.router)
          await host.auth.ready()
        })
        afterAll(async () => {
          await host.auth.close()
          await remove()
        })
        tests(host)
      })
    }
  }
}
