import { join } from 'node:path'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import type { StoreWith } from '../../src/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { useSqliteFiles } from '../stores/sqlite/files.js'
import { createApplication } from '../support/http.js'
import type { AtEnd } from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { execute, freshDatabase } from '../support/postgres.js'

const files = useSqliteFiles()

/** A database, and a copy of it that is put in its place while processes use it. */
interface RestorableDatabase {
  openStore(): StoreWith
  /** Copies the database while nobody is connected. */
  backUp(): Promise<void>
  openBackup(): StoreWith
  restore(): Promise<void>
}

it.for(['SQLite', 'PostgreSQL'] as const)(
  'a process that was running while a backup was restored follows the restored database: %s',
  async (kind, { onTestFinished: atEnd }) => {
    const database = kind === 'SQLite' ? createSqliteFile() : await createPostgresDatabase(atEnd)
    const first = await openReady(database.openStore())
    const { id, clientId } = await createApplication(first, ['catalog'])
    await first.close()
    await database.backUp()

    const running = await openReady(database.openStore())
    atEnd(running.close)
    const lost: string[] = []
    for (let i = 0; i < 5; i++) lost.push((await createApplication(running, ['catalog'])).clientId)
    // A record that is loaded while the feed brings a change is not kept, so the feed is read first.
    await running.health()
    const verifyAll = () =>
      Promise.all([clientId, ...lost].map((key) => readStatus(running.verifyApiKey('catalog', key))))
    expect(await verifyAll()).toEqual([200, 200, 200, 200, 200, 200])

    // More changes than were lost: every number that the process knows is another change's.
    const operator = await openReady(database.openBackup())
    await operator.applications.suspend(id)
    for (let i = 0; i < 6; i++) await createApplication(operator, ['catalog'])
    await operator.close()
    await database.restore()
    await expect.poll(verifyAll).toEqual([403, 401, 401, 401, 401, 401])
    expect(await running.health()).toEqual({ ok: true, problems: [] })
  },
)

async function openReady(store: StoreWith) {
  const { auth } = openPlatform({ now: Date.now, store })
  await auth.ready()
  return auth
}

function readStatus(verified: Promise<unknown>): Promise<number> {
  return verified.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )
}

function createSqliteFile(): RestorableDatabase {
  const copy = join(files.folder, 'copy.sqlite')
  return {
    openStore: () => sqliteStore(files.file),
    openBackup: () => sqliteStore(copy),
    backUp: async () => void files.openDatabase().prepare('VACUUM INTO ?').run(copy),
    // As SQLite's own commands restore a database in use: its contents are replaced in one transaction.
    async restore() {
      const database = files.openDatabase()
      database.exec('PRAGMA foreign_keys = OFF; PRAGMA busy_timeout = 5000')
      database.prepare('ATTACH ? AS copy').run(copy)
      const tables = database.prepare(`SELECT name FROM copy.sqlite_schema WHERE type = 'table'`).all()
      const statements = (tables as { name: string }[]).map(
        ({ name }) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM copy.${name};`,
      )
      database.exec(`BEGIN IMMEDIATE; ${statements.join(' ')} COMMIT`)
    },
  }
}

async function createPostgresDatabase(atEnd: AtEnd): Promise<RestorableDatabase> {
  const database = await freshDatabase()
  atEnd(database.remove)
  const { url } = database
  const name = new URL(url).pathname.slice(1)
  const [server, backup] = [new URL('/postgres', url).href, new URL(`/${name}_backup`, url).href]
  const openStore = (connectionString: string): StoreWith => {
    const pool = new Pool({ connectionString })
    const store = postgresStore({ pool })
    const close = async (): Promise<void> => {
      await store.close()
      await pool.end()
    }
    return { ...store, close }
  }
  return {
    openStore: () => openStore(url),
    openBackup: () => openStore(backup),
    async backUp() {
      await execute(server, `CREATE DATABASE ${name}_backup TEMPLATE ${name}`)
    },
    async restore() {
      await execute(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await execute(server, `ALTER DATABASE ${name}_backup RENAME TO ${name}`)
    },
  }
}
