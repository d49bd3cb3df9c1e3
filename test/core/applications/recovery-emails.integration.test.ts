import { describe, expect, it, onTestFinished } from 'vitest'
import type { EmailMessage } from '../../../src/features/emails/index.js'
import { BACKINGS, openProvider, POLL_OPTIONS, readCredentials, type Test } from './applicant.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import type { TestOptions } from '../../support/platform.js'
import { request } from '../../support/request.js'

const LOST = 'dev@customer.example'
const NEW = 'security@customer.example'
const LINK = /\/register\/claim#([A-Za-z0-9_-]{43})\b/

/** A platform whose mailer waits while it is held. */
function open(test: Test, options: TestOptions) {
  const emails: EmailMessage[] = []
  let held: Promise<void> | undefined
  let release = (): void => undefined
  const mailer = {
    async send(email: EmailMessage) {
      emails.push(email)
      await held
    },
  }
  const provider = openProvider(test, { mailer, ...options })
  provider.app.use('/developers/register', provider.auth.registration.router, provider.auth.emails.router)
  const hold = () => {
    held = new Promise<void>((resolve) => (release = resolve))
  }
  const claim = async (link: string) =>
    request(provider.app)
      .post('/developers/register/claim')
      .send({ token: LINK.exec(link)![1] })
  const sentTo = (address: string) => emails.filter(({ to }) => to === address)
  return { ...provider, emails, hold, release: () => release(), claim, sentTo }
}

/** SQLite, whose statements are those of PostgreSQL, in the long lane. */
const TRIED = Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name !== 'SQLite')

describe.each(TRIED)('recover() on %s', (_, prepare) => {
  it.each([undefined, 'email'] as const)('ends a claim link that is open, with deliver: %s', async (deliver) => {
    const test = { onTestFinished }
    const site = open(test, { store: (await prepare(test))(), delivery: 'claim-link' })
    const { id } = await site.register()
    await expect.poll(() => site.sentTo(LOST).length, POLL_OPTIONS).toBe(1)
    await expect.poll(async () => (await site.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('claimable')
    const { credentials } = await site.auth.applications.recover(id, { contact: NEW, deliver })
    expect((await site.claim(site.sentTo(LOST)[0]!.text)).status).toBe(400)
    if (deliver === undefined) return expect(await site.tokenStatus(credentials as never)).toBe(200)
    await expect.poll(() => site.sentTo(NEW).length, POLL_OPTIONS).toBe(1)
    expect((await site.claim(site.sentTo(NEW)[0]!.text)).status).toBe(200)
    expect(site.emails).toHaveLength(2)
  })

  it.each([undefined, 'email'] as const)(
    'ends the credentials of an e-mail that is just being sent, with deliver: %s',
    async (deliver) => {
      const test = { onTestFinished }
      const site = open(test, { store: (await prepare(test))() })
      site.hold()
      const { id } = await site.register()
      await expect.poll(() => site.sentTo(LOST).length, POLL_OPTIONS).toBe(1)
      const { credentials } = await site.auth.applications.recover(id, { contact: NEW, deliver })
      // The e-mail keeps the lease of its first attempt. The clock passes that one only: after it, the second attempt has a lease.
      site.clock.advance(60)
      site.release()
      const countOutcome = async () =>
        deliver === undefined ? (await site.listEmails(id)).length : site.sentTo(NEW).length
      await expect.poll(countOutcome, POLL_OPTIONS).toBe(deliver === undefined ? 0 : 1)
      const lost = readCredentials(site.sentTo(LOST)[0]!)
      expect([await site.tokenStatus(lost), await site.keyStatus(lost)]).toEqual([401, 401])
      const fresh = deliver === undefined ? credentials : readCredentials(site.sentTo(NEW)[0]!)
      expect([await site.tokenStatus(fresh as never), await site.keyStatus(fresh as never)]).toEqual([200, 200])
      await expect.poll(async () => (await site.listEmails(id)).length, POLL_OPTIONS).toBe(0)
      expect(site.sentTo(LOST)).toHaveLength(1)
      expect(site.sentTo(NEW)).toHaveLength(deliver === undefined ? 0 : 1)
    },
  )

  it('leaves a suspended application suspended, and one that was never suspended while pending becomes active by resume()', async () => {
    const test = { onTestFinished }
    const site = open(test, { store: (await prepare(test))(), delivery: 'claim-link' })
    const { applications } = site.auth
    const { application } = await applications.create({ name: 'Shop', contact: LOST, apis: ['orders', 'catalog'] })
    await applications.suspend(application.id)
    await applications.recover(application.id, { contact: NEW, deliver: 'email' })
    expect(await site.getStatus(application.id)).toBe('suspended')
    expect((await applications.resume(application.id)).status).toBe('active')
    await expect.poll(() => site.sentTo(NEW).length, POLL_OPTIONS).toBe(1)
    const claimed = await site.claim(site.sentTo(NEW)[0]!.text)
    expect(claimed.body).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String) })
    const types = (await site.auth.audit.list({ applicationId: application.id })).items.map(({ type }) => type)
    expect(types.filter((type) => type === 'application.recovered')).toHaveLength(1)
    expect(types).not.toContain('application.activated')
    // A second recovery replaces the first.
    await applications.recover(application.id, { contact: LOST })
    expect(await site.tokenStatus({ clientId: claimed.body.client_id, clientSecret: claimed.body.client_secret })).toBe(
      401,
    )
  })

  it('leaves a pending application pending until the new contact has its credentials', async () => {
    const test = { onTestFinished }
    const site = open(test, { store: (await prepare(test))() })
    const { id } = await site.register(['orders', 'weather'])
    expect(await site.getStatus(id)).toBe('pending')
    const recovered = await site.auth.applications.recover(id, { contact: NEW, deliver: 'email' })
    expect([recovered.application.status, recovered.credentials]).toEqual(['pending', undefined])
    expect(site.emails).toEqual([])
    await site.auth.applications.approve(id)
    await expect.poll(() => site.sentTo(NEW).length, POLL_OPTIONS).toBe(1)
    expect(site.sentTo(LOST)).toEqual([])
    await expect.poll(() => site.getStatus(id), POLL_OPTIONS).toBe('active')
  })
})
