import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it, type TestContext } from 'vitest'
import { openAdmin, memoryStore, type Mailer, type Store } from '../../src/index.js'
import { fakeClock, memoryMailer } from '../../src/testing/index.js'
import { smtpMailer } from '../../src/mailers/smtp.js'
import { STAGES, startMailServer, transportTo, type Fault, type MailServer, type Stage } from '../support/smtp.js'
import {
  waitForAttempts,
  readCredentials,
  readMailedCredentials,
  expectNoCredentials,
  POLL_OPTIONS,
  waitForEmails,
  openMailingProvider,
  openProvider,
} from '../applications/applicant.js'

const HOUR = 3600

/** Makes every session fail at that stage, `times` at most. */
function breakAt(server: MailServer, stage: Stage, fault: Fault, times = Infinity): void {
  let left = times
  server.fault = (at) => (at === stage && left-- > 0 ? fault : undefined)
}

describe.concurrent('an e-mail with credentials', () => {
  it('is sent at once, and activates the application when the mail server accepts it', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { id, status } = await provider.register()
    expect(status).toBe('pending')
    await waitForEmails(provider.server.mails, 1)
    await expect.poll(() => provider.getStatus(id), POLL_OPTIONS).toBe('active')
    expect(provider.server.mails[0]).toMatchObject({ recipients: ['dev@customer.example'] })
    expect(provider.listEvents(id)).toEqual(['registered', 'delivered', 'activated'])
    expect(await provider.listEmails(id)).toEqual([])
    const received = await readMailedCredentials(provider.server.mails[0])
    expect(await provider.tokenStatus(received)).toBe(200)
    expect(await provider.keyStatus(received)).toBe(200)
  })

  /** The faults that are possible at a stage, and their outcome for the mailer. */
  function faultsAt(stage: Stage): readonly (readonly [Fault, 'refused' | 'unknown' | 'permanent'])[] {
    const begun = stage === 'content' || stage === 'end'
    const aboutEmails = STAGES.indexOf(stage) >= STAGES.indexOf('MAIL')
    return [
      [{ does: 'refuse', code: 451 }, 'refused'],
      aboutEmails ? [{ does: 'refuse', code: 550 }, 'permanent'] : [{ does: 'refuse', code: 535 }, 'refused'],
      [{ does: 'stall' }, begun ? 'unknown' : 'refused'],
      [{ does: 'drop' }, begun ? 'unknown' : 'refused'],
      ...(stage === 'end'
        ? ([
            [{ does: 'stall', kept: true }, 'unknown'],
            [{ does: 'drop', kept: true }, 'unknown'],
          ] as const)
        : []),
    ]
  }

  it.for(STAGES)('is sent again after every fault at %s', async (stage, context) => {
    const tries = faultsAt(stage).map(([fault, outcome]) => expectSentAgain(context, stage, fault, outcome))
    await Promise.all(tries)
  })

  async function expectSentAgain(
    { expect, onTestFinished }: TestContext,
    stage: Stage,
    fault: Fault,
    outcome: 'refused' | 'unknown' | 'permanent',
  ): Promise<void> {
    const what = `${JSON.stringify(fault)} at ${stage}`
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, stage, fault)
    const { id } = await provider.register()
    const email = await waitForAttempts(provider, id, 1)
    server.fault = undefined

    // Credentials of a refused e-mail are deleted; those of an unknown outcome stay.
    const { keys, secrets } = await provider.findRecord(id)
    const sets = outcome === 'unknown' ? 1 : 0
    expect([keys.length, secrets.length], what).toEqual([sets, sets])
    expect(email.attemptedHashes.filter((set) => set.length > 0).length, what).toBe(sets)
    expect(server.mails.length, what).toBe(fault.kept ? 1 : 0)
    expect(await provider.getStatus(id), what).toBe('pending')
    if (outcome === 'permanent') {
      expect(email, what).toMatchObject({ state: 'failed' })
      expect(provider.listEvents(id), what).toEqual(['registered', 'deliveryFailed'])
      expect(provider.events.at(-1), what).toMatchObject({
        reason: expect.stringMatching(/^[A-Z]+ 550$/) as string,
      })
      clock.advance(HOUR)
      expect(await provider.nextDueEmail(), what).toBeUndefined()
      expect(server.connections, what).toBe(1)
      expect(await provider.auth.outbox.retry(), what).toEqual({ retried: 1 })
    } else {
      expect(email, what).toMatchObject({ state: 'due', dueAt: clock.now() + 2000 })
      expect(provider.listEvents(id), what).toEqual(['registered'])
      clock.advance(2)
    }

    await waitForEmails(server.mails, fault.kept ? 2 : 1)
    await expect.poll(() => provider.getStatus(id), POLL_OPTIONS).toBe('active')
    const settled = await provider.findRecord(id)
    expect([settled.keys.length, settled.secrets.length], what).toEqual([1, 1])
    const newest = await readMailedCredentials(server.mails.at(-1))
    expect([await provider.tokenStatus(newest), await provider.keyStatus(newest)], what).toEqual([200, 200])
    if (fault.kept) {
      const replaced = await readMailedCredentials(server.mails[0])
      expect([await provider.tokenStatus(replaced), await provider.keyStatus(replaced)], what).toEqual([401, 401])
    }
    for (const mail of server.mails) {
      const received = await readMailedCredentials(mail)
      expectNoCredentials(received, [provider.logger.lines, provider.events, (await provider.auth.audit.list()).items])
    }
  }

  it.for([1, 2, 3])(
    'works as the newest of %d with an unknown outcome, and none is sent after its first use',
    async (sent, { expect, onTestFinished }) => {
      const provider = await openMailingProvider({ onTestFinished })
      const { server, clock } = provider
      breakAt(server, 'end', { does: 'drop', kept: true })
      const { id } = await provider.register()
      for (let attempt = 1; attempt <= sent; attempt++) {
        await waitForAttempts(provider, id, attempt)
        // At most two sets, after any number of attempts.
        expect((await provider.findRecord(id)).keys).toHaveLength(Math.min(2, attempt))
        expect((await provider.listEmails(id))[0]!.attemptedHashes.length).toBeLessThanOrEqual(2)
        if (attempt < sent) clock.advance(2 ** attempt)
      }
      expect(server.mails).toHaveLength(sent)
      const received = await Promise.all(server.mails.map(readMailedCredentials))
      expect(new Set(received.map(({ clientId }) => clientId)).size).toBe(sent)

      expect(await provider.getStatus(id)).toBe('pending')
      expect(await provider.tokenStatus(received.at(-1)!)).toBe(200)
      expect(await provider.getStatus(id)).toBe('active')
      expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
      const statuses = await Promise.all(received.map((each) => provider.keyStatus(each)))
      expect(statuses).toEqual([401, 200, 200].slice(-sent))

      // The first use proves that the e-mail arrived: nothing more is sent.
      server.fault = undefined
      expect(await provider.listEmails(id)).toEqual([])
      clock.advance(HOUR)
      expect(await provider.nextDueEmail()).toBeUndefined()
      expect(server.mails).toHaveLength(sent)
      expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    },
  )

  it('keeps working while later attempts are refused', async ({ expect, onTestFinished }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, 'end', { does: 'drop', kept: true })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const refusals: [Stage, Fault][] = [
      ['end', { does: 'refuse', code: 451 }],
      ['MAIL', { does: 'stall' }],
      ['RCPT', { does: 'drop' }],
      ['RCPT', { does: 'refuse', code: 550 }],
    ]
    for (const [i, [stage, fault]] of refusals.entries()) {
      breakAt(server, stage, fault)
      clock.advance(HOUR)
      await waitForAttempts(provider, id, i + 2)
    }
    expect(provider.listEvents(id)).toEqual(['registered', 'deliveryFailed'])
    expect(server.mails).toHaveLength(1)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
    expect(provider.listEvents(id)).toEqual(['registered', 'deliveryFailed', 'activated'])
    // The failed e-mail was removed with the activation.
    expect(await provider.auth.outbox.retry()).toEqual({ retried: 0 })
  })

  it('is not sent again if its credentials are used before the mail server answers', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, 'end', { does: 'stall', kept: true })
    const { id } = await provider.register()
    await waitForEmails(server.mails, 1)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
    server.fault = undefined
    await expect.poll(provider.isSending, POLL_OPTIONS).toBe(false)
    clock.advance(HOUR)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(server.mails).toHaveLength(1)
    expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
  })

  it('leaves no credentials if it is refused after an earlier one was used', async ({ expect, onTestFinished }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, 'end', { does: 'drop', kept: true })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    // The second attempt stalls while the credentials of the first are used.
    breakAt(server, 'MAIL', { does: 'stall' })
    clock.advance(2)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.attemptCount, { timeout: 3000 }).toBe(2)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
    await expect.poll(async () => (await provider.findRecord(id)).keys.length, POLL_OPTIONS).toBe(1)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
  })

  it('goes to the contact at the time of the attempt', async ({ expect, onTestFinished }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, 'RCPT', { does: 'refuse', code: 451 })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    server.fault = undefined
    await provider.auth.applications.update(id, { contact: 'new@customer.example' })
    clock.advance(2)
    await waitForEmails(server.mails, 1)
    expect(server.mails[0]!.recipients).toEqual(['new@customer.example'])
  })

  it('is not sent after its application was deleted', async ({ expect, onTestFinished }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server, clock } = provider
    breakAt(server, 'end', { does: 'drop', kept: true })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    breakAt(server, 'MAIL', { does: 'stall' }, 1)
    clock.advance(2)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.attemptCount, { timeout: 3000 }).toBe(2)
    await provider.auth.applications.delete(id)
    clock.advance(HOUR)
    await expect.poll(provider.isSending, POLL_OPTIONS).toBe(false)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(server.mails).toHaveLength(1)
    expect(await provider.findRecord(id)).toMatchObject({
      status: 'deleted',
      contact: undefined,
      keys: [],
      secrets: [],
    })
    const received = await readMailedCredentials(server.mails[0])
    expect([await provider.tokenStatus(received), await provider.keyStatus(received)]).toEqual([401, 401])
    expect(provider.listEvents(id)).toEqual(['registered', 'deleted'])
  })

  it('says that it replaces earlier ones', async ({ expect, onTestFinished }) => {
    const mailer = memoryMailer()
    const provider = openProvider({ onTestFinished }, { mailer })
    await provider.register()
    await waitForEmails(mailer.emails, 1)
    expect(mailer.emails[0]!.text).toContain('This e-mail replaces all earlier e-mails')
    expect(mailer.emails[0]!.html).toContain('This e-mail replaces all earlier e-mails')
  })

  it('is delivered for each of many applications, and no two go to one recipient at the same time', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = await openMailingProvider({ onTestFinished })
    const { server } = provider
    let nth = 0
    // Every third session is dropped.
    server.fault = (stage) => (stage === 'RCPT' && nth++ % 3 === 0 ? { does: 'drop' } : undefined)
    const addresses = Array.from({ length: 30 }, (_, i) => `dev-${i}@customer.example`)
    const ids = await Promise.all(addresses.map(async (address) => (await provider.register(undefined, address)).id))
    const delivered = async () => {
      // Small steps: sessions must end before their lease does.
      provider.clock.advance(2)
      const statuses = await Promise.all(ids.map((id) => provider.getStatus(id)))
      return statuses.filter((status) => status === 'active').length
    }
    await expect.poll(delivered, { timeout: 15_000, interval: 300 }).toBe(30)
    expect(server.mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual(addresses.toSorted())
    expect(server.overlaps).toEqual([])
  })
})

