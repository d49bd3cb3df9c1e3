import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emails } from '../../../src/features/emails/index.js'
import { imports } from '../../../src/features/imports/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { createPlatformAuth, type FeatureEntry } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { fakeClock, memoryMailer } from '../../../src/tools/testing/index.js'
import { recordingLogger, SECRET } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'

const APIS = {
  orders: { scheme: 'oauth2', registration: 'manual' },
  catalog: { scheme: 'apiKey', registration: 'automatic' },
} as const
const DAY = 86_400
const CONTACT = 'dev@shop.example'
const REGISTRATION = { name: 'Shop', contact: CONTACT, apis: ['catalog'] } as const
const OPERATORS = ['boss@example.com']

/** Servers with different features on one SQLite file, each with a connection of its own. */
async function openFile() {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const clock = fakeClock()
  function open<const Features extends readonly FeatureEntry[]>(features: Features) {
    const store = sqliteStore(join(folder, 'platform.sqlite'))
    const logger = recordingLogger()
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      developersUrl: 'https://api.example.com/developers',
      apis: APIS,
      secret: SECRET,
      store,
      logger,
      now: clock.now,
      features,
    })
    onTestFinished(() => auth.close())
    const listEmails = () => store.emails.list({ applicationId: undefined, state: undefined, limit: 100 })
    return { auth, store, logger, listEmails }
  }
  return { open, clock }
}

describe('a server without emails()', () => {
  it('holds e-mails back when it suspends, and another sends them when it resumes', async () => {
    const { open, clock } = await openFile()
    const mailer = memoryMailer()
    const slow = { send: () => Promise.reject(Object.assign(new Error('busy'), { responseCode: 451 })) }
    const first = open([emails({ mailer: slow }), registration()])
    const { application } = await first.auth.registration.register(REGISTRATION)
    await waitUntil(async () => (await first.listEmails())[0]?.problem !== undefined)
    await first.auth.close()
    const without = open([])
    await without.auth.applications.suspend(application.id)
    expect(await without.listEmails()).toMatchObject([{ state: 'suspended' }])
    const next = open([emails({ mailer })])
    await next.auth.ready()
    clock.advance(7200)
    await next.auth.emails.retry()
    expect(mailer.emails).toEqual([])
    await without.auth.applications.resume(application.id)
    await mailer.sent()
  })

  it('shows no claim page, and a link works at a server that has it', async () => {
    const { open } = await openFile()
    const mailer = memoryMailer()
    const first = open([emails({ mailer, delivery: 'claim-link' }), registration()])
    await first.auth.registration.register(REGISTRATION)
    await mailer.sent()
    const token = mailer.last().credentials.claimLink!.split('#')[1]!
    expect(Object.keys(open([]).auth)).not.toContain('emails')
    const app = express().use('/register', first.auth.emails.router)
    await request(app).post('/register/claim').send({ token }).expect(200)
  })
})

describe('a server without registration()', () => {
  it('decides about registrations with approve() and deny()', async () => {
    const { open, clock } = await openFile()
    const mailer = memoryMailer()
    const busy = { send: () => Promise.reject(Object.assign(new Error('busy'), { responseCode: 451 })) }
    const first = open([emails({ mailer: busy }), registration({ operators: OPERATORS })])
    const apis = ['orders'] as const
    const one = (await first.auth.registration.register({ ...REGISTRATION, apis })).application
    const two = (await first.auth.registration.register({ ...REGISTRATION, apis })).application
    await first.auth.close()

    clock.advance(7200)
    const sender = open([emails({ mailer })])
    await sender.auth.ready()
    await sender.auth.applications.approve(one.id)
    await sender.auth.applications.deny(two.id, { reason: 'No.' })
    const sent = await mailer.sent(2)
    expect(sent.map(({ to }) => to)).toEqual([CONTACT, CONTACT])
    expect(await sender.auth.applications.get(two.id)).toMatchObject({ status: 'deleted' })
  })

  it('ends registrations that nobody has decided for 14 days', async () => {
    const { open, clock } = await openFile()
    const first = open([emails({ mailer: memoryMailer() }), registration({ operators: OPERATORS })])
    const { application } = await first.auth.registration.register({ ...REGISTRATION, apis: ['orders'] })
    await first.auth.close()
    clock.advance(14 * DAY + 1)
    const without = open([])
    await waitUntil(async () => (await without.auth.applications.get(application.id))?.status === 'deleted')
    expect(await without.listEmails()).toEqual([])
  })
})

