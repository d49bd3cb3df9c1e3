import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore, type OAuthError } from '../../../src/index.js'
import { createEncryption } from '../../../src/core/store-client/encryption.js'
import { generateSigningKey } from '../../../src/core/tokens/signing-key.js'
import { createAccessTokens, ISSUER } from '../../support/access-tokens.js'
import { createCaller } from '../../support/caller.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'

let store: FailingStore
let auth: TestPlatform['auth']

beforeAll(async () => {
  store = failingStore(memoryStore())
  auth = openPlatform({ store }).auth
  await auth.ready()
})
afterAll(() => auth.close())

const AUDIT = { at: 0, type: 'signingKey.rotated', by: 'test', applicationId: undefined, details: {} } as const

/** The status for a token of a signing key that does not exist. */
async function verifyUnknown(kid: string): Promise<number> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'ES256', typ: 'at+jwt', kid })}.${part({})}.${Buffer.alloc(64).toString('base64url')}`
  return auth.verifyAccessToken('orders', token).then(
    () => 200,
    ({ status }: OAuthError) => status,
  )
}

describe('access tokens of unknown signing keys', () => {
  it('cause at most ten reads of the change feed a second', async () => {
    const [loads, polls] = [store.calls('listSigningKeys'), store.calls('changesSince')]
    const startedAt = performance.now()
    const answers: Promise<number>[] = []
    for (let i = 0; performance.now() - startedAt < 500; i++) {
      answers.push(verifyUnknown(`unknown ${i}`))
      await sleep(1)
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]))
    const tenths = (performance.now() - startedAt) / 100
    // The change feed polls at its interval as well.
    const regularPolls = (tenths * 100) / store.pollInterval
    expect(store.calls('changesSince') - polls).toBeLessThanOrEqual(regularPolls + tenths + 2)
    expect(store.calls('changesSince') - polls).toBeGreaterThan(1)
    expect(store.calls('listSigningKeys') - loads).toBe(0)
  })

  it('cause no call of the store when they are repeated, or when the kid is too long', async () => {
    await verifyUnknown('again')
    store.fail()
    expect([await verifyUnknown('again'), await verifyUnknown('long'.repeat(30))]).toEqual([401, 401])
    store.recover()
  })

  it('are refused without a promise when they are repeated, and valid once the key is loaded', async () => {
    const encryption = createEncryption(['a secret of 32 characters or more'])
    const [ownStore, otherStore] = [memoryStore(), memoryStore()]
    const [here, elsewhere] = [createAccessTokens(ownStore, encryption), createAccessTokens(otherStore, encryption)]
    const times = { createdAt: Date.now(), signsFrom: Date.now(), formerVerifiesFor: 60 }
    const key = await generateSigningKey(encryption, { algorithm: 'ES256', ...times })
    await otherStore.addSigningKey(key, undefined, AUDIT)
    await elsewhere.signingKeys.load()
    const grant = { issuer: ISSUER, applicationId: 'app_1', scopes: [], issuedAt: Date.now(), tokensRevokedAt: 0 }
    const token = await elsewhere.signAccessToken({ ...grant, lifetime: 60 })
    expect(await here.accessTokens.verify(token)).toBe('invalid')
    expect(here.accessTokens.verify(token)).toBe('invalid')

    await ownStore.addSigningKey(key, undefined, AUDIT)
    await here.signingKeys.load()
    expect(await here.accessTokens.verify(token)).toMatchObject({ applicationId: 'app_1' })
  })

  it('get 503, not 401, while the store does not answer whether there is such a key', async () => {
    store.fail()
    expect(await Promise.all([verifyUnknown('a'), verifyUnknown('b')])).toEqual([503, 503])
    expect(await verifyUnknown('a')).toBe(503)
    store.recover()
    // The first answered read of the change feed ends the outage.
    expect(await verifyUnknown('a')).toBe(401)
  })

  it('wait for one read of a slow store together', async () => {
    store.slowDown(300)
    const startedAt = performance.now()
    const answers: Promise<number>[] = []
    for (let i = 0; i < 10; i++) {
      answers.push(verifyUnknown(`slow ${i}`))
      await sleep(20)
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]))
    expect(performance.now() - startedAt).toBeLessThan(timeBound(1500))
    store.recover()
  })
})

it('refuses a cached, unexpired access token once its signing key no longer verifies', async () => {
  const store = memoryStore()
  const { auth, clock } = openPlatform({ store, tokens: { lifetime: 60 } })
  const { auth: longLived } = openPlatform({ store, tokens: { lifetime: 100_000 }, now: clock.now })
  await Promise.all([auth.ready(), longLived.ready()])
  const { credentials } = await longLived.applications.create({ name: 'Shop', apis: ['orders'] })
  const token = await createCaller({ app: express().use(longLived.router) }).accessToken('orders', credentials)
  const verify = () =>
    auth.verifyAccessToken('orders', token).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

  expect(await verify()).toBe(200)
  await auth.signingKeys.rotate({ immediately: true })
  // The former key verifies for as long as this platform's tokens last.
  expect(await verify()).toBe(200)
  clock.advance(3600)
  expect(await verify()).toBe(401)
  await Promise.all([auth.close(), longLived.close()])
})
