import { describe, it, type TestContext } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { failAt, readMail, SHORT_TIMEOUTS, type Fault, type Stage } from '../../support/smtp.js'
import {
  expectNoCredentials,
  openMailingProvider,
  POLL_OPTIONS,
  readMailedCredentials,
  waitForAttempts,
  waitForEmails,
} from '../../core/applications/applicant.js'

const HOUR = 3600
const MANY = IS_LONG_LANE ? 30 : 12

/** A registration whose first e-mail arrives, but the mail server's answer does not. */
async function registerUncertain(test: Pick<TestContext, 'onTestFinished'>) {
  const provider = await openMailingProvider(test, {}, SHORT_TIMEOUTS)
  const { server, clock } = provider
  failAt(server, 'end', { does: 'drop', kept: true })
  const { id } = await provider.register()
  await waitForAttempts(provider, id, 1)
  return { provider, server, clock, id }
}

describe.concurrent('an e-mail with credentials', () => {
  it('is sent at once, and activates the application when the mail server accepts it', async (test) => {
    const { expect } = test
    const provider = await openMailingProvider(test)
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

  type Outcome = 'refused' | 'unknown' | 'permanent'

  // The outcome of every fault at every stage: smtp.integration.test.ts.
  it.for<readonly [Stage, Fault, Outcome]>([
    ['AUTH', { does: 'refuse', code: 535 }, 'refused'],
    ['MAIL', { does: 'refuse', code: 451 }, 'refused'],
    ['RCPT', { does: 'refuse', code: 550 }, 'permanent'],
    ['DATA', { does: 'stall' }, 'refused'],
    ['content', { does: 'drop' }, 'unknown'],
    ['end', { does: 'stall', kept: true }, 'unknown'],
    ['end', { does: 'drop', kept: true }, 'unknown'],
  ])('is sent again after a fault at %s, %j', async ([stage, fault, outcome], { expect, onTestFinished }) => {
    const what = `${JSON.stringify(fault)} at ${stage}`
    const timeouts = fault.does === 'stall' ? SHORT_TIMEOUTS : {}
    const provider = await openMailingProvider({ onTestFinished }, {}, timeouts)
    const { server, clock } = provider
    failAt(server, stage, fault)
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
      expect(provider.events.at(-1), what).toMatchObject({ reason: expect.stringMatching(/^[A-Z]+ 550$/) as string })
      clock.advance(HOUR)
      expect(await provider.nextDueEmail(), what).toBeUndefined()
      expect(server.connections, what).toBe(1)
      expect(await provider.auth.emails.retry(), what).toEqual({ retried: 1 })
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
  })

  it.for([1, 2, 3])(
    'works as the newest of %d with an unknown outcome, and none is sent after its first use',
    async (sent, { expect, onTestFinished }) => {
      const provider = await openMailingProvider({ onTestFinished })
      const { server, clock } = provider
      failAt(server, 'end', { does: 'drop', kept: true })
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
    const { provider, server, clock, id } = await registerUncertain({ onTestFinished })
    const refusals: [Stage, Fault][] = [
      ['end', { does: 'refuse', code: 451 }],
      ['MAIL', { does: 'stall' }],
      ['RCPT', { does: 'drop' }],
      ['RCPT', { does: 'refuse', code: 550 }],
    ]
    for (const [i, [stage, fault]] of refusals.entries()) {
      failAt(server, stage, fault)
      clock.advance(HOUR)
      await waitForAttempts(provider, id, i + 2)
    }
    expect(provider.listEvents(id)).toEqual(['registered', 'deliveryFailed'])
    expect(server.mails).toHaveLength(1)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
    expect(provider.listEvents(id)).toEqual(['registered', 'deliveryFailed', 'activated'])
    // The failed e-mail was removed with the activation.
    expect(await provider.auth.emails.retry()).toEqual({ retried: 0 })
  })

  it('is not sent again if its credentials are used before the mail server answers', async (test) => {
    const { expect } = test
    const provider = await openMailingProvider(test, {}, SHORT_TIMEOUTS)
    const { server, clock } = provider
    failAt(server, 'end', { does: 'stall', kept: true })
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
    const { provider, server, clock, id } = await registerUncertain({ onTestFinished })
    // The second attempt stalls while the credentials of the first are used.
    failAt(server, 'MAIL', { does: 'stall' })
    clock.advance(2)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.attemptCount).toBe(2)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
    await expect.poll(async () => (await provider.findRecord(id)).keys.length, POLL_OPTIONS).toBe(1)
    expect(await provider.tokenStatus(await readMailedCredentials(server.mails[0]))).toBe(200)
  })

  it('is not sent after its application was deleted', async ({ expect, onTestFinished }) => {
    const { provider, server, clock, id } = await registerUncertain({ onTestFinished })
    failAt(server, 'MAIL', { does: 'stall' }, 1)
    clock.advance(2)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.attemptCount).toBe(2)
    await provider.auth.applications.delete(id)
    clock.advance(HOUR)
    await expect.poll(provider.isSending, POLL_OPTIONS).toBe(false)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(server.mails).toHaveLength(1)
    const deleted = { status: 'deleted', contact: undefined, keys: [], secrets: [] }
    expect(await provider.findRecord(id)).toMatchObject(deleted)
    const received = await readMailedCredentials(server.mails[0])
    expect([await provider.tokenStatus(received), await provider.keyStatus(received)]).toEqual([401, 401])
    expect(provider.listEvents(id)).toEqual(['registered', 'deleted'])
  })

  it('says that it replaces earlier ones, if one of them may have arrived', async ({ expect, onTestFinished }) => {
    const provider = await openMailingProvider({ onTestFinished }, {}, SHORT_TIMEOUTS)
    const { server, clock } = provider
    // The first attempt reaches nobody, the second arrives without an answer.
    failAt(server, 'MAIL', { does: 'refuse', code: 451 }, 1)
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    failAt(server, 'end', { does: 'drop', kept: true }, 1)
    clock.advance(2)
    await waitForAttempts(provider, id, 2)
    clock.advance(4)
    await expect.poll(() => server.mails.length, POLL_OPTIONS).toBe(2)
    const [first, second] = await Promise.all(server.mails.map(readMail))
    expect(first!.text).not.toContain('replaces all earlier')
    const parts = [second!.text, second!.html].map((part) => String(part).replaceAll(/<\/?span[^>]*>/g, ''))
    for (const part of parts) expect(part).toContain('This e-mail replaces all earlier e-mails')
  })

  it('is delivered for each of many applications, and no two go to one recipient at the same time', async (test) => {
    const { expect } = test
    const provider = await openMailingProvider(test)
    const { server } = provider
    let nth = 0
    // Every third session is dropped.
    server.fault = (stage) => (stage === 'RCPT' && nth++ % 3 === 0 ? { does: 'drop' } : undefined)
    const addresses = Array.from({ length: MANY }, (_, i) => `dev-${i}@customer.example`)
    const ids = await Promise.all(addresses.map(async (address) => (await provider.register(undefined, address)).id))
    const delivered = async () => {
      // Small steps: sessions must end before their lease does.
      provider.clock.advance(2)
      const statuses = await Promise.all(ids.map((id) => provider.getStatus(id)))
      return statuses.filter((status) => status === 'active').length
    }
    await expect.poll(delivered, { interval: 300 }).toBe(MANY)
    expect(server.mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual(addresses.toSorted())
    expect(server.overlaps).toEqual([])
  })
})
