import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CONFIG, expectRefused, runInProcess, runJson, useSite } from '../command-line.js'

const site = useSite()
const db = (): readonly string[] => ['--db', site.file, '--by', 'alice']
const config = ['--config', CONFIG, '--by', 'alice'] as const

const FIRST = 'ann@shop.example'
const OTHER = 'bob@shop.example'
let id: string

beforeEach(async () => {
  const create = ['apps', 'create', '--name', 'Shop', '--contact', FIRST, '--api', 'catalog', ...config]
  id = (await runJson(create)).application.id
})

const readContacts = async (): Promise<readonly string[]> =>
  (await runJson(['apps', 'show', id, '--db', site.file])).application.contacts

const readInvited = async (): Promise<readonly string[]> =>
  (await runJson(['apps', 'show', id, '--db', site.file])).application.invitations.map(({ address }) => address)

describe('apps add-contact and apps remove-contact', () => {
  it('change who the contacts are, which apps show and apps list have', async () => {
    const added = await runInProcess(['apps', 'add-contact', id, OTHER, ...db()])
    expect(added).toEqual({ code: 0, stdout: `${OTHER} is a contact of "Shop" (${id}).\n`, stderr: '' })
    expect((await runInProcess(['apps', 'show', id, '--db', site.file])).stdout).toMatch(
      /contacts  ann@shop\.example\n +bob@shop\.example\n/,
    )
    const removed = await runJson(['apps', 'remove-contact', id, FIRST, ...db()])
    expect(removed.application).toMatchObject({ contact: OTHER, contacts: [OTHER] })
    const listed = (await runInProcess(['apps', 'list', '--db', site.file])).stdout
    expect(listed.split('\n').find((line) => line.startsWith(id))).toContain(OTHER)
    const audit = (await runInProcess(['audit', id, '--db', site.file])).stdout
    expect(audit).toMatch(/application\.contactAdded .*alice[^]*application\.contactRemoved .*alice/)
    expect(audit).not.toContain(OTHER)
  })

  it('refuse a wrong address, a contact twice, an eleventh, the only one and a stranger', async () => {
    await expectRefused(['apps', 'add-contact', id, 'bob', ...db()], 1, 'one plain e-mail address')
    await expectRefused(['apps', 'add-contact', id, `${OTHER}, c@shop.example`, ...db()], 1, 'one plain e-mail address')
    await expectRefused(['apps', 'add-contact', id, FIRST.toUpperCase(), ...db()], 1, 'is a contact of application')
    await expectRefused(['apps', 'remove-contact', id, FIRST, ...db()], 1, 'is the only contact')
    await expectRefused(['apps', 'remove-contact', id, OTHER, ...db()], 1, 'is not a contact of application')
    await expectRefused(['apps', 'add-contact', `app_${'0'.repeat(32)}`, OTHER, ...db()], 1, 'There is no application')
    await expectRefused(['apps', 'add-contact', id, ...db()], 2, 'ADDRESS')
    for (let other = 2; other <= 10; other++) {
      await runJson(['apps', 'add-contact', id, `dev${other}@shop.example`, ...db()])
    }
    await expectRefused(['apps', 'add-contact', id, OTHER, ...db()], 1, 'has 10 contacts and open invitations')
    expect(await readContacts()).toHaveLength(10)
  })
})

describe('apps invite-contact and apps cancel-invitation', () => {
  it('send an invitation, and end it', async () => {
    const invited = await runInProcess(['apps', 'invite-contact', id, OTHER, ...config])
    expect(invited).toEqual({
      code: 0,
      stdout: `Invited ${OTHER} to "Shop" (${id}).\nThe mail server has accepted its e-mail.\n`,
      stderr: '',
    })
    expect(await readFile(site.emails, 'utf8')).toMatch(/"to":"bob@shop\.example".*\/applications\/invitation#app_/)
    expect([await readContacts(), await readInvited()]).toEqual([[FIRST], [OTHER]])
    const ended = await runInProcess(['apps', 'cancel-invitation', id, OTHER, ...db()])
    expect(ended).toEqual({ code: 0, stdout: `The invitation of ${OTHER} has ended.\n`, stderr: '' })
    expect([await readContacts(), await readInvited()]).toEqual([[FIRST], []])
  })

  it('say what is wrong: the mail server refuses, the address cannot be invited, nobody was invited', async () => {
    vi.stubEnv('CLI_MAIL', 'refuses')
    const refused = await runInProcess(['apps', 'invite-contact', id, OTHER, ...config])
    expect(refused.stdout).toContain(`Invited ${OTHER}`)
    expect(refused.stdout).toContain('The mail server has refused its e-mail (550).')
    const invite = (address: string) => runInProcess(['apps', 'invite-contact', id, address, ...config])
    expect(await invite('bob')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('one plain e-mail address') as unknown,
    })
    expect(await invite(FIRST)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a contact of application') as unknown,
    })
    await expectRefused(
      ['apps', 'cancel-invitation', id, 'carl@shop.example', ...db()],
      1,
      'has no open invitation of carl@',
    )
    await expectRefused(['apps', 'invite-contact', id, OTHER, ...db()], 2, '--config')
  })
})
