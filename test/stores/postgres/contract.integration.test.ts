import { Pool } from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../../src/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { storeContract } from '../contract.js'
import { usePostgres } from './databases.js'

/** Emptied by DELETE: TRUNCATE makes new files for each table and index, which takes ten times as long. */
const TABLES =
  `grants credentials contacts ended_keys applications signing_keys email_claim_links emails revoked_access_tokens audit
  usage usage_batches refusals dry_run sign_ins sign_outs`.split(/\s+/)

const db = usePostgres()

describe.each(IS_LONG_LANE ? [true, false] : [true])('postgresStore({ pool, listen: %s })', (listen) => {
  let pools: readonly Pool[]
  let stores: readonly Store[]

  beforeAll(async () => {
    await db.makeSchema()
    pools = [new Pool(db.poolConfig()), new Pool(db.poolConfig())]
    stores = pools.map((pool) => postgresStore({ pool, listen }))
    await Promise.all(stores.map((store) => store.open()))
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await Promise.all(pools.map((pool) => pool.end()))
  })

  storeContract('with emptied tables,', async () => {
    // Faster than creating new tables for each test.
    const deletions = TABLES.map((table) => `DELETE FROM platform_auth_${table};`)
    // A feed without changes begins with its first number.
    await pools[0]?.query(`DELETE FROM platform_auth_meta WHERE key <> 'schema'; ${deletions.join(' ')}
      TRUNCATE platform_auth_changes RESTART IDENTITY`)
    return { store: stores[0]!, again: async () => stores[1]!, close: async () => undefined }
  })
})
