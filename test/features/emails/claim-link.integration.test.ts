import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigurationError, createPlatformAuth } from '../../../src/index.js'
import { emails, type EmailMessage } from '../../../src/features/emails/index.js'
import type { StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  BACKINGS,
  expectNoCredentials,
  KEY,
  openProvider,
  POLL_OPTIONS,
  SECRET_VALUE,
  waitForAttempts,
  waitForEmails,
} from '../../core/applications/applicant.js'
import { REFUSED } from '../../support/failing-mailer.js'
import type { TestOptions } from '../../support/platform.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

const HOUR = 3600
const LINK = /https:\/\/example\.com\/developers\/register\/claim#([A-Za-z0-9_-]{43})\b/

/** A platform whose e-mails have links. They arrive; `outcome` is what the mailer then rejects with. */
function openClaiming(options: TestOptions = {}) {
  const { emails, send } = memoryMailer()
  const mailer = {
    outcome: undefined as object | undefined,
    async send(email: EmailMessage) {
      await send(email)
      if (mailer.outcome) throw Object.assign(new Error('no'), mailer.outcome)
    },
  }
  const provider = openProvider({ onTestFinished }, { delivery: 'claim-link', mailer, ...options })
  return { ...provider, emails, mailer }
}

/** A store that answers after a random time, so that concurrent requests overlap. */
function withRandomDelays(store: StoreWith): StoreWith {
  const slowed = Object.entries(store).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || ['open', 'close', 'watch'].includes(name)) return [name, value] as const
    const call = async (...args: unknown[]): Promise<unknown> => {
      await sleep(Math.random() * 4)
      return Reflect.apply(value, store, args) as unknown
    }
    return [name, call] as const
  })
  return Object.fromEntries(slowed) as unknown as StoreWith
}

const UNKNOWN = { code: 'ECONNECTION' }

const readToken = ({ text }: EmailMessage): string => LINK.exec(text)![1]!

