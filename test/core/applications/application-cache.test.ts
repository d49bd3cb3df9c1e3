import express from 'express'
import { describe, expect, it } from 'vitest'
import { createApplicationCache } from '../../../src/core/applications/records/application-cache.js'
import { memoryStore, type OAuthError, type PlatformAuth } from '../../../src/index.js'
import type { ApplicationRecord, JsonObject, StoreWith } from '../../../src/store.js'
import { createCaller } from '../../support/caller.js'
import { failingStore } from '../../support/failing-store.js'
import { openPlatform, STORES } from '../../support/platform.js'
import { application } from '../../stores/suite/records.js'

/** A store whose answers can be held back: they are what was true when the store was read. */
function holdableStore(store: StoreWith) {
  const reads: string[] = []
  let held: Promise<void> | undefined
  let heldNames = /^$/
  let release = (): void => undefined
  const holdable =
    <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const answer = await call(...args)
      reads.push(name)
      if (heldNames.test(name)) await held
      return answer
    }
  return {
    /** The calls so far. */
    reads,
    /** How often an application has been looked up so far. */
    countLookups: () => reads.filter((name) => name.startsWith('findApplication')).length,
    store: {
      ...store,
      findApplication: holdable('findApplication', store.findApplication),
      findApplicationByKey: holdable('findApplicationByKey', store.findApplicationByKey),
      listSigningKeys: holdable('listSigningKeys', store.listSigningKeys),
    } satisfies StoreWith,
    /** From now on the answers to calls with these names wait for `release()`. */
    hold(names: RegExp) {
      heldNames = names
      held = new Promise((resolve) => (release = resolve))
    },
    release() {
      held = undefined
      release()
    },
  }
}

/** Waits until the platform knows all changes made so far: a reading under way may have begun before them, so two are awaited. */
async function readFeed(auth: PlatformAuth): Promise<void> {
  expect(await auth.health()).toMatchObject({ ok: true })
  expect(await auth.health()).toMatchObject({ ok: true })
}

const CALLS = ['the key guard', 'the bearer guard', 'the token endpoint'] as const

