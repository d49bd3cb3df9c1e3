import { join } from 'node:path'
import { Pool } from 'pg'
import { onTestFinished, type TestContext } from 'vitest'
import type { StoreWith } from '../../src/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { freshDatabase } from './postgres.js'
import { createTemporaryFolder } from './temporary-folder.js'

/** An empty database of one test, which is removed when the test is over. */
export interface TestDatabase {
  /** The file or the URL, for other processes. */
  readonly address: string
  /** Opens it as each process does for itself. */
  open(options?: { readonly listen: boolean }): StoreWith
}

type Cleaning = Pick<TestContext, 'onTestFinished'>

/** The databases on disk. A concurrent test gives its context. */
export const DATABASES = {
  async SQLite(test: Cleaning = { onTestFinished }): Promise<TestDatabase> {
    const address = join(await createTemporaryFolder(test), 'platform.sqlite')
    return { address, open: () => sqliteStore(address) }
  },
  async PostgreSQL(test: Cleaning = { onTestFinished }): Promise<TestDatabase> {
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
