import express, { type Express } from 'express'
import request, { type Test as Call } from 'supertest'
import { describe, it } from 'vitest'
import type { EmailMessage } from '../../../src/features/emails/index.js'
import {
  openProvider,
  readCredentials,
  waitForAttempts,
  type Provider,
  type ReceivedCredentials,
  type Test,
} from './applicant.js'
import type { TestOptions } from '../../support/platform.js'

const LINK = /claim#([A-Za-z0-9_-]{43})\b/

/** A platform whose e-mails arrive with an unknown outcome, in an app whose requests have ids, as pino-http sets them. */
function openIdentified(test: Test, options: TestOptions = {}) {
  const sent: EmailMessage[] = []
  const mailer = {
    async send(email: EmailMessage) {
      sent.push(email)
      throw Object.assign(new Error('lost'), { code: 'ECONNECTION' })
    },
  }
  const provider = openProvider(test, { mailer, ...options })
  const identified = express().disable('x-powered-by')
  identified.use((req, _res, next) => {
    Object.assign(req, { id: 'r7' })
    next()
  })
  identified.use('/register', provider.auth.registration.router, provider.auth.emails.router)
  identified.use(provider.app)
  return { ...provider, app: identified, sent }
}

/** The events, with the ids of their requests. */
const listRequestIds = ({ events }: Pick<Provider, 'events'>): unknown[] =>
  events.map(({ type, requestId }) => [type, requestId])

/** The last change in the audit log: what it says of the caller. */
async function readCaller({ auth }: Pick<Provider, 'auth'>): Promise<unknown> {
  const { type, details } = (await auth.audit.list()).items.at(-1)!
  return [type, details['address'], details['client']]
}

const form = ({ clientId, clientSecret }: ReceivedCredentials, more: object): object => ({
  client_id: clientId,
  client_secret: clientSecret,
  ...more,
})
const FIRST_USES: readonly [string, (app: Express, received: ReceivedCredentials) => Call][] = [
  ['a guard', (app, { clientId }) => request(app).get('/catalog/items').set('X-Api-Key', clientId)],
  ['a guard that refuses', (app, { clientId }) => request(app).get('/weather/now').set('X-Api-Key', clientId)],
  [
    'the token endpoint',
    (app, received) =>
      request(app)
        .post('/orders/token')
        .type('form')
        .send(form(received, { grant_type: 'client_credentials' })),
  ],
  [
    'the revocation endpoint',
    (app, received) =>
      request(app)
        .post('/orders/revoke')
        .type('form')
        .send(form(received, { token: 'none' })),
  ],
  [
    'the introspection endpoint',
    (app, received) =>
      request(app)
        .post('/orders/introspect')
        .type('form')
        .send(form(received, { token: 'none' })),
  ],
]

describe.concurrent('the requestId of an event', () => {
  it.for([
    ['JSON', 'json', 202],
    ['the form', 'form', 303],
  ] as const)('is that of a registration by %s', async ([, type, status], { expect, onTestFinished }) => {
    const provider = openIdentified({ onTestFinished })
    const body = { name: 'Shop', contact: 'dev@customer.example', apis: ['weather'] }
    await request(provider.app).post('/register').type(type).send(body).expect(status)
    expect(listRequestIds(provider)).toEqual([['application.registered', 'r7']])
    expect(await readCaller(provider)).toEqual(['application.registered', '127.0.0.1', undefined])
  })

  it.for(FIRST_USES)('is that of the first use of credentials at %s', async ([, use], { expect, onTestFinished }) => {
    const provider = openIdentified({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const received = readCredentials(provider.sent[0]!)
    const { status } = await use(provider.app, received)
    expect([200, 403]).toContain(status)
    expect(listRequestIds(provider)).toEqual([
      ['application.registered', undefined],
      ['application.activated', 'r7'],
    ])
    const prefix = received.clientId.slice(0, 12)
    expect(await readCaller(provider)).toEqual(['application.activated', '127.0.0.1', prefix])
    expect(provider.events.at(-1)).toMatchObject({ address: '127.0.0.1', client: prefix })
  })

  it('is that of a claim', async ({ expect, onTestFinished }) => {
    const provider = openIdentified({ onTestFinished }, { delivery: 'claim-link' })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const [, token] = LINK.exec(provider.sent[0]!.text)!
    await request(provider.app).post('/register/claim').send({ token }).expect(200)
    expect(listRequestIds(provider)).toEqual([
      ['application.registered', undefined],
      ['application.activated', 'r7'],
    ])
    expect(await readCaller(provider)).toEqual(['application.activated', '127.0.0.1', undefined])
  })

  it('is absent from what happens to the e-mail afterwards, and from calls outside a request', async ({
    expect,
    onTestFinished,
  }) => {
    const delivered = { send: async () => undefined }
    const provider = openIdentified({ onTestFinished }, { mailer: delivered })
    const body = { name: 'Shop', contact: 'dev@customer.example', apis: ['catalog'] }
    await request(provider.app).post('/register').send(body).expect(202)
    await expect.poll(() => listRequestIds(provider)).toHaveLength(3)
    expect(listRequestIds(provider)).toEqual([
      ['application.registered', 'r7'],
      ['application.delivered', undefined],
      ['application.activated', undefined],
    ])
    // Only the registration form can pass an id.
    const register: (...args: readonly unknown[]) => Promise<unknown> = provider.auth.registration.register as never
    await register({ name: 'Shop', contact: 'dev@customer.example', apis: ['weather'] }, 'r8')
    expect(listRequestIds(provider).at(-1)).toEqual(['application.registered', undefined])
  })
})
