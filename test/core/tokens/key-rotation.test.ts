import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { accessToken, createApplication, expectRefusal, post, RETRY_AFTER_SECONDS } from '../../support/http.js'
import { openPlatform, SECRET, STORES, type TestPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { fetchKeySet } from './signer.js'

type TestClient = Awaited<ReturnType<typeof createApplication>>

describe.each(Object.entries(STORES))('signing keys in the %s store', (_, openStore) => {
  let made: TestPlatform
  let app: ReturnType<typeof express>
  let shop: TestClient
  let remove: () => Promise<void>
  const kids = async (): Promise<(string | undefined)[]> => (await fetchKeySet(app)).keys.map(({ kid }) => kid)
  const states = async (): Promise<string[]> => (await made.auth.signingKeys.list()).items.map(({ state }) => state)
  const token = (): Promise<string> => accessToken(app, 'orders', shop)
  const verifies = (presented: string): Promise<boolean> =>
    made.auth.verifyAccessToken('orders', presented).then(
      () => true,
      () => false,
    )

  beforeAll(async () => {
    const opened = await openStore()
    remove = opened.remove
    made = openPlatform({ store: opened.store })
    app = express().use(made.auth.router)
    shop = await createApplication(made.auth, ['orders'])
  })
  afterAll(async () => {
    await made.auth.close()
    await remove()
  })

  it('start with one, and go through a rotation: published, signing, only verifying, removed', async () => {
    const { auth, clock } = made
    const [first] = await kids()
    const before = await token()
    expect(decodeProtectedHeader(before).kid).toBe(first)
    expect(await states()).toEqual(['current'])

    const next = await auth.signingKeys.rotate()
    expect(next).toMatchObject({ state: 'next', algorithm: 'ES256', signsFrom: new Date(clock.now() + 300_000) })
    expect(await kids()).toEqual([first, next.kid])
    expect(decodeProtectedHeader(await token()).kid).toBe(first)
    expect((await auth.signingKeys.rotate()).kid).toBe(next.kid)

    clock.advance(299.999)
    const last = await token()
    expect(decodeProtectedHeader(last).kid).toBe(first)
    clock.advance(0.001)
    const after = await token()
    expect(decodeProtectedHeader(after).kid).toBe(next.kid)
    expect(await states()).toEqual(['former', 'current'])
    for (const each of [before, last, after]) expect(await verifies(each)).toBe(true)

    // The former key verifies until the last token it signed has expired, clock tolerance included. That is up to a second
    // less than 3605 seconds: `iat` and `exp` are whole seconds.
    clock.advance(3603)
    expect(await kids()).toEqual([first, next.kid])
    expect(await verifies(last)).toBe(true)
    clock.advance(62)
    expect(await kids()).toEqual([next.kid])
    expect(await states()).toEqual(['current'])
  })

  it('are removed by revoke(kid): tokens of that key are refused from the next request on, others are not', async () => {
    const { signingKeys } = made.auth
    const former = await token()
    const { kid: formerKid } = decodeProtectedHeader(former)
    await signingKeys.rotate({ immediately: true })
    const current = await token()
    expect([await verifies(former), await verifies(current)]).toEqual([true, true])
    await signingKeys.revoke(formerKid!)
    expect([await verifies(former), await verifies(current)]).toEqual([false, true])
    expect(await kids()).not.toContain(formerKid)
    await expect(made.auth.verifyAccessToken('orders', former)).rejects.toMatchObject({
      description: 'The access token is not valid',
    })
  })

  it('are replaced first if the current one is revoked', async () => {
    const compromised = await token()
    const { kid } = decodeProtectedHeader(compromised)
    await made.auth.signingKeys.revoke(kid!)
    const fresh = await token()
    expect(decodeProtectedHeader(fresh).kid).not.toBe(kid)
    expect([await verifies(compromised), await verifies(fresh)]).toEqual([false, true])
    await expect(made.auth.signingKeys.revoke(kid!)).rejects.toMatchObject({ code: 'signing_key_not_found' })
  })
})

describe('a restart', () => {
  let folder: string
  let file: string
  const startPlatform = (secret: string | readonly string[] | undefined) => {
    const made = openPlatform({ store: sqliteStore(file), secret, maxStaleness: 1 })
    return { ...made, app: express().use(made.auth.router) }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restart-'))
    file = join(folder, 'platform.sqlite')
    const { auth } = startPlatform(SECRET)
    await auth.ready()
    await auth.close()
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['a wrong secret', 'another secret of 32 characters or more'],
    ['no secret', undefined],
  ])('with %s rejects ready() with ConfigurationError, and every request gets 503', async (_, secret) => {
    const { auth, app, logger } = startPlatform(secret)
    await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigurationError', message: /^secret is/ })
    app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end())
    const answers = await Promise.all([
      post(app, '/orders/token', { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      request(app).get('/orders/items').set('Authorization', 'Bearer x'),
      request(app).get('/catalog/items').set('X-Api-Key', 'x'),
      request(app).get('/.well-known/jwks.json'),
    ])
    for (const answer of answers)
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
    expect(logger.lines.some((line) => line.startsWith('The platform cannot start'))).toBe(true)
    await expect(auth.applications.create({ name: 'x', apis: ['orders'] })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await auth.close()
  })

  it('makes another key than one of a process whose clock was ahead, and refuses what was revoked before that', async () => {
    const store = sqliteStore(join(folder, 'clock.sqlite'))
    const ahead = { seconds: 0 }
    const now = (): number => Date.now() + ahead.seconds * 1000
    const first = openPlatform({ store, now })
    const app = express().use(first.auth.router)
    const shop = await createApplication(first.auth, ['orders'])
    const revoke = async (): Promise<string> => {
      const token = await accessToken(app, 'orders', shop)
      const form = { token, client_id: shop.clientId, client_secret: shop.clientSecret }
      expect((await post(app, '/orders/revoke', form)).status).toBe(200)
      return token
    }
    const revoked = await revoke()
    ahead.seconds = 20 * 3600
    await revoke()
    const { kid } = await first.auth.signingKeys.rotate()
    ahead.seconds = 0
    expect((await first.auth.signingKeys.rotate()).kid).not.toBe(kid)
    expect((await first.auth.signingKeys.rotate()).signsFrom.getTime()).toBeLessThanOrEqual(Date.now() + 300_000)
    await first.auth.close()
    const { auth } = usePlatform({ store: sqliteStore(join(folder, 'clock.sqlite')), now })
    await expect(auth.verifyAccessToken('orders', revoked)).rejects.toMatchObject({ error: 'invalid_token' })
  })

  it('with another tokens.algorithm publishes a key of it, which signs after publishAhead', async () => {
    const store = memoryStore()
    const first = openPlatform({ store })
    await first.auth.ready()
    await first.auth.close()
    const { auth, clock } = usePlatform({ store, tokens: { algorithm: 'EdDSA' } })
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const before = await accessToken(app, 'orders', shop)
    expect((await fetchKeySet(app)).keys.map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA'])
    expect(decodeProtectedHeader(before).alg).toBe('ES256')
    clock.advance(301)
    const after = await accessToken(app, 'orders', shop)
    expect(decodeProtectedHeader(after).alg).toBe('EdDSA')
    for (const token of [before, after]) await expect(auth.verifyAccessToken('orders', token)).resolves.toBeDefined()
  })
})
