import express from 'express'
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import type { StoreWith } from '../../src/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { failingStore, type FailingStore } from '../support/failing-store.js'
import { accessToken, createApplication, createTokenForm, listen } from '../support/http.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import type { AtEnd } from '../support/outage-host.js'
import { openPlatform, STORES, type TestPlatform } from '../support/platform.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'

const MAX_STALENESS = 10
/** What is in memory is served at least so long after the failure: the feed was read shortly before, and a look-up waits for a second. The rest allows for a busy machine. */
const SERVED_MS = 7000
const SLOW = 'takes a second'

const LOSES_COMMIT = 'commits a change whose answer is lost, and refuses connections'

interface Site {
  /** The store as the process that loses it has it. */
  readonly store: FailingStore
  readonly proxy: TcpProxy | undefined
}

/** The ways in which a store fails, whatever it is. */
const FAILURES: Readonly<Record<string, (site: Site) => void>> = {
  'rejects every call': ({ store }) => store.fail(),
  hangs: ({ store }) => store.holdUntil(new Promise(() => undefined)),
  [SLOW]: ({ store }) => store.slowDown(1000),
}

/** Those of a connection to PostgreSQL. */
const NETWORK_FAILURES: typeof FAILURES = {
  'refuses connections': ({ proxy }) => void proxy!.refuse(),
  stalls: ({ proxy }) => proxy!.stall(),
  [LOSES_COMMIT]: ({ proxy }) => void proxy!.breakAtCommit('after').then(proxy!.refuse),
}

interface Process extends TestPlatform {
  readonly other: TestPlatform['auth']
  readonly id: string
  askUnseen(): Promise<number>
}

interface Moment {
  /** The call at whose start or answer the store fails; undefined: nothing is under way. */
  readonly at?: readonly [call: keyof StoreWith, when: 'start' | 'answer', isMeant?: (answer: unknown) => boolean]
  /** Leads to that call. It may fail. */
  readonly cause?: (process: Process) => Promise<unknown>
  /** What the feed brings in place of the changes. */
  readonly everythingChanged?: true
}

const rename: Moment['cause'] = ({ other, id }) => other.applications.update(id, { name: 'Renamed' })
const hasChanges = (answer: unknown): boolean => (answer as { changes: readonly unknown[] }).changes.length > 0

const MOMENTS: Readonly<Record<string, Moment>> = {
  'nothing is under way': {},
  'the feed is being read': { at: ['changesSince', 'start'], cause: rename },
  'the feed has brought a change': { at: ['changesSince', 'answer', hasChanges], cause: rename },
  'the feed has brought that everything changed': {
    at: ['changesSince', 'answer', hasChanges],
    cause: rename,
    everythingChanged: true,
  },
  'a changed application is being looked up': { at: ['findApplication', 'start'], cause: rename },
  'the process has saved a change': {
    at: ['saveApplication', 'answer'],
    cause: ({ auth, id }) => auth.applications.update(id, { name: 'Renamed' }),
  },
  'the process saves a change': {
    at: ['saveApplication', 'start'],
    cause: ({ auth, id }) => auth.applications.update(id, { name: 'Renamed' }),
  },
  'the last uses are being written': {
    at: ['noteCredentialUse', 'start'],
    cause: ({ auth, id }) => auth.applications.get(id),
  },
  'the signing keys are being read again': {
    at: ['listSigningKeys', 'start'],
    cause: ({ other }) => other.signingKeys.rotate(),
  },
  'another application is being looked up': {
    at: ['findApplicationByKey', 'start'],
    cause: ({ askUnseen }) => askUnseen(),
  },
}

/** The store, which calls `strike` at the moment. */
function watched(
  store: StoreWith,
  { at, everythingChanged }: Moment,
  armed: () => boolean,
  strike: () => void,
): StoreWith {
  if (!at) return store
  const [name, when, isMeant = () => true] = at
  const call = async (...args: unknown[]): Promise<unknown> => {
    if (when === 'start' && armed()) strike()
    const answer: unknown = await Reflect.apply(store[name] as (...given: unknown[]) => Promise<unknown>, store, args)
    if (when !== 'answer' || !armed() || !isMeant(answer)) return answer
    strike()
    return everythingChanged ? { ...(answer as object), changes: [{ kind: 'everything' }] } : answer
  }
  return { ...store, [name]: call }
}

