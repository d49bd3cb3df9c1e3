import { expect, it, vi } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { usePortalApp, visit } from './pages-app.js'

const ANNA = 'anna@example.com'
const DAY_MS = 86_400_000

const app = await usePortalApp()
await app.auth.applications.create({ name: 'First', contact: ANNA, apis: ['catalog'] })
const anna = await visit(app, ANNA)

const inDays = (days: number): Date => new Date(app.clock.now() + days * DAY_MS)

/** An application of Anna's, what she does there in the portal, and the ends of its live keys, newest first. */
async function open() {
  const { applications } = app.auth
  const { application } = await applications.create({ name: 'Ended', contact: ANNA, apis: ['orders', 'catalog'] })
  const { id } = application
  const first = application.keys[0]!.id
  const add = async (name: string, expires = '0', kind = 'key') =>
    anna.submit(await anna.open(`${id}/credentials/new-${kind}`), { name, expires })
  const act = async (credential: string, action: 'rotate' | 'end', fields: Record<string, string> = {}) =>
    anna.submit(await anna.open(`${id}/credentials/${credential}/${action}`), fields)
  const list = async () => (await applications.get(id))!.keys.map(({ expiresAt }) => expiresAt)
  const newest = async () => (await applications.get(id))!.keys[0]!.id
  return { id, first, applications, add, act, list, newest }
}

it.each([
  [10 / 24, []],
  [1.6, []],
  [30.5, ['In 30 days']],
  [90, ['In 30 days']],
])(
  'offers only ends that the end of an operator in %s days allows, and the file .env has the end',
  async (days, offered) => {
    const { id, first, applications, list } = await open()
    const end = inDays(days)
    await applications.updateCredential(id, first, { expiresAt: end })
    const form = await anna.open(`${id}/credentials/new-key`)
    const choices = [...form.html.matchAll(/<option value="\d+"[^>]*>([^<]*)</g)].map(([, text]) => text!.trim())
    const time = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    })
    const written = `${time.format(end)} UTC`
    const most = Number.isInteger(days) ? `In ${days} days (the most)` : `On ${written} (the most)`
    expect(choices.toSorted()).toEqual([...offered, most].toSorted())
    const shown = await anna.submit(form, { name: 'bounded' })
    expect(await list()).toEqual([end, end])
    expect(shown.text).toContain(`It expires on ${written}`)
    expect((await anna.submit(shown, {}, `${id}/download`)).html).toMatch(
      new RegExp(`^# It expires on ${written}\\.\nAPI_KEY=epa_key_`),
    )
  },
)

it('does not let a contact add a key once the end that an operator gave has passed', async () => {
  const { id, first, applications, add, list } = await open()
  await applications.rotateKey(id, { credential: first, overlap: 0, expiresAt: new Date(app.clock.now() + 60_000) })
  app.clock.advance(61)
  const refused = await add('late')
  expect([refused.status >= 400, refused.text]).toEqual([
    true,
    expect.stringContaining('The operator has ended the keys'),
  ])
  expect(await list()).toEqual([])
  await applications.addKey(id, { name: 'given' })
  await add('again')
  expect(await list()).toEqual([undefined, undefined])
})

it('keeps ends of contacts apart from those of operators', async () => {
  const { id, first, applications, add, list, newest } = await open()
  await applications.endCredential(id, first)
  await add('leaked', '30')
  await add('longer')
  expect(await list()).toEqual([undefined, inDays(30)])
  await applications.updateCredential(id, await newest(), { expiresAt: inDays(2) })
  await add('unbounded')
  expect((await list())[0]).toBeUndefined()
})

it('tells a contact to ask the operator for a first secret where only a key for another API is left', async () => {
  const { application } = await app.auth.applications.create({ name: 'Keys', contact: ANNA, apis: ['catalog'] })
  const { id } = application
  const { applications } = app.auth
  await applications.addKey(id, { name: 'office', apis: ['catalog'], by: 'alice' })
  await applications.endCredential(id, application.keys[0]!.id, { by: 'alice' })
  await applications.allow(id, 'orders', { by: 'alice' })
  const secret = await anna.submit(await anna.open(`${id}/credentials/new-secret`), { name: 'mine' })
  expect(secret.text).toContain(
    'The operator has ended the secrets of this application. Ask the operator for a new one.',
  )
  expect((await applications.get(id))!.secrets).toEqual([])
})

it('keeps the ends of an import', async () => {
  const imported = await usePortalApp({ imports: true })
  const { applications } = imported.auth
  const expiresAt = new Date(imported.clock.now() + 40 * DAY_MS)
  const keys = [{ plain: 'legacy-key-of-a-customer-0123456789', expiresAt: expiresAt.toISOString() }]
  const lines = [{ name: 'Moved', contact: ANNA, apis: ['catalog' as const], keys }]
  await imported.auth.imports.run(lines, { confirm: true, onRefused: (_, reason) => expect.fail(reason) })
  const visitor = await visit(imported, ANNA)
  const [, id] = /(app_\w{32})/.exec((await visitor.open('')).html) ?? []
  await visitor.submit(await visitor.open(`${id}/credentials/new-key`), { name: 'added' })
  expect((await applications.get(id!))!.keys.map((key) => key.expiresAt)).toEqual([expiresAt, expiresAt])
})

