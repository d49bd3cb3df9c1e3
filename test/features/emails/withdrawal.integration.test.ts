import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { type EmailMessage } from '../../../src/features/emails/index.js'
import {
  BACKINGS,
  openProvider,
  POLL_OPTIONS,
  readCredentials,
  waitForAttempts,
  waitForEmails,
  type Provider,
} from '../../core/applications/applicant.js'
import type { TestOptions } from '../../support/platform.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

const OLD_CONTACT = 'dev@customer.example'
const NEW_CONTACT = 'new@customer.example'
const REFUSED = Object.assign(new Error('no'), { code: 'ECONNREFUSED', refused: true })

/** A mail server that is up, down, or silent until `answer` is called; and the e-mails that it got. */
function createMailServer() {
  const server = {
    mode: 'up' as 'up' | 'down' | 'silent',
    emails: [] as EmailMessage[],
    waiting: [] as (() => void)[],
    async send(email: EmailMessage) {
      if (server.mode === 'down') throw REFUSED
      server.emails.push(email)
      if (server.mode === 'silent') await new Promise<void>((accepted) => void server.waiting.push(accepted))
    },
    answer: () => server.waiting.splice(0).forEach((accept) => accept()),
  }
  return server
}

/** An application with credentials, on a platform whose mail server can be down or silent. */
async function openShop(options: TestOptions = {}) {
  const server = createMailServer()
  const provider = openProvider({ onTestFinished }, { mailer: server, ...options })
  const { id, credentials: old } = await provider.create()
  return { ...provider, server, id, old, ...createSteps(provider) }
}

/** A new secret of whose e-mail only the link has arrived. */
async function openWithLink() {
  const shop = await openShop({ delivery: 'claim-link' })
  await shop.rotateByEmail(shop.id)
  await shop.waitForLink(shop.id)
  return shop
}

/** A new secret whose e-mail the mail server has refused once. */
async function openWithRefused() {
  const shop = await openShop()
  shop.server.mode = 'down'
  await shop.rotateByEmail(shop.id)
  await waitForAttempts(shop, shop.id, 1)
  return shop
}

/** A new secret whose e-mail the mail server has got and not answered. */
async function openWithUnanswered(options: TestOptions = {}) {
  const shop = await openShop(options)
  shop.server.mode = 'silent'
  await shop.rotateByEmail(shop.id)
  await waitForEmails(shop.server.emails, 1)
  return shop
}

function createSteps(provider: Provider) {
  const { auth, clock, listEmails, nextDueEmail, tokenStatus } = provider
  return {
    /** Nothing becomes due, however long one waits. */
    async expectNothingDue(expect: (value: unknown) => { toBeUndefined(): void }) {
      clock.advance(73 * 3600)
      expect(await nextDueEmail()).toBeUndefined()
    },
    secretStatuses: (key: string, secrets: readonly string[]) =>
      Promise.all(secrets.map((clientSecret) => tokenStatus({ clientId: key, clientSecret }))),
    /** Waits until the only queued e-mail of the application has a link. */
    async waitForLink(id: string) {
      await vi.waitFor(async () => {
        if ((await listEmails(id))[0]?.state !== 'claimable') throw new Error('There is no link yet.')
      }, POLL_OPTIONS)
    },
    rotateByEmail: (id: string) => auth.applications.rotateSecret(id, { deliver: 'email', overlap: 0 }),
  }
}

