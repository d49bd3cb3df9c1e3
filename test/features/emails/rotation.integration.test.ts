import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  expectNoCredentials,
  openMailingProvider,
  openProvider,
  POLL_OPTIONS,
  readCredentials,
  readMailedCredentials,
  waitForAttempts,
  waitForEmails,
} from '../../core/applications/applicant.js'

const DAY = 86_400

/** An application with credentials, and a platform that keeps its e-mails. */
async function openRotating() {
  const mailer = memoryMailer()
  const provider = openProvider({ onTestFinished }, { mailer })
  const { id, credentials: old } = await provider.create()
  return { ...provider, mailer, id, old }
}

describe('rotateSecret() and rotateKey() with deliver: "email"', () => {
  it('resolve no credentials, and send the new one by e-mail', async () => {
    const { auth, mailer, id, old, tokenStatus, keyStatus, listEvents } = await openRotating()
    const answer = await auth.applications.rotateSecret(id, { deliver: 'email', by: 'ann' })
    expect(Object.keys(answer)).toEqual(['application'])
    expect(answer.application).toMatchObject({ id, status: 'active' })
    await waitForEmails(mailer.emails, 1)
    const [email] = mailer.emails
    expect(email).toMatchObject({ to: 'dev@customer.example', subject: 'Your new secret for api.example.com' })
    const { clientId, clientSecret } = readCredentials(email!)
    expect(clientId).toBe('')
    await expect.poll(() => listEvents(id), POLL_OPTIONS).toEqual(['registered', 'credentialRotated', 'delivered'])
    expect(await tokenStatus({ ...old, clientSecret })).toBe(200)

    await auth.applications.rotateKey(id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 2)
    const received = readCredentials(mailer.emails[1]!)
    expect(received.clientSecret).toBe('')
    await expect.poll(() => listEvents(id), POLL_OPTIONS).toHaveLength(5)
    // Every live key works with every live secret.
    for (const key of [old.clientId, received.clientId]) {
      expect(await keyStatus({ clientId: key })).toBe(200)
      for (const secret of [old.clientSecret, clientSecret]) {
        expect(await tokenStatus({ clientId: key, clientSecret: secret })).toBe(200)
      }
    }
    const { items: records } = await auth.audit.list({ applicationId: id })
    expect(records[1]).toMatchObject({
      type: 'application.credentialRotated',
      by: 'ann',
      details: { credential: 'secret', overlap: DAY, deliver: 'email' },
    })
    for (const each of [old, { clientId, clientSecret }, received]) expectNoCredentials(each, records)
  })

  it('start the overlap when the e-mail is accepted, not before', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, clock, server, keyStatus } = provider
    const { id, credentials: old } = await provider.create()
    server.fault = (stage) => (stage === 'RCPT' ? { does: 'refuse', code: 451 } : undefined)
    await auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 })
    await waitForAttempts(provider, id, 1)
    clock.advance(3600)
    await waitForAttempts(provider, id, 2)
    expect(await keyStatus(old)).toBe(200)
    expect((await provider.findRecord(id)).keys).toHaveLength(1)
    server.fault = undefined
    clock.advance(3600)
    await expect.poll(() => provider.listEvents(id).at(-1)).toBe('delivered')
    const accepted = clock.now()
    const application = (await auth.applications.get(id))!
    expect(application.keys.map(({ expiresAt }) => expiresAt)).toEqual([undefined, new Date(accepted + 60_000)])
    const fresh = await readMailedCredentials(server.mails[0])
    clock.advance(59)
    expect([await keyStatus(old), await keyStatus(fresh)]).toEqual([200, 200])
    clock.advance(1)
    expect([await keyStatus(old), await keyStatus(fresh)]).toEqual([401, 200])
  })

  it('end the old credential with an overlap of 0 only when the e-mail is accepted', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, clock, server, tokenStatus } = provider
    const { id, credentials: old } = await provider.create()
    server.fault = (stage) => (stage === 'end' ? { does: 'drop', kept: true } : undefined)
    await auth.applications.rotateSecret(id, { deliver: 'email', overlap: 0 })
    await waitForAttempts(provider, id, 1)
    const first = { ...old, clientSecret: (await readMailedCredentials(server.mails[0])).clientSecret }
    // The outcome is unknown: all credentials keep working.
    clock.advance(2)
    await waitForAttempts(provider, id, 2)
    const second = { ...old, clientSecret: (await readMailedCredentials(server.mails[1])).clientSecret }
    expect([await tokenStatus(old), await tokenStatus(first), await tokenStatus(second)]).toEqual([200, 200, 200])
    server.fault = undefined
    clock.advance(4)
    await waitForEmails(server.mails, 3)
    await expect.poll(() => provider.listEvents(id).at(-1), POLL_OPTIONS).toBe('delivered')
    const third = { ...old, clientSecret: (await readMailedCredentials(server.mails[2])).clientSecret }
    const statuses = await Promise.all([old, first, second, third].map((each) => tokenStatus(each)))
    expect(statuses).toEqual([401, 401, 401, 200])
    expect((await auth.applications.get(id))!.secrets).toHaveLength(1)
  })

  it('keep the old credential for the overlap, and end those of attempts in between', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, clock, server, keyStatus } = provider
    const { id, credentials: old } = await provider.create()
    server.fault = (stage) => (stage === 'end' ? { does: 'drop', kept: true } : undefined)
    await auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 })
    await waitForAttempts(provider, id, 1)
    server.fault = undefined
    clock.advance(2)
    await waitForEmails(server.mails, 2)
    await expect.poll(() => provider.listEvents(id).at(-1), POLL_OPTIONS).toBe('delivered')
    const [between, newest] = await Promise.all(server.mails.map(readMailedCredentials))
    const statuses = () => Promise.all([old, between!, newest!].map((each) => keyStatus(each)))
    expect(await statuses()).toEqual([200, 401, 200])
    clock.advance(60)
    expect(await statuses()).toEqual([401, 401, 200])
  })

  it('change nothing if the e-mail is refused permanently', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, server } = provider
    const { id, credentials: old } = await provider.create()
    const before = await auth.applications.get(id)
    server.fault = (stage) => (stage === 'RCPT' ? { does: 'refuse', code: 550 } : undefined)
    await auth.applications.rotateKey(id, { deliver: 'email', overlap: 0 })
    expect(await waitForAttempts(provider, id, 1)).toMatchObject({ state: 'failed', purpose: 'key' })
    expect(provider.listEvents(id)).toEqual(['registered', 'credentialRotated', 'deliveryFailed'])
    expect(await auth.applications.get(id)).toEqual(before)
    expect(await provider.keyStatus(old)).toBe(200)
    // A second rotation makes the failed e-mail due again.
    server.fault = undefined
    await auth.applications.rotateKey(id, { deliver: 'email' })
    await waitForEmails(server.mails, 1)
    await expect.poll(() => provider.listEmails(id), POLL_OPTIONS).toEqual([])
    expect(await auth.emails.retry()).toEqual({ retried: 0 })
  })

  it('called concurrently, leave the newest credential working', async () => {
    const { auth, mailer, id, old, clock, keyStatus, listEmails } = await openRotating()
    await Promise.all([
      auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 }),
      auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 }),
      auth.applications.rotateKey(id, { deliver: 'email', overlap: 60 }),
    ])
    const settled = async () => {
      clock.advance(5)
      return listEmails(id)
    }
    await expect.poll(settled, { interval: 500 }).toEqual([])
    expect((await auth.applications.get(id))!.keys.length).toBeLessThanOrEqual(2)
    clock.advance(3600)
    expect(await keyStatus(readCredentials(mailer.emails.at(-1)!))).toBe(200)
    expect(await keyStatus(old)).toBe(401)
    expect((await auth.applications.get(id))!.keys).toHaveLength(1)
  })

  it('make the first secret of an application without one', async () => {
    const mailer = memoryMailer()
    const { auth, create, tokenStatus } = openProvider({ onTestFinished }, { mailer })
    const { application, credentials } = await create(['catalog'])
    await auth.applications.allow(application.id, 'orders')
    await auth.applications.rotateSecret(application.id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 1)
    expect(mailer.emails[0]!.text).not.toContain('previous')
    const { clientSecret } = readCredentials(mailer.emails[0]!)
    expect(await tokenStatus({ clientId: credentials.clientId, clientSecret })).toBe(200)
  })

  it('reject without a contact, without a mailer, and for pending and deleted applications', async () => {
    const { auth, id, mailer, nextDueEmail } = await openRotating()
    const { application } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    const options = { deliver: 'email' } as const
    for (const call of [auth.applications.rotateKey, auth.applications.rotateSecret]) {
      await expect(call(application.id, options)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('contact') as string,
      })
      await expect(call('app_0', options)).rejects.toMatchObject({ code: 'application_not_found' })
      await expect(call(id, { deliver: 'pigeon' } as never)).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(call(id, { ...options, overlap: -1 })).rejects.toMatchObject({ code: 'invalid_argument' })
      const { application: pending } = await auth.registration.register({
        name: 'Shop',
        contact: 'dev@customer.example',
        apis: ['weather'],
      })
      await expect(call(pending.id, options)).rejects.toMatchObject({ code: 'invalid_state' })
    }
    await auth.applications.delete(id)
    await expect(auth.applications.rotateKey(id, options)).rejects.toMatchObject({ code: 'invalid_state' })

    const without = openProvider({ onTestFinished })
    const created = await without.create()
    await expect(without.auth.applications.rotateKey(created.id, options)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(
        /rotateKey: there is nothing that sends e-mails\. .*emails\(\{ mailer \}\)/,
      ) as string,
    })
    expect(await nextDueEmail()).toBeUndefined()
    expect(mailer.emails).toEqual([])
  })
})