/** As `open()`, on a platform of its own. */
async function openOn(
  options: Parameters<typeof usePortalApp>[0],
  apis: readonly ('orders' | 'catalog' | 'secrets')[],
) {
  const store = memoryStore()
  const own = await usePortalApp({ store, ...options })
  const { applications } = own.auth
  const { application } = await applications.create({ name: 'Own', contact: ANNA, apis })
  const { id } = application
  const visitor = await visit(own, ANNA)
  const at = (days: number): Date => new Date(own.clock.now() + days * DAY_MS)
  const add = async (name: string) => visitor.submit(await visitor.open(`${id}/credentials/new-key`), { name })
  const list = async () => (await applications.get(id))!.keys.map(({ expiresAt }) => expiresAt)
  const end = async () => (await list())[0]
  return { own, store, id, first: application.keys[0]!.id, applications, at, add, list, end }
}

it('bounds what works for an API whose every key has an end, also where a key for another API has none', async () => {
  const { id, first, applications, at, add, end } = await openOn({}, ['catalog', 'secrets'])
  await applications.addKey(id, { name: 'catalog only', apis: ['catalog'] })
  await applications.updateCredential(id, first, { expiresAt: at(40) })
  await add('for both')
  expect(await end()).toEqual(at(40))
  // The one that has ended still counts for the other API: no other works there.
  for (const { id: key, name } of (await applications.get(id))!.keys.filter((each) => each.name !== 'catalog only')) {
    if (name === 'for both') await applications.updateCredential(id, key, { expiresAt: at(2) })
    else await applications.endCredential(id, key)
  }
  await add('for both again')
  expect(await end()).toEqual(at(2))
  await applications.addKey(id, { name: 'secrets', apis: ['secrets'] })
  await applications.addKey(id, { name: 'all' })
  await add('free')
  expect(await end()).toBeUndefined()
})

it('keeps the limit when an operator rotates without an end, by e-mail and with a shorter maximum age too', async () => {
  const { own, id, first, applications, at, add, end } = await openOn({ credentials: { maxAge: 100 } }, ['catalog'])
  const limit = at(90)
  await applications.updateCredential(id, first, { expiresAt: limit })
  await applications.rotateKey(id, { overlap: 0 })
  await add('after a rotation')
  expect(await end()).toEqual(limit)
  const sent = own.mailer.emails.length
  const [added] = (await applications.get(id))!.keys
  await applications.rotateKey(id, { credential: added!.id, overlap: 0, deliver: 'email' })
  await vi.waitFor(() => expect(own.mailer.emails.length).toBeGreaterThan(sent), 60_000)
  await vi.waitFor(async () => expect((await applications.get(id))!.keys[0]!.id).not.toBe(added!.id), 60_000)
  expect(await end()).toEqual(limit)
  await add('after an e-mail')
  expect(await end()).toEqual(limit)
})

it('keeps the limit when a maximum age ends keys earlier', async () => {
  const { own, store, id, first, applications, at, end } = await openOn({}, ['catalog'])
  const limit = at(40)
  await applications.updateCredential(id, first, { expiresAt: limit })
  const shorter = await usePortalApp({ store, credentials: { maxAge: 20 }, now: own.clock.now })
  for (const expected of [at(20), at(35), limit]) {
    await shorter.auth.applications.rotateKey(id, { overlap: 0 })
    expect(await end()).toEqual(expected)
    if (expected !== limit) own.clock.advance((15 * DAY_MS) / 1000)
  }
  const visitor = await visit(own, ANNA)
  await visitor.submit(await visitor.open(`${id}/credentials/new-key`), { name: 'new' })
  expect(await end()).toEqual(limit)
})

it('lets a leaked key be replaced, within the ends of the others', async () => {
  const { own, id, first, applications, at, add, end } = await openOn({}, ['catalog'])
  const { credential } = await applications.addKey(id, { name: 'other', expiresAt: at(10) })
  await applications.updateCredential(id, first, { expiresAt: at(40) })
  await applications.endCredential(id, first)
  await add('replacement')
  expect(await end()).toEqual(at(10))
  // The audit log has the end that counts.
  const { items } = await own.auth.audit.list({ applicationId: id })
  expect(items.at(-1)).toMatchObject({ details: { name: 'replacement', expiresAt: at(10).toISOString() } })
  expect(credential.expiresAt).toEqual(at(10))
})

it('is not lifted by the client id of an import, nor by a command of an operator without options', async () => {
  const { store, id, first, at, add, end } = await openOn({ imports: true }, ['catalog'])
  const record = (await store.findApplication(id))!
  const clientId = {
    ...record.keys[0]!,
    id: 'cred_client',
    name: 'client-id',
    hash: 'sha256:x',
    apis: {},
    isImported: true,
  }
  const audit = {
    at: record.createdAt,
    type: 'application.updated',
    by: undefined,
    applicationId: id,
    details: {},
  } as const
  await store.saveApplication({ ...record, keys: [...record.keys, clientId], version: record.version + 1 }, audit)
  const admin = await openAdmin(store)
  await admin.applications.updateCredential(id, first, { expiresAt: at(40) })
  await add('bounded')
  expect(await end()).toEqual(at(40))
})
