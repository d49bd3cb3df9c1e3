import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { application, audit, credential, email, NOW, signingKey } from '../suite/records.js'
import { readRows, useSqliteFiles } from './files.js'

const DIST = fileURLToPath(new URL('../../../dist/esm/', import.meta.url))

const files = useSqliteFiles()

describe('sqliteStore', () => {
  it('lets timers and sockets be served during a loop of awaited calls', async () => {
    const store = await files.openStore()
    let turns = 0
    const countTurn = (): void => {
      turns += 1
      timer = setImmediate(countTurn)
    }
    let timer = setImmediate(countTurn)
    for (let i = 0; i < 300; i++) await store.saveApplication(application(`a${i}`), audit(`a${i}`))
    const turnsOfWrites = turns
    const until = performance.now() + 20_000
    while (performance.now() < until) {
      await store.findApplication('a1')
      if (turns - turnsOfWrites > 3) break
    }
    clearImmediate(timer)
    expect(turnsOfWrites).toBeGreaterThanOrEqual(299)
    expect(turns - turnsOfWrites).toBeGreaterThan(3)
  })

  it('writes everything into the file when it is closed, so that a copy of the file alone is complete', async () => {
    const store = await files.openStore()
    await store.saveApplication(application('a'), audit('a'))
    await store.close()
    const copy = join(files.folder, 'copy.sqlite')
    await cp(files.file, copy)
    const copied = await files.openStore(copy)
    expect(await copied.findApplication('a')).toMatchObject({ id: 'a' })
  })

  it.skipIf(process.platform === 'win32')(
    'creates a file that only its owner can read, and so are the files beside it',
    async () => {
      const store = await files.openStore()
      await store.saveApplication(application('a'), audit('a'))
      for (const name of [files.file, `${files.file}-wal`, `${files.file}-shm`])
        expect((await stat(name)).mode & 0o777).toBe(0o600)
    },
  )

  it.skipIf(process.platform === 'win32')(
    'creates such files for the forms of a file: URI, and no other file',
    async () => {
      const uris = [
        ['file:PATH', 'a b.sqlite'],
        ['file://PATH', 'b.sqlite'],
        ['file://localhostPATH', 'c.sqlite'],
        ['file:PATH?mode=rwc&cache=private', 'd%20é.sqlite'],
        ['file:PATH?x=1#fragment', 'e.sqlite'],
      ] as const
      const expected = ['a b.sqlite', 'b.sqlite', 'c.sqlite', 'd é.sqlite', 'e.sqlite']
      for (const [uri, name] of uris) {
        const store = await files.openStore(uri.replace('PATH', join(files.folder, name)))
        await store.saveApplication(application('a'), audit('a'))
      }
      const found = await readdir(files.folder)
      expect(found.filter((name) => !/-(?:wal|shm)$/.test(name)).toSorted()).toEqual(expected)
      for (const name of found) expect((await stat(join(files.folder, name))).mode & 0o777, name).toBe(0o600)
    },
  )

  it.each(['file:missing.sqlite?mode=rw', 'file:missing.sqlite?mode=ro'])('creates no file for %s', async (uri) => {
    const path = join(files.folder, 'missing.sqlite')
    await expect(files.createStore(uri.replace('missing.sqlite', path)).open()).rejects.toThrow()
    expect(await readdir(files.folder)).toEqual([])
  })

  it.each([':memory:', 'file::memory:', 'file:shared?mode=memory'])(
    'creates no file in the working directory for %j',
    async (path) => {
      const before = await readdir('.')
      await files.openStore(path)
      expect(await readdir('.')).toEqual(before)
    },
  )

  it.skipIf(process.platform === 'win32')('does not change the mode of an existing file', async () => {
    await writeFile(files.file, '', { mode: 0o640 })
    await files.openStore()
    expect((await stat(files.file)).mode & 0o777).toBe(0o640)
  })

  it('keeps everything when it is closed and opened again', async () => {
    const first = await files.openStore()
    await first.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
    await first.addSigningKey(signingKey('key'), undefined, audit())
    await first.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
    await first.establishSecret('pepper', 'pepper')
    const { cursor } = await first.changesSince(undefined)
    await first.close()
    const second = await files.openStore()
    expect((await second.findApplicationByKey('k'))?.id).toBe('a')
    expect(await second.listSigningKeys()).toStrictEqual([signingKey('key')])
    expect(await second.isAccessTokenRevoked('jti')).toBe(true)
    expect(await second.establishSecret('pepper', 'other')).toBe('pepper')
    expect(await second.changesSince(cursor)).toEqual({ cursor, changes: [] })
  })

  it('works with a database in memory', async () => {
    const store = await files.openStore(':memory:')
    await store.saveApplication(application('a'), audit('a'))
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
    await expect(stat(':memory:')).rejects.toThrow('ENOENT')
  })

  it('names the file that it cannot create, and opens once it can', async () => {
    const store = sqliteStore(join(files.folder, 'missing', 'a.sqlite'))
    await expect(store.open()).rejects.toThrow(join(files.folder, 'missing', 'a.sqlite'))
    await mkdir(join(files.folder, 'missing'))
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
    await store.close()
  })

  it('refuses a file that is not a database', async () => {
    await writeFile(files.file, 'not a database, but as long as one'.repeat(100))
    await expect(sqliteStore(files.file).open()).rejects.toThrow('not a database')
  })

  it('keeps about 10,000 changes, and resolves `everything` for an older cursor', async () => {
    const store = await files.openStore()
    await store.saveApplication(application('a'), audit('a'))
    const old = (await store.changesSince(undefined)).cursor
    files.openDatabase().exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
      INSERT INTO platform_auth_changes (kind, id) SELECT 'application', i FROM n`)
    await store.saveApplication(application('b'), audit('b'))
    const end = (await store.changesSince(undefined)).cursor
    expect(await store.changesSince(old)).toEqual({ cursor: end, changes: [{ kind: 'everything' }] })
    const rows = readRows(files.openDatabase(), 'SELECT seq, nonce FROM platform_auth_changes ORDER BY seq')
    const readSince = async (seq: number) => {
      const { nonce } = rows.find((row) => row['seq'] === seq)!
      return (await store.changesSince(`${seq}.${String(nonce)}`)).changes
    }
    expect(await readSince(10_051)).toEqual([{ kind: 'application', id: 'b' }])
    expect(await readSince(100)).toHaveLength(9952)
    expect(readRows(files.openDatabase(), 'SELECT count(*) AS n FROM platform_auth_changes')).toEqual([{ n: 10_000 }])
  })

  it('queries the feed only after a commit', async () => {
    const database = files.openDatabase()
    const store = await files.openStore(database)
    const statements: string[] = []
    const other = await files.openStore(spyOn(database, statements))
    const { cursor } = await other.changesSince(undefined)
    statements.length = 0
    for (let i = 0; i < 3; i++) await other.changesSince(cursor)
    expect(statements.filter((text) => text.includes('platform_auth'))).toEqual([])
    await store.saveApplication(application('a'), audit('a'))
    await other.changesSince(cursor)
    expect(statements.filter((text) => text.includes('platform_auth'))).toHaveLength(1)
  })

  it('takes no write lock if no e-mail is due', async () => {
    const database = files.openDatabase()
    const statements: string[] = []
    const store = await files.openStore(spyOn(database, statements))
    await store.emails.save(email('l', { state: 'held' }))
    statements.length = 0
    expect(await store.emails.lease(NOW, NOW + 1)).toBeUndefined()
    expect(statements.filter((text) => !text.startsWith('PRAGMA busy_timeout'))).toEqual([
      expect.stringMatching(/^\s*\(?SELECT/),
    ])
  })

  it.each([
    ['finds an e-mail by its claim link', 'SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ?'],
    [
      'finds the e-mail that is due next',
      `SELECT 1 FROM platform_auth_emails WHERE state = 'due' AND due_at <= ? ORDER BY due_at`,
    ],
    ['stores the use of a credential', 'UPDATE platform_auth_credentials SET last_used_at = ? WHERE hash = ?'],
  ])('%s with an index', async (_, text) => {
    const database = files.openDatabase()
    await files.openStore(database)
    const plan = readRows(database, `EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => String(detail))
    expect(plan.join()).toMatch(/^SEARCH \S+ USING/)
  })

  it.each([undefined, null, 5, {}])('refuses %j instead of a path or a database at once', (value) => {
    expect(() => sqliteStore(value as never)).toThrow(ConfigurationError)
  })

  it('needs no installed driver from Node 24 on, and names it before', async () => {
    // In a folder from which this package's node_modules cannot be resolved.
    await cp(DIST, join(files.folder, 'package'), { recursive: true })
    await writeFile(join(files.folder, 'package.json'), '{ "type": "module" }')
    const script = `
      import { sqliteStore } from './package/stores/sqlite/index.js'
      const store = sqliteStore('a.sqlite')
      await store.open().then(() => console.log('open'), (error) => console.log(error.code, error.message))`
    await writeFile(join(files.folder, 'script.js'), script)
    const { stdout } = await promisify(execFile)(process.execPath, ['script.js'], { cwd: files.folder })
    const hasBuiltinDriver = Number.parseInt(process.versions.node, 10) >= 24
    expect(stdout).toMatch(
      hasBuiltinDriver
        ? /^open\n$/
        : /^driver_missing .*npm install @photostructure\/sqlite\. .*keep the package external.*\n$/,
    )
  })
})

/** The same database; each statement that runs appends its text to `statements`. */
function spyOn(database: SqliteDatabase, statements: string[]): SqliteDatabase {
  return {
    get isTransaction() {
      return database.isTransaction
    },
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare(text) {
      const statement = database.prepare(text)
      const recordCall =
        <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
        (...args: Args): Result => {
          statements.push(text)
          return call(...args)
        }
      return {
        run: recordCall((...values) => statement.run(...values)),
        get: recordCall((...values) => statement.get(...values)),
        all: recordCall((...values) => statement.all(...values)),
        setReadBigInts: (enabled) => statement.setReadBigInts(enabled),
      }
    },
  }
}
