import { describe, expect, it, vi } from 'vitest'
import { CONFIG, runInProcess, runJson, useSite } from '../command-line.js'

const site = useSite()
const db = (): readonly string[] => ['--db', site.file]
const config = ['--config', CONFIG] as const

const register = (name: string, contact: string): readonly string[] =>
  ['apps', 'register', '--name', name, '--contact', contact, '--api', 'catalog'].concat(config)

describe('emails retry', () => {
  it('sends e-mails again that the mail server refused, and says whether it accepted them', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { stdout } = await runInProcess(register('Refused', 'no@shop.example'))
    const id = /app_\w{32}/.exec(stdout)![0]
    expect(stdout).toContain(
      `The mail server has refused its e-mail (550). Fix the cause, then: express-platform-auth emails retry ${id}`,
    )
    const retry = async (...args: readonly string[]): Promise<string> =>
      (await runInProcess(['emails', 'retry', ...args, ...config])).stdout
    expect(await retry(id)).toBe('1 e-mail is retried: 0 accepted, 1 not.\n')
    vi.stubEnv('CLI_MAIL', site.emails)
    expect(await retry()).toBe('1 e-mail is retried: 1 accepted, 0 not.\n')
    expect(await retry()).toBe('No e-mail has failed.\n')
  })

  it('leaves the sending to a running server if it has the store alone', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { application, emails } = await runJson(register('Refused', 'no@shop.example'))
    expect(emails).toMatchObject([{ state: 'failed', problem: '550', purpose: 'registration', attemptCount: 1 }])
    expect((await runInProcess(['emails', 'retry', application.id, ...db()])).stdout).toBe(
      '1 e-mail is retried by a running server that has emails().\n',
    )
    expect(await runJson(['apps', 'show', application.id, ...db()])).toMatchObject({ emails: [{ state: 'due' }] })
    await runInProcess(['apps', 'delete', application.id, '--yes', ...db()])
  })

  it('prints one JSON document: how many are retried, and those that were not accepted', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { application } = await runJson(register('Refused', 'no@shop.example'))
    expect(await runJson(['emails', 'retry', application.id, ...config])).toMatchObject({
      retried: 1,
      items: [{ applicationId: application.id, state: 'failed', problem: '550' }],
    })
    await runInProcess(['apps', 'delete', application.id, '--yes', ...db()])
  })
})

describe('with claim links', () => {
  it('emails retry and apps rotate-key --mail wait for the mail server, and say that it refused the new link', async () => {
    vi.stubEnv('CLI_LINKS', 'true')
    vi.stubEnv('CLI_MAIL', site.emails)
    const { application } = await runJson(register('Linked', 'linked@shop.example'))
    const { id } = application
    expect(await runJson(['apps', 'show', id, ...db()])).toMatchObject({ emails: [{ state: 'claimable' }] })
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { stdout } = await runInProcess(['emails', 'retry', id, ...config])
    expect(stdout).toBe('1 e-mail is retried: 0 accepted, 1 not.\n')
    vi.stubEnv('CLI_MAIL', site.emails)
    expect((await runInProcess(['emails', 'retry', id, ...config])).stdout).toBe(
      '1 e-mail is retried: 1 accepted, 0 not.\n',
    )
    await runInProcess(['apps', 'delete', id, '--yes', ...db()])

    const create = ['apps', 'create', '--name', 'Rotated', '--contact', 'rotated@shop.example', '--api', 'catalog']
    const { application: rotated } = await runJson([...create, ...config])
    const rotate = async () => (await runInProcess(['apps', 'rotate-key', rotated.id, '--mail', ...config])).stdout
    expect(await rotate()).toContain('The mail server has accepted its e-mail.')
    vi.stubEnv('CLI_MAIL', 'refuses')
    expect(await rotate()).toContain('The mail server has refused its e-mail (550).')
    await runInProcess(['apps', 'delete', rotated.id, '--yes', ...db()])
  })
})

describe('emails list', () => {
  it('lists what waits and what has failed, with the last answer, in pages', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { application: first } = await runJson(register('First', 'first@shop.example'))
    const { application: second } = await runJson(register('Second', 'second@shop.example'))
    const list = async (...args: readonly string[]) => runJson(['emails', 'list', ...args, ...db()])
    const { items, next } = await list('--state', 'failed', '--limit', '1')
    expect(items).toMatchObject([
      {
        applicationId: first.id,
        name: 'First',
        purpose: 'registration',
        recipient: 'first@shop.example',
        state: 'failed',
        attempts: 1,
        problem: '550',
      },
    ])
    expect(await list('--state', 'failed', '--after', next!)).toMatchObject({ items: [{ name: 'Second' }] })
    expect(await list(second.id, '--state', 'due')).toEqual({ items: [] })
    const { stdout } = await runInProcess(['emails', 'list', second.id, ...db()])
    expect(stdout).toMatch(/^APPLICATION .*\n.*Second +registration +second@shop\.example +failed +1 +550 /)
    for (const { id } of [first, second]) await runInProcess(['apps', 'delete', id, '--yes', ...db()])
    expect((await runInProcess(['emails', 'list', ...db()])).stdout).toBe('No e-mail is queued.\n')
  })

  it('refuses another state and another cursor', async () => {
    for (const args of [
      ['--state', 'sent'],
      ['--after', 'nothing'],
      ['--limit', '0'],
    ])
      expect((await runInProcess(['emails', 'list', ...args, ...db()])).stderr).toMatch(/ must be /)
  })
})

describe('emails cancel', () => {
  it('cancels the e-mails of an application, after which there is nothing to retry', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { application } = await runJson(register('Cancelled', 'no@shop.example'))
    const cancel = ['emails', 'cancel', application.id, '--by', 'alice', ...db()]
    expect((await runInProcess(cancel)).stdout).toBe('1 e-mail is cancelled.\n')
    expect((await runInProcess(cancel)).stdout).toBe('No e-mail is queued.\n')
    expect((await runInProcess(['emails', 'retry', application.id, ...config])).stdout).toBe('No e-mail has failed.\n')
    expect((await runInProcess(['audit', application.id, ...db()])).stdout).toContain(
      'alice  ' + application.id + '  cancelledEmails=["registration"]',
    )
    const denied = await runInProcess(['apps', 'deny', application.id, ...db()])
    expect(denied.stdout).toBe(`Denied ${application.id}.\n`)
    expect((await runInProcess(['apps', 'deny', application.id, ...db()])).code).toBe(1)
  })
})

describe('an e-mail of a suspended application', () => {
  it('is shown as suspended, and is not reported as accepted', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const { application } = await runJson(register('Suspended', 'no@shop.example'))
    const { id } = application
    await runInProcess(['apps', 'suspend', id, ...db()])
    expect((await runInProcess(['emails', 'retry', id, ...config])).stdout).toBe(
      '1 e-mail is retried: 0 accepted, 1 not.\n',
    )
    expect((await runInProcess(['apps', 'show', id, ...db()])).stdout).toContain('registration: suspended')
    await runInProcess(['apps', 'delete', id, '--yes', ...db()])
  })
})

describe('apps register', () => {
  it('says when an e-mail is retried that the mail server has not accepted yet', async () => {
    vi.stubEnv('CLI_MAIL', 'is busy')
    const { stdout } = await runInProcess(register('Busy', 'busy@shop.example'))
    expect(stdout).toMatch(
      /has not accepted its e-mail yet \(ECONNREFUSED\)\. Running servers will retry, next at \d{4}-/,
    )
    await runInProcess(['apps', 'delete', /app_\w{32}/.exec(stdout)![0], '--yes', ...db()])
  })
})
