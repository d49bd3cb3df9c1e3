import { describe, expect, it, vi } from 'vitest'
import { CONFIG, core, json, emailsIn, siteForAll } from './command-line.js'

const KEY = /^epa_key_[A-Za-z0-9]{34}$/
const SECRET = /^epa_sec_[A-Za-z0-9]{49}$/

const here = siteForAll()
const db = (): readonly string[] => ['--db', here.file]
const config = ['--config', CONFIG] as const

describe('apps create', () => {
  it('shows key and secret once, and only on stdout', async () => {
    const args = [
      'apps',
      'create',
      '--name',
      'Corner Shop',
      '--contact',
      'dev@shop.example',
      '--api',
      'orders',
      ...config,
    ]
    const { code, stdout, stderr } = await core(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Created "Corner Shop" \((app_\w{32})\)\.\n\n {2}client_id {6}epa_key_\w{34}\n {2}client_secret {2}epa_sec_\w{49}\n\nShown this once: only their hashes are kept\.\n$/,
    )
    const id = /app_\w{32}/.exec(stdout)![0]
    expect((await core(['apps', 'show', id, ...db()])).stdout).not.toMatch(/epa_sec_\w{5,}|epa_key_\w{5,}/)
  })

  it('gives scripts one JSON document', async () => {
    const created = await json([
      'apps',
      'create',
      '--name',
      'Shop',
      '--api',
      'orders=orders:read',
      '--api',
      'catalog',
      ...config,
    ])
    expect(created).toMatchObject({
      application: {
        name: 'Shop',
        status: 'active',
        apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
      },
      credentials: { clientId: expect.stringMatching(KEY), clientSecret: expect.stringMatching(SECRET) },
    })
  })

  it('makes no secret where no API asks for one', async () => {
    const { credentials } = await json(['apps', 'create', '--name', 'Reader', '--api', 'catalog', ...config])
    expect(credentials).toEqual({ clientId: expect.stringMatching(KEY) as string })
  })

  it('reads scopes one by one or together', async () => {
    const args = ['apps', 'create', '--name', 'Shop', ...config]
    const together = await json([...args, '--api', 'orders=orders:read orders:write'])
    const oneByOne = await json([...args, '--api', 'orders=orders:write', '--api', 'orders=orders:read'])
    const none = await json([...args, '--api', 'orders='])
    expect(together.application.apis).toEqual({ orders: { scopes: ['orders:read', 'orders:write'] } })
    expect(oneByOne.application.apis).toEqual(together.application.apis)
    expect(none.application.apis).toEqual({ orders: { scopes: [] } })
  })

  it.each([
    [['--name', 'Shop', '--api', 'ordres'], 'There is no API "ordres". There are: orders, catalog, archive.'],
    [
      ['--name', 'Shop', '--api', 'orders=orders:delete'],
      'has no scope "orders:delete" to grant. There are: orders:read, orders:write.',
    ],
    [['--name', 'a\nb', '--api', 'orders'], 'name must be 1 to 100 characters'],
    [['--name', 'Shop', '--api', 'orders', '--contact', 'a@b, c@d'], 'contact must be one plain e-mail address'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await core(['apps', 'create', ...args, ...config])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
  })
})

describe('apps register and approve', () => {
  it('mails the credentials and shows none', async () => {
    const args = [
      'apps',
      'register',
      '--name',
      'Reader',
      '--contact',
      'reader@shop.example',
      '--api',
      'catalog',
      ...config,
    ]
    const { code, stdout, stderr } = await core(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Registered "Reader" \(app_\w{32}\)\.\nThe mail server has accepted its email\.\n$/)
    const emails = await emailsIn(here.emails)
    expect(emails.find(({ to }) => to === 'reader@shop.example')?.text).toMatch(/epa_key_\w{34}/)
    const id = /app_\w{32}/.exec(stdout)![0]
    expect((await json(['apps', 'show', id, ...db()])).application).toMatchObject({ status: 'active' })
  })

  it('holds the email of an API that is approved by hand, until it is', async () => {
    const args = [
      'apps',
      'register',
      '--name',
      'Buyer',
      '--contact',
      'buyer@shop.example',
      '--api',
      'orders',
      ...config,
    ]
    const { stdout } = await core(args)
    const id = /app_\w{32}/.exec(stdout)![0]
    expect(stdout).toContain(`Its email is sent once it is approved: express-platform-auth apps approve ${id}\n`)
    expect((await core(['apps', 'show', id, ...db()])).stdout).toMatch(
      /status +pending[^]*emails +registration: held\n$/,
    )
    const approved = await core(['apps', 'approve', id, ...config])
    expect(approved.stdout).toBe(`Approved "Buyer" (${id}).\nThe mail server has accepted its email.\n`)
    const again = await core(['apps', 'approve', id, ...config])
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is active and does not wait for approval'),
    })
  })

  it('leaves the email to a running server where there is no mailer', async () => {
    const args = ['apps', 'register', '--name', 'Buyer', '--contact', 'late@shop.example', '--api', 'orders', ...config]
    const { application } = await json(args)
    vi.stubEnv('CLI_MAIL', '')
    const { code, stdout } = await core(['apps', 'approve', application.id, ...config])
    expect(code).toBe(0)
    expect(stdout).toContain('A running server that has a mailer sends its email.')
    expect(await json(['apps', 'show', application.id, ...db()])).toMatchObject({
      emails: [{ state: 'due', attemptCount: 0 }],
    })
    // The next command that is about emails takes it along.
    vi.stubEnv('CLI_MAIL', here.emails)
    await core(['apps', 'register', '--name', 'Next', '--contact', 'x@shop.example', '--api', 'catalog', ...config])
    expect((await json(['apps', 'show', application.id, ...db()])).application.status).toBe('active')
  })

  it('needs a mailer to register', async () => {
    vi.stubEnv('CLI_MAIL', '')
    const args = ['apps', 'register', '--name', 'Reader', '--contact', 'r@shop.example', '--api', 'catalog', ...config]
    expect(await core(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('mailer is missing') })
  })

  it('refuses an API that takes no registrations, and says what goes', async () => {
    const args = ['apps', 'register', '--name', 'Reader', '--contact', 'r@shop.example', '--api', 'archive', ...config]
    const { code, stderr } = await core(args)
    expect(code).toBe(1)
    expect(stderr).toContain('express-platform-auth apps create')
  })
})