describe('a rotation without e-mail', () => {
  it.for(Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name === 'PostgreSQL'))(
    'cancels the e-mail that waits for the mail server, on %s',
    async ([, prepare]) => {
      const store = (await prepare({ onTestFinished }))()
      const shop = await openShop({ store })
      const { auth, server, id, old } = shop
      server.mode = 'down'
      await shop.rotateByEmail(id)
      await auth.applications.rotateKey(id, { deliver: 'email' })
      await expect
        .poll(async () => (await shop.listEmails(id)).every((email) => email.problem === 'ECONNREFUSED'), POLL_OPTIONS)
        .toBe(true)
      const { credentials } = await auth.applications.rotateSecret(id, { overlap: 0, by: 'alice' })
      // The e-mail with the key is another matter.
      expect(await shop.listEmails(id)).toMatchObject([{ purpose: 'key' }])
      const { items } = await auth.audit.list({ applicationId: id })
      expect(items.at(-1)).toMatchObject({ by: 'alice', details: { cancelledEmails: ['secret'] } })

      expect(await auth.emails.cancel(id, { by: 'alice' })).toEqual({ cancelled: 1 })
      server.mode = 'up'
      await shop.expectNothingDue(expect)
      expect(server.emails).toEqual([])
      const statuses = await shop.secretStatuses(old.clientId, [credentials.clientSecret, old.clientSecret])
      expect(statuses).toEqual([200, 401])
    },
  )

  it('ends a claim link that was not used', async () => {
    const shop = await openWithLink()
    const { auth, server, id, old } = shop
    const { credentials } = await auth.applications.rotateSecret(id, { overlap: 0 })
    expect(await shop.reveal(server.emails[0]!.text)).toMatchObject({ status: 400 })
    expect(await shop.secretStatuses(old.clientId, [credentials.clientSecret])).toEqual([200])
    expect(await auth.emails.retry(id)).toEqual({ retried: 0 })
  })

  it('ends the credential of an e-mail that is being sent, and keeps the former one for the overlap', async () => {
    const shop = await openWithUnanswered()
    const { auth, clock, server, id, old } = shop
    const { credentials } = await auth.applications.rotateSecret(id, { overlap: 60 })
    server.answer()
    const secrets = [readCredentials(server.emails[0]!).clientSecret, credentials.clientSecret, old.clientSecret]
    // The worker has processed the answer before it looks for the next e-mail.
    expect(await shop.nextDueEmail()).toBeUndefined()
    expect(await shop.secretStatuses(old.clientId, secrets)).toEqual([401, 200, 200])
    clock.advance(61)
    expect(await shop.secretStatuses(old.clientId, secrets)).toEqual([401, 200, 401])
    expect(shop.listEvents(id)).toEqual(['registered', 'credentialRotated', 'credentialRotated'])
  })

  it('cancels the e-mail of a registration, which would replace the new credentials', async () => {
    const shop = await openShop()
    const { auth, server } = shop
    server.mode = 'down'
    const { id } = await shop.register()
    await waitForAttempts(shop, id, 1)
    const key = (await auth.applications.rotateKey(id)).credentials
    const secret = (await auth.applications.rotateSecret(id)).credentials
    server.mode = 'up'
    await shop.expectNothingDue(expect)
    expect(await shop.tokenStatus({ ...key, ...secret })).toBe(200)
    expect(await shop.getStatus(id)).toBe('active')
  })
})

