import { Pool } from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { storeContract } from '../contract.js'
import { emptyTables, usePostgres } from './databases.js'

const db = usePostgres()

describe.each(IS_LONG_LANE ? [true, false] : [true])('postgresStore({ pool, listen: %s })', (listen) => {
  let pools: readonly Pool[]
  let stores: readonly StoreWith[]

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
    await emptyTables(pools[0]!)
    return { store: stores[0]!, again: async () => stores[1]!, close: async () => undefined }
  })
})
