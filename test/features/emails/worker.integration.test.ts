import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { fakeClock, memoryMailer } from '../../../src/tools/testing/index.js'
import { failAt, startMailServer, transportTo } from '../../support/smtp.js'
import {
  expectNoCredentials,
  openProvider,
  POLL_OPTIONS,
  readCredentials,
  waitForAttempts,
  waitForEmails,
} from '../../core/applications/applicant.js'
import { failingMailer, REFUSED_FOR_GOOD } from '../../support/failing-mailer.js'
import { throwing } from '../../support/throwing.js'

const HOUR = 3600

describe.concurrent('an e-mail that is retried', () => {
  it('is due after 2, 4, 8 ... seconds, an hour at most, and fails after 72 hours', async (test) => {
    const { expect } = test
    const provider = openProvider(test, { mailer: failingMailer({ code: 'EBUSY', refused: true }) })
    const { clock } = provider
    const { id, createdAt } = await provider.register()
    const delays: number[] = []
    let attempts = 1
    for (; attempts <= 4; attempts++) {
      const email = await waitForAttempts(provider, id, attempts)
      delays.push((email.dueAt - clock.now()) / 1000)
      expect(email.dueAt).toBe(clock.now() + 2 ** attempts * 1000)
      clock.advance(2 ** attempts)
    }
    expect(delays).toEqual([2, 4, 8, 16])
    await waitForAttempts(provider, id, attempts)
    clock.advance(71.8 * HOUR)
    const end = createdAt.getTime() + 72 * HOUR * 1000
    let email = await waitForAttempts(provider, id, ++attempts)
    while (email.state === 'due') {
      expect(email.dueAt).toBeLessThanOrEqual(end)
      expect(provider.listEvents(id)).toEqual(['registered'])
      clock.advance((email.dueAt - clock.now()) / 1000)
      email = await waitForAttempts(provider, id, ++attempts)
    }
    expect(attempts).toBeGreaterThan(7)
    expect(email.state).toBe('failed')
    expect(email.dueAt).toBeGreaterThan(end)
    expect(provider.listEvents(id)).toEqual(['registered', 'deliveryFailed'])
    expect(provider.events.at(-1)).toMatchObject({ type: 'application.deliveryFailed', reason: 'EBUSY' })
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.at(-1)).toMatchObject({
      type: 'application.deliveryFailed',
      details: { purpose: 'registration', problem: 'EBUSY' },
    })
    expect(provider.logger.lines.filter((line) => line.includes('It will be retried.'))).toHaveLength(attempts - 1)
    expect(provider.logger.lines.filter((line) => line.includes('It is not retried'))).toHaveLength(1)
    // The 72 hours start again.
    expect(await provider.auth.emails.retry(id)).toEqual({ retried: 1 })
    expect(await waitForAttempts(provider, id, 1)).toMatchObject({ state: 'due', createdAt: clock.now() })
  })

  it('is retried for one application only, if one is named', async ({ expect, onTestFinished }) => {
    const mailer = failingMailer(REFUSED_FOR_GOOD)
    const provider = openProvider({ onTestFinished }, { mailer })
    const { auth } = provider
    const ids = await Promise.all([1, 2, 3].map(async () => (await provider.register()).id))
    for (const id of ids) await waitForAttempts(provider, id, 1)
    mailer.error = undefined
    expect(await auth.emails.retry('app_0')).toEqual({ retried: 0 })
    expect(await auth.emails.retry(ids[1])).toEqual({ retried: 1 })
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => provider.getStatus(ids[1]!), POLL_OPTIONS).toBe('active')
    expect(await provider.getStatus(ids[0]!)).toBe('pending')
    expect(await auth.emails.retry()).toEqual({ retried: 2 })
    await waitForEmails(mailer.emails, 3)
    expect(await auth.emails.retry()).toEqual({ retried: 0 })
  })

  it('is sent by another process once the lease of a killed one ends', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const mailer = memoryMailer()
    const first = openProvider({ onTestFinished }, { store, mailer })
    const { id } = await first.register(['invoices'])
    await first.auth.close()
    const { clock } = first
    const operator = openProvider({ onTestFinished }, { store, now: clock.now })
    await operator.auth.applications.approve(id)
    // What a process leaves that leases an e-mail and is killed.
    expect(await store.emails.lease(clock.now(), clock.now() + 15_000)).toMatchObject({ applicationId: id })

    const second = openProvider({ onTestFinished }, { store, mailer, now: clock.now })
    clock.advance(14)
    expect(await second.nextDueEmail()).toBeUndefined()
    expect(mailer.emails).toEqual([])
    clock.advance(1)
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => operator.getStatus(id), POLL_OPTIONS).toBe('active')
    expect(await operator.tokenStatus(readCredentials(mailer.emails[0]!), 'invoices')).toBe(200)
  })

  it('is not sent by another process while its sender runs, however long the mail server is silent', async (test) => {
    const { expect } = test
    const server = await startMailServer()
    test.onTestFinished(() => server.close())
    const store = memoryStore()
    // The first renewal, after 5 seconds, fails; the second is still in time.
    let renewals = 0
    const save: StoreWith['emails']['save'] = async (email) => {
      if (renewals++ === 0) throw new Error('unavailable for a moment')
      return store.emails.save(email)
    }
    const transport = transportTo(server, { socketTimeout: 20_000 })
    const mailer = smtpMailer({ transport, from: 'developers@example.com' })
    const clock = fakeClock()
    const providers = [1, 2, 3].map(() =>
      openProvider(test, { store: { ...store, emails: { ...store.emails, save } }, mailer, now: clock.now }),
    )
    failAt(server, 'end', { does: 'stall' })
    const { id } = await providers[0]!.register()
    await expect.poll(() => server.connections, POLL_OPTIONS).toBe(1)
    clock.advance(14)
    await expect.poll(() => renewals).toBe(2)
    // After the end of the first lease, before that of the renewed one.
    clock.advance(14)
    const due = await Promise.all(providers.map(({ nextDueEmail }) => nextDueEmail()))
    expect(due).toEqual([undefined, undefined, undefined])
    expect(server.connections).toBe(1)
    const emailNow = async () => (await providers[0]!.listEmails(id))[0]
    await expect.poll(emailNow).toMatchObject({ problem: 'ETIMEDOUT', attemptCount: 1 })
    server.fault = undefined
    clock.advance(2)
    await expect.poll(() => providers[0]!.getStatus(id)).toBe('active')
    expect(server.mails).toHaveLength(1)
    expect(server.connections).toBe(2)
    expect(server.overlaps).toEqual([])
  })
})