describe('update() with another contact', () => {
  it('redirects an e-mail that was not accepted', async () => {
    const shop = await openWithRefused()
    const { auth, server, id, old } = shop
    server.mode = 'up'
    // Not after the back-off: the former contact may have been the problem.
    await auth.applications.update(id, { contact: NEW_CONTACT })
    await waitForEmails(server.emails, 1)
    expect(server.emails[0]!.to).toBe(NEW_CONTACT)
    await expect.poll(() => shop.listEmails(id), POLL_OPTIONS).toEqual([])
    const { clientSecret } = readCredentials(server.emails[0]!)
    expect(await shop.secretStatuses(old.clientId, [clientSecret, old.clientSecret])).toEqual([200, 401])
  })

  it('ends a link in the former mailbox, and sends a new one', async () => {
    const shop = await openWithLink()
    const { auth, server, id, old } = shop
    await auth.applications.update(id, { name: 'Another name', contact: OLD_CONTACT })
    await auth.applications.update(id, { contact: NEW_CONTACT })
    expect(await shop.reveal(server.emails[0]!.text)).toMatchObject({ status: 400 })
    await waitForEmails(server.emails, 2)
    expect(server.emails.map(({ to }) => to)).toEqual([OLD_CONTACT, NEW_CONTACT])
    const { status, clientSecret } = await shop.reveal(server.emails[1]!.text)
    expect([status, ...(await shop.secretStatuses(old.clientId, [clientSecret]))]).toEqual([200, 200])
  })

  it('sends no link instead of one that has expired, before somebody asks for it', async () => {
    const shop = await openWithLink()
    const { auth, clock, server, id } = shop
    clock.advance(72 * 3600)
    await auth.applications.update(id, { contact: NEW_CONTACT })
    await shop.expectNothingDue(expect)
    expect(await auth.emails.retry(id)).toEqual({ retried: 1 })
    await waitForEmails(server.emails, 2)
    expect(server.emails[1]!.to).toBe(NEW_CONTACT)
  })

  it('ends the credential of an e-mail that is being sent to the former mailbox', async () => {
    const shop = await openWithUnanswered()
    const { auth, clock, server, id, old } = shop
    const { clientSecret: sent } = readCredentials(server.emails[0]!)
    expect(await shop.secretStatuses(old.clientId, [sent])).toEqual([200])
    await auth.applications.update(id, { contact: NEW_CONTACT })
    expect(await shop.secretStatuses(old.clientId, [sent])).toEqual([401])
    server.mode = 'up'
    server.answer()
    // The lease of the process that sends the first e-mail.
    clock.advance(15)
    await waitForEmails(server.emails, 2)
    expect(server.emails[1]!.to).toBe(NEW_CONTACT)
    await expect.poll(() => shop.listEmails(id), POLL_OPTIONS).toEqual([])
    const secrets = server.emails.map((email) => readCredentials(email).clientSecret)
    expect(await shop.secretStatuses(old.clientId, [...secrets, old.clientSecret])).toEqual([401, 200, 401])
  })
})

