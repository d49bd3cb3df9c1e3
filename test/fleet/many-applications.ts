import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { createEncryption } from '../../src/core/store-client/encryption.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { createAccessTokens, ISSUER } from '../support/access-tokens.js'

/** An application's id and credentials. */
export interface Caller {
  readonly id: string
  readonly key: string
  readonly token: string
}

/** Inserts applications with SQL into a store that a platform has set up, each with an access token. */
export async function addApplications(url: string, secret: string, count: number): Promise<readonly Caller[]> {
  const pool = new Pool({ connectionString: url, max: 2 })
  try {
    const store = postgresStore({ pool, listen: false })
    await store.open()
    const encryption = createEncryption([secret])
    const pepper = await encryption.unseal(await store.establishSecret('pepper', 'ignored: there is one'))
    const credentials = createCredentials('epa', Buffer.from(pepper.split(':')[1]!, 'base64url'), { cacheSize: 1 })
    const { signingKeys, signAccessToken } = createAccessTokens(store, encryption)
    await signingKeys.load()
    const made = await Promise.all(
      Array.from({ length: count }, async () => {
        const id = `app_${randomBytes(16).toString('hex')}`
        const grant = { issuer: ISSUER, applicationId: id, scopes: ['orders:read'], issuedAt: Date.now() }
        const token = await signAccessToken({ ...grant, lifetime: 3600, tokensRevokedAt: 0 })
        return { id, key: credentials.mint('key', Date.now()), secret: credentials.mint('secret', Date.now()), token }
      }),
    )
    const lists = [made.map(({ id }) => id), made.map((one) => one.key.record), made.map((one) => one.secret.record)]
    await pool.query(
      INSERT,
      lists.map((list) => JSON.stringify(list)),
    )
    await pool.query('ANALYZE')
    return made.map(({ id, key, token }) => ({ id, key: key.plain, token }))
  } finally {
    await pool.end()
  }
}

const INSERT = `
  WITH given AS (
    SELECT id, key, secret FROM ROWS FROM (
      json_array_elements_text($1::json), json_array_elements($2::json), json_array_elements($3::json)
    ) AS given (id, key, secret)
  ), applications AS (
    INSERT INTO platform_auth_applications (id, name, contact, status, created_at, tokens_revoked_at, version)
    SELECT id, 'Application ' || id, 'dev@' || id || '.example', 'active', (key->>'createdAt')::bigint, 0, 1 FROM given
    RETURNING seq, id
  ), grants AS (
    INSERT INTO platform_auth_grants (application_seq, api, position, scopes, status)
    SELECT seq, api, position, scopes, 'active' FROM applications,
      (VALUES ('orders', 1, '["orders:read"]'), ('catalog', 2, '[]')) AS apis (api, position, scopes)
  )
  INSERT INTO platform_auth_credentials (hash, application_seq, kind, position, id, name, prefix, created_at)
  SELECT credential->>'hash', seq, kind, 0, credential->>'id', credential->>'name', credential->>'prefix', (credential->>'createdAt')::bigint
  FROM applications JOIN given USING (id),
    LATERAL (VALUES ('key', key), ('secret', secret)) AS credentials (kind, credential)`
