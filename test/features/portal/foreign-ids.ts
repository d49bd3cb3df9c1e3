import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { PortalApp } from './pages-app.js'
import type { Visitor } from './visitor.js'

const PATHS = [
  '',
  '/delete',
  '/tokens/revoke',
  '/credentials/new-key',
  '/credentials/CREDENTIAL/rotate',
  '/credentials/CREDENTIAL/end',
  '/apis/invoices/request',
  '/colleagues/invite',
]

/** What the forms of all pages have. */
const FIELDS = { name: 'Of others', overlap: '0', scopes: 'invoices:read', address: 'carl@example.com' }

/**
 * Asks for that many ids: those of applications of others, the same with a few characters changed, and random ones. Each page
 * and each action must be answered as if there were no such application.
 */
export async function expectHidden({ auth }: Pick<PortalApp, 'auth'>, visitor: Visitor, count: number): Promise<void> {
  const others = await createOthers(auth, Math.min(200, count))
  const { status, html } = await visitor.open('app_0')
  expect(status).toBe(404)
  const [, own] = /\/(app_\w{32})"/.exec((await visitor.open('')).html) ?? []
  const form = await visitor.open(`${own}/credentials/new-key`)
  const before = await auth.audit.list({ limit: 1000 })
  const found: string[] = []
  async function ask(index: number): Promise<void> {
    const path = choosePath(others[index % others.length]!, index)
    // One of three sends a form of the visitor's own application to that path.
    const page = await (index % 9 < 3 ? visitor.submit({ ...form, path }, FIELDS) : visitor.open(path))
    if (page.status !== 404 || page.html !== html) found.push(`${page.status} ${path}`)
  }
  const workers = Array.from({ length: 4 }, async (_, worker) => {
    for (let index = worker; index < count; index += 4) await ask(index)
  })
  await Promise.all(workers)
  expect(found).toEqual([])
  expect(await auth.audit.list({ limit: 1000 })).toEqual(before)
}

interface Other {
  readonly id: string
  readonly credential: string
}

async function createOthers(auth: PortalApp['auth'], count: number): Promise<Other[]> {
  const others: Other[] = []
  for (let index = 0; index < count; index++) {
    const contact = index % 2 === 0 ? 'bob@example.com' : `x${index}.anna@example.com`
    const { application } = await auth.applications.create({ name: 'Of others', contact, apis: ['catalog'] })
    others.push({ id: application.id, credential: application.keys[0]!.id })
  }
  return others
}

function choosePath({ id, credential }: Other, index: number): string {
  const path = PATHS[Math.floor(index / 3) % PATHS.length]!.replace('CREDENTIAL', credential)
  const random = randomBytes(16).toString('hex')
  return [id + path, id.slice(0, -3) + random.slice(0, 3) + path, `app_${random}${path}`][index % 3]!
}
