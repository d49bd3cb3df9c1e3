import express5 from 'express'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { credentialSource } from '../../../src/tools/remote/index.js'
import { createPlatformClient, createPlatformClock } from '../../../src/tools/remote/platform-client.js'
import { createRandom, type Random } from '../../abuse/random.js'
import {
  accessToken,
  basic,
  createApplication,
  createTokenForm,
  exchange,
  GRANT,
  listen,
  post,
  SWITCH,
  useServer,
} from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { waitUntil } from '../../support/wait-until.js'
import { ask, openSite, PROOF, startAnswerProxy, type HttpAnswer } from './site.js'

const site = await openSite()
afterAll(() => site.close())

it('answers request targets in absolute form (RFC 9112 3.2.2)', async () => {
  const target = 'http://localhost/_resource-server/source/settings'
  expect((await exchange(site.app, [`POST ${target} HTTP/1.1`])).status).toBe(401)
  expect((await exchange(site.app, [`GET ${target} HTTP/1.1`])).status).toBe(404)
})

/** What a network, a proxy or an attacker between the two makes of an answer. `earlier`: answers to other requests. */
function createDamage(random: Random['below']) {
  const earlier: HttpAnswer[] = []
  const withBody = (answer: HttpAnswer, body: Buffer): HttpAnswer => ({ ...answer, body })
  const withProof = (answer: HttpAnswer, proof: string | undefined): HttpAnswer => ({
    ...answer,
    headers: { ...answer.headers, [PROOF]: proof },
  })
  const kinds: Readonly<Record<string, (answer: HttpAnswer) => HttpAnswer>> = {
    'as it was': (answer) => answer,
    'cut short': (answer) => withBody(answer, answer.body.subarray(0, random(answer.body.length))),
    'a bit flipped': (answer) => {
      const body = Buffer.from(answer.body)
      body[random(body.length)]! ^= 1 << random(8)
      return withBody(answer, body)
    },
    'a part left out': (answer) => {
      const from = random(answer.body.length)
      return withBody(
        answer,
        Buffer.concat([answer.body.subarray(0, from), answer.body.subarray(from + 1 + random(20))]),
      )
    },
    'sent twice': (answer) => withBody(answer, Buffer.concat([answer.body, answer.body])),
    'an earlier one': (answer) => earlier[random(earlier.length)] ?? answer,
    'the body of an earlier one': (answer) => withBody(answer, (earlier[random(earlier.length)] ?? answer).body),
    'the proof of an earlier one': (answer) =>
      withProof(answer, (earlier[random(earlier.length)] ?? answer).headers[PROOF] as string),
    'without a proof': (answer) => withProof(answer, undefined),
    'with another proof': (answer) => withProof(answer, 'A'.repeat(43)),
    'a refusal': (answer) => ({ ...answer, status: [302, 400, 401, 403, 404, 429, 500, 502, 503][random(9)]! }),
  }
  const names = Object.keys(kinds)
  return {
    names,
    damage(answer: HttpAnswer): { name: string; damaged: HttpAnswer } {
      const name = names[random(names.length)]!
      const damaged = kinds[name]!(answer)
      earlier.push(answer)
      return { name, damaged }
    },
  }
}

const isSame = (one: HttpAnswer, other: HttpAnswer): boolean =>
  one.status === other.status && one.body.equals(other.body) && one.headers[PROOF] === other.headers[PROOF]

it('takes no answer that is damaged, cut short, repeated or reordered', async () => {
  const random = createRandom(20_261_127).below
  const { names, damage } = createDamage(random)
  const [client, other] = [
    await createApplication(site.auth, { orders: {}, catalog: {} }),
    await createApplication(site.auth, { weather: {} }),
  ]
  const seen = new Set<string>()
  let last = { name: '', isIntact: true }
  const address = await startAnswerProxy(site.url, (answer) => {
    const { name, damaged } = damage(answer)
    seen.add(name)
    last = { name, isIntact: isSame(answer, damaged) }
    return damaged
  })
  const { clientId, clientSecret } = site.server
  const connect = (to: string) => {
    const made = createPlatformClient({
      settings: { address: to, clientId, clientSecret },
      clock: createPlatformClock(),
    })
    onTestFinished(made.close)
    return made.ask
  }
  const [askDirectly, askThroughProxy] = [connect(site.url), connect(address)]
  const { cursor } = await askDirectly('changes', {})
  const calls = [
    ['application', { id: client.id }],
    ['application', { id: other.id }],
    ['api-key', { key: client.clientId }],
    ['api-key', { key: other.clientId }],
    ['changes', { cursor }],
    ['signing-keys', {}],
    ['revoked-tokens', { limit: 10 }],
  ] as const
  const withoutTime = ({ time: _time, ...answer }: Readonly<Record<string, unknown>>) => answer
  const truths = await Promise.all(calls.map(async ([call, given]) => withoutTime(await askDirectly(call, given))))
  let accepted = 0
  for (let count = 0; count < (IS_LONG_LANE ? 10_000 : 200); count++) {
    const which = random(calls.length)
    const [call, given] = calls[which]!
    const answer = await askThroughProxy(call, given).catch(() => undefined)
    expect(answer !== undefined, `${call}, ${last.name}`).toBe(last.isIntact)
    if (answer === undefined) continue
    accepted += 1
    expect(withoutTime(answer)).toEqual(truths[which])
  }
  expect(seen).toEqual(new Set(names))
  expect(accepted).toBeGreaterThan(0)
}, 600_000)