describe('suspend()', () => {
  it('ends a link for good; resume() sends a new one', async () => {
    const shop = await openWithLink()
    const { auth, server, id, old } = shop
    const [claimable] = await shop.listEmails(id)
    await auth.applications.suspend(id)
    expect(await shop.reveal(server.emails[0]!.text)).toMatchObject({ status: 400 })
    await shop.expectNothingDue(expect)
    // As if a stale process had written it.
    const [suspended] = await shop.listEmails(id)
    expect(await shop.store.emails.save({ ...claimable!, version: suspended!.version + 1 })).toBe(true)
    shop.clock.advance(-73 * 3600)
    expect(await shop.reveal(server.emails[0]!.text)).toMatchObject({ status: 400 })
    expect(await shop.store.emails.save({ ...suspended!, version: suspended!.version + 2 })).toBe(true)

    await auth.applications.resume(id)
    await waitForEmails(server.emails, 2)
    expect(await shop.reveal(server.emails[0]!.text)).toMatchObject({ status: 400 })
    const { clientSecret } = await shop.reveal(server.emails[1]!.text)
    expect(await shop.secretStatuses(old.clientId, [clientSecret])).toEqual([200])
  })

  it('holds e-mails until resume(), also those that are retried or queued meanwhile', async () => {
    const shop = await openWithRefused()
    const { auth, server, id, old } = shop
    await auth.applications.suspend(id)
    server.mode = 'up'
    await shop.expectNothingDue(expect)
    expect(await shop.listEmails(id)).toMatchObject([{ state: 'suspended' }])
    expect(await auth.emails.retry(id)).toEqual({ retried: 0 })

    await auth.applications.rotateKey(id, { deliver: 'email', overlap: 0 })
    const states = async (): Promise<unknown> => (await shop.listEmails(id)).map(({ state }) => state)
    await expect.poll(states, POLL_OPTIONS).toEqual(['suspended', 'suspended'])
    expect(server.emails).toEqual([])
    await auth.applications.resume(id)
    await waitForEmails(server.emails, 2)
    await expect.poll(() => shop.listEmails(id), POLL_OPTIONS).toEqual([])
    const [one, other] = server.emails.map((email) => readCredentials(email))
    const [clientId, clientSecret] = [one!.clientId + other!.clientId, one!.clientSecret + other!.clientSecret]
    expect([await shop.tokenStatus({ clientId, clientSecret }), await shop.tokenStatus(old)]).toEqual([200, 401])
  })

  it('holds an e-mail that has failed and is retried while the application is suspended', async () => {
    const shop = await openWithRefused()
    const { auth, clock, server, id } = shop
    clock.advance(73 * 3600)
    await waitForAttempts(shop, id, 2)
    await auth.applications.suspend(id)
    server.mode = 'up'
    expect(await auth.emails.retry(id)).toEqual({ retried: 1 })
    await expect.poll(async () => (await shop.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('suspended')
    await shop.expectNothingDue(expect)
    await auth.applications.resume(id)
    await waitForEmails(server.emails, 1)
  })

  it('holds the e-mail of a pending application, which is pending again after resume()', async () => {
    const shop = await openShop()
    const { auth, server } = shop
    server.mode = 'down'
    const { id } = await shop.register()
    await waitForAttempts(shop, id, 1)
    expect(await auth.applications.suspend(id)).toMatchObject({ status: 'suspended' })
    server.mode = 'up'
    await shop.expectNothingDue(expect)
    const byEmail = auth.applications.rotateSecret(id, { deliver: 'email' })
    await expect(byEmail).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await auth.applications.resume(id)).toMatchObject({ status: 'pending' })
    await waitForEmails(server.emails, 1)
    await expect.poll(() => shop.getStatus(id), POLL_OPTIONS).toBe('active')
    expect(await shop.tokenStatus(readCredentials(server.emails[0]!))).toBe(200)
  })

  it('and resume() do not approve a registration', async () => {
    const shop = await openShop()
    const { auth, server } = shop
    const { id } = await shop.register(['weather'])
    await auth.applications.suspend(id)
    await expect(auth.applications.approve(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await auth.applications.resume(id)
    await shop.expectNothingDue(expect)
    shop.clock.advance(-73 * 3600)
    await auth.applications.approve(id)
    await waitForEmails(server.emails, 1)
  })
})

describe('auth.emails.cancel()', () => {
  it('ends every e-mail and link of an application, and auth.emails.retry() does not revive them', async () => {
    const store = memoryStore()
    const shop = await openWithUnanswered({ store })
    const { auth, server, id, old } = shop
    const other = await shop.register(['weather'])
    expect(await auth.emails.cancel(id, { by: 'alice' })).toEqual({ cancelled: 1 })
    server.mode = 'up'
    server.answer()
    await shop.expectNothingDue(expect)
    const secrets = [readCredentials(server.emails[0]!).clientSecret, old.clientSecret]
    expect(await shop.secretStatuses(old.clientId, secrets)).toEqual([401, 200])
    expect(await auth.emails.retry(id)).toEqual({ retried: 0 })
    expect(await auth.emails.cancel(id)).toEqual({ cancelled: 0 })
    await expect(auth.emails.cancel('app_0')).rejects.toMatchObject({ code: 'application_not_found' })
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.at(-1)).toMatchObject({
      type: 'application.updated',
      by: 'alice',
      details: { cancelledEmails: ['secret'] },
    })

    // A registration that waits for approval waits on: it ends by a decision only.
    const admin = await openAdmin(store)
    expect(await admin.emails!.cancel(other.id)).toEqual({ cancelled: 0 })
    expect(await auth.applications.approve(other.id)).not.toHaveProperty('waitingSince', expect.anything())
    expect(await admin.emails!.cancel(other.id)).toEqual({ cancelled: 1 })
  })
})
