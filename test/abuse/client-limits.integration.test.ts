import { randomBytes } from 'node:crypto'
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, type TestContext } from 'vitest'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { memoryStore } from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { memoryMailer } from '../../src/tools/testing/index.js'
import { createCaller } from '../support/caller.js'
import { signInByLink } from '../features/portal/portal-app.js'
import { createApplication, expectRefusal, RETRY_AFTER_SECONDS } from '../support/http.js'
import { APIS, openPlatform, type TestOptions } from '../support/platform.js'
import { request } from '../support/request.js'

/** The calls of the store that clients trigger here. */
type ClientCall = 'findApplicationByKey' | 'findByClaimLink' | 'revokeAccessToken' | 'addAssertion' | 'listSignOuts'

/** A memory store that says to run four calls at once, and whose client calls can be held back. */
function holdableStore() {
  const working = memoryStore()
  const started: string[] = []
  let held: Promise<void> | undefined
  let release = (): void => undefined
  const hold =
    <Args extends readonly unknown[], Result>(name: ClientCall, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      started.push(`${name} ${String(args[0])}`)
      await held
      return call(...args)
    }
  const store: StoreWith = {
    ...working,
    concurrentCalls: 4,
    findApplicationByKey: hold('findApplicationByKey', working.findApplicationByKey),
    emails: { ...working.emails, findByClaimLink: hold('findByClaimLink', working.emails.findByClaimLink) },
    revokeAccessToken: hold('revokeAccessToken', working.revokeAccessToken),
    assertions: { add: hold('addAssertion', working.assertions.add) },
    signIns: { ...working.signIns, listSignOuts: hold('listSignOuts', working.signIns.listSignOuts) },
  }
  return {
    store,
    /** The client calls that have been started, oldest first. */
    started,
    hold: () => void (held = new Promise((resolve) => (release = resolve))),
    release: () => release(),
  }
}

async function open({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, options: TestOptions = {}) {
  const held = holdableStore()
  const mailer = memoryMailer()
  const made = openPlatform({
    apis: { ...APIS, payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] } as const },
    developersUrl: 'https://example.com/developers',
    delivery: 'claim-link',
    mailer,
    store: held.store,
    ...options,
  })
  const { auth } = made
  const app = express()
    .set('trust proxy', true)
    .use(auth.router)
    .use('/register', auth.registration.router, auth.emails.router)
    .use('/developers/applications', auth.portal.router)
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  await auth.ready()
  const server = app.listen(0)
  onTestFinished(async () => {
    held.release()
    server.close()
    server.closeAllConnections()
    await auth.close()
  })
  const stranger = createCredentials('epa', randomBytes(32))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    ...made,
    ...held,
    url,
    app,
    mailer,
    caller: createCaller({ app: url }),
    askWithKey: (key: string, address = '192.0.2.1') =>
      request(url)
        .get('/catalog/items')
        .set({ 'X-Api-Key': key, 'X-Forwarded-For': address })
        .then((answer) => answer),
    createUnknownKey: () => stranger.mint('key', 1).plain,
    claim: (token: string, address = '192.0.2.1') =>
      request(url)
        .post('/register/claim')
        .set('X-Forwarded-For', address)
        .send({ token })
        .then((answer) => answer),
  }
}