it('lets nobody in, and turns nobody away, behind a proxy that changes answers or repeats old ones', async () => {
  const { damage } = createDamage(createRandom(7).below)
  let isHostile = false
  const address = await startAnswerProxy(site.url, (answer) =>
    isHostile ? damage(answer).damaged : (damage(answer), answer),
  )
  const { url } = await site.openService({ address, maxStaleness: 60 })
  const good = await Promise.all(Array.from({ length: 20 }, () => createApplication(site.auth, { catalog: {} })))
  const bad = await Promise.all(Array.from({ length: 20 }, () => createApplication(site.auth, { weather: {} })))
  // Earlier answers for the proxy to repeat, of applications that may pass.
  for (const { clientId } of good.slice(0, 5)) expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
  isHostile = true
  for (let round = 0; round < 3; round++) {
    for (const { clientId } of good) expect(await ask(`${url}/catalog/items`, clientId)).toMatch(/^(?:200|503)/)
    for (const { clientId } of bad) expect(await ask(`${url}/catalog/items`, clientId)).toMatch(/^(?:401|503)/)
  }
})

it('asks again after an answer that switches to another protocol', async () => {
  const { url } = await useServer((_req, res) => void res.socket!.write(SWITCH))
  const { ask: askPlatform } = createPlatformClient({
    settings: { address: url, clientId: 'a', clientSecret: 'b' },
    clock: createPlatformClock(),
  })
  await expect(askPlatform('settings', {})).rejects.toThrow('ended the connection without an answer')
}, 10_000)

