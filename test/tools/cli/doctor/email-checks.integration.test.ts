import { describe, expect, it, vi } from 'vitest'
import type { QueuedEmail } from '../../../../src/store.js'
import { printed, config } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite } from './doctor-site.js'

const DAY_MS = 24 * 3600 * 1000
/** What modules of options import. */
const EMAILS = JSON.stringify(import.meta.resolve('express-platform-auth/emails'))

const { getFile, writeConfig, withStore } = useDoctorSite()

describe('the doctor reports', () => {
  it('e-mails that are no longer retried, are overdue, are not accepted, or wait for approval', async () => {
    const register = async (api: string, mail: string): Promise<string> => {
      vi.stubEnv('CLI_MAIL', mail)
      const args = ['apps', 'register', '--name', 'Shop', '--contact', 'dev@shop.example', '--api', api, ...config]
      return /app_\w{32}/.exec(await printed(...args))![0]
    }
    const failed = await register('catalog', 'refuses')
    const rejected = await register('catalog', 'is busy')
    const held = await register('orders', 'refuses')
    const overdue = await register('catalog', 'refuses')
    await withStore(async (store) => {
      const [email] = await store.emails.list({ applicationId: overdue, state: 'failed', limit: 1 })
      const due: QueuedEmail = {
        ...email!,
        state: 'due',
        dueAt: Date.now() - DAY_MS,
        problem: undefined,
        version: email!.version + 1,
      }
      expect(await store.emails.save(due)).toBe(true)
      const record = (await store.findApplication(held))!
      const unread = { ...due, id: `email_${'0'.repeat(32)}`, applicationId: held, purpose: 'approvalRequest' } as const
      const bounced = { ...unread, recipient: 'apis@example.com', state: 'failed', problem: '550', version: 1 } as const
      expect(
        await store.saveApplication({ ...record, version: record.version + 1 }, undefined, { save: bounced }),
      ).toBe(true)
    })
    const { findings } = await runDoctor('--db', getFile())
    expect(
      findings.map(({ level, finding }) => [
        level,
        finding.replace(/the first since [^:]*:..:..Z/, 'the first since then'),
      ]),
    ).toEqual([
      ['problem', `1 e-mail is no longer retried: ${failed} (550).`],
      ['problem', `1 e-mail is not delivered to operators (apis@example.com), about ${held} (550).`],
      ['problem', `1 e-mail is overdue, the first since then: ${overdue}.`],
      ['problem', `1 e-mail is tried and not accepted yet: ${rejected} (ECONNREFUSED).`],
      ['note', `1 e-mail is held until somebody approves the registration: ${held}.`],
    ])
  })

  it('a mail server that cannot be used, if the mailer has verify()', async () => {
    const writeMailer = (verify: string): Promise<readonly string[]> =>
      writeConfig(`
        import { emails } from ${EMAILS}
        export default () => ({ ...base(), features: [emails({ mailer: { send: async () => {}, ${verify} } })] })`)
    expect(await findProblems('features', ...(await writeMailer('verify: async () => true')))).toEqual([])
    const broken = await writeMailer(`verify: async () => { throw new Error('Invalid login: 535') }`)
    expect(await findProblems('features', ...broken)).toMatchObject([
      { finding: 'The mail server cannot be used: Invalid login: 535.' },
    ])
    const resend = await writeMailer(
      `verify: async () => ({ data: null, error: { name: 'restricted_api_key', statusCode: 401 } })`,
    )
    expect(await findProblems('features', ...resend)).toMatchObject([
      { finding: expect.stringContaining('restricted_api_key 401') as string },
    ])
    const smtp = await writeConfig(`
      import { createTransport } from ${JSON.stringify(import.meta.resolve('nodemailer'))}
      import { emails, smtpMailer } from ${EMAILS}
      const transport = createTransport({ host: '127.0.0.1', port: 1 })
      const mailer = smtpMailer({ transport, from: 'shop@example.com' })
      export default () => ({ ...base(), features: [emails({ mailer })] })`)
    expect(await findProblems('features', ...smtp)).toMatchObject([
      { finding: 'The mail server cannot be used: connect ECONNREFUSED 127.0.0.1:1.' },
    ])
    const { findings } = await runDoctor(...(await writeMailer('')))
    expect(findings).toContainEqual(expect.objectContaining({ level: 'note', check: 'features' }))
  })
})