describe.concurrent('an e-mail that is tried again', () => {
  it('is due after 2, 4, 8 ... seconds, an hour at most, and fails after 72 hours', async ({
    expect,
    onTestFinished,
  }) => {
    const failing: Mailer = {
      async send() {
        throw Object.assign(new Error('no'), { code: 'EBUSY', refused: true })
      },
    }
    const provider = openProvider({ onTestFinished }, { mailer: failing })
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
    expect(provider.logger.lines.filter((line) => line.includes('It is tried again.'))).toHaveLength(attempts - 1)
    expect(provider.logger.lines.filter((line) => line.includes('It is not tried again'))).toHaveLength(1)
    // The 72 hours start again.
    expect(await provider.auth.outbox.retry(id)).toEqual({ retried: 1 })
    expect(await waitForAttempts(provider, id, 1)).toMatchObject({ state: 'due', createdAt: clock.now() })
  })

  it('is retried for one application only, if one is named', async ({ expect, onTestFinished }) => {
    let refuses = true
    const mailer = memoryMailer()
    const provider = openProvider(
      { onTestFinished },
      {
        mailer: {
          async send(email) {
            if (refuses) throw Object.assign(new Error('no such mailbox'), { permanent: true })
            await mailer.send(email)
          },
        },
      },
    )
    const { auth } = provider
    const ids = await Promise.all([1, 2, 3].map(async () => (await provider.register()).id))
    for (const id of ids) await waitForAttempts(provider, id, 1)
    refuses = false
    expect(await auth.outbox.retry('app_0')).toEqual({ retried: 0 })
    expect(await auth.outbox.retry(ids[1])).toEqual({ retried: 1 })
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => provider.getStatus(ids[1]!), POLL_OPTIONS).toBe('active')
    expect(await provider.getStatus(ids[0]!)).toBe('pending')
    expect(await auth.outbox.retry()).toEqual({ retried: 2 })
    await waitForEmails(mailer.emails, 3)
    expect(await auth.outbox.retry()).toEqual({ retried: 0 })
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
    expect(await store.leaseEmail(clock.now(), clock.now() + 15_000)).toMatchObject({ applicationId: id })

    const second = openProvider({ onTestFinished }, { store, mailer, now: clock.now })
    clock.advance(14)
    expect(await second.nextDueEmail()).toBeUndefined()
    expect(mailer.emails).toEqual([])
    clock.advance(1)
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => operator.getStatus(id), POLL_OPTIONS).toBe('active')
    expect(await operator.tokenStatus(readCredentials(mailer.emails[0]!), 'invoices')).toBe(200)
  })

  it(
    'is not sent by another process while its sender runs, however long the mail server is silent',
    { timeout: 40_000 },
    async ({ expect, onTestFinished }) => {
      const server = await startMailServer()
      onTestFinished(() => server.close())
      const store = memoryStore()
      // The first renewal, after 5 seconds, fails; the second is still in time.
      let renewals = 0
      const saveEmail: Store['saveEmail'] = async (email) => {
        if (renewals++ === 0) throw new Error('out of reach for a moment')
        return store.saveEmail(email)
      }
      const transport = transportTo(server, { socketTimeout: 13_000 })
      const mailer = smtpMailer({ transport, from: 'developers@example.com' })
      const clock = fakeClock()
      const providers = [1, 2, 3].map(() =>
        openProvider({ onTestFinished }, { store: { ...store, saveEmail }, mailer, now: clock.now }),
      )
      breakAt(server, 'end', { does: 'stall' })
      const { id } = await providers[0]!.register()
      await expect.poll(() => server.connections, POLL_OPTIONS).toBe(1)
      clock.advance(14)
      await expect.poll(() => renewals, { timeout: 14_000 }).toBe(2)
      // After the end of the first lease, before that of the renewed one.
      clock.advance(14)
      const due = await Promise.all(providers.map(({ nextDueEmail }) => nextDueEmail()))
      expect(due).toEqual([undefined, undefined, undefined])
      expect(server.connections).toBe(1)
      const emailNow = async () => (await providers[0]!.listEmails(id))[0]
      await expect.poll(emailNow, { timeout: 5000 }).toMatchObject({ problem: 'ETIMEDOUT', attemptCount: 1 })
      server.fault = undefined
      clock.advance(2)
      await expect.poll(() => providers[0]!.getStatus(id), { timeout: 3000 }).toBe('active')
      expect(server.mails).toHaveLength(1)
      expect(server.connections).toBe(2)
      expect(server.overlaps).toEqual([])
    },
  )

  it('is delivered once by a mailer that takes longer than the lease renewal interval', async ({
    expect,
    onTestFinished,
  }) => {
    const mailer = memoryMailer()
    const send: Mailer['send'] = async (email) => {
      // The lease is renewed after 5 seconds.
      await sleep(5500)
      await mailer.send(email)
    }
    const provider = openProvider({ onTestFinished }, { mailer: { send }, now: Date.now })
    const { id } = await provider.register()
    await expect.poll(() => provider.getStatus(id), { timeout: 8000, interval: 50 }).toBe('active')
    expect(provider.listEvents(id)).toEqual(['registered', 'delivered', 'activated'])
    expect(await provider.listEmails(id)).toEqual([])
    expect(mailer.emails).toHaveLength(1)
  })

  it('is sent by a process with a mailer after a process without one approved it', async ({
    expect,
    onTestFinished,
  }) => {
    const store = memoryStore()
    const mailer = memoryMailer()
    const sender = openProvider({ onTestFinished }, { store, mailer })
    const operator = openProvider({ onTestFinished }, { store, now: sender.clock.now })
    const { id } = await sender.register(['invoices'])
    expect(await sender.nextDueEmail()).toBeUndefined()
    expect(mailer.emails).toEqual([])
    await operator.auth.applications.approve(id)
    await waitForEmails(mailer.emails, 1)
  })

  it('can be retried through openAdmin()', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    let refuses = true
    const mailer = memoryMailer()
    const send: Mailer['send'] = async (email) => {
      if (refuses) throw Object.assign(new Error('no such mailbox'), { permanent: true })
      await mailer.send(email)
    }
    const provider = openProvider({ onTestFinished }, { store, mailer: { send }, now: Date.now })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    refuses = false
    const admin = await openAdmin(store)
    expect(await admin.outbox.retry()).toEqual({ retried: 1 })
    await waitForEmails(mailer.emails, 1)
  })
})