/** Two platforms on one store: one changes things, the other gets late answers from the store. */
describe.each(Object.entries(STORES))('the application cache, if a %s store answers after a change', (_, openStore) => {
  async function open() {
    const { store, remove } = await openStore()
    const slowStore = holdableStore(store)
    const [operator, guarded] = [openPlatform({ store }), openPlatform({ store: slowStore.store })]
    await Promise.all([operator.auth.ready(), guarded.auth.ready()])
    const { application, credentials } = await operator.auth.applications.create({
      name: 'Shop',
      apis: ['orders', 'catalog'],
    })
    const accessToken = await createCaller({ app: express().use(operator.auth.router) }).accessToken(
      'orders',
      credentials,
    )
    await readFeed(guarded.auth)
    const app = express().use(guarded.auth.router)
    app.get('/orders/items', guarded.auth.requireBearer('orders'), (_req, res) => void res.json([]))
    app.get('/catalog/items', guarded.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    const caller = createCaller({ app })
    const requests = {
      'the key guard': async () => (await caller.key('/catalog/items', credentials.clientId)).status,
      'the bearer guard': async () => (await caller.bearer('/orders/items', accessToken)).status,
      'the token endpoint': async () => (await caller.token('orders', credentials)).status,
    }
    const close = async (): Promise<void> => {
      slowStore.release()
      await Promise.all([operator.auth.close(), guarded.auth.close()])
      await remove()
    }
    return { slowStore, operator, guarded, id: application.id, credentials, requests, close }
  }

  it.each(CALLS)('evicts the application after a local change: %s', async (call) => {
    const { slowStore, guarded, id, requests, close } = await open()
    slowStore.hold(/^find/)
    const before = requests[call]()
    await expect.poll(slowStore.countLookups).toBe(1)
    // The change reads the application too, and must not wait for what is held back.
    const change = guarded.auth.applications.suspend(id)
    await expect.poll(() => slowStore.reads.filter((name) => name === 'findApplication').length).toBeGreaterThan(0)
    slowStore.release()
    await change
    expect([200, 401, 403]).toContain(await before)
    expect(await requests[call]()).not.toBe(200)
    await close()
  })

  it.each(CALLS)('evicts the application after a change by another process: %s', async (call) => {
    const { slowStore, operator, guarded, id, requests, close } = await open()
    slowStore.hold(/^find/)
    const before = requests[call]()
    await expect.poll(slowStore.countLookups).toBe(1)
    await operator.auth.applications.suspend(id)
    await readFeed(guarded.auth)
    // Now the change is known, and the answer from before it is still held back.
    const after = requests[call]()
    slowStore.release()
    expect(await before).toBe(200)
    // A request after the change must not share the look-up of a request before it.
    expect(await after).not.toBe(200)
    expect(await requests[call]()).not.toBe(200)
    await close()
  })

  it('does not revive an access token whose signing key was revoked meanwhile', async () => {
    const { slowStore, operator, guarded, credentials, requests, close } = await open()
    const { kid } = await operator.auth.signingKeys.rotate({ immediately: true })
    const app = express().use(operator.auth.router)
    const accessToken = await createCaller({ app }).accessToken('orders', credentials)
    await operator.auth.signingKeys.rotate({ immediately: true })
    const verify = () =>
      guarded.auth.verifyAccessToken('orders', accessToken).then(
        () => 200,
        () => 401,
      )
    slowStore.hold(/^find/)
    const before = verify()
    await operator.auth.signingKeys.revoke(kid)
    slowStore.release()
    await before
    await readFeed(guarded.auth)
    expect(await verify()).toBe(401)
    expect(await requests['the bearer guard']()).toBe(200)
    await close()
  })

  it('looks an application up once for concurrent requests', async () => {
    const { slowStore, requests, close } = await open()
    slowStore.hold(/^find/)
    const before = slowStore.reads.length
    const answers = Promise.all(Array.from({ length: 10 }, () => requests['the bearer guard']()))
    await expect.poll(() => slowStore.reads.length).toBe(before + 1)
    slowStore.release()
    expect(await answers).toEqual(Array<number>(10).fill(200))
    expect(slowStore.reads.filter((name) => name === 'findApplication')).toHaveLength(1)
    await close()
  })
})

it('looks an unknown key up once, and a text that cannot be a key never', async () => {
  const { store, remove } = await STORES.SQLite()
  const { reads, store: counted } = holdableStore(store)
  const [owner, guarded] = [openPlatform(), openPlatform({ store: counted })]
  const { credentials } = await owner.auth.applications.create({ name: 'Elsewhere', apis: ['catalog'] })
  const app = express().get('/catalog/items', guarded.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  for (let i = 0; i < 5; i++) await createCaller({ app }).key('/catalog/items', credentials.clientId).expect(401)
  expect(reads.filter((name) => name === 'findApplicationByKey')).toHaveLength(1)
  await createCaller({ app })
    .key('/catalog/items', `${credentials.clientId.slice(0, -1)}!`)
    .expect(401)
  const last = credentials.clientId.endsWith('A') ? 'B' : 'A'
  await createCaller({ app })
    .key('/catalog/items', credentials.clientId.slice(0, -1) + last)
    .expect(401)
  expect(reads.filter((name) => name === 'findApplicationByKey')).toHaveLength(1)
  await Promise.all([owner.auth.close(), guarded.auth.close()])
  await remove()
})

it.each(['here', 'by another process'])(
  'looks a known application up again after a change made %s, so that its callers are answered in an outage',
  async (where) => {
    const working = memoryStore()
    const store = failingStore(working)
    const [{ auth }, other] = [openPlatform({ store }), openPlatform({ store: working })]
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    const unseen = await auth.applications.create({ name: 'Unseen', apis: ['catalog'] })
    const verify = (key: string): Promise<string> =>
      auth.verifyApiKey('catalog', key).then(
        ({ application: { name } }) => name,
        ({ status }: OAuthError) => String(status),
      )
    expect(await verify(credentials.clientId)).toBe('Shop')
    // Several changes in one page of the feed.
    const { applications } = where === 'here' ? auth : other.auth
    await Promise.all([
      applications.update(unseen.application.id, { name: 'Still unseen' }),
      applications.update(application.id, { name: 'New name' }),
      applications.revokeTokens(application.id),
    ])
    await readFeed(auth)
    const verifyInOutage = async (): Promise<string[]> => {
      store.fail()
      const answers = [await verify(credentials.clientId), await verify(unseen.credentials.clientId)]
      store.recover()
      return answers
    }
    await expect.poll(verifyInOutage).toEqual(['New name', '503'])
    await Promise.all([auth.close(), other.auth.close()])
  },
)

describe('while the store does not answer how an application has changed', () => {
  /** Two processes. The first one's look-ups of applications fail after `lose()`; its other calls go on. */
  async function open({ maxStaleness = 60 } = {}) {
    const working = memoryStore()
    let isLost = false
    const look = async <Result>(find: () => Promise<Result>): Promise<Result> => {
      if (isLost) throw Object.assign(new Error('a lock'), { code: '55P03' })
      return find()
    }
    const store: StoreWith = {
      ...working,
      findApplication: (id) => look(() => working.findApplication(id)),
      findApplicationByKey: (...hashes) => look(() => working.findApplicationByKey(...hashes)),
    }
    const [{ auth }, { auth: other }] = [openPlatform({ store, maxStaleness }), openPlatform({ store: working })]
    await Promise.all([auth.ready(), other.ready()])
    const { application, credentials } = await other.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const app = express().use(auth.router)
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
    const caller = createCaller({ app })
    const issuer = createCaller({ app: express().use(other.router) })
    await readFeed(auth)
    const ask = async (key = credentials.clientId) => (await caller.key('/catalog/items', key)).status
    const askWithToken = async (token: string) => (await caller.bearer('/orders/items', token)).status
    const askForToken = async (client = credentials) => (await caller.token('orders', client)).status
    const lose = () => void (isLost = true)
    const find = () => void (isLost = false)
    const close = () => Promise.all([auth.close(), other.close()])
    return { auth, other, id: application.id, credentials, issuer, ask, askWithToken, askForToken, lose, find, close }
  }

  it('a change that this process has saved holds', async () => {
    const { auth, id, ask, lose, close, askForToken } = await open()
    expect(await ask()).toBe(200)
    // Emitted when the change is saved.
    auth.events.once('application.suspended', lose)
    await auth.applications.suspend(id)
    // 503 once the feed has brought the change too: it does not tell who made it.
    expect([await ask(), await askForToken()]).not.toContain(200)
    await close()
  })

  it('nobody is refused for what may have changed: 503, never 401 or 403', async () => {
    const { auth, other, id, credentials, issuer, ask, askWithToken, askForToken, lose, find, close } = await open()
    const token = await issuer.accessToken('orders', credentials)
    await other.applications.suspend(id)
    await readFeed(auth)
    expect([await ask(), await askWithToken(token), await askForToken()]).toEqual([403, 401, 401])
    lose()
    await other.applications.resume(id)
    const { credentials: newer } = await other.applications.rotateKey(id, { overlap: 3600 })
    await other.applications.revokeTokens(id)
    const newToken = await issuer.accessToken('orders', credentials)
    await readFeed(auth)
    expect([await ask(), await ask(newer.clientId), await askWithToken(newToken), await askForToken()]).toEqual(
      Array<number>(4).fill(503),
    )
    find()
    await expect.poll(ask).toBe(200)
    expect([await ask(newer.clientId), await askWithToken(newToken), await askForToken()]).toEqual([200, 200, 200])
    expect(await askWithToken(token)).toBe(401)
    await close()
  })

  it('the former record is served for maxStaleness, although the feed is read', async () => {
    const { auth, other, id, ask, lose, find, close } = await open({ maxStaleness: 2 })
    expect(await ask()).toBe(200)
    lose()
    await other.applications.suspend(id)
    await readFeed(auth)
    expect(await ask()).toBe(200)
    await expect.poll(ask).toBe(503)
    expect(await auth.health()).toMatchObject({ ok: true })
    find()
    await expect.poll(ask).toBe(403)
    await close()
  })
})

it('the application cache counts metadata: large ones cannot fill the memory', async () => {
  const records = new Map<string, ApplicationRecord>()
  const { store, reads } = holdableStore({ ...memoryStore(), findApplication: async (id) => records.get(id) })
  const cache = createApplicationCache({
    source: { ...store, hasOtherHashes: false },
    limit: 10_000,
    limitLookups: (_caller, lookup) => lookup(),
    limitLookupsOfStrangers: (_caller, lookup) => lookup(),
    readAddress: () => '',
    freshUntil: () => Infinity,
    maxStaleness: 5,
  })
  const readTwice = async (prefix: string, metadata: JsonObject): Promise<number> => {
    const ids = Array.from({ length: 400 }, (_, index) => `${prefix}${index}`)
    for (const id of ids) records.set(id, application(id, { metadata }))
    for (const id of ids) await cache.findById(id)
    reads.length = 0
    for (const id of ids) await cache.findById(id)
    return reads.length
  }
  expect(await readTwice('small', { discount: 10 })).toBe(0)
  // 4 KiB of JSON, and many times as much in memory.
  expect(await readTwice('large', { lists: Array.from({ length: 1360 }, () => []) })).toBe(400)
})