describe.concurrent('a mailer', () => {
  it('that rejects with its own words: only a short code is kept, logged and shown', async (test) => {
    const { expect } = test
    const emails: string[] = []
    const provider = openProvider(test, {
      mailer: {
        async send({ text }) {
          emails.push(text)
          throw Object.assign(new Error(`450 I do not like ${text}`), {
            code: `X ${text}`,
            responseCode: text,
            response: text,
          })
        },
      },
    })
    const { id } = await provider.register()
    const email = await waitForAttempts(provider, id, 1)
    expect(email).toMatchObject({ state: 'due', problem: 'unknown' })
    expect((await provider.findRecord(id)).keys).toHaveLength(1)
    const shown = [
      email,
      provider.logger.lines,
      provider.events,
      await provider.findRecord(id),
      await provider.auth.audit.list(),
    ]
    expectNoCredentials(readCredentials({ text: emails[0]! }), shown)
    // The newest credentials work, accepted or not.
    expect(await provider.tokenStatus(readCredentials({ text: emails[0]! }))).toBe(200)
  })

  it.for([
    ['throws synchronously', throwing(new Error('no'))],
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['rejects with a string', () => Promise.reject('no')],
  ] as const)('that %s is called again later', async ([, send], { expect, onTestFinished }) => {
    const provider = openProvider({ onTestFinished }, { mailer: { send } })
    const { id } = await provider.register()
    expect(await waitForAttempts(provider, id, 1)).toMatchObject({ state: 'due', problem: 'unknown' })
    expect((await provider.findRecord(id)).keys).toHaveLength(1)
  })

  it('may finish when the platform is closed', async ({ expect, onTestFinished }) => {
    let sent = false
    const provider = openProvider(
      { onTestFinished },
      {
        mailer: {
          async send() {
            await sleep(300)
            sent = true
          },
        },
      },
    )
    const { id } = await provider.register()
    await expect.poll(async () => (await provider.listEmails(id))[0]?.attemptCount, POLL_OPTIONS).toBe(1)
    await provider.auth.close()
    expect(sent).toBe(true)
    expect(await provider.findRecord(id)).toMatchObject({ status: 'active' })
  })
})