describe.concurrent('a mailer', () => {
  it('that rejects with its own words: only a short code is kept, logged and shown', async ({
    expect,
    onTestFinished,
  }) => {
    const emails: string[] = []
    const provider = openProvider(
      { onTestFinished },
      {
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
      },
    )
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
    ['throws synchronously', () => { throw new Error('no') }],
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['rejects with a string', () => Promise.reject('no')],
  ] as const)('that %s is called again later', async ([, send], { expect, onTestFinished }) => {
    const provider = openProvider({ onTestFinished }, { mailer: { send } })
    const { id } = await provider.register()
    expect(await waitForAttempts(provider, id, 1)).toMatchObject({ state: 'due', problem: 'unknown' })
    expect((await provider.findRecord(id)).keys).toHaveLength(1)
  }) // prettier-ignore

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

describe.concurrent('a pending application', () => {
  it('is deleted with its e-mail after 14 days, approved or not', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const failing: Mailer = {
      async send() {
        throw Object.assign(new Error('no'), { refused: true })
      },
    }
    const before = openProvider({ onTestFinished }, { store, mailer: failing })
    const held = await before.register(['invoices'])
    const tried = await before.register()
    await waitForAttempts(before, tried.id, 1)
    const { application: active } = await before.auth.applications.create({ name: 'Active', apis: ['catalog'] })
    before.clock.advance(HOUR)
    const younger = await before.register(['invoices'])
    await before.auth.close()

    before.clock.advance(14 * 24 * HOUR - HOUR - 1)
    let listed = false
    const watched: Store = {
      ...store,
      async listApplications(query) {
        const found = await store.listApplications(query)
        listed ||= query.status === 'pending'
        return found
      },
    }
    const early = openProvider({ onTestFinished }, { store: watched, mailer: failing, now: before.clock.now })
    await expect.poll(() => listed, POLL_OPTIONS).toBe(true)
    expect(await early.getStatus(held.id)).toBe('pending')
    await early.auth.close()

    before.clock.advance(1)
    const later = openProvider({ onTestFinished }, { store, mailer: failing, now: before.clock.now })
    await expect.poll(() => later.getStatus(held.id), POLL_OPTIONS).toBe('deleted')
    await expect.poll(() => later.getStatus(tried.id), POLL_OPTIONS).toBe('deleted')
    expect(await later.findRecord(held.id)).toMatchObject({ name: '', contact: undefined, keys: [], secrets: [] })
    expect(await later.listEmails(held.id)).toEqual([])
    expect(await later.listEmails(tried.id)).toEqual([])
    expect(await later.getStatus(younger.id)).toBe('pending')
    expect(await later.getStatus(active.id)).toBe('active')
    expect(later.listEvents(held.id)).toEqual(['deleted'])
    const { items: records } = await later.auth.audit.list({ applicationId: held.id })
    expect(records.at(-1)).toMatchObject({ type: 'application.deleted', details: { pendingTooLong: true } })
  })
})
