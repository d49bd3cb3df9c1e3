import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import express, { type Express } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError, memoryStore, type PlatformAuthOptions } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { createCaller } from '../../support/caller.js'
import { failingStore, STORE_FAILURE } from '../../support/failing-store.js'
import { openPlatform, SECRET, STORES, type TestOptions, type TestPlatform } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'
import { request } from '../../support/request.js'
import { recordEvents } from '../../support/record-events.js'

const OTHER_SECRET = 'another secret of 32 characters or more'

/** `onTestFinished`: takes what is to be done after the test, in reverse order. */
type AtEnd = (end: () => void | Promise<void>) => void

function createApp({ auth }: TestPlatform): Express {
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  return app
}

/** A platform on real time, closed after the test. */
function startPlatform(atEnd: AtEnd, options: TestOptions): TestPlatform & { readonly app: Express } {
  const made = openPlatform({ now: Date.now, ...options })
  atEnd(made.auth.close)
  return { ...made, app: createApp(made) }
}

function createHold(atEnd: AtEnd) {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  atEnd(() => release())
  return { release, released }
}

const findLines = ({ logger }: TestPlatform, pattern: RegExp): string[] =>
  logger.lines.filter((line) => pattern.test(line))

describe.concurrent.each(Object.entries(STORES))('a platform on the %s store', (_, openStore) => {
  async function openFailing(atEnd: AtEnd) {
    const opened = await openStore()
    atEnd(opened.remove)
    return failingStore(opened.store)
  }

  it('makes requests wait until it is ready', async ({ onTestFinished: atEnd }) => {
    const store = await openFailing(atEnd)
    const made = startPlatform(atEnd, { store })
    const { release, released } = createHold(atEnd)
    store.holdUntil(released)
    const answered: string[] = []
    const record = async (name: string, answer: PromiseLike<{ status: number }>): Promise<void> => {
      answered.push(`${name} ${(await answer).status}`)
    }
    const creation = made.auth.applications.create({ name: 'Early', apis: ['orders', 'catalog'] })
    const requests = Promise.all([
      record('key set', request(made.app).get('/.well-known/jwks.json')),
      record('token endpoint', createCaller(made).token('orders', { clientId: 'x', clientSecret: 'x' })),
      record('bearer guard', createCaller(made).bearer('/orders/items', 'x.y.z')),
      record('key guard', createCaller(made).key('/catalog/items', 'x')),
      // These two need no store.
      record('no credential', request(made.app).get('/orders/items')),
      record('metadata', request(made.app).get('/orders/.well-known/oauth-authorization-server')),
    ])
    await vi.waitFor(() => expect(answered).toHaveLength(2), 60_000)
    await sleep(100)
    expect(answered.toSorted()).toEqual(['metadata 200', 'no credential 401'])
    expect(await made.auth.health()).toEqual({ ok: false, problems: [expect.stringContaining('not ready')] })

    release()
    await requests
    expect(answered.slice(2).toSorted()).toEqual([
      'bearer guard 401',
      'key guard 401',
      'key set 200',
      'token endpoint 401',
    ])
    const { credentials } = await creation
    await createCaller(made).token('orders', credentials).expect(200)
    expect(await made.auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('retries a store that is unavailable at the start', async ({ onTestFinished: atEnd }) => {
    const store = await openFailing(atEnd)
    store.fail()
    const made = startPlatform(atEnd, { store })
    const events = recordEvents(made.auth, 'store.unavailable', 'store.available')
    const early = request(made.app)
      .get('/.well-known/jwks.json')
      .then(({ status }) => status)
    await vi.waitFor(() => expect(store.calls('open')).toBe(3), { timeout: 60_000, interval: 5 })
    // Logged once, not for every attempt.
    expect(findLines(made, /will retry.*ECONNREFUSED/)).toHaveLength(1)
    expect(await made.auth.health()).toMatchObject({ ok: false })

    store.recover()
    await made.auth.ready()
    expect(await early).toBe(200)
    expect(store.calls('open')).toBe(4)
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await createCaller(made).token('orders', credentials).expect(200)
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['store.unavailable', STORE_FAILURE],
      ['store.available', undefined],
    ])
  })

  it('answers known callers at once, and token requests and unknown callers, while one read of the change feed is stuck', async ({
    onTestFinished: atEnd,
  }) => {
    const working = await openFailing(atEnd)
    let stuck = 0
    const changesSince: StoreWith['changesSince'] = (cursor) =>
      stuck === 1 && ++stuck ? new Promise(() => undefined) : working.changesSince(cursor)
    const made = startPlatform(atEnd, { store: { ...working, changesSince }, maxStaleness: 1 })
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const caller = createCaller(made)
    await caller.accessToken('orders', credentials)
    stuck = 1
    await expect.poll(() => stuck, { interval: 1 }).toBe(2)
    const calls: Promise<unknown>[] = []
    for (const end = performance.now() + 1500; performance.now() < end || calls.length <= 10; await sleep(10))
      calls.push(made.auth.verifyApiKey('catalog', credentials.clientId))
    await caller.token('orders', credentials).expect(200)
    await caller.token('orders', { clientId: 'nosuch', clientSecret: 'x' }).expect(401)
    await Promise.all(calls)
    expect(calls.length).toBeGreaterThan(10)
    expect(await made.auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('stops polling and closes its store once, however often close() is called', async ({ onTestFinished: atEnd }) => {
    const store = await openFailing(atEnd)
    const made = startPlatform(atEnd, { store })
    await made.auth.ready()
    await Promise.all([made.auth.close(), made.auth.close()])
    await made.auth.close()
    expect(store.calls('close')).toBe(1)
    expect(store.watchers()).toBe(0)
    const before = store.calls('changesSince')
    await sleep(3 * store.pollInterval)
    expect(store.calls('changesSince')).toBe(before)
  })

  it('does not report calls as an outage that fail because close() was called', async () => {
    const store = failingStore(memoryStore())
    const { auth, logger } = openPlatform({ store })
    const storeEvents: string[] = []
    auth.events.on('store.unavailable', () => storeEvents.push('unavailable'))
    await auth.ready()
    // Longer than what comes before close() may take on a busy machine.
    store.slowDown(500)
    store.fail()
    const health = auth.health()
    await auth.close()
    await health
    expect([...storeEvents, ...logger.lines]).toEqual([])
  })

  it('refuses calls after close(), says so, and leaves others that share the store alone', async ({
    onTestFinished: atEnd,
  }) => {
    const store = await openFailing(atEnd)
    const closed = startPlatform(atEnd, { store })
    const other = store.kind === 'memory' ? startPlatform(atEnd, { store }) : undefined
    await Promise.all([closed.auth.ready(), other?.auth.ready()])
    const input = { name: 'Shop', apis: ['catalog'] } as const
    const { credentials } = await closed.auth.applications.create(input)
    await closed.auth.close()
    for (const call of [() => closed.auth.applications.create(input), () => closed.auth.audit.list()])
      await expect(call()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: 'The store is closed: auth.close() was called.',
      })
    await request(closed.app).get('/catalog/items').set('X-Api-Key', credentials.clientId).expect(503)
    if (other) await request(other.app).get('/catalog/items').set('X-Api-Key', credentials.clientId).expect(200)
  })

  it('stops retrying when close() is called before the store could be reached', async ({ onTestFinished: atEnd }) => {
    const store = await openFailing(atEnd)
    store.fail()
    const made = startPlatform(atEnd, { store })
    const ready = made.auth.ready().catch((reason: unknown) => reason)
    await sleep(50)
    const opened = store.calls('open')
    store.recover()
    await made.auth.close()
    expect(await ready).toMatchObject({ code: 'store_unavailable' })
    await sleep(600)
    expect(store.calls('open')).toBe(opened)
    await request(made.app).get('/.well-known/jwks.json').expect(503)
  })
})

describe.concurrent('the option secret', () => {
  interface StoreFile {
    readonly path: string
    readonly atEnd: AtEnd
  }

  async function newFile(atEnd: AtEnd): Promise<StoreFile> {
    const folder = await mkdtemp(join(tmpdir(), 'lifecycle-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    return { path: join(folder, 'platform.sqlite'), atEnd }
  }

  /** Writes an application with a platform on the file, then closes the platform. */
  async function writeFile({ path, atEnd }: StoreFile, secret: PlatformAuthOptions['secret']): Promise<void> {
    const made = startPlatform(atEnd, { store: sqliteStore(path), secret })
    await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await made.auth.close()
  }

  async function expectRefused({ path, atEnd }: StoreFile, secret: PlatformAuthOptions['secret'], message: RegExp) {
    const store = failingStore(sqliteStore(path))
    const made = startPlatform(atEnd, { store, secret })
    const error = await made.auth.ready().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toMatch(message)
    const startedAt = performance.now()
    await request(made.app).get('/.well-known/jwks.json').expect(503)
    await createCaller(made).key('/catalog/items', 'epa_key_x').expect(503)
    await expect(made.auth.applications.list()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(store.calls('open')).toBe(1)
    // Requests wait 5 s for a store that may still come.
    expect(performance.now() - startedAt).toBeLessThan(timeBound(4000))
    expect(findLines(made, /^The platform cannot start/)).toHaveLength(1)
    expect(JSON.stringify(made.logger.lines)).not.toContain(OTHER_SECRET)
    expect(JSON.stringify(made.logger.lines)).not.toContain(SECRET)
    return store
  }

  it.for([
    [
      'with another value',
      SECRET,
      OTHER_SECRET,
      /^secret is not the one that the store was written with\. To change it give both, newest first/,
    ],
    [
      'removed from a store that was written with one',
      SECRET,
      undefined,
      /^secret is missing, and the store was written with one\./,
    ],
    ['added to a store without one', undefined, SECRET, /^secret is set, and the store has unencrypted values/],
  ] as const)('%s is a ConfigurationError at the start, without retries', async (row, { onTestFinished: atEnd }) => {
    const [, written, secret, message] = row
    const file = await newFile(atEnd)
    await writeFile(file, written)
    const store = await expectRefused(file, secret, message)
    // Longer than the interval between attempts.
    await sleep(600)
    expect(store.calls('open')).toBe(1)
  })

  it('right, but with a newer schema, is a ConfigurationError at the start', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    await writeFile(file, SECRET)
    const database = new DatabaseSync(file.path)
    database.exec(`UPDATE platform_auth_meta SET value = '999' WHERE key = 'schema'`)
    database.close()
    await expectRefused(file, SECRET, /schema 999.*newer version/)
  })
})

it('answers a call that waits for a read of the change feed during which the process was suspended', async ({
  onTestFinished: atEnd,
}) => {
  const working = memoryStore()
  let call: (() => void) | undefined
  const changesSince: StoreWith['changesSince'] = async (cursor) => {
    const page = await working.changesSince(cursor)
    if (call) {
      // As a machine that is suspended: longer than maxStaleness.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)
      call()
      call = undefined
    }
    return page
  }
  const { auth } = startPlatform(atEnd, { store: { ...working, changesSince }, maxStaleness: 1 })
  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  const verified = await new Promise((resolve, reject) => {
    call = () => void auth.verifyApiKey('catalog', credentials.clientId).then(resolve, reject)
  })
  expect(verified).toMatchObject({ api: 'catalog' })
})
