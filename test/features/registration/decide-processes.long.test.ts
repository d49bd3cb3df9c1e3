import { join } from 'node:path'
import { Pool } from 'pg'
import { it, onTestFinished } from 'vitest'
import type { StoreWith } from '../../../src/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { freshDatabase } from '../../support/postgres.js'
import { decideInTwoProcesses } from './deciding-operators.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const DATABASES: Readonly<Record<string, () => Promise<{ address: string; store: StoreWith }>>> = {
  async SQLite() {
    const folder = await createTemporaryFolder()
    const address = join(folder, 'platform.sqlite')
    return { address, store: sqliteStore(address) }
  },
  async PostgreSQL() {
    const { url, remove } = await freshDatabase()
    const pool = new Pool({ connectionString: url, max: 3 })
    onTestFinished(() => pool.end().then(remove))
    return { address: url, store: postgresStore({ pool, listen: false }) }
  },
}

it.each(Object.keys(DATABASES))(
  'exactly one decision counts, with 100 kills: %s',
  { timeout: 900_000 },
  async (name) => {
    const database = await DATABASES[name]!()
    await database.store.open()
    onTestFinished(() => database.store.close())
    await decideInTwoProcesses(database, { kills: 100, registrationsPerKill: 3 })
  },
)
