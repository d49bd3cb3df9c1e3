import { describe, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { type EmailMessage } from '../../../src/features/emails/index.js'
import type { StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  BACKINGS,
  openProvider,
  POLL_OPTIONS,
  waitForEmails,
  type Provider,
  type Test,
} from '../../core/applications/applicant.js'
import { failingMailer, REFUSED, REFUSED_FOR_GOOD } from '../../support/failing-mailer.js'
import type { TestOptions } from '../../support/platform.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { waitUntil } from '../../support/wait-until.js'
import { getFormats } from '../../../src/shared/web/formats.js'

const DAY = 86_400
const DAY_MS = DAY * 1000

interface Reminding extends Provider {
  readonly emails: readonly EmailMessage[]
  /** Moves the clock, and waits until the platform has looked for reminders at that time. */
  advance(seconds: number): Promise<void>
}

function openReminding(test: Test, options: TestOptions = {}): Reminding {
  const mailer = memoryMailer()
  const base = options.store ?? memoryStore()
  const scannedAt = new Set<number>()
  const listExpiring: StoreWith['emails']['listExpiring'] = async (query) => {
    const found = await base.emails.listExpiring(query)
    // The last question of each look.
    if (query.days === 1) scannedAt.add(query.until - DAY_MS)
    return found
  }
  const provider = openProvider(test, {
    credentials: { maxAge: 90 },
    remindBefore: [1, 30, 7, 14],
    mailer,
    ...options,
    store: Object.create(base, { emails: { value: { ...base.emails, listExpiring } } }) as typeof base,
  })
  const now = options.now ?? provider.clock.now
  return {
    ...provider,
    emails: mailer.emails,
    async advance(seconds) {
      provider.clock.advance(seconds)
      await waitUntil(() => scannedAt.has(now()))
    },
  }
}

describe.concurrent.each(IS_LONG_LANE ? Object.keys(BACKINGS) : ['PostgreSQL'])(
  'reminders of credentials that expire, on %s,',
  (name) => {
    it('are sent at exactly the configured days, each once by two processes', async ({ expect, onTestFinished }) => {
      const openStore = await BACKINGS[name]!({ onTestFinished })
      const one = openReminding({ onTestFinished }, { store: openStore() })
      const other = openReminding({ onTestFinished }, { store: openStore(), now: one.clock.now })
      const { id, credentials } = await one.create(['catalog'])
      const advance = (seconds: number): Promise<unknown> => Promise.all([one.advance(seconds), other.advance(0)])
      const count = (): number => one.emails.length + other.emails.length
      await advance(60 * DAY - 0.001)
      expect(count()).toBe(0)
      for (const [sent, days] of [30, 14, 7, 1].entries()) {
        await advance(sent === 0 ? 0.001 : ([30, 14, 7, 1][sent - 1]! - days) * DAY - 0.001)
        if (sent > 0) {
          expect(count()).toBe(sent)
          await advance(0.001)
        }
        await expect.poll(count, POLL_OPTIONS).toBe(sent + 1)
        await expect.poll(() => one.listEmails(id), POLL_OPTIONS).toEqual([])
      }
      const expiresAt = getFormats('en').date.format(one.clock.now() + DAY_MS)
      for (const { subject, to, text, html } of [...one.emails, ...other.emails]) {
        expect([to, subject]).toEqual(['dev@customer.example', `Your key for api.example.com expires on ${expiresAt}`])
        for (const shown of [text, html]) {
          expect(shown).toContain(`${expiresAt}, `)
          expect(shown).toContain(`${credentials.clientId.slice(0, 12)}...`)
          expect(shown).toContain(id)
          expect(shown).not.toContain(credentials.clientId)
        }
      }
      await advance(DAY - 0.001)
      expect(await one.keyStatus(credentials)).toBe(200)
      await advance(0.001)
      expect(await one.keyStatus(credentials)).toBe(401)
      expect(await other.keyStatus(credentials)).toBe(401)
      expect(count()).toBe(4)
      const { items } = await one.auth.audit.list({ applicationId: id })
      expect(items.filter(({ type }) => type === 'application.delivered')).toHaveLength(4)
    })
  },
)

describe.concurrent('a reminder', () => {
  it('is sent for key and secret, and says how many days are left', async ({ expect, onTestFinished }) => {
    const { create, advance, emails } = openReminding({ onTestFinished })
    await create()
    await advance(76 * DAY)
    await waitForEmails(emails, 2)
    expect(emails.map(({ text }) => /^The (\w+) “default” .* expires in (\d+) days\./.exec(text)?.slice(1))).toEqual(
      expect.arrayContaining([
        ['key', '14'],
        ['secret', '14'],
      ]),
    )
  })

  it('is also sent for credentials that an e-mail has delivered', async ({ expect, onTestFinished }) => {
    const { register, advance, emails, getStatus, findRecord, clock } = openReminding({ onTestFinished })
    const { id } = await register()
    await expect.poll(() => getStatus(id), POLL_OPTIONS).toBe('active')
    const { keys, secrets } = await findRecord(id)
    expect([...keys, ...secrets].map(({ expiresAt }) => expiresAt! - clock.now())).toEqual([90 * DAY_MS, 90 * DAY_MS])
    await advance(60 * DAY)
    await waitForEmails(emails, 3)
  })

  it('is only the most urgent one when no process ran for weeks', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const first = openReminding({ onTestFinished }, { store })
    await first.create(['catalog'])
    await first.auth.close()
    first.clock.advance(85 * DAY)
    const second = openReminding({ onTestFinished }, { store, now: first.clock.now })
    await second.advance(0)
    await waitForEmails(second.emails, 1)
    expect(second.emails[0]?.text).toContain('in 5 days')
    first.clock.advance(3 * DAY)
    await second.advance(0)
    expect(second.emails).toHaveLength(1)
  })

  it('is none of 30 days for a credential with 20 days to go, and names the unused replacement', async (test) => {
    const { expect } = test
    const { auth, create, advance, emails } = openReminding(test)
    const { id } = await create(['catalog'])
    const { credentials } = await auth.applications.rotateKey(id, { overlap: 20 * DAY })
    await advance(6 * DAY - 1)
    expect(emails).toEqual([])
    await advance(1)
    await waitForEmails(emails, 1)
    expect(emails[0]?.text).toContain('in 14 days')
    expect(emails[0]?.text).toContain(`It begins with ${credentials.clientId.slice(0, 12)}.`)
  })

  it('is not sent again when the same end is given again', async ({ expect, onTestFinished }) => {
    const { auth, create, advance, emails } = openReminding({ onTestFinished })
    const { id } = await create(['catalog'])
    await advance(61 * DAY)
    await waitForEmails(emails, 1)
    const [key] = (await auth.applications.get(id))!.keys
    await auth.applications.updateCredential(id, key!.id, { expiresAt: key!.expiresAt! })
    await advance(DAY)
    await advance(15 * DAY)
    await waitForEmails(emails, 2)
    expect(emails[1]?.text).toContain('in 13 days')
  })

  it('is none of a former credential whose replacement has been used', async ({ expect, onTestFinished }) => {
    const { auth, create, advance, emails, keyStatus, listEmails } = openReminding({ onTestFinished })
    const { id } = await create(['catalog'])
    const { credentials } = await auth.applications.rotateKey(id, { overlap: 20 * DAY })
    expect(await keyStatus(credentials)).toBe(200)
    await advance(6 * DAY)
    await advance(7 * DAY)
    expect(emails).toEqual([])
    expect(await listEmails(id)).toEqual([])
  })

  it('is not sent to an application that is suspended, and the most urgent one after it was resumed', async (test) => {
    const { expect } = test
    const { auth, create, advance, emails } = openReminding(test)
    const { id } = await create(['catalog'])
    await auth.applications.suspend(id)
    await advance(61 * DAY)
    await auth.applications.resume(id)
    expect(emails).toEqual([])
    await advance(DAY)
    await waitForEmails(emails, 1)
  })

  it('is neither queued nor sent without a mailer, without a contact, or after deletion', async (test) => {
    const { expect } = test
    const store = memoryStore()
    const silent = openProvider(test, { store, credentials: { maxAge: 90 } })
    const { application } = await silent.auth.applications.create({ name: 'No contact', apis: ['catalog'] })
    const { advance, create, auth, emails } = openReminding(test, { store, now: silent.clock.now })
    const { id } = await create(['catalog'])
    await auth.applications.delete(id)
    silent.clock.advance(60 * DAY)
    await advance(0)
    expect(emails).toEqual([])
    expect(await silent.listEmails(application.id)).toEqual([])
  })

  it('has no claim link, and no credentials', async ({ expect, onTestFinished }) => {
    const { create, advance, emails, listEmails, findRecord } = openReminding(
      { onTestFinished },
      { delivery: 'claim-link' },
    )
    const { id } = await create(['catalog'])
    await advance(60 * DAY)
    await waitForEmails(emails, 1)
    expect(emails[0]?.text).not.toMatch(/#|epa_(?:key|sec)_[A-Za-z0-9]{10}/)
    await expect.poll(() => listEmails(id), POLL_OPTIONS).toEqual([])
    expect((await findRecord(id)).keys).toHaveLength(1)
  })
})

describe.concurrent('a reminder that the mail server does not accept', () => {
  it.for([
    ['a rotation', (auth, id) => auth.applications.rotateKey(id)],
    ['a deletion', (auth, id) => auth.applications.delete(id)],
    ['auth.emails.cancel()', (auth, id) => auth.emails.cancel(id)],
  ] as readonly [string, (auth: Provider['auth'], id: string) => Promise<unknown>][])(
    'is withdrawn by %s',
    async ([, withdraw], { expect, onTestFinished }) => {
      const mailer = failingMailer(REFUSED)
      const { auth, create, advance, listEmails } = openReminding({ onTestFinished }, { mailer })
      const { id } = await create(['catalog'])
      await advance(60 * DAY)
      await expect.poll(async () => (await listEmails(id))[0]?.problem, POLL_OPTIONS).toBe('EENVELOPE')
      await withdraw(auth, id)
      expect((await listEmails(id)).filter(({ purpose }) => purpose === 'expiring')).toEqual([])
    },
  )

  it('is withdrawn when its credential has expired meanwhile', async ({ expect, onTestFinished }) => {
    const mailer = failingMailer(REFUSED)
    const { create, advance, listEmails } = openReminding({ onTestFinished }, { mailer })
    const { id } = await create(['catalog'])
    await advance(89.5 * DAY)
    await expect.poll(async () => (await listEmails(id))[0]?.problem, POLL_OPTIONS).toBe('EENVELOPE')
    mailer.error = undefined
    await advance(0.5 * DAY)
    await expect.poll(() => listEmails(id), POLL_OPTIONS).toEqual([])
    expect(mailer.emails).toEqual([])
  })

  it('goes to the new contact, and is one e-mail when the next one is due meanwhile', async (test) => {
    const { expect } = test
    const mailer = failingMailer(REFUSED)
    const { auth, create, advance, listEmails } = openReminding(test, { mailer })
    const { id } = await create(['catalog'])
    await advance(60 * DAY)
    await advance(16 * DAY)
    await expect.poll(async () => (await listEmails(id))[0]?.attemptCount, POLL_OPTIONS).toBe(1)
    expect(await listEmails(id)).toHaveLength(1)
    mailer.error = undefined
    await auth.applications.update(id, { contact: 'new@customer.example' })
    await waitForEmails(mailer.emails, 1)
    expect(mailer.emails[0]).toMatchObject({ to: 'new@customer.example' })
    expect(mailer.emails[0]?.text).toContain('in 14 days')
  })

  it('for good leaves the application as it is, and is sent after auth.emails.retry()', async (test) => {
    const { expect } = test
    const mailer = failingMailer(REFUSED_FOR_GOOD)
    const { auth, create, advance, listEmails, listEvents, getStatus, keyStatus } = openReminding(test, { mailer })
    const { id, credentials } = await create(['catalog'])
    await advance(60 * DAY)
    await expect.poll(async () => (await listEmails(id))[0]?.state, POLL_OPTIONS).toBe('failed')
    expect(listEvents(id)).toEqual(['registered', 'deliveryFailed'])
    expect([await getStatus(id), await keyStatus(credentials)]).toEqual(['active', 200])
    mailer.error = undefined
    expect(await auth.emails.retry()).toEqual({ retried: 1 })
    await waitForEmails(mailer.emails, 1)
    expect(mailer.emails[0]?.subject).toMatch(/^Your key for /)
  })

  it('for good is deleted once its credential has expired', async ({ expect, onTestFinished }) => {
    const mailer = failingMailer(REFUSED_FOR_GOOD)
    const store = memoryStore()
    const first = openReminding({ onTestFinished }, { store, mailer })
    const { id } = await first.create(['catalog'])
    await first.advance(60 * DAY)
    await expect.poll(async () => (await first.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('failed')
    await first.auth.close()
    first.clock.advance(30 * DAY)
    const second = openProvider({ onTestFinished }, { store, now: first.clock.now })
    await expect.poll(() => second.listEmails(id), POLL_OPTIONS).toEqual([])
  })
})
