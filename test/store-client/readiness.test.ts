import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  memoryStore,
  type PlatformAuthOptions,
  type PlatformEvent,
  type Store,
} from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { callerOf } from '../support/caller.js'
import { failingStore } from '../support/outage.js'
import { platform, SECRET, STORES, type TestPlatform } from '../support/platform.js'

const OTHER_SECRET = 'another secret of 32 characters or more'

/** Takes what is to be done when the test is over, last first. */
type AtEnd = (end: () => void | Promise<void>) => void

/** A store behind a wire: it can be cut, or go dead, and it counts what comes through. */
function behindAWire(store: Store) {
  const wire = {
    cut: false,
    /** Calls wait for it. */
    dead: undefined as Promise<void> | undefined,
    calls: {} as Record<string, number>,
    watchers: 0,
  }
  const reach = (name: string, call: (...args: unknown[]) => Promise<unknown>) => {
    return async (...args: unknown[]): Promise<unknown> => {
      wire.calls[name] = (wire.calls[name] ?? 0) + 1
      await wire.dead
      if (wire.cut) throw new Error('The wire is cut.')
      return call(...args)
    }
  }
  const wired = Object.entries(store).map(([name, member]: [string, unknown]) =>
    typeof member === 'function' ? [name, reach(name, member as () => Promise<unknown>)] : [name, member],
  )
  const reachable = Object.fromEntries(wired) as Store
  const watch = (wake: () => void): (() => void) => {
    wire.watchers += 1
    const unwatch = store.watch!(wake)
    return () => {
      wire.watchers -= 1
      unwatch()
    }
  }
  return { store: store.watch ? { ...reachable, watch } : reachable, wire }
}

function appOf({ auth }: TestPlatform): Express {
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  return app
}

/** A platform on real time, closed when the test is over. */
function start(atEnd: AtEnd, options: Partial<PlatformAuthOptions>): TestPlatform & { readonly app: Express } {
  const made = platform({ now: Date.now, ...options })
  atEnd(made.auth.close)
  return { ...made, app: appOf(made) }
}

function gate(atEnd: AtEnd) {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  atEnd(() => open())
  return { open, opened }
}

const lines = ({ logger }: TestPlatform, about: RegExp): string[] => logger.lines.filter((line) => about.test(line))

