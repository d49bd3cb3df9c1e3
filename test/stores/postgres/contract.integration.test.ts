import { Pool } from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../../src/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { storeContract } from '../contract.js'
import { usePostgres } from './databases.js'

const db = usePostgres()

describe.each([true, false])('postgresStore({ pool, listen: %s })', (listen) => {
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
    await pools[0]?.query(`
      DELETE FROM platform_auth_meta WHERE key <> 'schema_version';
      TRUNCATE platform_auth_applications, platform_auth_grants, platform_auth_credentials, platform_auth_signing_keys,
        platform_auth_emails, platform_auth_email_claim_links, platform_auth_revoked_access_tokens, platform_auth_audit,
        platform_auth_changes, platform_auth_contacts, platform_auth_notices, platform_auth_usage,
        platform_auth_usage_batches, platform_auth_refusals, platform_auth_sign_ins, platform_auth_sign_outs RESTART IDENTITY`)
    return { store: stores[0]!, again: async () => stores[1]!, close: async () => undefined }
  })
})
