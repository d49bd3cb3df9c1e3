import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../src/contracts/store.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { CALLS } from './calls.js'
import { storeContract } from './contract.js'
import { application, audit, credential, email, NOW, signingKey } from './records.js'
import { driverOfPaths, drivers } from './sqlite-drivers.js'
import type { DatabaseConstructor } from './sqlite-drivers.js'

const run = promisify(execFile)
const PROCESS = fileURLToPath(new URL('../support/sqlite-process.mjs', import.meta.url))
const DIST = fileURLToPath(new URL('../../dist/esm/', import.meta.url))

/** What to do when a test is over, last first. */
const endings: (() => unknown)[] = []
let folder: string
let file: string

beforeEach(makeFolder)
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function makeFolder(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'))
  file = join(folder, 'platform-auth.sqlite')
  const made = folder
  endings.push(() => rm(made, { recursive: true }))
}

async function openStore(pathOrDatabase: string | SqliteDatabase): Promise<Store> {
  const store = sqliteStore(pathOrDatabase)
  endings.push(() => store.close())
  await store.open()
  return store
}

function openDatabase(driver: DatabaseConstructor): SqliteDatabase {
  const database = new driver(file)
  endings.push(() => database.close())
  return database
}

storeContract('sqliteStore(path)', async () => ({
  store: await openStore(file),
  again: () => openStore(file),
  close: async () => undefined,
}))

