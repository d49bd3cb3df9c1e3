import { readFile } from 'node:fs/promises'
import { beforeEach, expect, it } from 'vitest'
import { CONFIG, printed, runInProcess, runJson, useSite } from '../command-line.js'

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

it('apps add-contact and apps remove-contact change who the contacts are, which apps show and apps list have', async () => {
  const added = await runInProcess(['apps', 'add-contact', id, OTHER, ...db()])
  expect(added).toEqual({ code: 0, stdout: `${OTHER} is a contact of "Shop" (${id}).\n`, stderr: '' })
  expect(await printed('apps', 'show', id, '--db', site.file)).toMatch(
    /contacts  ann@shop\.example\n +bob@shop\.example\n/,
  )
  const removed = await runJson(['apps', 'remove-contact', id, FIRST, ...db()])
  expect(removed.application).toMatchObject({ contact: OTHER, contacts: [OTHER] })
  const listed = await printed('apps', 'list', '--db', site.file)
  expect(listed.split('\n').find((line) => line.startsWith(id))).toContain(OTHER)
  const audit = await printed('audit', id, '--db', site.file)
  expect(audit).toMatch(/application\.contactAdded .*alice[^]*application\.contactRemoved .*alice/)
  expect(audit).not.toContain(OTHER)
})

it('apps invite-contact and apps cancel-invitation send an invitation, and end it', async () => {
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
