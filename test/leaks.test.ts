import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Request } from 'express'
import type supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { authOf, type Logger } from '../src/index.js'
import { plans } from '../src/features/plans/index.js'
import { createEncryption } from '../src/core/store-client/encryption.js'
import { sqliteStore } from '../src/stores/sqlite/index.js'
import { fakeClock } from '../src/tools/testing/index.js'
import { basic, createApplication, createTokenForm, post } from './support/http.js'
import { EVENT_MEMBERS, EVENT_TYPES, listCausedBy } from './support/event-types.js'
import { failingStore } from './support/failing-store.js'
import { EXPRESSES, openPlatform, SECRET } from './support/platform.js'
import { request } from './support/request.js'

/** A secret text that must not be found, and what it is. */
interface Sought {
  readonly what: string
  readonly text: string
}

describe.each(Object.entries(EXPRESSES))('After every kind of call in an %s app', (_, express) => {
  const clock = fakeClock()
  const sought: Sought[] = []
  /** What left the process, by kind. */
  const answers: string[] = []
  const issuing: string[] = []
  const events: string[] = []
  const logs: string[] = []
  let folder: string
  let atWork: Map<string, Buffer>
  let closed: Map<string, Buffer>

  beforeAll(async () => {
    // In tests refusals are not logged.
    vi.stubEnv('NODE_ENV', 'development')
    folder = await mkdtemp(join(tmpdir(), 'leaks-'))
    const file = join(folder, 'platform.sqlite')
    const store = failingStore(sqliteStore(file))
    const keep = (...line: unknown[]): void => void logs.push(inspect(line, { depth: 9, showHidden: true }))
    const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep }
    const { auth } = openPlatform({
      store,
      logger,
      now: clock.now,
      plans: plans({ free: { requests: [{ limit: 1, per: 'day', soft: true }] } }),
      cors: { origin: '*' },
      imports: true,
      tokens: { algorithm: 'ES256' },
      rateLimits: { requests: { limit: 30, window: 60 } },
    })
    for (const type of EVENT_TYPES) auth.events.on(type, (event) => void events.push(inspect(event, { depth: 9 })))
    const app = express()
      .use((req, _res, next) => next(void ((req as Request & { id: string }).id = 'request-7')))
      .use(auth.router)
    app.get(
      '/orders/items',
      auth.requireBearer('orders', { scopes: ['orders:write'] }),
      (req, res) => void res.json(authOf(req)),
    )
    app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))

    app.get('/catalog/reported', auth.requireApiKey('catalog', { reportOnly: true }), (_req, res) => void res.json([]))

    const seek = (what: string, text: string | undefined): string => {
      expect(text, what).toBeTruthy()
      sought.push({ what, text: text! })
      return text!
    }
    const note = async (asked: PromiseLike<supertest.Response>): Promise<supertest.Response> => {
      const answer = await asked
      const { status, headers, text } = answer
      const whole = inspect({ status, headers: headers as unknown, text }, { depth: 9, maxStringLength: null })
      const issues = /"access_token"/.test(text ?? '')
      ;(issues ? issuing : answers).push(whole)
      return answer
    }
    const token = async (client: Parameters<typeof createTokenForm>[0], more: object = {}): Promise<string> => {
      const { body } = await note(post(app, '/orders/token', createTokenForm(client, more)))
      return seek('an access token', (body as { access_token?: string }).access_token)
    }
    const call = (path: string, headers: Record<string, string>): Promise<supertest.Response> =>
      note(request(app).get(path).set(headers))
    const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

    // Creation and tokens.
    const shop = await createApplication(auth, ['orders', 'catalog', 'invoices'], 'Shop')
    const other = await createApplication(auth, ['orders'], 'Other')
    for (const each of [shop, other]) {
      seek('a key', each.clientId)
      seek('a secret', each.clientSecret)
    }
    // Its first request to the catalog uses the quota up, which close() writes.
    await auth.plans.set(shop.id, 'free')
    const first = await token(shop)
    const second = await token(shop, { scope: 'orders:read' })
    const Authorization = basic(shop.clientId, shop.clientSecret)
    seek('Basic credentials', Authorization.slice('Basic '.length))
    const { body } = await note(post(app, '/orders/token', { grant_type: 'client_credentials' }, { Authorization }))
    seek('an access token', (body as { access_token: string }).access_token)

    // Calls, good and refused.
    await call('/orders/items', bearer(first))
    await call('/orders/items', bearer(second))
    await call('/orders/items', bearer(`${first}x`))
    await call('/orders/items', bearer(`${first} ${second}`))
    await call('/orders/items', { Authorization })
    await call('/orders/items', {})
    await call(`/orders/items?access_token=${first}`, {})
    await call('/catalog/items', { 'X-Api-Key': shop.clientId })
    await call('/catalog/items', { 'X-Api-Key': other.clientId })
    await call(`/catalog/reported?key=${shop.clientId}`, { 'X-Api-Key': other.clientId })
    await call('/catalog/reported', { 'X-Api-Key': `${shop.clientId}x` })
    await call('/catalog/items', { 'X-Api-Key': shop.clientSecret })
    await call('/catalog/items', { 'X-Api-Key': `${shop.clientId}x` })
    for (let i = 0; i < 30; i++) await call('/catalog/items', { 'X-Api-Key': shop.clientId })
    await auth
      .verifyAccessToken('orders', `${first}x`)
      .catch((error: unknown) => answers.push(inspect(error, { depth: 9 })))
    await auth
      .verifyApiKey('catalog', shop.clientSecret)
      .catch((error: unknown) => answers.push(inspect(error, { depth: 9 })))

    // Token requests, refused.
    const wrong = [
      { client_secret: other.clientSecret },
      { scope: 'orders:all' },
      { resource: first },
      { grant_type: shop.clientSecret },
      { scope: shop.clientSecret },
      { client_id: shop.clientSecret, client_secret: shop.clientId },
    ]
    for (const more of wrong) await note(post(app, '/orders/token', createTokenForm(shop, more)))
    await note(post(app, '/orders/token', createTokenForm(shop), { Authorization }))
    await note(post(app, `/orders/token?client_secret=${shop.clientSecret}`, createTokenForm(shop)))
    await note(post(app, '/orders/token', `${new URLSearchParams(createTokenForm(shop)).toString()}&client_secret=x`))
    await note(request(app).post('/orders/token').send(createTokenForm(shop)))
    await note(post(app, '/catalog/token', createTokenForm(shop)))
    for (let i = 0; i < 21; i++)
      await note(post(app, '/orders/token', createTokenForm({ ...shop, clientSecret: `${shop.clientSecret}x` })))
    const consumed = express()
      .use((req, _res, next) => void req.resume().on('end', next))
      .use(app)
    await note(post(consumed, '/orders/token', createTokenForm(shop)))

    // Introspection, revocation, metadata.
    for (const path of ['/orders/introspect', '/orders/revoke', '/orders/introspect']) {
      for (const each of [first, second, 'x']) await note(post(app, path, createTokenForm(shop, { token: each })))
      await note(post(app, path, createTokenForm({ ...shop, clientSecret: 'wrong' }, { token: first })))
    }
    await call('/orders/items', bearer(first))
    for (const path of ['/.well-known/jwks.json', '/orders/.well-known/openid-configuration', '/orders/authorize'])
      await call(path, {})

    // Changes and rotations.
    const { applications, signingKeys } = auth
    await applications.update(shop.id, { name: 'Shop II', contact: 'dev@example.com', by: 'me' })
    const newSecret = seek(
      'a rotated secret',
      (await applications.rotateSecret(shop.id, { overlap: 60 })).credentials.clientSecret,
    )
    const newKey = seek('a rotated key', (await applications.rotateKey(shop.id, { overlap: 60 })).credentials.clientId)
    await token({ clientId: newKey, clientSecret: newSecret })
    await token({ clientId: shop.clientId, clientSecret: newSecret })
    await signingKeys.rotate()
    await signingKeys.rotate({ immediately: true })
    await token({ clientId: newKey, clientSecret: newSecret })
    const [oldest] = (await signingKeys.list()).items
    await signingKeys.revoke(oldest!.kid, { by: 'me' })
    await call('/orders/items', bearer(first))
    await applications.revokeTokens(shop.id)
    await applications.disallow(shop.id, 'invoices')
    await applications.suspend(shop.id)
    await note(post(app, '/orders/token', createTokenForm({ clientId: newKey, clientSecret: newSecret })))
    await call('/catalog/items', { 'X-Api-Key': newKey })
    await applications.resume(shop.id)

    // Credentials with names, contacts, an import and a recovery.
    const { credential, ...added } = await applications.addKey(shop.id, { name: 'warehouse' })
    const addedKey = seek('an added key', /epa_key_[A-Za-z0-9]{34}/.exec(JSON.stringify({ credential, added }))?.[0])
    await call('/catalog/items', { 'X-Api-Key': addedKey })
    await applications.updateCredential(shop.id, credential.id, { name: 'shop' })
    await applications.endCredential(shop.id, credential.id)
    await call('/catalog/items', { 'X-Api-Key': addedKey })
    await applications.addContact(shop.id, 'ann@example.com')
    await applications.removeContact(shop.id, 'ann@example.com')
    const importedKey = seek('an imported key', '4174348a-9222-4e81-b33e-5d72d2fd7f1e')
    const line = { externalId: 'c-1', name: 'Legacy', apis: ['catalog'] as const, keys: [{ plain: importedKey }] }
    await auth.imports.run([line], { confirm: true })
    await call('/catalog/items', { 'X-Api-Key': importedKey })
    const { credentials: recovered } = await applications.recover(other.id, { contact: 'eve@example.com' })
    seek('a recovered key', recovered?.clientId)
    seek('a recovered secret', recovered?.clientSecret)

    // An outage.
    const unseen = await createApplication(auth, ['catalog'], 'Uncached')
    seek('a key', unseen.clientId)
    store.fail()
    await call('/catalog/items', { 'X-Api-Key': unseen.clientId })
    await note(post(app, '/orders/token', createTokenForm({ ...unseen, clientSecret: shop.clientSecret })))
    await applications.suspend(shop.id).catch((error: unknown) => answers.push(inspect(error, { depth: 9 })))
    store.recover()

    // What the store holds encrypted, decrypted here with the secret.
    const encryption = createEncryption([SECRET])
    for (const { sealedPrivateJwk } of await store.listSigningKeys()) {
      const { d } = JSON.parse(await encryption.unseal(sealedPrivateJwk)) as { d?: string }
      seek('a private key', d)
    }
    await auth.sessionSecret.replace({ by: 'ann' })
    seek('the pepper', (await encryption.unseal(await store.establishSecret('pepper', ''))).split(':')[1])
    seek('the session secret', (await encryption.unseal(await store.establishSecret('session', ''))).split(':')[1])
    seek('the secret', SECRET)

    // What operators see, and the deletion.
    answers.push(
      inspect([await applications.list(), await auth.audit.list(), await signingKeys.list(), auth], { depth: 9 }),
    )
    await applications.delete(other.id)
    await applications.delete(shop.id)
    await note(post(app, '/orders/token', createTokenForm({ clientId: newKey, clientSecret: newSecret })))
    answers.push(inspect([await applications.get(shop.id), await auth.audit.list()], { depth: 9 }))
    atWork = await filesOf(folder)
    await auth.close()
    closed = await filesOf(folder)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  it('there are secrets of every kind, and answers of every status', () => {
    const kinds = [...new Set(sought.map(({ what }) => what))]
    expect(kinds).toEqual([
      'a key',
      'a secret',
      'an access token',
      'Basic credentials',
      'a rotated secret',
      'a rotated key',
      'an added key',
      'an imported key',
      'a recovered key',
      'a recovered secret',
      'a private key',
      'the pepper',
      'the session secret',
      'the secret',
    ])
    expect(new Set(answers.map((answer) => /status: (\d+)/.exec(answer)?.[1]))).toEqual(
      new Set(['200', '400', '401', '403', '404', '429', '500', '503', undefined]),
    )
    const seen = new Set(events.map((event) => /type: '([\w.]+)'/.exec(event)?.[1]))
    expect(listCausedBy('calls').filter((type) => !seen.has(type))).toEqual([])
    expect(logs.length).toBeGreaterThan(50)
    expect([...atWork.keys()].toSorted()).toEqual(['platform.sqlite', 'platform.sqlite-shm', 'platform.sqlite-wal'])
    // The search finds a text that is there.
    expect(issuing.some((answer) => found(answer).length > 0)).toBe(true)
  })

  it('an answer with an access token holds no other secret', () => {
    for (const answer of issuing) {
      const inside = found(answer)
      expect(inside.map(({ what }) => what)).toEqual(['an access token'])
    }
  })

  it.each([
    ['answer, error or listing', () => answers],
    ['event', () => events],
    ['log line', () => logs],
  ])('no %s holds a secret, a key or an access token', (_what, texts) => {
    for (const text of texts()) expect(found(text), text).toEqual([])
  })

  it('no event has undocumented members', () => {
    for (const event of events) {
      const members = [...event.matchAll(/^ *(\w+): /gm), ...event.matchAll(/[{,] (\w+): /g)].map(
        ([, member]) => member!,
      )
      expect(EVENT_MEMBERS).toEqual(expect.arrayContaining(members))
    }
  })

  it('the database holds no secret in clear, whether open or closed, private keys and pepper included', () => {
    for (const files of [atWork, closed]) {
      for (const [name, bytes] of files) {
        for (const { what, text } of sought) {
          const raw = what === 'the pepper' || what === 'a private key' ? [Buffer.from(text, 'base64url')] : []
          for (const needle of [text, Buffer.from(text).toString('base64url').slice(0, -3), ...raw]) {
            expect(bytes.includes(needle), `${what} in ${name}`).toBe(false)
          }
        }
      }
    }
    // These are the files that were written: they hold what they may hold.
    const all = Buffer.concat([...atWork.values(), ...closed.values()])
    expect(all.includes('application.credentialRotated')).toBe(true)
  })

  it('the name and the contact of a deleted application are gone from its record', () => {
    const last = answers.at(-1)!
    expect(last).toContain("status: 'deleted'")
    expect(last).not.toContain('dev@example.com')
    expect(last).not.toContain('Shop II')
  })

  function found(text: string): Sought[] {
    return sought.filter((each) => text.includes(each.text))
  }
})

async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder)
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)))
}
