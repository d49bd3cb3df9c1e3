import { describe, expect, it, vi } from 'vitest'
import { config, expectRefused, printed, readEmails, runInProcess, runJson, useSite } from '../command-line.js'

const KEY = /^epa_key_[A-Za-z0-9]{34}$/
const SECRET = /^epa_sec_[A-Za-z0-9]{49}$/

const site = useSite()

describe('apps create', () => {
  it('shows key and secret once, and on stdout only', async () => {
    const args = ['apps', 'create', '--name', 'Corner Shop', '--contact', 'dev@shop.example', '--api', 'orders']
    const { code, stdout, stderr } = await runInProcess([...args, ...config])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Created "Corner Shop" \((app_\w{32})\)\.\n\n {2}client_id {6}epa_key_\w{34}\n {2}client_secret {2}epa_sec_\w{49}\n\nShown this once: only their hashes are kept\.\n$/,
    )
    const id = /app_\w{32}/.exec(stdout)![0]
    expect(await printed('apps', 'show', id, ...site.db())).not.toMatch(/epa_sec_\w{5,}|epa_key_\w{5,}/)
  })

  it('prints one JSON document with --json', async () => {
    const args = ['apps', 'create', '--name', 'Shop', '--api', 'orders=orders:read', '--api', 'catalog']
    expect(await runJson([...args, ...config])).toMatchObject({
      application: {
        name: 'Shop',
        status: 'active',
        apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
      },
      credentials: { clientId: expect.stringMatching(KEY), clientSecret: expect.stringMatching(SECRET) },
    })
  })

  it('grants the scopes of one --api, of repeated ones, or none', async () => {
    const args = ['apps', 'create', '--name', 'Shop', ...config]
    const together = await runJson([...args, '--api', 'orders=orders:read orders:write'])
    const oneByOne = await runJson([...args, '--api', 'orders=orders:write', '--api', 'orders=orders:read'])
    const none = await runJson([...args, '--api', 'orders='])
    expect(together.application.apis).toEqual({ orders: { scopes: ['orders:read', 'orders:write'] } })
    expect(oneByOne.application.apis).toEqual(together.application.apis)
    expect(none.application.apis).toEqual({ orders: { scopes: [] } })
  })
})

describe('apps register and approve', () => {
  const register = (name: string, contact: string, api: string): readonly string[] =>
    ['apps', 'register', '--name', name, '--contact', contact, '--api', api].concat(config)

  it('send the credentials by e-mail and do not show them', async () => {
    const { code, stdout, stderr } = await runInProcess(register('Reader', 'reader@shop.example', 'catalog'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Registered "Reader" \(app_\w{32}\)\.\nThe mail server has accepted its e-mail\.\n$/)
    const emails = await readEmails(site.emails)
    expect(emails.find(({ to }) => to === 'reader@shop.example')?.text).toMatch(/epa_key_\w{34}/)
    const id = /app_\w{32}/.exec(stdout)![0]
    expect((await runJson(['apps', 'show', id, ...site.db()])).application).toMatchObject({ status: 'active' })
  })

  it('hold the e-mail until the application is approved, if an API requires approval', async () => {
    const { stdout } = await runInProcess(register('Buyer', 'buyer@shop.example', 'orders'))
    const id = /app_\w{32}/.exec(stdout)![0]
    expect(stdout).toContain(`Its e-mail is sent once it is approved: express-platform-auth apps approve ${id}\n`)
    expect(await printed('apps', 'show', id, ...site.db())).toMatch(/status +pending[^]*e-mails +registration: held\n$/)
    const approved = await runInProcess(['apps', 'approve', id, ...config])
    expect(approved.stdout).toBe(`Approved "Buyer" (${id}).\nThe mail server has accepted its e-mail.\n`)
    await expectRefused(['apps', 'approve', id, ...config], 1, 'is active and does not wait for approval')
  })

  it('leave the sending to a running server if the options have no emails()', async () => {
    const { application } = await runJson(register('Buyer', 'late@shop.example', 'orders'))
    vi.stubEnv('CLI_MAIL', '')
    const { code, stdout } = await runInProcess(['apps', 'approve', application.id, ...config])
    expect(code).toBe(0)
    expect(stdout).toContain('A running server that has emails() sends its e-mail.')
    expect(await runJson(['apps', 'show', application.id, ...site.db()])).toMatchObject({
      emails: [{ state: 'due', attemptCount: 0 }],
    })
    // The next command that queues an e-mail sends this one too.
    vi.stubEnv('CLI_MAIL', site.emails)
    await runInProcess(register('Next', 'x@shop.example', 'catalog'))
    expect((await runJson(['apps', 'show', application.id, ...site.db()])).application.status).toBe('active')
  })

  it('are refused without registration()', async () => {
    vi.stubEnv('CLI_MAIL', '')
    await expectRefused(
      register('Reader', 'r@shop.example', 'catalog'),
      1,
      'The options have no registration(): add it to features',
    )
  })

  it('are refused for an API that is closed to registration, with the command that works', async () => {
    await expectRefused(register('Reader', 'r@shop.example', 'archive'), 1, 'express-platform-auth apps create')
  })
})

describe('a decision with a reason', () => {
  it('is sent to the contact by the command, which reports it; so is a suspension with --notify', async () => {
    vi.stubEnv('CLI_MAIL', `${site.file}.decisions`)
    const register = async (api: string): Promise<string> => {
      const args = ['apps', 'register', '--name', 'Shop', '--contact', 'dev@shop.example', '--api', api, ...config]
      return (await runJson(args)).application.id
    }
    const denied = await register('orders')
    await expectRefused(['apps', 'deny', denied, '--api', 'orders', ...config], 1, 'no request for access to "orders"')
    const { code, stdout } = await runInProcess(['apps', 'deny', denied, '--reason', 'No contract.', ...config])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Denied ${denied}.\nThe mail server has accepted its e-mail.\n`,
    })
    const suspended = await register('catalog')
    const args = ['apps', 'suspend', suspended, '--notify', '--reason', 'Unpaid.']
    const noticed = await runInProcess([...args, ...config])
    expect(noticed.stdout).toContain('Servers refuse it within a second.\nThe mail server has accepted its e-mail.\n')
    const texts = (await readEmails(`${site.file}.decisions`)).map(({ text }) => text)
    expect(texts.filter((text) => text.includes('No contract.'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('Unpaid.'))).toHaveLength(1)
    const audit = await printed('audit', suspended, ...site.db())
    expect(audit).toMatch(/application\.suspended .*reason=Unpaid\./)
  })
})
