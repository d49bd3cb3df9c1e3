import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { config, createApplication, printed, runInProcess, runJson, useSite } from '../command-line.js'

const site = useSite()

const remove = (id: string) => runInProcess(['apps', 'delete', id, '--yes', ...site.db()])
const retry = (...args: readonly string[]): Promise<string> => printed('emails', 'retry', ...args, ...config)

/** Registers an application whose e-mail the mail server refuses; it is deleted when the test is over. */
async function register(name: string, { contact = 'no@shop.example', mail = 'refuses' } = {}) {
  vi.stubEnv('CLI_MAIL', mail)
  const args = ['--name', name, '--contact', contact, '--api', 'catalog', ...config]
  const stdout = await printed('apps', 'register', ...args)
  const id = /app_\w{32}/.exec(stdout)![0]
  onTestFinished(async () => void (await remove(id)))
  return { id, stdout }
}

describe('emails retry', () => {
  it('sends e-mails again that the mail server refused, and says whether it accepted them', async () => {
    const { id, stdout } = await register('Refused')
    expect(stdout).toContain(
      `The mail server has refused its e-mail (550). Fix the cause, then: express-platform-auth emails retry ${id}`,
    )
    expect(await retry(id)).toBe('1 e-mail is retried: 0 accepted, 1 not.\n')
    vi.stubEnv('CLI_MAIL', site.emails)
    expect(await retry()).toBe('1 e-mail is retried: 1 accepted, 0 not.\n')
    expect(await retry()).toBe('No e-mail has failed.\n')
  })

  it('leaves the sending to a running server if it has the store alone', async () => {
    const { id } = await register('Refused')
    const failed = { state: 'failed', problem: '550', purpose: 'registration', attemptCount: 1 }
    expect(await runJson(['apps', 'show', id, ...site.db()])).toMatchObject({ emails: [failed] })
    expect(await printed('emails', 'retry', id, ...site.db())).toBe(
      '1 e-mail is retried by a running server that has emails().\n',
    )
    expect(await runJson(['apps', 'show', id, ...site.db()])).toMatchObject({ emails: [{ state: 'due' }] })
  })

  it('prints one JSON document: how many are retried, and those that were not accepted', async () => {
    const { id } = await register('Refused')
    expect(await runJson(['emails', 'retry', id, ...config])).toMatchObject({
      retried: 1,
      items: [{ applicationId: id, state: 'failed', problem: '550' }],
    })
  })
})

describe('with claim links', () => {
  it('emails retry and apps rotate-key --mail wait for the mail server, and say that it refused the new link', async () => {
    vi.stubEnv('CLI_LINKS', 'true')
    const { id } = await register('Linked', { mail: site.emails })
    expect(await runJson(['apps', 'show', id, ...site.db()])).toMatchObject({ emails: [{ state: 'claimable' }] })
    vi.stubEnv('CLI_MAIL', 'refuses')
    expect(await retry(id)).toBe('1 e-mail is retried: 0 accepted, 1 not.\n')
    vi.stubEnv('CLI_MAIL', site.emails)
    expect(await retry(id)).toBe('1 e-mail is retried: 1 accepted, 0 not.\n')
    await remove(id)

    const contact = ['--contact', 'rotated@shop.example']
    const rotated = await createApplication({ name: 'Rotated', apis: ['catalog'], more: contact })
    onTestFinished(async () => void (await remove(rotated.id)))
    const rotate = () => printed('apps', 'rotate-key', rotated.id, '--mail', ...config)
    expect(await rotate()).toContain('The mail server has accepted its e-mail.')
    vi.stubEnv('CLI_MAIL', 'refuses')
    expect(await rotate()).toContain('The mail server has refused its e-mail (550).')
  })
})

describe('emails list', () => {
  it('lists what waits and what has failed, with the last answer, in pages', async () => {
    const first = await register('First', { contact: 'first@shop.example' })
    const second = await register('Second', { contact: 'second@shop.example' })
    const list = async (...args: readonly string[]) => runJson(['emails', 'list', ...args, ...site.db()])
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
    expect(await printed('emails', 'list', second.id, ...site.db())).toMatch(
      /^APPLICATION .*\n.*Second +registration +second@shop\.example +failed +1 +550 /,
    )
    for (const { id } of [first, second]) await remove(id)
    expect(await printed('emails', 'list', ...site.db())).toBe('No e-mail is queued.\n')
  })

  it.each([
    ['--state', 'sent'],
    ['--after', 'nothing'],
    ['--limit', '0'],
  ])('refuses %s %s', async (...args) => {
    expect((await runInProcess(['emails', 'list', ...args, ...site.db()])).stderr).toMatch(/ must be /)
  })
})

it('emails cancel cancels the e-mails of an application, after which there is nothing to retry', async () => {
  const { id } = await register('Cancelled')
  const cancel = () => printed('emails', 'cancel', id, '--by', 'alice', ...site.db())
  expect(await cancel()).toBe('1 e-mail is cancelled.\n')
  expect(await cancel()).toBe('No e-mail is queued. One that waits for approval ends with "apps deny".\n')
  expect(await retry(id)).toBe('No e-mail has failed.\n')
  expect(await printed('audit', id, ...site.db())).toContain(`alice  ${id}  cancelledEmails=["registration"]`)
  expect(await printed('apps', 'deny', id, ...site.db())).toBe(`Denied ${id}.\n`)
  expect((await runInProcess(['apps', 'deny', id, ...site.db()])).code).toBe(1)
})

it('an e-mail of a suspended application is shown as suspended, and is not reported as accepted', async () => {
  const { id } = await register('Suspended')
  await runInProcess(['apps', 'suspend', id, ...site.db()])
  expect(await retry(id)).toBe('1 e-mail is retried: 0 accepted, 1 not.\n')
  expect(await printed('apps', 'show', id, ...site.db())).toContain('registration: suspended')
})

it('apps register says when an e-mail is retried that the mail server has not accepted yet', async () => {
  const { stdout } = await register('Busy', { mail: 'is busy' })
  expect(stdout).toMatch(
    /has not accepted its e-mail yet \(ECONNREFUSED\)\. Running servers will retry, next at \d{4}-/,
  )
})
