import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  openMailingProvider,
  openProvider,
  POLL_OPTIONS,
  readCredentials,
  waitForAttempts,
  waitForEmails,
  type Provider,
} from '../../core/applications/applicant.js'

/** An application with a key `default`, and one `warehouse` that is restricted and has an end. */
async function createApplication({ auth, clock, create }: Provider) {
  const { application } = await create()
  const options = { name: 'warehouse', apis: ['catalog'], expiresAt: new Date(clock.now() + 86_400_000 * 90) } as const
  const { credential } = await auth.applications.addKey(application.id, options)
  return { id: application.id, warehouse: credential, other: application.keys[0]!, ends: options.expiresAt }
}

async function listKeys({ auth }: Provider, id: string): Promise<unknown[]> {
  const { keys } = (await auth.applications.get(id))!
  return keys.map(({ name, apis, expiresAt }) => [name, apis && Object.keys(apis), expiresAt])
}

describe('one of several credentials', () => {
  it('is replaced by e-mail, with its name, restriction and end; the others stay', async () => {
    const mailer = memoryMailer()
    const provider = openProvider({ onTestFinished }, { mailer })
    const { auth, clock, listEvents } = provider
    const { id, warehouse, ends } = await createApplication(provider)
    await auth.applications.rotateKey(id, { credential: warehouse.id, deliver: 'email', overlap: 60 })
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => listEvents(id).at(-1), POLL_OPTIONS).toBe('delivered')
    expect(mailer.emails[0]!.text).toContain('Its name is “warehouse”.')
    expect(mailer.emails[0]!.text).toContain('/catalog')
    expect(mailer.emails[0]!.text).not.toContain('/orders')
    expect(await listKeys(provider, id)).toEqual([
      ['warehouse', ['catalog'], ends],
      ['warehouse', ['catalog'], new Date(clock.now() + 60_000)],
      ['default', undefined, undefined],
    ])
    expect(await provider.keyStatus(readCredentials(mailer.emails[0]!))).toBe(200)
  })

  it('has e-mails of its own: a rotation by hand, or its end, cancels no others', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, clock, server } = provider
    const { id, warehouse, other } = await createApplication(provider)
    server.fault = (stage) => (stage === 'RCPT' ? { does: 'refuse', code: 451 } : undefined)
    await auth.applications.rotateKey(id, { credential: warehouse.id, deliver: 'email' })
    await waitForAttempts(provider, id, 1)
    await auth.applications.rotateKey(id, { credential: other.id, overlap: 0 })
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.at(-1)?.details).not.toHaveProperty('cancelledEmails')
    expect(await auth.emails.retry(id)).toEqual({ retried: 0 })
    await auth.applications.endCredential(id, warehouse.id)
    const after = await auth.audit.list({ applicationId: id })
    expect(after.items.at(-1)?.details).toMatchObject({ name: 'warehouse', cancelledEmails: ['key'] })
    server.fault = undefined
    clock.advance(7200)
    expect(await auth.emails.cancel(id)).toEqual({ cancelled: 0 })
    expect((await listKeys(provider, id)).map((key) => (key as unknown[])[0])).toEqual(['default'])
  })

  it('is replaced by a claim link, with its name and restriction', async () => {
    const mailer = memoryMailer()
    const provider = openProvider({ onTestFinished }, { mailer, delivery: 'claim-link' })
    const { auth } = provider
    const { id, warehouse, ends } = await createApplication(provider)
    await auth.applications.rotateKey(id, { credential: warehouse.id, deliver: 'email', overlap: 0 })
    await waitForEmails(mailer.emails, 1)
    expect(await provider.reveal(mailer.emails[0]!.text)).toMatchObject({ status: 200 })
    expect(await listKeys(provider, id)).toEqual([
      ['warehouse', ['catalog'], ends],
      ['default', undefined, undefined],
    ])
  })

  it.for([
    ['shows nothing if the credential had an end of its own', 400, undefined],
    ['keeps the restriction if the maximum age ended the credential', 200, 90],
  ] as const)('whose claim link is used too late: it %s', async ([, status, maxAge]) => {
    const mailer = memoryMailer()
    const options = { mailer, delivery: 'claim-link', credentials: { maxAge } } as const
    const provider = openProvider({ onTestFinished }, options)
    const { auth, clock } = provider
    const { id, warehouse, ends } = await createApplication(provider)
    clock.advance((ends.getTime() - clock.now()) / 1000 - 3600)
    await auth.applications.rotateKey(id, { credential: warehouse.id, deliver: 'email' })
    await waitForEmails(mailer.emails, 1)
    clock.advance(7200)
    expect(await provider.reveal(mailer.emails[0]!.text)).toMatchObject({ status })
    const keys = (await listKeys(provider, id)).filter((key) => (key as unknown[])[0] === 'warehouse')
    const end = new Date(clock.now() + 90 * 86_400_000)
    expect(keys).toEqual(status === 200 ? [['warehouse', ['catalog'], end]] : [])
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.at(-1)?.details).toMatchObject(
      status === 200 ? { claimed: true, credential: 'key', name: 'warehouse' } : { credentialId: warehouse.id },
    )
  })

  it('is not replaced by e-mail once it has expired, and the next one of its name is as restricted', async () => {
    const provider = await openMailingProvider({ onTestFinished })
    const { auth, clock, server } = provider
    const { application, id } = await provider.create()
    await auth.applications.endCredential(id, application.keys[0]!.id)
    const options = { name: 'default', apis: ['orders'], expiresAt: new Date(clock.now() + 60_000) } as const
    const { credential } = await auth.applications.addKey(id, options)
    server.fault = (stage) => (stage === 'RCPT' ? { does: 'refuse', code: 451 } : undefined)
    await auth.applications.rotateKey(id, { credential: credential.id, deliver: 'email' })
    await waitForAttempts(provider, id, 1)
    server.fault = undefined
    clock.advance(60)
    await expect.poll(() => provider.listEmails(id), POLL_OPTIONS).toEqual([])
    expect(server.mails).toEqual([])
    await auth.applications.rotateKey(id)
    expect(await listKeys(provider, id)).toEqual([['default', ['orders'], undefined]])
  })

  it('is not replaced by e-mail while 20 are live', async () => {
    const provider = openProvider({ onTestFinished }, { mailer: memoryMailer() })
    const { auth } = provider
    const { id, warehouse } = await createApplication(provider)
    for (let i = 0; i < 18; i++) await auth.applications.addKey(id, { name: `k${i}` })
    await auth.applications.rotateKey(id, { credential: warehouse.id, deliver: 'email' })
    await expect.poll(() => auth.emails.retry(id), POLL_OPTIONS).toEqual({ retried: 1 })
    expect((await auth.applications.get(id))!.keys).toHaveLength(20)
  })
})
