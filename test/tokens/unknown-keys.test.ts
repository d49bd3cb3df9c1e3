import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore, type OAuthError } from '../../src/index.js'
import { createEncryption } from '../../src/store-client/encryption.js'
import { generateSigningKey } from '../../src/tokens/key-pairs.js'
import { accessTokensOver, ISSUER } from '../support/access-tokens.js'
import { failingStore, type FailingStore } from '../support/outage.js'
import { platform, type TestPlatform } from '../support/platform.js'

let store: FailingStore
let auth: TestPlatform['auth']

beforeAll(async () => {
  store = failingStore(memoryStore())
  auth = platform({ store }).auth
  await auth.ready()
})
afterAll(() => auth.close())

const AUDIT = { at: 0, type: 'signingKey.rotated', by: 'test', applicationId: undefined, details: {} } as const

/** What is answered to a token that names a key nobody has made. */
async function answer(kid: string): Promise<number> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'ES256', typ: 'at+jwt', kid })}.${part({})}.${Buffer.alloc(64).toString('base64url')}`
  return auth.verifyAccessToken('orders', token).then(
    () => 200,
    ({ status }: OAuthError) => status,
  )
}

describe('Access tokens of keys that a process does not know', () => {
  it('make it ask the store ten times a second at most, however many there are', async () => {
    const [reloads, before] = [store.calls('listSigningKeys'), store.calls('changesSince')]
    const began = performance.now()
    const answers: Promise<number>[] = []
    for (let i = 0; performance.now() - began < 500; i++) {
      answers.push(answer(`nobodys ${i}`))
      await sleep(1)
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]))
    const tenths = (performance.now() - began) / 100
    // Beside the feed's own looks, which go on by the clock.
    const own = (tenths * 100) / store.pollInterval
    expect(store.calls('changesSince') - before).toBeLessThanOrEqual(own + tenths + 2)
    expect(store.calls('changesSince') - before).toBeGreaterThan(1)
    expect(store.calls('listSigningKeys') - reloads).toBe(0)
  })

  it('cost nothing when they come again, nor when they can be none of ours', async () => {
    await answer('again')
    store.fail()
    expect([await answer('again'), await answer('long'.repeat(30))]).toEqual([401, 401])
    store.recover()
  })

  it('are refused at once when they come again, and are good from the moment the key is there', async () => {
    const encryption = createEncryption(['a secret of 32 characters or more'])
    const [ours, theirs] = [memoryStore(), memoryStore()]
    const [here, elsewhere] = [accessTokensOver(ours, encryption), accessTokensOver(theirs, encryption)]
    const times = { createdAt: Date.now(), signsFrom: Date.now(), formerVerifiesFor: 60 }
    const key = await generateSigningKey(encryption, { algorithm: 'ES256', ...times })
    await theirs.addSigningKey(key, undefined, AUDIT)
    await elsewhere.signingKeys.load()
    const grant = { issuer: ISSUER, applicationId: 'app_1', scopes: [], issuedAt: Date.now(), tokensRevokedAt: 0 }
    const token = await elsewhere.signAccessToken({ ...grant, lifetime: 60 })
    expect(await here.accessTokens.verify(token)).toBe('invalid')
    expect(here.accessTokens.verify(token)).toBe('invalid')

    await ours.addSigningKey(key, undefined, AUDIT)
    await here.signingKeys.load()
    expect(await here.accessTokens.verify(token)).toMatchObject({ applicationId: 'app_1' })
  })

  it('get 503, not 401, every one, while the store can not say whether there is such a key', async () => {
    store.fail()
    expect(await Promise.all([answer('a'), answer('b')])).toEqual([503, 503])
    expect(await answer('a')).toBe(503)
    store.recover()
    // The first answer of the feed ends the outage.
    expect(await answer('a')).toBe(401)
  })

  it('wait for a store that is slow together, not one behind the other', async () => {
    store.slowDown(300)
    const began = performance.now()
    const answers: Promise<number>[] = []
    for (let i = 0; i < 10; i++) {
      answers.push(answer(`slow ${i}`))
      await sleep(20)
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]))
    expect(performance.now() - began).toBeLessThan(1500)
    store.recover()
  })
})