describe.concurrent.each(Object.entries(STORES))('on a store of kind %s', (_, openStore) => {
  async function openWired(atEnd: AtEnd) {
    const opened = await openStore()
    atEnd(opened.remove)
    return behindAWire(opened.store)
  }

  it('requests that come before the platform is ready wait for it', async ({ onTestFinished: atEnd }) => {
    const { store, wire } = await openWired(atEnd)
    const made = start(atEnd, { store })
    const { open, opened } = gate(atEnd)
    wire.dead = opened
    const answered: string[] = []
    const note = async (what: string, answer: PromiseLike<{ status: number }>): Promise<void> => {
      answered.push(`${what} ${(await answer).status}`)
    }
    const creation = made.auth.applications.create({ name: 'Early', apis: ['orders', 'catalog'] })
    const requests = Promise.all([
      note('key set', request(made.app).get('/.well-known/jwks.json')),
      note('token endpoint', callerOf(made).token('orders', { clientId: 'x', clientSecret: 'x' })),
      note('bearer guard', callerOf(made).bearer('/orders/items', 'x.y.z')),
      note('key guard', callerOf(made).key('/catalog/items', 'x')),
      // What needs no store is answered at once.
      note('no credential', request(made.app).get('/orders/items')),
      note('metadata', request(made.app).get('/orders/.well-known/oauth-authorization-server')),
    ])
    await vi.waitFor(() => expect(answered).toHaveLength(2), { timeout: 4000 })
    await sleep(100)
    expect(answered.toSorted()).toEqual(['metadata 200', 'no credential 401'])
    expect(await made.auth.health()).toEqual({ ok: false, problems: [expect.stringContaining('not ready')] })

    open()
    await requests
    expect(answered.slice(2).toSorted()).toEqual([
      'bearer guard 401',
      'key guard 401',
      'key set 200',
      'token endpoint 401',
    ])
    const { credentials } = await creation
    await callerOf(made).token('orders', credentials).expect(200)
    expect(await made.auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('one that can not be reached at first is tried again, and then serves', async ({ onTestFinished: atEnd }) => {
    const { store, wire } = await openWired(atEnd)
    wire.cut = true
    const made = start(atEnd, { store })
    const events: PlatformEvent[] = []
    made.auth.events.on('store.unavailable', (event) => void events.push(event))
    made.auth.events.on('store.available', (event) => void events.push(event))
    const early = request(made.app)
      .get('/.well-known/jwks.json')
      .then(({ status }) => status)
    await vi.waitFor(() => expect(wire.calls['open']).toBe(3), { timeout: 5000, interval: 5 })
    // Said once, not with every attempt.
    expect(lines(made, /keeps trying.*The wire is cut\./)).toHaveLength(1)
    expect(await made.auth.health()).toMatchObject({ ok: false })

    wire.cut = false
    await made.auth.ready()
    expect(await early).toBe(200)
    expect(wire.calls['open']).toBe(4)
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    await callerOf(made).token('orders', credentials).expect(200)
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['store.unavailable', 'The wire is cut.'],
      ['store.available', undefined],
    ])
  })

  it('one that fails in the middle of the start is begun with again, and watched but once', async ({
    onTestFinished: atEnd,
  }) => {
    const { store, wire } = await openWired(atEnd)
    let failures = 1
    const establishPepper: Store['establishPepper'] = async (sealed) => {
      if (failures-- > 0) throw new Error('Not now.')
      return store.establishPepper(sealed)
    }
    const made = start(atEnd, { store: { ...store, establishPepper } })
    await made.auth.ready()
    expect(failures).toBe(-1)
    expect(wire.watchers).toBe(store.watch ? 1 : 0)
    const before = wire.calls['changesSince']!
    await sleep(4 * store.pollInterval)
    // One poll per interval, not two.
    expect(wire.calls['changesSince']! - before).toBeLessThanOrEqual(5)
    expect(wire.calls['changesSince']! - before).toBeGreaterThanOrEqual(2)
    await made.auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  })

  it('one that is lost is told of once, lived without for maxStaleness, and told of once when it is back', async ({
    onTestFinished: atEnd,
  }) => {
    const { store, wire } = await openWired(atEnd)
    const made = start(atEnd, { store, maxStaleness: 1 })
    const events: PlatformEvent[] = []
    made.auth.events.on('store.unavailable', (event) => void events.push(event))
    made.auth.events.on('store.available', (event) => void events.push(event))
    const { application, credentials } = await made.auth.applications.create({
      name: 'Shop',
      apis: ['orders', 'catalog'],
    })
    const caller = callerOf(made)
    const accessToken = await caller.accessToken('orders', credentials)
    const ask = async () => [
      (await caller.bearer('/orders/items', accessToken)).status,
      (await caller.key('/catalog/items', credentials.clientId)).status,
      (await caller.token('orders', credentials)).status,
      (await request(made.app).get('/.well-known/jwks.json')).status,
    ]
    expect(await ask()).toEqual([200, 200, 200, 200])
    expect(events).toEqual([])

    wire.cut = true
    const cut = performance.now()
    expect(await ask()).toEqual([200, 200, 200, 200])
    expect(performance.now() - cut).toBeLessThan(1000)
    await vi.waitFor(async () => expect(await ask()).toEqual([503, 503, 503, 503]), { timeout: 8000, interval: 20 })
    // A look at the feed may have been answered just before the cut, or up to an interval earlier.
    expect(performance.now() - cut).toBeGreaterThan(1000 - store.pollInterval - 100)
    expect(performance.now() - cut).toBeLessThan(4000)
    const { headers, body } = await caller.key('/catalog/items', credentials.clientId)
    expect(body).toMatchObject({ error: 'temporarily_unavailable' })
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': expect.stringMatching(/^[1-9]\d*$/) })
    expect(await made.auth.health()).toEqual({
      ok: false,
      problems: [
        expect.stringMatching(/^The store has been out of reach since \d{4}-.*Z: the log has the reason\.$/),
        'What is known is older than maxStaleness: requests get 503.',
      ],
    })
    await expect(made.auth.verifyApiKey('catalog', credentials.clientId)).rejects.toMatchObject({
      status: 503,
      error: 'temporarily_unavailable',
    })
    await expect(made.auth.applications.suspend(application.id)).rejects.toMatchObject({ code: 'store_unavailable' })

    wire.cut = false
    await vi.waitFor(async () => expect(await ask()).toEqual([200, 200, 200, 200]), { timeout: 8000, interval: 20 })
    expect(await made.auth.health()).toEqual({ ok: true, problems: [] })
    expect(events.map(({ type, at, ...rest }) => ({ type, at: at instanceof Date, ...rest }))).toEqual([
      { type: 'store.unavailable', at: true, reason: 'The wire is cut.' },
      { type: 'store.available', at: true },
    ])
    expect(lines(made, /^The store is out of reach\./)).toHaveLength(1)
    expect(lines(made, /^The store answers again\./)).toHaveLength(1)
    expect(JSON.stringify(made.logger.lines)).not.toContain(accessToken)
  })

  it('what another platform does there holds here within a second', async ({ onTestFinished: atEnd }) => {
    const { store } = await openWired(atEnd)
    const made = start(atEnd, { store, maxStaleness: 1 })
    const other = start(atEnd, { store })
    const { application, credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    await callerOf(made).key('/catalog/items', credentials.clientId).expect(200)
    await other.auth.applications.suspend(application.id)
    const refused = async (): Promise<unknown> => callerOf(made).key('/catalog/items', credentials.clientId).expect(403)
    await vi.waitFor(refused, { timeout: 1000, interval: 10 })
  })

  it('a request that needs it while it is lost gets 503, though others are answered from memory', async ({
    onTestFinished: atEnd,
  }) => {
    const { store, wire } = await openWired(atEnd)
    const made = start(atEnd, { store })
    const known = await made.auth.applications.create({ name: 'Known', apis: ['catalog'] })
    const unseen = await made.auth.applications.create({ name: 'Not seen yet', apis: ['catalog'] })
    await callerOf(made).key('/catalog/items', known.credentials.clientId).expect(200)
    wire.cut = true
    await callerOf(made).key('/catalog/items', known.credentials.clientId).expect(200)
    await callerOf(made)
      .key('/catalog/items', unseen.credentials.clientId)
      .expect(503, /temporarily_unavailable/)
    wire.cut = false
    await callerOf(made).key('/catalog/items', unseen.credentials.clientId).expect(200)
  })

  it('close() stops asking it and closes it, once however often it is called', async ({ onTestFinished: atEnd }) => {
    const { store, wire } = await openWired(atEnd)
    const made = start(atEnd, { store })
    await made.auth.ready()
    await Promise.all([made.auth.close(), made.auth.close()])
    await made.auth.close()
    expect(wire.calls['close']).toBe(1)
    expect(wire.watchers).toBe(0)
    const before = wire.calls['changesSince']
    await sleep(3 * store.pollInterval)
    expect(wire.calls['changesSince']).toBe(before)
  })

  it('what it was being asked when close() came, and rejects, is no outage', async () => {
    const store = failingStore(memoryStore())
    const { auth, logger } = platform({ store })
    const told: string[] = []
    auth.events.on('store.unavailable', () => told.push('unavailable'))
    await auth.ready()
    store.slowDown(50)
    store.fail()
    const asked = auth.health()
    await auth.close()
    await asked
    expect([...told, ...logger.lines]).toEqual([])
  })

  it('close() before it could be reached ends the trying', async ({ onTestFinished: atEnd }) => {
    const { store, wire } = await openWired(atEnd)
    wire.cut = true
    const made = start(atEnd, { store })
    const ready = made.auth.ready().catch((reason: unknown) => reason)
    await sleep(50)
    const opened = wire.calls['open']
    wire.cut = false
    await made.auth.close()
    expect(await ready).toMatchObject({ code: 'store_unavailable' })
    await sleep(600)
    expect(wire.calls['open']).toBe(opened)
    await request(made.app).get('/.well-known/jwks.json').expect(503)
  })
})

describe.concurrent('the option secret', () => {
  interface File {
    readonly path: string
    readonly atEnd: AtEnd
  }

  async function newFile(atEnd: AtEnd): Promise<File> {
    const folder = await mkdtemp(join(tmpdir(), 'lifecycle-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    return { path: join(folder, 'platform.sqlite'), atEnd }
  }

  /** A platform on the file, closed again; what it made is in there. */
  async function written(
    { path, atEnd }: File,
    secret: PlatformAuthOptions['secret'],
    work?: (made: TestPlatform & { app: Express }) => Promise<unknown>,
  ) {
    const made = start(atEnd, { store: sqliteStore(path), secret })
    const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const accessToken = await callerOf(made).accessToken('orders', credentials)
    await work?.(made)
    await made.auth.close()
    return { credentials, accessToken }
  }

  async function expectRefused({ path, atEnd }: File, secret: PlatformAuthOptions['secret'], message: RegExp) {
    const { store, wire } = behindAWire(sqliteStore(path))
    const made = start(atEnd, { store, secret })
    const error = await made.auth.ready().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toMatch(message)
    const began = performance.now()
    await request(made.app).get('/.well-known/jwks.json').expect(503)
    await callerOf(made).key('/catalog/items', 'epa_key_x').expect(503)
    await expect(made.auth.applications.list()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(wire.calls['open']).toBe(1)
    expect(performance.now() - began).toBeLessThan(1000)
    expect(lines(made, /^The platform cannot start/)).toHaveLength(1)
    expect(JSON.stringify(made.logger.lines)).not.toContain(OTHER_SECRET)
    expect(JSON.stringify(made.logger.lines)).not.toContain(SECRET)
    return wire
  }

  async function expectGood(
    { path, atEnd }: File,
    secret: PlatformAuthOptions['secret'],
    before: Awaited<ReturnType<typeof written>>,
  ): Promise<void> {
    const made = start(atEnd, { store: sqliteStore(path), secret })
    await made.auth.ready()
    await callerOf(made).bearer('/orders/items', before.accessToken).expect(200)
    await callerOf(made).key('/catalog/items', before.credentials.clientId).expect(200)
    await callerOf(made).token('orders', before.credentials).expect(200)
    await made.auth.close()
  }

  it('that is not the one of before is an error at start-up, for good', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    await written(file, SECRET)
    const wire = await expectRefused(
      file,
      OTHER_SECRET,
      /^secret is not the one that the store was written with\. To change it give both, newest first/,
    )
    // Nor is it tried again.
    await sleep(600)
    expect(wire.calls['open']).toBe(1)
  })

  it('that is missing where there was one is an error at start-up, for good', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    await written(file, SECRET)
    await expectRefused(file, undefined, /^secret is missing, and the store was written with one\./)
  })

  it('may be given to a store that had none: no key, secret or token changes', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    await expectGood(file, SECRET, await written(file, undefined))
  })

  it('given as a list, newest first, opens what an older one sealed: no key, secret or token changes', async ({
    onTestFinished: atEnd,
  }) => {
    const file = await newFile(atEnd)
    const before = await written(file, SECRET)
    await expectGood(file, [OTHER_SECRET, SECRET], before)
    await expectGood(file, ['yet another secret, of 32 characters or more', OTHER_SECRET, SECRET], before)
    await expectGood(file, 'yet another secret, of 32 characters or more', before)
  })

  it('given as a list re-encrypts what is there, so that the newest alone is enough the next time', async ({
    onTestFinished: atEnd,
  }) => {
    const file = await newFile(atEnd)
    const before = await written(file, SECRET)
    await expectGood(file, [OTHER_SECRET, SECRET], before)
    await expectGood(file, OTHER_SECRET, before)
  })

  it('is needed by nobody who reads the file: neither pepper nor private keys lie open there', async ({
    onTestFinished: atEnd,
  }) => {
    const file = await newFile(atEnd)
    await written(file, SECRET, ({ auth }) => auth.signingKeys.rotate({ immediately: true }))
    const database = new DatabaseSync(file.path)
    const sealed = database
      .prepare(
        'SELECT sealed_private_jwk AS text FROM platform_auth_signing_keys UNION SELECT value FROM platform_auth_meta',
      )
      .all()
    database.close()
    const texts = (sealed as { text: string }[]).map(({ text }) => text).filter((text) => text.length > 10)
    expect(texts).toHaveLength(3)
    // JWE, compact, alg "dir": its second part is empty.
    for (const text of texts) expect(text).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it('does not help where the schema is newer', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    await written(file, SECRET)
    const database = new DatabaseSync(file.path)
    database.exec(`UPDATE platform_auth_meta SET value = '999' WHERE key = 'schema_version'`)
    database.close()
    await expectRefused(file, SECRET, /schema 999.*newer version/)
  })
})