describe('a resource server of one API', () => {
  const sendTo = (server: { clientId: string; clientSecret: string }, call: string, body: unknown, more = {}) =>
    fetch(`${site.url}/_resource-server/source/${call}`, {
      method: 'POST',
      headers: {
        Authorization: basic(server.clientId, server.clientSecret),
        'Content-Type': 'application/json',
        ...more,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const nonce = 'A'.repeat(22)

  async function createResourceServer(apis: readonly ('weather' | 'catalog')[]) {
    const { application, credentials } = await site.auth.applications.create({ name: 'Other', resourceServer: apis })
    return { id: application.id, clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
  }

  it('is answered by its own members alone, whatever a polluted prototype has', async () => {
    const server = await createResourceServer(['weather'])
    const prototype = Object.prototype as Record<string, unknown>
    const members = { cursor: '!', id: 'x', key: 'x', kind: 'usage', batch: 'x', rows: [], limit: 1, day: '2026-01-01' }
    Object.assign(prototype, members)
    try {
      const calls = { changes: 200, application: 400, 'api-key': 400, 'revoked-tokens': 400, report: 400, quota: 400 }
      for (const [call, status] of Object.entries(calls))
        expect([call, (await sendTo(server, call, { nonce })).status]).toEqual([call, status])
    } finally {
      for (const name of Object.keys(members)) delete prototype[name]
    }
  })

  it('gets nothing of the applications of another, whatever it asks', async () => {
    const server = await createResourceServer(['weather'])
    const { application, credentials } = await site.auth.applications.create({
      name: 'Unique name',
      contact: 'owner@example.com',
      apis: { orders: {}, catalog: {} },
      externalId: 'unique-id',
      metadata: { region: 'unique-region' },
    })
    const client = { clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
    const token = await accessToken(site.app, 'orders', client)
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }
    const text = async (call: string, given: object) => {
      const answer = await sendTo(server, call, { nonce, ...given })
      expect(answer.status, call).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      return (await answer.text()).replace(/,"serves":\["weather"\],"versions":\[1,1\],"time":\d+/, '')
    }
    const start = JSON.parse(await text('changes', {})) as { cursor: string }
    await post(site.app, '/orders/revoke', { ...createTokenForm(client), token })
    await site.auth.applications.suspend(application.id)
    const idle = await createApplication(site.auth, { catalog: {} })
    const [key] = (await site.auth.applications.get(idle.id))!.keys
    const unknown = `app_${'1'.repeat(32)}`
    expect(await text('application', { id: application.id })).toBe(await text('application', { id: unknown }))
    expect(await text('api-key', { key: client.clientId })).toBe('{"application":null}')
    const answers = [
      await text('settings', {}),
      await text('signing-keys', {}),
      await text('revoked-tokens', { limit: 100 }),
      await text('changes', { cursor: start.cursor }),
      await text('report', {
        kind: 'credentials',
        batch: 'one',
        rows: [{ applicationId: idle.id, credentialId: key!.id, at: Date.now() }],
      }),
      await text('quota', { id: application.id, day: '2026-11-27' }),
    ].join('\n')
    expect(answers).toContain('accessTokenRevoked')
    for (const secret of [
      application.id,
      'Unique name',
      'unique-',
      'owner@example.com',
      claims.jti,
      client.clientId,
      application.keys[0]!.id,
      'orders',
      '"d"',
    ])
      expect(answers, secret).not.toContain(secret)
    expect((await site.auth.applications.get(idle.id))!.keys[0]!.lastUsedAt).toBeUndefined()
  })

  it('gets of its own applications what guards need, and no hash, contact, other API or metadata that it was not granted', async () => {
    const server = await createResourceServer(['catalog'])
    const { application, credentials } = await site.auth.applications.create({
      name: 'Shop',
      contact: 'owner@example.com',
      apis: { orders: {}, catalog: {} },
      externalId: 'crm-7',
      metadata: { region: 'eu', discount: 10 },
    })
    await site.auth.applications.update(application.id, {
      rateLimits: { orders: { limit: 1, window: 1 }, catalog: { limit: 5, window: 1 } },
    })
    await site.auth.applications.addKey(application.id, { name: 'elsewhere', apis: ['orders'] })
    const answer = await sendTo(server, 'api-key', { nonce, key: credentials.clientId })
    const {
      time: _time,
      serves: _serves,
      versions: _versions,
      ...found
    } = (await answer.json()) as Record<string, unknown>
    const [elsewhere, key] = (await site.auth.applications.get(application.id))!.keys
    expect(found).toEqual({
      application: {
        id: application.id,
        name: 'Shop',
        status: 'active',
        apis: { catalog: { scopes: [] } },
        externalId: 'crm-7',
        metadata: { region: 'eu' },
        rateLimits: { catalog: { limit: 5, window: 1, id: expect.any(String) as string } },
        tokensRevokedAt: 0,
        keys: [
          { id: elsewhere!.id, name: '', apis: { '*': { scopes: [] } } },
          { id: key!.id, name: 'default' },
        ],
        secrets: [{ id: application.secrets[0]!.id }],
      },
      credentialId: key!.id,
    })
  })

  it('is refused what is no request of createRemoteAuth(), and what is not authenticated', async () => {
    const server = await createResourceServer(['weather'])
    const cases: readonly (readonly [number, Promise<Response>])[] = [
      [400, sendTo(server, 'settings', {})],
      [400, sendTo(server, 'settings', '[]')],
      [400, sendTo(server, 'settings', '{')],
      [400, sendTo(server, 'settings', { nonce }, { 'Content-Type': 'text/plain' })],
      [413, sendTo(server, 'settings', { nonce, more: 'x'.repeat(20_000) })],
      [400, sendTo(server, 'application', { nonce, id: 7 })],
      [200, sendTo(server, 'api-key', { nonce, key: 'x'.repeat(2000) })],
      [400, sendTo(server, 'revoked-tokens', { nonce, limit: 'all' })],
      [400, sendTo(server, 'changes', { nonce, cursor: '1', wait: 1.5 })],
      [400, sendTo(server, 'changes', { nonce, cursor: '1\0' })],
      [200, sendTo(server, 'revoked-token', { nonce, id: 'a\0' })],
      [200, sendTo(server, 'changes', { nonce, cursor: '99999999999999999999999.x' })],
      [200, sendTo(server, 'changes', { nonce, cursor: '-1' })],
      [400, sendTo(server, 'report', { nonce, kind: 'usage', batch: 'one', rows: [null] })],
      [400, sendTo(server, 'quota', { nonce, id: 'none', day: '2026-11-27' })],
      [400, sendTo(server, 'quota', { nonce, id: server.id, day: '2026' })],
      [404, sendTo(server, 'applications', { nonce })],
      [404, sendTo(server, 'toString', { nonce })],
      [401, sendTo({ ...server, clientSecret: 'wrong' }, 'settings', { nonce })],
      [401, sendTo(await createApplication(site.auth, { orders: {} }), 'settings', { nonce })],
    ]
    for (const [index, [status, answer]] of cases.entries()) expect((await answer).status, `${index}`).toBe(status)
    const form = new URLSearchParams({ client_id: server.clientId, client_secret: server.clientSecret })
    const inBody = await fetch(`${site.url}/_resource-server/source/settings`, { method: 'POST', body: form })
    expect(inBody.status).toBe(401)
    expect((await fetch(`${site.url}/_resource-server/source/settings`)).status).toBe(404)
  })

  it('is refused more lists of revoked tokens than it may read, and nothing else for that', async () => {
    const server = await createResourceServer(['weather'])
    const statuses: number[] = []
    for (let count = 0; count < 101; count++)
      statuses.push((await sendTo(server, 'revoked-tokens', { nonce, limit: 10_000 })).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    expect(statuses.at(-1)).toBe(429)
    expect((await sendTo(server, 'settings', { nonce })).status).toBe(200)
    expect((await sendTo(await createResourceServer(['weather']), 'revoked-tokens', { nonce, limit: 1 })).status).toBe(
      200,
    )
  })

  it('holds no more polls than it may, and loses its access with its record', async () => {
    const server = await createResourceServer(['weather'])
    const { cursor } = (await (await sendTo(server, 'changes', { nonce })).json()) as { cursor: string }
    const polls = Array.from({ length: 230 }, () => sendTo(server, 'changes', { nonce, cursor, wait: 60_000 }))
    expect((await Promise.race(polls)).status).toBe(200)
    for (const poll of polls) expect((await poll).status).toBe(200)
    await site.auth.applications.update(server.id, { resourceServer: null })
    expect((await sendTo(server, 'changes', { nonce, cursor })).status).toBe(401)
  })
})

describe('a stranger', () => {
  const SETTINGS = '/_resource-server/source/settings'
  const sendSecret = (address: string, secret: string, path: string) =>
    post(limited.app, path, GRANT, {
      authorization: basic(limited.server.clientId, secret),
      'x-forwarded-for': address,
    })
  let limited: Awaited<ReturnType<typeof openSite>>
  beforeAll(async () => {
    limited = await openSite({ rateLimits: { failedAuthentication: { limit: 3, window: 60 } } })
    limited.app.set('trust proxy', true)
  })
  afterAll(() => limited.close())

  it('has the failed authentications of the token endpoint and of the source together', async () => {
    const paths = [SETTINGS, '/orders/token', SETTINGS, SETTINGS, '/orders/token']
    const statuses: number[] = []
    for (const path of paths) statuses.push((await sendSecret('192.0.2.1', 'wrong', path)).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    const right = await sendSecret('192.0.2.1', limited.server.clientSecret, SETTINGS)
    expect([right.status, right.body], 'a right secret passes').toMatchObject([400, { error: 'invalid_request' }])
  })

  it('with many requests lets those of others begin', async () => {
    const order: string[] = []
    const held: (() => void)[] = []
    const app = express5().set('trust proxy', true)
    app.use((req, res, next) => {
      res.once('finish', () => order.push(req.ip!))
      held.push(next)
    }, credentialSource(limited.auth))
    const { port, close } = await listen(app)
    onTestFinished(close)
    const send = (address: string) =>
      fetch(`http://127.0.0.1:${port}${SETTINGS}`, { method: 'POST', headers: { 'x-forwarded-for': address } })
    const flood = Array.from({ length: 100 }, () => send('192.0.2.1'))
    await waitUntil(() => held.length === 100)
    const other = send('192.0.2.2')
    await waitUntil(() => held.length === 101)
    for (const next of held) next()
    for (const answer of [...flood, other]) expect((await answer).status).toBe(401)
    expect(order.indexOf('192.0.2.2')).toBeLessThan(20)
  })
})

it('is not made of anything but a platform, and names what metadata is given', async () => {
  for (const given of [undefined, {}]) expect(() => credentialSource(given as never)).toThrow(/which is no platform/)
  expect(() => credentialSource(site.auth, { metadata: 'region' } as never)).toThrow(/metadata/)
  expect(() => credentialSource(site.auth, { contacts: true } as never)).toThrow(/contacts/)
})