describe('emails retry', () => {
  it('says why a email was not accepted, and tries what was given up', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const args = [
      'apps',
      'register',
      '--name',
      'Refused',
      '--contact',
      'no@shop.example',
      '--api',
      'catalog',
      ...config,
    ]
    const { stdout } = await core(args)
    const id = /app_\w{32}/.exec(stdout)![0]
    expect(stdout).toContain(
      `The mail server has refused its email (550). See to the cause, then: express-platform-auth emails retry ${id}`,
    )
    expect((await core(['emails', 'retry', id, ...config])).stdout).toBe('1 email is tried again: 0 accepted, 1 not.\n')
    vi.stubEnv('CLI_MAIL', here.emails)
    expect((await core(['emails', 'retry', ...config])).stdout).toBe('1 email is tried again: 1 accepted, 0 not.\n')
    expect((await core(['emails', 'retry', ...config])).stdout).toBe('No email was given up.\n')
  })

  it('with the store alone leaves the sending to a running server', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const args = [
      'apps',
      'register',
      '--name',
      'Refused',
      '--contact',
      'no@shop.example',
      '--api',
      'catalog',
      ...config,
    ]
    const { application, emails } = await json(args)
    expect(emails).toMatchObject([{ state: 'failed', problem: '550', purpose: 'registration', attemptCount: 1 }])
    expect((await core(['emails', 'retry', application.id, ...db()])).stdout).toBe(
      '1 email is tried again by a running server that has a mailer.\n',
    )
    expect(await json(['apps', 'show', application.id, ...db()])).toMatchObject({ emails: [{ state: 'due' }] })
    await core(['apps', 'delete', application.id, '--yes', ...db()])
  })

  it('tells when a email is tried again by itself', async () => {
    vi.stubEnv('CLI_MAIL', 'is busy')
    const args = ['apps', 'register', '--name', 'Busy', '--contact', 'busy@shop.example', '--api', 'catalog', ...config]
    const { stdout } = await core(args)
    expect(stdout).toMatch(
      /has not accepted its email yet \(ECONNREFUSED\)\. Running servers try again, next at \d{4}-/,
    )
    await core(['apps', 'delete', /app_\w{32}/.exec(stdout)![0], '--yes', ...db()])
  })
})