describe.each([...drivers])('sqliteStore(database of %s)', (_, driver) => {
  storeContract('with a connection each, it', async () => ({
    store: await openStore(openDatabase(driver)),
    again: () => openStore(openDatabase(driver)),
    close: async () => undefined,
  }))

  storeContract('with one connection for two stores, it', async () => {
    const database = openDatabase(driver)
    return { store: await openStore(database), again: () => openStore(database), close: async () => undefined }
  })

  storeContract('with a database in memory that reads BigInts, it', async () => {
    const database = new driver(':memory:', { readBigInts: true })
    endings.push(() => database.close())
    return { store: await openStore(database), again: () => openStore(database), close: async () => undefined }
  })

  it('leaves the tables of the host alone, its user_version too', async () => {
    const database = openDatabase(driver)
    database.exec(`PRAGMA user_version = 7; CREATE TABLE orders (id TEXT); INSERT INTO orders VALUES ('mine')`)
    const store = await openStore(database)
    await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
    expect(all(database, 'SELECT id FROM orders')).toEqual([{ id: 'mine' }])
    expect(all(database, 'PRAGMA user_version')).toEqual([{ user_version: 7 }])
    const tables = all(database, `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name <> 'orders'`)
    expect(tables.length).toBeGreaterThan(8)
    for (const { name } of tables) expect(name).toMatch(/^platform_auth_/)
  })

  it('does not close it', async () => {
    const database = openDatabase(driver)
    const store = await openStore(database)
    await store.close()
    await expect(store.findApplication('a')).rejects.toThrow('closed')
    expect(all(database, 'SELECT count(*) AS n FROM platform_auth_applications')).toEqual([{ n: 0 }])
  })

  it('makes its commits durable, and leaves its other settings as they are', async () => {
    const database = openDatabase(driver)
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA busy_timeout = 1234; PRAGMA synchronous = OFF')
    await openStore(database)
    expect(all(database, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(all(database, 'PRAGMA synchronous')).toEqual([{ synchronous: 2 }])
    expect(all(database, 'PRAGMA foreign_keys')).toEqual([{ foreign_keys: 0 }])
    expect(all(database, 'PRAGMA busy_timeout')).toEqual([{ timeout: 1234 }])
  })

  it('waits for the host to end its own transaction, and has no part in it', async () => {
    const database = openDatabase(driver)
    database.exec('CREATE TABLE orders (id TEXT)')
    const store = await openStore(database)
    database.exec(`BEGIN; INSERT INTO orders VALUES ('undone')`)
    let answers = 0
    const saving = store.saveApplication(application('a'), audit('a')).finally(() => answers++)
    const reading = store.findApplication('b').finally(() => answers++)
    await sleep(50)
    expect(answers).toBe(0)
    database.exec('ROLLBACK')
    expect(await saving).toBe(true)
    expect(await reading).toBeUndefined()
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
    expect(all(database, 'SELECT id FROM orders')).toEqual([])
  })

  it('gives up when the host never ends it', { timeout: 15_000 }, async () => {
    const database = openDatabase(driver)
    const store = await openStore(database)
    database.exec('BEGIN')
    const began = performance.now()
    const results = await Promise.allSettled([
      store.findApplication('a'),
      store.changesSince(undefined),
      store.saveApplication(application('a'), audit('a')),
      store.saveApplication(application('b'), audit('b')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect(performance.now() - began).toBeGreaterThan(4400)
    expect(performance.now() - began).toBeLessThan(6000)
    database.exec('COMMIT')
    expect(await store.saveApplication(application('a'), audit('a'))).toBe(true)
  })
})

describe('sqliteStore', () => {
  it.skipIf(process.platform === 'win32')(
    'makes a new file that its owner alone can read, and those beside it',
    async () => {
      const store = await openStore(file)
      await store.saveApplication(application('a'), audit('a'))
      for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
    },
  )

  it.skipIf(process.platform === 'win32')('leaves the mode of a file that is there', async () => {
    await writeFile(file, '', { mode: 0o640 })
    await openStore(file)
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it('keeps everything from one opening to the next', async () => {
    const first = await openStore(file)
    await first.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
    await first.addSigningKey(signingKey('key'), undefined, audit())
    await first.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
    await first.establishPepper('pepper')
    const { cursor } = await first.changesSince(undefined)
    await first.close()
    const second = await openStore(file)
    expect((await second.findApplicationByKey('k'))?.id).toBe('a')
    expect(await second.listSigningKeys()).toStrictEqual([signingKey('key')])
    expect(await second.isAccessTokenRevoked('jti')).toBe(true)
    expect(await second.establishPepper('other')).toBe('pepper')
    expect(await second.changesSince(cursor)).toEqual({ cursor, changes: [] })
  })

  it('keeps a database in memory too', async () => {
    const store = await openStore(':memory:')
    await store.saveApplication(application('a'), audit('a'))
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
    await expect(stat(':memory:')).rejects.toThrow('ENOENT')
  })

  it('names the file that it can not make, and opens when it can', async () => {
    const store = sqliteStore(join(folder, 'missing', 'a.sqlite'))
    await expect(store.open()).rejects.toThrow(join(folder, 'missing', 'a.sqlite'))
    await mkdir(join(folder, 'missing'))
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
    await store.close()
  })

  it('refuses a database of a newer version, until it is none', async () => {
    await (await openStore(file)).close()
    const database = openDatabase(driverOfPaths)
    database.exec(`UPDATE platform_auth_meta SET value = '99' WHERE key = 'schema_version'`)
    const store = sqliteStore(file)
    endings.push(() => store.close())
    await expect(store.open()).rejects.toMatchObject({ code: 'schema_too_new', message: expect.stringContaining('99') })
    await expect(store.findApplication('a')).rejects.toThrow('not open')
    database.exec(`UPDATE platform_auth_meta SET value = '1' WHERE key = 'schema_version'`)
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
  })

  it('refuses an older schema where it is not to migrate, and leaves it as it is', async () => {
    const store = sqliteStore(file)
    endings.push(() => store.close())
    await expect(store.open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    await expect(store.open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    await store.open()
    await (await openStore(file)).open({ migrate: false })
  })

  it('refuses a file that is no database', async () => {
    await writeFile(file, 'no database, but long enough to be taken for one'.repeat(100))
    await expect(sqliteStore(file).open()).rejects.toThrow('not a database')
  })

  it.each(CALLS)('rejects %s() before it is open, and after it is closed', async (_, call) => {
    const store = sqliteStore(file)
    await expect(call(store)).rejects.toThrow('open()')
    await store.open()
    await call(store)
    await Promise.all([store.close(), store.close()])
    await store.close()
    await expect(call(store)).rejects.toThrow('closed')
    await expect(store.open()).rejects.toThrow('closed')
  })

  it('keeps about the last 10,000 changes, and tells of everything to who has seen fewer', async () => {
    const store = await openStore(file)
    await store.saveApplication(application('a'), audit('a'))
    const old = (await store.changesSince(undefined)).cursor
    openDatabase(driverOfPaths).exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
      INSERT INTO platform_auth_changes (kind, id) SELECT 'application', i FROM n`)
    await store.saveApplication(application('b'), audit('b'))
    const page = await store.changesSince(old)
    expect(page).toEqual({ cursor: '10052', changes: [{ kind: 'everything' }] })
    expect((await store.changesSince('10051')).changes).toEqual([{ kind: 'application', id: 'b' }])
    expect((await store.changesSince('100')).changes).toHaveLength(9952)
    expect(all(openDatabase(driverOfPaths), 'SELECT count(*) AS n FROM platform_auth_changes')).toEqual([{ n: 10_000 }])
  })

  it('looks into the feed only when something was committed', async () => {
    const database = openDatabase(driverOfPaths)
    const store = await openStore(database)
    const asked: string[] = []
    const spied = spyOn(database, asked)
    const other = await openStore(spied)
    const { cursor } = await other.changesSince(undefined)
    asked.length = 0
    for (let i = 0; i < 3; i++) await other.changesSince(cursor)
    expect(asked.filter((text) => text.includes('platform_auth'))).toEqual([])
    await store.saveApplication(application('a'), audit('a'))
    await other.changesSince(cursor)
    expect(asked.filter((text) => text.includes('platform_auth'))).toHaveLength(1)
  })

  it('waits for no lock, and takes none, where no email is due', async () => {
    const database = openDatabase(driverOfPaths)
    const asked: string[] = []
    const store = await openStore(spyOn(database, asked))
    await store.saveEmail(email('l', { state: 'held' }))
    asked.length = 0
    expect(await store.leaseEmail(NOW, NOW + 1)).toBeUndefined()
    expect(asked.filter((text) => !text.startsWith('PRAGMA busy_timeout'))).toEqual([expect.stringMatching(/^SELECT/)])
  })

  it.each([
    ['finds a email by its claim', 'SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ?'],
    ['finds the next email', `SELECT 1 FROM platform_auth_emails WHERE state = 'due' AND due_at <= ? ORDER BY due_at`],
    ['notes the use of a credential', 'UPDATE platform_auth_credentials SET last_used_at = ? WHERE hash = ?'],
  ])('%s by an index', async (_, text) => {
    const database = openDatabase(driverOfPaths)
    await openStore(database)
    const plan = all(database, `EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => String(detail))
    expect(plan.join()).toMatch(/^SEARCH \S+ USING/)
  })

  it('needs nothing installed from Node 24 on, and before says what', async () => {
    // Out of reach of this package's node_modules.
    await cp(join(DIST, 'stores'), join(folder, 'stores'), { recursive: true })
    await cp(join(DIST, 'store.js'), join(folder, 'store.js'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const script = `
      import { sqliteStore } from './stores/sqlite.js'
      const store = sqliteStore('a.sqlite')
      await store.open().then(() => console.log('open'), (error) => console.log(error.code, error.message))`
    await writeFile(join(folder, 'script.js'), script)
    const { stdout } = await run(process.execPath, ['script.js'], { cwd: folder })
    const hasItsOwn = Number.parseInt(process.versions.node, 10) >= 24
    expect(stdout).toMatch(hasItsOwn ? /^open\n$/ : /^driver_missing .*npm install @photostructure\/sqlite\n$/)
  })
})

describe('sqliteStore, with other processes on the same file,', { timeout: 60_000 }, () => {
  it('loses no update of four processes that write at once', async () => {
    const store = await openStore(file)
    for (const id of ['shared', 'another']) await store.saveApplication(application(id, { name: '0' }), audit(id))
    const { cursor } = await store.changesSince(undefined)
    const counting = ['shared', 'shared', 'shared', 'another'].map((id) =>
      run(process.execPath, [PROCESS, file, 'count', id, '100']),
    )
    await Promise.all(counting)
    expect(await store.findApplication('shared')).toMatchObject({ name: '300', version: 301 })
    expect(await store.findApplication('another')).toMatchObject({ name: '100', version: 101 })
    expect((await store.changesSince(cursor)).changes).toHaveLength(400)
    expect(await store.listAudit({ after: undefined, limit: 1000, applicationId: 'shared' })).toHaveLength(301)
  })

  it('starts six times at once on a new file', async () => {
    for (let round = 0; round < 3; round++) {
      const starts = Array.from({ length: 6 }, () => run(process.execPath, [PROCESS, file, 'start']))
      const peppers = (await Promise.all(starts)).map(({ stdout }) => stdout)
      expect(new Set(peppers).size).toBe(1)
      expect(peppers[0]).toMatch(/^pepper of \d+\n$/)
      await makeFolder()
    }
  })

  // What else the machine does can hold up the event loop too, but not time and again.
  it('waits for a busy one, and stops neither the event loop nor the readers', { retry: 3 }, async () => {
    const store = await openStore(file)
    await store.saveApplication(application('a'), audit('a'))
    const holder = spawn(process.execPath, [PROCESS, file, 'hold', '1000'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = once(holder, 'exit')
    await once(holder.stdout, 'data')

    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const began = performance.now()
    const saving = Promise.all(
      Array.from({ length: 50 }, (_, i) => store.saveApplication(application(`b${i}`), audit(`b${i}`))),
    )
    let longestRead = 0
    while (performance.now() - began < 500) {
      const asked = performance.now()
      expect(await store.findApplication('a')).toBeDefined()
      longestRead = Math.max(longestRead, performance.now() - asked)
      await sleep(10)
    }
    expect(await saving).toEqual(Array.from({ length: 50 }, () => true))
    delay.disable()

    expect(performance.now() - began).toBeGreaterThan(500)
    expect(performance.now() - began).toBeLessThan(5000)
    expect(longestRead).toBeLessThan(150)
    expect(delay.max / 1e6).toBeLessThan(150)
    await gone
  })

  it('gives up after some five seconds, all who wait at once', async () => {
    const store = await openStore(file)
    const holder = spawn(process.execPath, [PROCESS, file, 'hold', '8000'], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    const began = performance.now()
    const saving = Array.from({ length: 50 }, (_, i) => store.saveApplication(application(`b${i}`), audit()))
    const results = await Promise.allSettled(saving)
    expect(performance.now() - began).toBeGreaterThan(4400)
    expect(performance.now() - began).toBeLessThan(6000)
    for (const { status } of results) expect(status).toBe('rejected')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(await store.saveApplication(application('b0'), audit())).toBe(true)
  })

  it('ends its waiting when it is closed', async () => {
    const store = await openStore(file)
    const holder = spawn(process.execPath, [PROCESS, file, 'hold', '5000'], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    const saving = Promise.allSettled([store.saveApplication(application('a'), audit())])
    await sleep(30)
    await store.close()
    expect(await saving).toMatchObject([{ status: 'rejected', reason: { message: 'The SQLite store is closed.' } }])
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  })
})

function all(database: SqliteDatabase, text: string): Record<string, unknown>[] {
  return database
    .prepare(text)
    .all()
    .map((row) => ({ ...(row as object) }))
}

/** The same database, whose statements leave their text in `asked` when they run. */
function spyOn(database: SqliteDatabase, asked: string[]): SqliteDatabase {
  return {
    get isTransaction() {
      return database.isTransaction
    },
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text)
      const noting =
        <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
        (...args: Args): Result => {
          asked.push(text)
          return call(...args)
        }
      return {
        run: noting((...values) => statement.run(...values)),
        get: noting((...values) => statement.get(...values)),
        all: noting((...values) => statement.all(...values)),
        setReadBigInts: (enabled) => statement.setReadBigInts(enabled),
      }
    },
  }
}
