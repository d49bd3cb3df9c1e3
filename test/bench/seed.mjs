/**
 * `seed.mjs <folder> <applications> <hot>`: creates a SQLite store with that many applications by one transaction of its
 * own, and `hot.json` with ids and keys of `hot` applications spread over it.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPlatformAuth } from '../../dist/esm/index.js'
import { loadSqliteDriver } from '../../dist/modules/stores/sqlite/driver.js'
import { sqliteStore } from '../../dist/esm/stores/sqlite/index.js'
import { credentialsOf, PLATFORM } from './platform.mjs'
import { SCOPES } from './tokens.mjs'

const [folder = '', applications = '', hot = ''] = process.argv.slice(2)
const file = join(folder, 'platform.sqlite')
const count = Number(applications)
const every = count / Number(hot)

const store = sqliteStore(file)
const auth = createPlatformAuth({ ...PLATFORM, store })
await auth.ready()
const credentials = await credentialsOf(store)
await auth.close()

const database = (await loadSqliteDriver())(file)
database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -1000000; BEGIN')
const insertApplication = database.prepare(`
  INSERT INTO platform_auth_applications (seq, id, name, contact, status, created_at, tokens_revoked_at, version)
  VALUES (?, ?, ?, ?, 'active', ?, 0, 1)`)
const insertGrant = database.prepare(`
  INSERT INTO platform_auth_grants (application_seq, api, position, scopes, status) VALUES (?, ?, ?, ?, 'active')`)
const insertCredential = database.prepare(`
  INSERT INTO platform_auth_credentials (hash, application_seq, kind, position, id, name, prefix, created_at)
  VALUES (?, ?, ?, 0, ?, ?, ?, ?)`)

const known = []
const now = Date.now()
for (let seq = 1; seq <= count; seq++) {
  const id = `app_${randomBytes(16).toString('hex')}`
  insertApplication.run(seq, id, `Application ${seq}`, `owner-${seq}@example.com`, now)
  insertGrant.run(seq, 'orders', 0, JSON.stringify(SCOPES))
  insertGrant.run(seq, 'catalog', 1, '[]')
  const key = credentials.mint('key', now)
  for (const [kind, { record }] of [
    ['key', key],
    ['secret', credentials.mint('secret', now)],
  ]) {
    insertCredential.run(record.hash, seq, kind, record.id, record.name, record.prefix, now)
  }
  if (seq % every === 0) known.push({ id, clientId: key.plain })
}
database.exec('COMMIT; PRAGMA journal_mode = WAL')
database.close()
writeFileSync(join(folder, 'hot.json'), JSON.stringify(known), { mode: 0o600 })
