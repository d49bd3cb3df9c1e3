import { join } from 'node:path'
import { Pool } from 'pg'
import type { StoreWith } from '../../src/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { atEnd } from './at-end.js'
import { freshDatabase } from './postgres.js'
import { createTemporaryFolder } from './temporary-folder.js'

/** An empty database, which is removed at the end of the test, or outside of a test of the file. */
export interface TestDatabase {
  /** The file or the URL, for other processes. */
  readonly address: string
  /** Opens it as each process does for itself. */
  open(options?: { readonly listen: boolean }): StoreWith
}

type Cleaning = { readonly onTestFinished: typeof atEnd }

/** The databases on disk. A concurrent test gives its context. */
export const DATABASES = {
  async SQLite(test: Cleaning = { onTestFinished: atEnd }): Promise<TestDatabase> {
    const address = join(await createTemporaryFolder(test), 'platform.sqlite')
    return { address, open: () => sqliteStore(address) }
  },
  async PostgreSQL(test: Cleaning = { onTestFinished: atEnd }): Promise<TestDatabase> {
    const { url, remove } = await freshDatabase()
    const pools: Pool[] = []
    test.onTestFinished(async () => {
      await Promise.all(pools.map((pool) => pool.end()))
      await remove()
    })
    return {
      address: url,
      open({ listen } = { listen: false }) {
        const pool = new Pool({ connectionString: url, max: 3 })
        pools.push(pool)
        return postgresStore({ pool, listen })
      },
    }
  },
}
