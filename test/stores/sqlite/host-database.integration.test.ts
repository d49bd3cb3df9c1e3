import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { application, audit, credential } from '../suite/records.js'
import { timeBound } from '../../support/time-bound.js'
import { drivers } from './drivers.js'
import { readRows, useSqliteFiles } from './files.js'

const files = useSqliteFiles()

describe.each([...drivers])('sqliteStore(database of %s)', (_, driver) => {
  it("leaves the host's tables and user_version unchanged", async () => {
    const database = files.openDatabase(driver)
    database.exec(`PRAGMA user_version = 7; CREATE TABLE orders (id TEXT); INSERT INTO orders VALUES ('host')`)
    const store = await files.openStore(database)
    await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
    expect(readRows(database, 'SELECT id FROM orders')).toEqual([{ id: 'host' }])
    expect(readRows(database, 'PRAGMA user_version')).toEqual([{ user_version: 7 }])
    const tables = readRows(
      database,
      `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name <> 'orders'`,
    )
    expect(tables.length).toBeGreaterThan(8)
    for (const { name } of tables) expect(name).toMatch(/^platform_auth_/)
  })

  it('does not close the database', async () => {
    const database = files.openDatabase(driver)
    const store = await files.openStore(database)
    await store.close()
    await expect(store.findApplication('a')).rejects.toThrow('closed')
    expect(readRows(database, 'SELECT count(*) AS n FROM platform_auth_applications')).toEqual([{ n: 0 }])
  })

  it('sets the pragmas that make commits durable, and no others', async () => {
    const database = files.openDatabase(driver)
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA busy_timeout = 1234; PRAGMA synchronous = OFF')
    await files.openStore(database)
    expect(readRows(database, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(readRows(database, 'PRAGMA synchronous')).toEqual([{ synchronous: 2 }])
    expect(readRows(database, 'PRAGMA foreign_keys')).toEqual([{ foreign_keys: 0 }])
    expect(readRows(database, 'PRAGMA busy_timeout')).toEqual([{ timeout: 1234 }])
  })

  it("waits for the end of the host's transaction and does not join it", async () => {
    const database = files.openDatabase(driver)
    database.exec('CREATE TABLE orders (id TEXT)')
    const store = await files.openStore(database)
    database.exec(`BEGIN; INSERT INTO orders VALUES ('undone')`)
    let answered = 0
    const saving = store.saveApplication(application('a'), audit('a')).finally(() => answered++)
    const reading = store.findApplication('b').finally(() => answered++)
    await sleep(50)
    expect(answered).toBe(0)
    database.exec('ROLLBACK')
    expect(await saving).toBe(true)
    expect(await reading).toBeUndefined()
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
    expect(readRows(database, 'SELECT id FROM orders')).toEqual([])
  })

  it('rejects if the host does not end its transaction', async () => {
    const database = files.openDatabase(driver)
    const store = await files.openStore(database)
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
    expect(performance.now() - began).toBeLessThan(timeBound(6000))
    database.exec('COMMIT')
    expect(await store.saveApplication(application('a'), audit('a'))).toBe(true)
  })
})
