import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import type { PlatformEvent } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { fakeClock, memoryMailer } from '../../../src/tools/testing/index.js'
import { EVENT_MEMBERS, listCausedBy } from '../../support/event-types.js'
import { GRANT, post } from '../../support/http.js'
import { CERTIFICATE, listenHttps } from '../../support/https.js'
import { openPlatform } from '../../support/platform.js'

const APIS = { payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] } } as const
const ISSUER = 'https://api.example.com/payments'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const [ANNA, BOB] = ['anna@bank.example', 'bob@bank.example']
const HOUR = 3600

/** A bank whose key set is at an address, and processes of one platform that read it. */
async function open(status = 200) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' }
  const server = { status, whenAsked: async (): Promise<unknown> => undefined }
  const { port, close } = await listenHttps((_req, res) => {
    const answer = () =>
      res.writeHead(server.status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
    void server.whenAsked().then(answer)
  })
  const clock = fakeClock()
  const folder = await mkdtemp(join(tmpdir(), 'key-sets-'))
  const mailer = memoryMailer()
  const events: PlatformEvent[] = []
  const opened: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const end of opened) await end()
    await rm(folder, { recursive: true })
    await close()
  })

  async function start() {
    const { auth } = openPlatform({
      apis: APIS,
      store: sqliteStore(join(folder, 'platform.sqlite')),
      background: false,
      mailer,
      now: clock.now,
      developersUrl: 'https://api.example.com/developers',
      clientAssertions: { allow: ['127.0.0.1'], ca: CERTIFICATE },
      rateLimits: { failedAuthentication: false },
    })
    opened.push(() => auth.close())
    for (const type of listCausedBy('keySets')) auth.events.on(type, (event) => void events.push(event))
    await auth.ready()
    const app = express().use(auth.router)
    async function ask(clientId: string): Promise<number> {
      const exp = Math.floor(clock.now() / 1000) + 60
      const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), exp }
      const header = { alg: 'ES256', kid: 'one' }
      const assertion = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
      const form = { ...GRANT, client_assertion_type: TYPE, client_assertion: assertion }
      return (await post(app, '/payments/token', form)).status
    }
    return { auth, ask }
  }

  const first = await start()
  const { applications } = first.auth
  const { application } = await applications.create({
    name: 'Bank',
    contact: ANNA,
    language: 'de',
    apis: ['payments'],
    keySet: { jwksUri: `https://127.0.0.1:${port}/jwks` },
  })
  await applications.addContact(application.id, BOB)
  const { id } = application
  const readSince = async () => (await applications.get(id))!.secrets[0]!.keySet
  const told = () => mailer.emails.map(({ to, subject }) => [to, /nicht mehr angenommen/.test(subject)])
  const otherAddress = `https://127.0.0.1:${port}/other`
  return { server, clock, mailer, events, start, first, id, otherAddress, told, readSince }
}

it('an address that is out of reach is told to each contact once after an hour and once at the end, whatever processes notice and start', async () => {
  const { server, clock, mailer, events, start, first, id, told, readSince } = await open()
  const second = await start()
  expect([await first.ask(id), await second.ask(id)]).toEqual([200, 200])
  server.status = 500
  const since = clock.now() + 61_000
  clock.advance(61)
  expect(await first.ask(id), 'known keys go on').toBe(200)
  expect(events.map(({ type, applicationId, reason }) => [type, applicationId, reason])).toEqual([
    ['keySet.unavailable', id, 'answered with status 500'],
  ])
  expect(await readSince()).toMatchObject({ unreadableSince: new Date(since) })
  clock.advance(HOUR - 1)
  const asked = () => Promise.all([first, second].flatMap(({ ask }) => [ask(id), ask(id), ask(id)]))
  await asked()
  expect(told()).toEqual([])
  clock.advance(2)
  await asked()
  const third = await start()
  expect(await third.ask(id), 'in a process that has never read the address').toBe(200)
  await first.auth.flush()
  expect(told()).toEqual([
    [ANNA, false],
    [BOB, false],
  ])
  expect(mailer.emails[0]!.text).toMatch(
    /„default“ Ihrer Anwendung „Bank“[^]*bis \d{1,2}\. \S+ 20\d\d[^]*\/developers\/applications/,
  )
  clock.advance(23 * HOUR)
  expect([await first.ask(id), await third.ask(id)]).toEqual([503, 503])
  await (await start()).ask(id)
  await first.auth.flush()
  expect(told().slice(2)).toEqual([
    [ANNA, true],
    [BOB, true],
  ])

  server.status = 200
  clock.advance(61)
  expect(await second.ask(id)).toBe(200)
  expect(events.slice(1)).toMatchObject([{ type: 'keySet.available', applicationId: id }])
  for (const event of events) expect(EVENT_MEMBERS).toEqual(expect.arrayContaining(Object.keys(event)))
  expect(await readSince()).not.toHaveProperty('unreadableSince')
  // An address that fails again and again fills no mailbox.
  for (let i = 0; i < 5; i++) {
    server.status = i % 2 === 0 ? 500 : 200
    clock.advance(2 * HOUR)
    for (const { ask } of [first, second]) await ask(id)
    clock.advance(61)
    for (const { ask } of [first, second]) await ask(id)
  }
  await first.auth.flush()
  expect(mailer.emails).toHaveLength(4)
})

it('an address that was never read is told after an hour, and an e-mail that waits is not sent when it can be read', async () => {
  const { server, clock, mailer, first, id, told } = await open(404)
  expect(await first.ask(id)).toBe(503)
  clock.advance(HOUR)
  expect(await first.ask(id)).toBe(503)
  server.status = 200
  clock.advance(61)
  expect(await first.ask(id)).toBe(200)
  await first.auth.flush()
  expect(mailer.emails, 'while no process sends e-mails').toEqual([])
  server.status = 404
  clock.advance(61)
  await first.ask(id)
  clock.advance(25 * HOUR)
  expect(await first.ask(id)).toBe(503)
  await first.auth.flush()
  expect(told()).toEqual([
    [ANNA, true],
    [BOB, true],
  ])
})

it('an address that is replaced while the former one is read gets neither its outage nor its keys', async () => {
  const { server, clock, events, start, first, id, otherAddress, readSince } = await open()
  expect(await first.ask(id)).toBe(200)
  const { applications } = first.auth
  const [secret] = (await applications.get(id))!.secrets
  server.status = 500
  server.whenAsked = () => {
    server.whenAsked = async () => undefined
    return applications.replaceKeySet(id, secret!.id, { jwksUri: otherAddress })
  }
  clock.advance(61)
  await first.ask(id)
  expect(await readSince()).toMatchObject({ jwksUri: otherAddress })
  expect(await readSince()).not.toHaveProperty('unreadableSince')
  expect(events).toEqual([])
  expect(await (await start()).ask(id), 'no key of the other address is known').toBe(503)
})