describe('What clients ask of the store', () => {
  it('leaves a quarter of its calls to operators and the change feed', async (test) => {
    const { auth, caller, started, hold, release, askWithKey, createUnknownKey, claim } = await open(test)
    const shop = await createApplication(auth, ['orders'])
    const tokens = await Promise.all(Array.from({ length: 5 }, () => caller.accessToken('orders', shop)))
    started.length = 0
    hold()
    const asked = Promise.all([
      ...Array.from({ length: 30 }, () => askWithKey(createUnknownKey())),
      ...Array.from({ length: 30 }, (_, i) => claim(`no link ${i}`)),
      ...tokens.map((token) => caller.revoke('orders', shop, token)),
    ])
    await expect.poll(() => started.length).toBe(3)
    expect(started.filter((call) => call.startsWith('findApplicationByKey'))).toHaveLength(2)
    // They wait for nothing that is held.
    const { status } = await auth.applications.suspend(shop.id)
    expect({ status, health: await auth.health() }).toMatchObject({ status: 'suspended', health: { ok: true } })
    expect(started).toHaveLength(3)
    release()
    expect((await asked).filter((answer) => answer.status >= 500)).toEqual([])
  })

  it('leaves as much where clients prove a private key, and where contacts are signed in at the portal', async (test) => {
    const { auth, app, url, clock, started, hold, release } = await open(test)
    const { privateKey, publicKey } = await generateKeyPair('EdDSA')
    const contact = 'dev@bank.example'
    const keySet = { jwks: { keys: [await exportJWK(publicKey)] } }
    const given = { name: 'Bank', contact, apis: ['payments'] as const, keySet }
    const { application } = await auth.applications.create(given)
    const browser = await signInByLink({ app, auth }, { contact })
    const aud = 'https://api.example.com/payments'
    const exp = Math.floor(clock.now() / 1000) + 60
    const sign = (jti: string) =>
      new SignJWT({ iss: application.id, sub: application.id, aud, jti, exp })
        .setProtectedHeader({ alg: 'EdDSA' })
        .sign(privateKey)
    const assertions = await Promise.all(Array.from({ length: 10 }, (_, i) => sign(`jti-${i}`)))
    const askForToken = (client_assertion: string) => {
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_assertion_type, client_assertion })
      return fetch(`${url}/payments/token`, { method: 'POST', body })
    }
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const openPortal = () => fetch(`${url}/developers/applications`, { headers: { cookie } })

    for (const [call, most, ask] of [
      ['addAssertion', 1, askForToken],
      ['listSignOuts', 2, openPortal],
    ] as const) {
      started.length = 0
      hold()
      const asked = Promise.all(assertions.map(ask))
      await expect.poll(() => started.length).toBe(most)
      // They wait for nothing that is held.
      await auth.applications.update(application.id, { name: `Bank with ${call}` })
      expect(started.map((each) => each.split(' ', 1)[0])).toEqual(Array(most).fill(call))
      release()
      expect((await asked).map(({ status }) => status)).toEqual(assertions.map(() => 200))
    }
  })

  it('is asked by addresses in turns, so that a flood of unknown keys does not delay a newcomer elsewhere', async (test) => {
    const { auth, store, started, hold, release, askWithKey, createUnknownKey } = await open(test)
    const { id, clientId } = await createApplication(auth, ['catalog'])
    const { keys } = (await store.findApplication(id))!
    hold()
    const flood = Promise.all(Array.from({ length: 200 }, () => askWithKey(createUnknownKey())))
    await expect.poll(() => started.length).toBe(2)
    const newcomer = askWithKey(clientId, '192.0.2.2')
    // Answered from memory after the others have been read.
    await askWithKey('malformed')
    release()
    expect((await newcomer).status).toBe(200)
    // After the two look-ups under way, and one more for each of the two addresses.
    expect(started.indexOf(`findApplicationByKey ${keys[0]!.hash}`)).toBeLessThan(6)
    await flood
  })
})

describe('The failedAuthentication limit', () => {
  const LIMITED = { rateLimits: { failedAuthentication: { limit: 2, window: 60 } } }

  it('G24, L1: answers 429 to unknown keys of an address, and lets a good key pass', async (test) => {
    const { auth, askWithKey, createUnknownKey } = await open(test, LIMITED)
    const { clientId } = await createApplication(auth, ['catalog'])
    const again = createUnknownKey()
    for (const key of [again, again]) expect((await askWithKey(key)).status).toBe(401)
    expectRefusal(await askWithKey(createUnknownKey()), 429, 'too_many_requests', {
      'retry-after': RETRY_AFTER_SECONDS,
    })
    expect((await askWithKey(clientId)).status).toBe(200)
    expect((await askWithKey(createUnknownKey(), '192.0.2.2')).status).toBe(401)
    // It costs nothing to refuse.
    for (let i = 0; i < 4; i++) expect((await askWithKey('malformed')).status).toBe(401)
  })

  it('R15, L1: answers 429 to wrong claim links of an address, and lets a valid link work', async (test) => {
    const { auth, mailer, claim } = await open(test, LIMITED)
    await auth.registration.register({ name: 'Shop', contact: 'dev@customer.example', apis: ['catalog'] })
    await expect.poll(() => mailer.emails.length).toBe(1)
    for (const token of ['one', 'two']) expect((await claim(token)).status).toBe(400)
    expectRefusal(await claim('three'), 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
    const [, token = ''] = /claim#([A-Za-z0-9_-]{43})/.exec(mailer.emails[0]!.text) ?? []
    await expect.poll(async () => (await claim(token)).status).toBe(200)
    expect((await claim('four', '192.0.2.2')).status).toBe(400)
  })
})

it('I10: answers 429 to revocations of an application over its limit, and revokes those of others', async (test) => {
  const { auth, caller } = await open(test, { rateLimits: { revocations: { limit: 2, window: 60 } } })
  const [shop, other] = [await createApplication(auth, ['orders']), await createApplication(auth, ['orders'])]
  const tokens = await Promise.all(Array.from({ length: 4 }, () => caller.accessToken('orders', shop)))
  for (const token of tokens.slice(0, 2)) await caller.revoke('orders', shop, token).expect(200)
  const [refused] = await Promise.all(tokens.slice(2).map((token) => caller.revoke('orders', shop, token)))
  expectRefusal(refused!, 429, 'too_many_requests', { 'retry-after': RETRY_AFTER_SECONDS })
  await auth.verifyAccessToken('orders', tokens[2]!)
  // Without an effect it is not counted.
  await caller.revoke('orders', shop, tokens[0]!).expect(200)
  await caller.revoke('orders', other, await caller.accessToken('orders', other)).expect(200)
})
