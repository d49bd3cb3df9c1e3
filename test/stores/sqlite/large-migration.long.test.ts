import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createPlatformAuth } from '../../../src/index.js'
import { MIGRATIONS } from '../../../src/stores/sqlite/migrations/index.js'
import { NEXT_SQLITE_MIGRATION } from '../../support/next-migration.mjs'
import { SECRET } from '../../support/platform.js'
import { useNextMigration } from '../next-migration.js'
import { useSqliteFiles } from './files.js'

const APPLICATIONS = 1_000_000
const MAX_MIGRATION_MS = 60_000
const MAX_READY_MS = 1000

const files = useSqliteFiles()
const next = useNextMigration(MIGRATIONS, NEXT_SQLITE_MIGRATION)

it('migrates a file with a million applications in less than a minute, after which ready() takes less than a second', async () => {
  next.restore()
  await (await files.openStore()).close()
  addApplications()
  next.apply()
  const { size } = await stat(files.file)

  async function start(): Promise<{ milliseconds: number; warnings: readonly string[] }> {
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} }
    const began = performance.now()
    const store = files.createStore()
    const auth = createPlatformAuth({
      baseUrl: 'http://localhost:3000',
      secret: SECRET,
      store,
      apis: { catalog: { scheme: 'apiKey' } },
      logger,
    })
    await auth.ready()
    const milliseconds = performance.now() - began
    await auth.close()
    return { milliseconds, warnings }
  }
  const migration = await start()
  const again = await start()
  const show = (milliseconds: number): string => (milliseconds / 1000).toFixed(2)
  process.stdout.write(
    `${(size / 1e6).toFixed(0)} MB: migrated in ${show(migration.milliseconds)} s, ready() in ${show(again.milliseconds)} s\n`,
  )
  expect(migration.warnings).toContain('Migrating the store: regions.')
  expect(migration.milliseconds).toBeLessThan(MAX_MIGRATION_MS)
  expect(again.milliseconds).toBeLessThan(MAX_READY_MS)
}, 600_000)

/** Each with two APIs, a key and a secret. */
function addApplications(): void {
  const database = files.openDatabase()
  const grant = (api: string, position: number, scopes: string): string =>
    `INSERT INTO platform_auth_grants SELECT seq, '${api}', ${position}, '${scopes}', 'active' FROM ${ADDED};`
  const credential = (kind: string): string => `
    INSERT INTO platform_auth_credentials
    SELECT hex(randomblob(21)), seq, '${kind}', 0, 'cred_' || hex(randomblob(11)), 'default', 'epa_abcd', 1800000000000, NULL, NULL, NULL, FALSE, NULL
    FROM ${ADDED};`
  database.exec(`
    PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${APPLICATIONS})
    INSERT INTO platform_auth_applications (id, name, contact, status, created_at, tokens_revoked_at, version)
    SELECT 'app_' || lower(hex(randomblob(16))), 'Customer ' || i, 'dev' || i || '@customer.example', 'active', 1800000000000, 0, 1
    FROM n;
    ${grant('orders', 0, '["orders:read"]')} ${grant('catalog', 1, '[]')} ${credential('key')} ${credential('secret')}
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
}

const ADDED = `platform_auth_applications WHERE name LIKE 'Customer %'`