describe('a server without portal()', () => {
  it('shows, cancels and lets expire what contacts have invited', async () => {
    const { open, clock } = await openFile()
    const mailer = memoryMailer()
    const first = open([emails({ mailer }), portal()])
    const { application } = await first.auth.applications.create({ ...REGISTRATION, apis: ['catalog'] })
    for (const address of ['one@shop.example', 'two@shop.example'])
      await first.auth.portal.invite(application.id, address)
    await mailer.sent(2)
    const without = open([])
    expect(await without.auth.applications.get(application.id)).toMatchObject({ invitations: [{}, {}] })
    await without.auth.applications.cancelInvitation(application.id, 'one@shop.example')
    expect(await without.auth.applications.get(application.id)).toMatchObject({ invitations: [{}] })
    clock.advance(7 * DAY + 1)
    expect(await without.auth.applications.get(application.id)).toMatchObject({ invitations: [] })
  })

  it('ends sessions of the portal when it recovers an application', async () => {
    const { open } = await openFile()
    const first = open([emails({ mailer: memoryMailer() }), portal()])
    const { application } = await first.auth.applications.create({ ...REGISTRATION, apis: ['catalog'] })
    const link = await first.auth.portal.link({ contact: CONTACT })
    await open([]).auth.applications.recover(application.id, { contact: 'new@shop.example' })
    const app = express().use('/developers/applications', first.auth.portal.router)
    const token = link.split('#')[1]!
    const form = { token, action: 'link' }
    const answer = await request(app).post('/developers/applications/sign-in/link').type('form').send(form)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })
})

describe('a server without imports()', () => {
  it('answers 401 to imported credentials, warns of them, and another server accepts them', async () => {
    const { open } = await openFile()
    const key = 'key-of-another-system-0123456789'
    const sha256 = createHash('sha256').update(key).digest('hex')
    const first = open([imports()])
    await first.auth.imports.run([{ name: 'Shop', apis: ['catalog'], keys: [{ sha256 }] }], { confirm: true })
    const without = open([])
    await without.auth.ready()
    await expect(without.auth.verifyApiKey('catalog', key)).rejects.toMatchObject({ status: 401 })
    await waitUntil(() =>
      without.logger.lines.some((line) => line.startsWith('1 credentials that another system issued are refused')),
    )
    expect(await first.auth.verifyApiKey('catalog', key)).toMatchObject({ application: { name: 'Shop' } })
    await expect(without.auth.verifyApiKey('catalog', key)).rejects.toMatchObject({ status: 401 })
  })

  it('answers 401 also to those that were imported in plain text or used before, whatever strangers send meanwhile', async () => {
    const { open } = await openFile()
    const key = '4174348a-9222-4e81-b33e-5d72d2fd7f1e'
    const secret = 'q8+Zr1%vT6/pM3=wK5'
    const first = open([imports()])
    const apis = ['catalog', 'orders'] as const
    const clients = [{ externalId: 'C-1', name: 'Shop', apis, keys: [{ plain: key }], secrets: [{ plain: secret }] }]
    const { items } = await first.auth.imports
      .run(clients, { confirm: true })
      .then(() => first.auth.applications.list())
    const requestToken = (
      { auth }: { readonly auth: { readonly router: RequestHandler } },
      client_id: string,
      client_secret: string,
    ) =>
      request(express().use(auth.router))
        .post('/orders/token')
        .type('form')
        .send({ grant_type: 'client_credentials', client_id, client_secret })
    await requestToken(first, items[0]!.id, secret).expect(200)
    await requestToken(first, key, secret).expect(200)

    const without = open([])
    await without.auth.ready()
    const expectRefused = async () => {
      await expect(without.auth.verifyApiKey('catalog', key)).rejects.toMatchObject({ status: 401 })
      for (const id of [items[0]!.id, key]) await requestToken(without, id, secret).expect(401)
    }
    await expectRefused()
    // A stranger sends the key as a secret.
    await requestToken(without, items[0]!.id, key).expect(401)
    await requestToken(without, `app_${'0'.repeat(32)}`, key).expect(401)
    await expectRefused()
    await requestToken(first, items[0]!.id, secret).expect(200)
  })
})

describe('a server without usage()', () => {
  it('leaves counts and refusals as they are, and erases refusals with their application', async () => {
    const { open } = await openFile()
    const first = open([usage()])
    const { application, credentials } = await first.auth.applications.create({ ...REGISTRATION, apis: ['catalog'] })
    const app = express().get('/catalog', first.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    const headers = { 'X-Api-Key': credentials.clientId }
    await request(app).get('/catalog').set(headers).expect(200)
    await first.auth.applications.suspend(application.id)
    await request(app).get('/catalog').set(headers).expect(403)
    await first.auth.close()

    const without = open([])
    await without.auth.ready()
    const reader = open([usage({ collect: false })])
    expect(await reader.auth.usage.list()).toMatchObject({ items: [{ allowed: 1, refused: { access_denied: 1 } }] })
    expect((await reader.auth.usage.refusals(application.id)).items).toHaveLength(1)
    await without.auth.applications.delete(application.id)
    expect((await reader.auth.usage.refusals(application.id)).items).toEqual([])
    expect((await reader.auth.usage.list()).items).toHaveLength(1)
  })
})
