import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApisOptions } from '../../../src/index.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { APIS, openPlatform, type FullPlatform, type TestOptions } from '../../support/platform.js'
import { execute, freshDatabase } from '../../support/postgres.js'
import { CONFIG, runInProcess } from './command-line.js'

interface Database {
  readonly address: string
  open(): { readonly store: StoreWith; close(): Promise<void> }
  /** A copy of it, as a backup is. Nothing is connected to it. */
  copy(): Promise<Database>
}

async function sqliteDatabase(source?: string): Promise<Database> {
  const folder = await createTemporaryFolder()
  const address = join(folder, 'platform.sqlite')
  if (source) await copyFile(source, address)
  return {
    address,
    open: () => ({ store: sqliteStore(address), close: async () => undefined }),
    copy: () => sqliteDatabase(address),
  }
}

async function postgresDatabase(source?: string): Promise<Database> {
  const { url, remove } = await freshDatabase()
  onTestFinished(remove)
  if (source) {
    const [name, template] = [url, source].map((address) => new URL(address).pathname.slice(1))
    await execute(source.replace(template!, 'postgres'), `DROP DATABASE ${name}`)
    await execute(source.replace(template!, 'postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`)
  }
  return {
    address: url,
    open() {
      const pool = new Pool({ connectionString: url })
      return { store: postgresStore({ pool }), close: () => pool.end() }
    },
    copy: () => postgresDatabase(url),
  }
}

async function use<Result>(
  database: Database,
  work: (auth: FullPlatform) => Promise<Result>,
  options: TestOptions & { readonly apis?: ApisOptions } = {},
): Promise<Result> {
  const { store, close } = database.open()
  const { auth } = openPlatform({ store, now: Date.now, mailer: memoryMailer(), background: false, ...options })
  await auth.ready()
  const result = await work(auth)
  await auth.close()
  await close()
  return result
}

interface Line {
  readonly list: 'first' | 'rest' | 'audit'
  readonly what?: string
  readonly type?: string
  readonly applicationId?: string
  readonly redo?: string
}

async function check(lost: Database, restored: Database): Promise<{ code: number; lines: Line[] }> {
  const args = ['restore-check', '--db', restored.address, '--lost', lost.address]
  const { code, stdout, stderr } = await runInProcess([...args, '--json'])
  expect(stderr).toBe('')
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
  return { code, lines }
}

type Change = (auth: FullPlatform, id: string) => Promise<unknown>

const by = 'alice'

/** A change since the backup; what the check says about its application, and in which list. */
const CHANGES: readonly (readonly [list: 'first' | 'rest', what: string, change: Change])[] = [
  ['first', 'suspended', (auth, id) => auth.applications.suspend(id, { by })],
  ['first', 'deleted', (auth, id) => auth.applications.delete(id, { by })],
  ['first', 'access tokens revoked', (auth, id) => auth.applications.revokeTokens(id, { by })],
  ['first', 'key ended', (auth, id) => auth.applications.rotateKey(id, { overlap: 0, by })],
  ['first', 'secret ended', (auth, id) => auth.applications.rotateSecret(id, { overlap: 0, by })],
  ['first', "key's end", (auth, id) => auth.applications.rotateKey(id, { overlap: 3600, by })],
  ['first', 'access taken away', (auth, id) => auth.applications.disallow(id, 'catalog', { by })],
  ['first', 'scopes taken away', (auth, id) => auth.applications.allow(id, 'orders', { scopes: ['orders:read'], by })],
  ['first', 'contact removed', (auth, id) => auth.applications.removeContact(id, 'second@partner.example', { by })],
  ['first', 'first contact', (auth, id) => auth.applications.update(id, { contact: 'new@partner.example', by })],
  ['first', 'networks', (auth, id) => auth.applications.update(id, { networks: ['192.0.2.0/24'], by })],
  ['rest', 'name', (auth, id) => auth.applications.update(id, { name: "Partner's $(new)", by })],
  ['first', 'resource server', (auth, id) => auth.applications.update(id, { resourceServer: null, by })],
  ['rest', 'external id', (auth, id) => auth.applications.update(id, { externalId: `C-${id}`, by })],
  [
    'rest',
    'limit',
    (auth, id) => auth.applications.update(id, { rateLimits: { orders: { limit: 5, window: 1 } }, by }),
  ],
  ['rest', 'contact added', (auth, id) => auth.applications.addContact(id, 'third@partner.example', { by })],
  ['rest', 'key added', (auth, id) => auth.applications.addKey(id, { name: 'warehouse', by })],
  ['rest', 'access granted', (auth, id) => auth.applications.allow(id, 'weather', { by })],
]

async function create(auth: FullPlatform): Promise<string> {
  const { application } = await auth.applications.create({
    name: 'Partner',
    contact: 'dev@partner.example',
    apis: ['orders', 'catalog'],
    resourceServer: ['weather'],
  })
  await auth.applications.addContact(application.id, 'second@partner.example')
  return application.id
}

// In `npm test`, the last test reads PostgreSQL.
describe.each([
  ['SQLite', sqliteDatabase] as const,
  ...(IS_LONG_LANE ? [['PostgreSQL', postgresDatabase] as const] : []),
])('restore-check on %s', (_, makeDatabase) => {
  it('lists every change since the backup, whatever the restored database wrote meanwhile', async () => {
    const lost = await makeDatabase()
    const ids = await use(lost, async (auth) => {
      const made: string[] = []
      for (let i = 0; i <= CHANGES.length; i++) made.push(await create(auth))
      return made
    })
    const restored = await lost.copy()
    expect(await check(lost, restored)).toEqual({ code: 0, lines: [] })
    const [kid, created] = await use(lost, async (auth) => {
      for (const [index, [, , change]] of CHANGES.entries()) await change(auth, ids[index]!)
      const { items } = await auth.signingKeys.list()
      await auth.signingKeys.revoke(items[0]!.kid)
      await auth.sessionSecret.replace({ by })
      return [items[0]!.kid, await create(auth)] as const
    })
    // As many records as the lost database wrote, under the same ids.
    const kept = await use(restored, async (auth) => {
      for (let i = 0; i < 3 * CHANGES.length; i++) await create(auth)
      return ids.at(-1)!
    })

    const { code, lines } = await check(lost, restored)
    expect(code).toBe(3)
    const states = lines.filter(({ list }) => list !== 'audit')
    for (const [index, [list, what]] of CHANGES.entries())
      expect(states.filter(({ applicationId }) => applicationId === ids[index])).toContainEqual(
        expect.objectContaining({ list, what }),
      )
    expect(states).toContainEqual(
      expect.objectContaining({ list: 'first', what: 'signing key revoked', redo: `signing-keys revoke ${kid}` }),
    )
    expect(states).toContainEqual(expect.objectContaining({ list: 'first', what: 'session secret replaced' }))
    expect(states).toContainEqual(expect.objectContaining({ list: 'rest', what: 'created', applicationId: created }))
    expect(states.filter(({ applicationId }) => applicationId === kept)).toEqual([])
    const order = states.map(({ list }) => list)
    expect(order).toEqual(order.toSorted())
    const undone = lines.filter(({ list }) => list === 'audit').map(({ type }) => type)
    expect(undone.slice(0, 2)).toEqual(['application.suspended', 'application.deleted'])
    expect(undone.length).toBeGreaterThanOrEqual(CHANGES.length)

    // Its commands make it again, and then the first list is empty.
    for (const { redo } of states.filter(({ list }) => list === 'first')) {
      const done = await runInProcess([...redo!.split(' '), '--config', CONFIG, '--db', restored.address])
      expect({ redo, ...done }).toMatchObject({ code: 0, stderr: '' })
    }
    const left = (await check(lost, restored)).lines.filter(({ list }) => list === 'first')
    expect(left).toEqual([])
  })
})

/** What registrations, requests for access, imports and usage leave, beside what operators do. */
const EVERYTHING = {
  apis: {
    ...APIS,
    catalog: { scheme: 'apiKey', registration: 'automatic' },
    weather: { scheme: 'apiKey', registration: 'manual' },
  },
  developersUrl: 'https://example.com/developers',
  operators: ['operator@example.com'],
  imports: true,
} as const

it('lists what registrations, requests, imports and usage have changed, and grants nobody what nobody approved', async () => {
  const lost = await sqliteDatabase()
  const KEYS = ['4174348a9222e81b33e5d72d2fd7f1e', 'b6b19b0f1f7d4c0f9a3d2b7d1e5c8f60']
  const importLine = (auth: FullPlatform, name: string, plain: string) =>
    auth.imports.run([JSON.stringify({ name, externalId: name, apis: ['catalog'], keys: [{ plain }] })], {
      confirm: true,
    })
  const findByName = async (auth: FullPlatform, name: string): Promise<string> =>
    (await auth.applications.list()).items.find((each) => each.name === name)!.id
  const register = async (auth: FullPlatform, name: string, apis: string[]): Promise<string> => {
    const contact = `${name}@partner.example`
    return (await auth.registration.register({ name, contact, apis })).application.id
  }
  const before = await use(
    lost,
    async (auth) => {
      await importLine(auth, 'used', KEYS[0]!)
      const ids = {
        approved: await register(auth, 'approved', ['weather']),
        denied: await register(auth, 'denied', ['weather']),
        waiting: await register(auth, 'waiting', ['weather']),
        asked: await create(auth),
        granted: await create(auth),
        used: await findByName(auth, 'used'),
      }
      for (const id of [ids.asked, ids.granted]) await auth.applications.disallow(id, 'catalog')
      for (const id of [ids.asked, ids.granted]) await auth.registration.requestAccess(id, { api: 'weather' })
      return ids
    },
    EVERYTHING,
  )
  const restored = await lost.copy()
  expect(await check(lost, restored)).toEqual({ code: 0, lines: [] })
  const since = await use(
    lost,
    async (auth) => {
      await auth.applications.approve(before.approved)
      await auth.applications.deny(before.denied)
      await auth.applications.deny(before.asked, { api: 'weather' })
      await auth.applications.approve(before.granted, { api: 'weather' })
      // The first use replaces the hash of the other system, and is counted.
      expect((await auth.verifyApiKey('catalog', KEYS[0]!)).application.name).toBe('used')
      await auth.flush()
      await importLine(auth, 'imported', KEYS[1]!)
      const suspended = await create(auth)
      await auth.applications.suspend(suspended)
      return {
        pending: await register(auth, 'pending', ['weather']),
        automatic: await register(auth, 'automatic', ['catalog']),
        imported: await findByName(auth, 'imported'),
        suspended,
      }
    },
    EVERYTHING,
  )

  const { code, lines } = await check(lost, restored)
  expect(code).toBe(3)
  const states = lines.filter(({ list }) => list !== 'audit')
  const linesOf = (id: string) => states.filter(({ applicationId }) => applicationId === id)
  const { approved, denied, waiting, asked, granted, used } = before
  expect(linesOf(approved)).toContainEqual(
    expect.objectContaining({ list: 'rest', what: 'approved', redo: `apps approve ${approved}` }),
  )
  expect(linesOf(denied)).toMatchObject([{ list: 'first', what: 'deleted', redo: `apps delete ${denied} --yes` }])
  expect(linesOf(waiting)).toEqual([])
  expect(linesOf(asked)).toContainEqual(expect.objectContaining({ list: 'rest', what: 'requests for access' }))
  expect(linesOf(granted)).toContainEqual(
    expect.objectContaining({ what: 'access granted', redo: `apps allow ${granted} weather` }),
  )
  expect(linesOf(used)).toEqual([])
  // A command for one that waits registers it anew: it never approves it.
  expect(linesOf(since.pending)).toMatchObject([
    {
      what: 'registered',
      redo: "apps register --name 'pending' --contact 'pending@partner.example' --api 'weather'".replaceAll("'", ''),
    },
  ])
  expect(linesOf(since.automatic)).toMatchObject([{ what: 'registered' }])
  expect(linesOf(since.imported)).toMatchObject([{ what: 'created' }])
  expect(linesOf(since.suspended)).toMatchObject([{ what: 'created, and suspended' }])
  expect(linesOf(since.suspended)[0]).not.toHaveProperty('redo')
})

it('lists everything of more than 500 applications, while both databases are written, and with audit records deleted', async () => {
  const COUNT = 520
  const lost = await sqliteDatabase()
  const create = async (auth: FullPlatform, name: string): Promise<string> =>
    (await auth.applications.create({ name, apis: ['catalog'] })).application.id
  const ids = await use(lost, async (auth) => {
    const made: string[] = []
    for (let i = 0; i < COUNT; i++) made.push(await create(auth, `Partner ${i}`))
    return made
  })
  const restored = await lost.copy()
  const added = await use(lost, async (auth) => {
    for (const id of ids) await auth.applications.suspend(id)
    const made: string[] = []
    for (let i = 0; i < COUNT; i++) made.push(await create(auth, `New ${i}`))
    return made
  })
  const expectEverything = async (): Promise<Line[]> => {
    const { code, lines } = await check(lost, restored)
    expect(code).toBe(3)
    const idsOf = (what: string): (string | undefined)[] =>
      lines.filter((line) => line.what === what).map(({ applicationId }) => applicationId)
    // Each once.
    expect(idsOf('suspended')).toHaveLength(COUNT)
    expect(new Set(idsOf('suspended'))).toEqual(new Set(ids))
    const created = idsOf('created')
    expect(new Set(created).size).toBe(created.length)
    expect(created).toEqual(expect.arrayContaining(added))
    return lines.filter(({ list }) => list === 'audit')
  }
  const audit = await expectEverything()
  expect(audit.length).toBe(2 * COUNT)

  // Processes write to both while they are compared.
  const writing = { ends: false }
  const write = (database: Database): Promise<void> =>
    use(database, async (auth) => {
      for (let i = 0; !writing.ends; i++) {
        const id = await create(auth, `Meanwhile ${i}`)
        await auth.applications.update(id, { name: `Renamed ${i}` })
      }
    })
  const written = Promise.all([write(lost), write(restored)])
  await expectEverything()
  writing.ends = true
  await written

  // Retention has deleted what both had, and everything since.
  const { store, close } = lost.open()
  await store.open()
  while ((await store.deleteAudit(Date.now(), 1000)) > 0);
  await store.close()
  await close()
  expect(await expectEverything()).toEqual([])
}, 120_000)

it('compares databases of both kinds, and refuses to compare a database with itself', async () => {
  const [lost, restored] = [await sqliteDatabase(), await postgresDatabase()]
  const id = await use(lost, create)
  await use(restored, create)
  const { code, lines } = await check(lost, restored)
  expect(code).toBe(3)
  expect(lines).toContainEqual(expect.objectContaining({ list: 'rest', what: 'created', applicationId: id }))
  const { code: same } = await runInProcess(['restore-check', '--db', lost.address, '--lost', lost.address])
  expect(same).toBe(2)
})
