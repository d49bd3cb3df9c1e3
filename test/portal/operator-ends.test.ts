import { beforeAll, afterAll, expect, it } from 'vitest'
import { openPortalApp, usePortalApp, visit, type PortalApp } from './pages-app.js'
import type { Visitor } from './visitor.js'

const ANNA = 'anna@example.com'
const DAY_MS = 86_400_000

let app: PortalApp
let anna: Visitor

beforeAll(async () => {
  app = await openPortalApp()
  await app.auth.applications.create({ name: 'First', contact: ANNA, apis: ['catalog'] })
  anna = await visit(app, ANNA)
})
afterAll(() => app.close())

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

it('lets no key that a contact adds or rotates outlive the end that an operator gave every key', async () => {
  const { id, first, applications, add, act, list, newest } = await open()
  const end = inDays(40)
  await applications.updateCredential(id, first, { expiresAt: end, by: 'alice' })
  expect((await add('one')).text).toContain('It expires on')
  expect(await list()).toEqual([end, end])
  await act(first, 'rotate', { overlap: '0' })
  await act(await newest(), 'rotate', { overlap: '0' })
  expect(await list()).toEqual([end, end])
  // A shorter end that a contact chose does not take the mark away.
  await add('short', '30')
  await act(await newest(), 'rotate', { overlap: '0' })
  for (const { id: key } of (await applications.get(id))!.keys) await act(key, 'end')
  await add('anew')
  expect(await list()).toEqual([end])
  // The other kind has no end.
  await add('free', '0', 'secret')
  expect((await applications.get(id))!.secrets[0]!.expiresAt).toBeUndefined()
})

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

it('lets a contact replace what an operator ended at once, and keeps ends of contacts apart from those of operators', async () => {
  const { id, first, applications, add, list, newest } = await open()
  await applications.updateCredential(id, first, { expiresAt: inDays(5) })
  await applications.endCredential(id, first)
  await add('leaked', '30')
  await add('longer')
  expect(await list()).toEqual([undefined, inDays(30)])
  await applications.updateCredential(id, await newest(), { expiresAt: inDays(2) })
  await add('unbounded')
  expect((await list())[0]).toBeUndefined()
})

it('keeps the ends of an import', async () => {
  const imported = await usePortalApp({ importedCredentials: true })
  const { applications } = imported.auth
  const expiresAt = new Date(imported.clock.now() + 40 * DAY_MS)
  const keys = [{ plain: 'legacy-key-of-a-customer-0123456789', expiresAt: expiresAt.toISOString() }]
  const lines = [{ name: 'Moved', contact: ANNA, apis: ['catalog' as const], keys }]
  await applications.import(lines, { confirm: true, onRefused: (_, reason) => expect.fail(reason) })
  const visitor = await visit(imported, ANNA)
  const [, id] = /(app_\w{32})/.exec((await visitor.open('')).html) ?? []
  await visitor.submit(await visitor.open(`${id}/credentials/new-key`), { name: 'added' })
  expect((await applications.get(id!))!.keys.map((key) => key.expiresAt)).toEqual([expiresAt, expiresAt])
})
