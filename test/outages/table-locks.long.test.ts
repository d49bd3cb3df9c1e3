import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { openPlatform } from '../support/platform.js'
import { startPgBouncer } from '../support/pgbouncer.js'
import { freshDatabase } from '../support/postgres.js'
import { waitUntil } from '../support/wait-until.js'

const SECONDS = 60
const MAX_CONNECTIONS = 5

describe.concurrent.each(['platform_auth_applications', 'platform_auth_changes'])('While %s is locked', (table) => {
  it.each([true, false])(
    `for ${SECONDS} seconds, a process takes no more connections than its pool has (listen: %s)`,
    {
      timeout: SECONDS * 1000 + 60_000,
    },
    async (listen) => {
      const database = await freshDatabase()
      const bouncer = listen ? undefined : await startPgBouncer(database.url)
      const pool = new Pool({
        connectionString: bouncer?.url ?? database.url,
        max: MAX_CONNECTIONS,
        connectionTimeoutMillis: 5000,
      })
      const { auth } = openPlatform({ now: Date.now, store: postgresStore({ pool, listen }) })
      const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
      const unknown = createCredentials('epa', randomBytes(32))
      const locker = new Client(database.url)
      await locker.connect()
      await locker.query(`BEGIN; ALTER TABLE ${table} ADD COLUMN host_note text`)

      const counts: number[] = []
      const calls: Promise<unknown>[] = []
      const ignore = (): void => undefined
      for (let i = 0; i < SECONDS * 10; i++) {
        // The process knows neither of them.
        calls.push(auth.verifyApiKey('catalog', unknown.mint('key', 1).plain).catch(ignore))
        if (i % 10 === 0) calls.push(auth.applications.update(application.id, { name: `Shop ${i}` }).catch(ignore))
        if (i % 10 === 5) {
          const { rows } = await locker.query<{ count: string }>(`SELECT count(*) AS count FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
          counts.push(Number(rows[0]!.count))
        }
        await sleep(100)
      }
      process.stdout.write(`LONG table lock, ${table}, listen ${listen}: ${counts.join(' ')}\n`)
      expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_CONNECTIONS)
      await locker.query('ROLLBACK')
      await Promise.all(calls)
      const isKnown = ({ application: { id } }: { application: { id: string } }): boolean => id === application.id
      await waitUntil(() => auth.verifyApiKey('catalog', credentials.clientId).then(isKnown, () => false))
      await locker.end()
      await auth.close()
      await pool.end()
      await bouncer?.end()
      await database.remove()
    },
  )
})