describe('with delivery: "claim-link"', () => {
  it('an e-mail has a link and no credentials, which do not exist yet', async () => {
    const provider = openClaiming()
    const { id } = await provider.register()
    await waitForEmails(provider.emails, 1)
    const [email] = provider.emails
    for (const part of [email!.text, email!.html]) {
      expect(part).toMatch(LINK)
      expect(part).not.toMatch(KEY)
      expect(part).not.toMatch(SECRET_VALUE)
      expect(part).not.toContain('replaces all earlier')
      expect(part).toContain('72 hours')
    }
    await expect.poll(() => provider.listEvents(id), POLL_OPTIONS).toEqual(['registered', 'delivered'])
    expect(await provider.findRecord(id)).toMatchObject({ status: 'pending', keys: [], secrets: [] })
    const [kept] = await provider.listEmails(id)
    expect(kept).toMatchObject({
      state: 'claimable',
      claimLinks: [{ expiresAt: provider.clock.now() + 72 * HOUR * 1000 }],
    })
    const shown = [kept, provider.events, provider.logger.lines, (await provider.auth.audit.list()).items]
    expect(JSON.stringify(shown)).not.toContain(readToken(email!))
    provider.clock.advance(24 * HOUR)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(provider.emails).toHaveLength(1)
  })

  it('the link shows the credentials once, and activates the application', async () => {
    const provider = openClaiming()
    const { id } = await provider.register()
    await waitForEmails(provider.emails, 1)
    const token = readToken(provider.emails[0]!)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('claimable')
    const shown = await provider.reveal(token)
    expect(shown.status).toBe(200)
    expect(JSON.parse(shown.text)).toEqual({
      application: 'Shop',
      client_id: expect.stringMatching(KEY) as string,
      client_secret: expect.stringMatching(SECRET_VALUE) as string,
    })
    expect([await provider.tokenStatus(shown), await provider.keyStatus(shown)]).toEqual([200, 200])
    expect(await provider.findRecord(id)).toMatchObject({ status: 'active' })
    expect(await provider.listEmails(id)).toEqual([])
    expect(provider.listEvents(id)).toEqual(['registered', 'delivered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.at(-1)).toMatchObject({ type: 'application.activated', details: { claimed: true } })
    const { clientId, clientSecret } = shown
    expectNoCredentials({ clientId, clientSecret }, [
      records,
      provider.events,
      provider.logger.lines,
      await provider.findRecord(id),
    ])

    const again = await provider.reveal(token)
    expect(again.status).toBe(400)
    expect(again.text).toBe((await provider.reveal('x'.repeat(43))).text)
    expect((await provider.auth.applications.get(id))!.keys).toHaveLength(1)
  })

  it('no secret is made for an application without oauth2 APIs', async () => {
    const provider = openClaiming()
    await provider.register(['catalog'])
    await waitForEmails(provider.emails, 1)
    const shown = await provider.reveal(provider.emails[0]!.text)
    expect(shown.members).toEqual(['application', 'client_id'])
  })

  it.for(Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name === 'PostgreSQL'))(
    'exactly one of many concurrent requests gets the credentials, on %s',
    async ([, prepare]) => {
      const open = await prepare({ onTestFinished })
      const openStore = () => withRandomDelays(open())
      const one = openClaiming({ store: openStore() })
      const other = openClaiming({ store: openStore(), now: one.clock.now })
      await Promise.all([one.auth.ready(), other.auth.ready()])
      const used = new Set<string>()
      for (let round = 0; round < (IS_LONG_LANE ? 5 : 2); round++) {
        const { id } = await one.register()
        await expect.poll(async () => (await one.listEmails(id))[0]?.state).toBe('claimable')
        const token = readToken([...one.emails, ...other.emails].find((email) => !used.has(readToken(email)))!)
        used.add(token)
        const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other).reveal(token)))
        const [shown, ...more] = answers.filter(({ status }) => status === 200)
        expect(more).toEqual([])
        const unknown = await one.reveal('x'.repeat(43))
        expect(answers.filter(({ status, text }) => status === 400 && text === unknown.text)).toHaveLength(7)
        const { keys, secrets } = await one.findRecord(id)
        expect([keys.length, secrets.length]).toEqual([1, 1])
        await expect.poll(() => other.tokenStatus(shown!)).toBe(200)
        const { items: records } = await one.auth.audit.list({ applicationId: id })
        expect(records.filter(({ type }) => type === 'application.activated')).toHaveLength(1)
      }
    },
  )

  it('the link works for 72 hours, and no longer', async () => {
    const provider = openClaiming()
    const [early, late] = [await provider.register(), await provider.register()]
    await waitForEmails(provider.emails, 2)
    provider.clock.advance(72 * HOUR - 1)
    expect((await provider.reveal(provider.emails[0]!.text)).status).toBe(200)
    provider.clock.advance(1)
    const { status, text } = await provider.reveal(provider.emails[1]!.text)
    expect({ status, text }).toEqual({ status: 400, text: (await provider.reveal('unknown')).text })
    const statuses = [await provider.getStatus(early.id), await provider.getStatus(late.id)]
    expect(new Set(statuses)).toEqual(new Set(['active', 'pending']))

    // The operator sends another link.
    const [pending] = (await provider.auth.applications.list({ status: 'pending' })).items
    expect(await provider.auth.emails.retry()).toEqual({ retried: 0 })
    expect(await provider.auth.emails.retry(pending!.id)).toEqual({ retried: 1 })
    await waitForEmails(provider.emails, 3)
    expect((await provider.reveal(provider.emails[2]!.text)).status).toBe(200)
    expect(await provider.auth.emails.retry(pending!.id)).toEqual({ retried: 0 })
  })

  it('a link of a refused e-mail does not work, one with an unknown outcome works beside the next', async () => {
    const provider = openClaiming()
    provider.mailer.outcome = REFUSED
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    expect((await provider.reveal(provider.emails[0]!.text)).status).toBe(400)
    expect((await provider.listEmails(id))[0]).toMatchObject({ claimLinks: [], state: 'due' })

    provider.mailer.outcome = UNKNOWN
    for (const attempt of [2, 3, 4]) {
      provider.clock.advance(HOUR)
      await waitForAttempts(provider, id, attempt)
    }
    expect((await provider.listEmails(id))[0]!.claimLinks).toHaveLength(2)
    const tokens = provider.emails.map(readToken)
    expect((await provider.reveal(tokens[1]!)).status).toBe(400)
    expect((await provider.reveal(tokens[3]!)).status).toBe(200)
    // The e-mail has arrived: the older link shows nothing any more, and no further e-mail is sent.
    expect((await provider.reveal(tokens[2]!)).status).toBe(400)
    expect(await provider.getStatus(id)).toBe('active')
    provider.clock.advance(HOUR)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(provider.emails).toHaveLength(4)
  })

  it('an accepted e-mail ends the links of earlier ones', async () => {
    const provider = openClaiming()
    provider.mailer.outcome = UNKNOWN
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    provider.mailer.outcome = undefined
    provider.clock.advance(2)
    await expect.poll(() => provider.listEvents(id)).toEqual(['registered', 'delivered'])
    expect((await provider.reveal(provider.emails[0]!.text)).status).toBe(400)
    expect((await provider.reveal(provider.emails[1]!.text)).status).toBe(200)
  })

  it('a rotation shows the new value only, and its overlap starts when it is shown', async () => {
    const provider = openClaiming()
    const { auth, clock, keyStatus } = provider
    const { id, credentials: old } = await provider.create(['catalog'])
    await auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 })
    await waitForEmails(provider.emails, 1)
    clock.advance(HOUR)
    expect(await keyStatus(old)).toBe(200)
    const shown = await provider.reveal(provider.emails[0]!.text)
    expect(shown.members).toEqual(['application', 'client_id'])
    expect([await keyStatus(old), await keyStatus(shown)]).toEqual([200, 200])
    clock.advance(60)
    expect([await keyStatus(old), await keyStatus(shown)]).toEqual([401, 200])
    expect(provider.listEvents(id)).toEqual(['registered', 'credentialRotated', 'delivered', 'credentialRotated'])

    // A second rotation before the link is used: only the newer link works.
    await auth.applications.rotateKey(id, { deliver: 'email' })
    await waitForEmails(provider.emails, 2)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('claimable')
    await auth.applications.rotateKey(id, { deliver: 'email' })
    await waitForEmails(provider.emails, 3)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('claimable')
    expect((await provider.reveal(provider.emails[1]!.text)).status).toBe(400)
    expect((await provider.reveal(provider.emails[2]!.text)).status).toBe(200)
  })

  it('the link of a deleted application does not work', async () => {
    const provider = openClaiming()
    const { id } = await provider.register()
    await waitForEmails(provider.emails, 1)
    await expect.poll(async () => (await provider.listEmails(id))[0]?.state, POLL_OPTIONS).toBe('claimable')
    await provider.auth.applications.delete(id)
    expect((await provider.reveal(provider.emails[0]!.text)).status).toBe(400)
    expect(await provider.findRecord(id)).toMatchObject({ status: 'deleted', keys: [], secrets: [] })
  })

  it('developersUrl is required', () => {
    const options = {
      baseUrl: 'http://localhost',
      apis: { catalog: { scheme: 'apiKey' } },
      features: [emails({ mailer: memoryMailer(), delivery: 'claim-link' })],
    } as const
    expect(() => createPlatformAuth(options)).toThrow(ConfigurationError)
    expect(() => createPlatformAuth(options)).toThrow(/^developersUrl is missing/)
  })
})
