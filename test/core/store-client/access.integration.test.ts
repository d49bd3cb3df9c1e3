import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError, memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { execute, freshDatabase } from '../../support/postgres.js'

const NOBODY = 65_534

/** `ready()` and the log tell the operator what to change, `health()` only what is wrong. */
async function expectBlocked({ auth, logger }: TestPlatform, fix: string | RegExp, fault: RegExp): Promise<void> {
  const error = await auth.ready().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigurationError)
  const contains = typeof fix === 'string' ? expect.stringContaining(fix) : expect.stringMatching(fix)
  expect(error).toMatchObject({ fix: contains })
  const lines = logger.lines.filter((line) => line.startsWith('The platform could not start yet'))
  expect(lines).toEqual([contains])
  const { ok, problems } = await auth.health()
  expect(ok).toBe(false)
  expect(problems.join()).toMatch(fault)
  expect(problems.join()).not.toMatch(/GRANT|\/|_role/)
}

function open(store: StoreWith): TestPlatform {
  const made = openPlatform({ store, now: Date.now })
  onTestFinished(() => made.auth.close())
  return made
}

describe('A SQLite file that cannot be opened', () => {
  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'access-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  it('because its folder may not be written rejects ready() with the absolute path, and a chmod cures it', async () => {
    const folder = await makeFolder()
    // The driver is loaded as a user who may read it.
    await open(sqliteStore(join(folder, 'first.sqlite'))).auth.ready()
    await mkdir(join(folder, 'closed'))
    await chmod(join(folder, 'closed'), 0o500)
    const file = join(folder, 'closed', 'platform.sqlite')
    await chmod(folder, 0o755)
    const isRoot = process.getuid?.() === 0
    if (isRoot) {
      process.seteuid!(NOBODY)
      onTestFinished(() => process.seteuid!(0))
    }
    const made = open(sqliteStore(relative(process.cwd(), file)))
    await expectBlocked(made, file, /the process may not open its file/)
    await expect(made.auth.verifyApiKey('catalog', 'epa_key_x')).rejects.toMatchObject({ status: 503 })
    if (isRoot) process.seteuid!(0)
    await chmod(join(folder, 'closed'), 0o777)
    if (isRoot) process.seteuid!(NOBODY)
    await made.auth.ready()
    expect(await made.auth.health()).toEqual({ ok: true, problems: [] })

    // Once it was open, the same fault is an outage.
    if (isRoot) process.seteuid!(0)
    await chmod(join(folder, 'closed'), 0o000)
    await made.auth.ready()
  })

  it('because its folder does not exist rejects ready(), and creating it cures that', async () => {
    const folder = join(await makeFolder(), 'missing')
    const made = open(sqliteStore(join(folder, 'platform.sqlite')))
    await expectBlocked(made, `Create the folder ${folder}`, /its folder does not exist/)
    await mkdir(folder)
    await made.auth.ready()
  })

  it('because it is a folder, below a file, or no SQLite file, rejects ready()', async () => {
    const folder = await makeFolder()
    await expectBlocked(open(sqliteStore(folder)), folder, /its file cannot be opened|its path leads to no file/)
    const file = join(folder, 'text')
    await writeFile(file, 'no database, but long enough to be taken for one: '.repeat(50))
    await expectBlocked(open(sqliteStore(join(file, 'platform.sqlite'))), file, /its path leads to no file/)
    await expectBlocked(open(sqliteStore(file)), `${file} is damaged, or no SQLite file`, /its file is damaged/)
  })
})

it('A read-only file system rejects ready(), and mounting it for writing cures that', async () => {
  const fault = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/srv/data/platform' })
  const open1 = vi.fn<StoreWith['open']>(async () => undefined).mockRejectedValueOnce(fault)
  const made = open({ ...memoryStore(), open: open1 })
  await expectBlocked(made, '/srv/data/platform', /it is read-only/)
  await made.auth.ready()
  expect(open1).toHaveBeenCalledTimes(2)
})

it('A database whose socket does not exist yet is waited for', async () => {
  const fault = Object.assign(new Error('connect ENOENT'), {
    code: 'ENOENT',
    syscall: 'connect',
    path: '/run/postgresql',
  })
  await open({
    ...memoryStore(),
    open: vi.fn<StoreWith['open']>(async () => undefined).mockRejectedValueOnce(fault),
  }).auth.ready()
})

describe('A PostgreSQL role', () => {
  async function openRole(setUp: (role: string) => string) {
    const database = await freshDatabase()
    const role = `r${new URL(database.url).pathname.slice(-12)}_role`
    onTestFinished(database.remove)
    onTestFinished(async () => void (await execute(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)))
    await execute(database.url, `CREATE ROLE ${role} LOGIN PASSWORD 'right'; ${setUp(role)}`)
    const url = new URL(database.url)
    url.username = role
    url.password = 'right'
    return { role, database, url, open: () => openUrl(url.href) }
  }

  function openUrl(connectionString: string): TestPlatform {
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 5000 })
    onTestFinished(() => pool.end())
    return open(postgresStore({ pool }))
  }

  it('without CREATE in its schema rejects ready() with the GRANT, which cures it without a restart', async () => {
    const { role, database, open } = await openRole(() => '')
    const made = open()
    const grant = `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`
    await expectBlocked(made, grant, /its role lacks a right/)
    await execute(database.url, grant)
    await made.auth.ready()
    // Once it was open, the same fault is an outage.
    await execute(database.url, `REVOKE USAGE ON SCHEMA public FROM PUBLIC, ${role}`)
    await expect(made.auth.applications.create({ name: 'Shop', apis: ['catalog'] })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await made.auth.ready()
  })

  it('without USAGE of its schema, or without a schema, rejects ready() with what to do', async () => {
    const { role, open, database } = await openRole(() => 'REVOKE USAGE ON SCHEMA public FROM PUBLIC')
    await expectBlocked(open(), `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`, /no schema that the role may use/)
    await execute(database.url, `ALTER ROLE ${role} SET search_path = "Partner API"`)
    await expectBlocked(open(), `CREATE SCHEMA "Partner API" AUTHORIZATION ${role};`, /no schema that the role may use/)
  })

  it('without rights on the tables of another role rejects ready() with the GRANT, which cures it', async () => {
    const { role, open, database } = await openRole(() => '')
    const owner = openUrl(database.url)
    await owner.auth.ready()
    const made = open()
    await expectBlocked(
      made,
      /GRANT SELECT, INSERT, UPDATE, DELETE ON platform_auth_\w+, .* TO \w+_role;/,
      /lacks a right/,
    )
    await execute(database.url, `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
    await made.auth.ready()
  })

  it('with a wrong password, without LOGIN, CONNECT or its database rejects ready()', async () => {
    const { role, url, open, database } = await openRole(() => '')
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expectBlocked(openUrl(wrong.href), 'Correct user and password', /it rejects the password/)
    wrong.pathname = 'no_such_database'
    wrong.password = 'right'
    await expectBlocked(openUrl(wrong.href), 'Create the database', /there is no such database/)
    await execute(database.url, `REVOKE CONNECT ON DATABASE ${url.pathname.slice(1)} FROM PUBLIC`)
    await expectBlocked(open(), 'Grant its role CONNECT', /lacks a right/)
    await execute(database.url, `ALTER ROLE ${role} NOLOGIN`)
    await expectBlocked(open(), 'Let the role log in', /it refuses the login/)
  })
})