/** Opens a process, lets its store fail at the moment, and compares its answers until the store answers again. */
async function checkMoment(
  atEnd: AtEnd,
  name: string,
  failure: string,
  { site, other }: { readonly site: Site; readonly other: TestPlatform['auth'] },
): Promise<void> {
  const moment = MOMENTS[name]!
  let isArmed = false
  let failedAt = Infinity
  const strike = (): void => {
    isArmed = false
    failedAt = performance.now()
    const fail = { ...FAILURES, ...NETWORK_FAILURES }[failure]!
    fail(site)
  }
  const store = watched(site.store, moment, () => isArmed, strike)
  const limits = { rateLimits: { failedAuthentication: false } } as const
  const made = openPlatform({ ...limits, store, maxStaleness: MAX_STALENESS, now: Date.now })
  const { auth } = made
  atEnd(auth.close)
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  const { port, close } = await listen(app)
  atEnd(close)
  await auth.ready()
  const known = await createApplication(auth, ['orders', 'catalog'])
  const unseen = await createApplication(other, ['catalog'])
  const token = await accessToken(app, 'orders', known)
  const send = async (path: string, init: RequestInit): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    await response.text()
    return response.status
  }
  const askUnseen = () => send('/catalog/items', { headers: { 'X-Api-Key': unseen.clientId } })
  const ask = () =>
    Promise.all([
      send('/catalog/items', { headers: { 'X-Api-Key': known.clientId } }),
      send('/orders/items', { headers: { Authorization: `Bearer ${token}` } }),
      send('/orders/token', { method: 'POST', body: new URLSearchParams(createTokenForm(known)) }),
    ])
  const allWith = (status: number): number[] => [status, status, status]
  expect(await ask(), name).toEqual(allWith(200))
  expect(await auth.health(), name).toMatchObject({ ok: true })

  isArmed = true
  void moment.cause?.({ ...made, other, id: known.id, askUnseen }).catch(() => undefined)
  if (moment.at) await waitUntil(() => failedAt < Infinity)
  else strike()
  const first = askUnseen()
  first.catch(() => undefined)
  let served = 0
  await waitUntil(
    async () => {
      const answers = await ask()
      const elapsed = performance.now() - failedAt
      if (failure === SLOW || elapsed < SERVED_MS) {
        expect(answers, `${name}, ${elapsed} ms`).toEqual(allWith(200))
        served += 1
      }
      for (const answer of answers) expect([200, 503], name).toContain(answer)
      return failure === SLOW ? elapsed > SERVED_MS : answers.every((answer) => answer === 503)
    },
    // Callers that ask more often only take the time of a slow machine from each other.
    { interval: IS_LONG_LANE ? 250 : 1000 },
  )
  expect(served, name).toBeGreaterThan(0)
  // Until the COMMIT the store answers.
  expect(failure === SLOW ? [200] : failure === LOSES_COMMIT ? [200, 503] : [503], name).toContain(await first)
  site.store.recover()
  await site.proxy?.forward()
  await waitUntil(async () => (await ask()).every((answer) => answer === 200), { interval: 100 })
  await waitUntil(async () => (await askUnseen()) === 200, { interval: 100 })
}

/** Opens the store of one process; all of them have the same records. */
type OpenSite = (atEnd: AtEnd) => Promise<Site>

async function openShared(atEnd: AtEnd, openStore: (typeof STORES)[keyof typeof STORES]) {
  const { store, remove } = await openStore()
  atEnd(remove)
  return {
    store,
    openSite: async () => ({ store: failingStore({ ...store, close: async () => undefined }), proxy: undefined }),
  }
}

function openPool(atEnd: AtEnd, url: string): StoreWith {
  const pool = new Pool({ connectionString: url, max: 3 })
  pool.on('error', () => undefined)
  atEnd(() => pool.end())
  return postgresStore({ pool })
}

async function openPostgres(atEnd: AtEnd) {
  const { url, remove } = await freshDatabase()
  atEnd(remove)
  const openSite: OpenSite = async (end) => {
    const proxy = await startTcpProxy(url)
    end(proxy.end)
    return { store: failingStore(openPool(end, proxy.url)), proxy }
  }
  return { store: openPool(atEnd, url), openSite }
}

const OPENERS = {
  memory: (atEnd: AtEnd) => openShared(atEnd, STORES.memory),
  SQLite: (atEnd: AtEnd) => openShared(atEnd, STORES.SQLite),
  PostgreSQL: openPostgres,
}

function listMoments(failure: string): string[] {
  if (failure === LOSES_COMMIT) return ['the process saves a change']
  return Object.keys(MOMENTS)
}

/** The short form of databases, and of a slow store, which fails nothing: what a process does meanwhile is the same as with the memory store. */
const SHORT = ['nothing is under way', 'the feed has brought a change']

const CASES = [
  ...Object.keys(FAILURES).flatMap((failure) => Object.keys(OPENERS).map((store) => [store, failure] as const)),
  ...Object.keys(NETWORK_FAILURES).map((failure) => ['PostgreSQL', failure] as const),
].filter(([store, failure]) => IS_LONG_LANE || store === 'memory' || /reject|refuses/.test(`${store} ${failure}`)) as [
  keyof typeof OPENERS,
  string,
][]

describe.concurrent.each(CASES)('A %s store that %s', (storeName, failure) => {
  it('turns no known caller away for maxStaleness, whatever is under way, and then with 503', async ({
    onTestFinished,
  }) => {
    const { store, openSite } = await OPENERS[storeName](onTestFinished)
    const { auth: other } = openPlatform({ store, now: Date.now })
    onTestFinished(other.close)
    await other.ready()
    const isShort = (storeName !== 'memory' || failure === SLOW) && !IS_LONG_LANE
    const moments = isShort && failure !== LOSES_COMMIT ? [...SHORT] : listMoments(failure)
    // A few at a time: each has a platform and connections of its own, and the server is shared with other files.
    while (moments.length > 0) {
      await Promise.all(
        moments
          .splice(0, storeName === 'PostgreSQL' ? 4 : 20)
          .map(async (moment) =>
            checkMoment(onTestFinished, moment, failure, { site: await openSite(onTestFinished), other }),
          ),
      )
    }
  })
})
