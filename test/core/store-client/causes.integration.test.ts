import { Client, Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { openPlatform } from '../../support/platform.js'
import { freshDatabase } from '../../support/postgres.js'

async function open() {
  const database = await freshDatabase()
  onTestFinished(database.remove)
  const pool = new Pool({ connectionString: database.url, max: 3, connectionTimeoutMillis: 5000 })
  onTestFinished(() => pool.end())
  const { auth } = openPlatform({ now: Date.now, store: postgresStore({ pool }) })
  onTestFinished(() => auth.close())
  await auth.ready()
  const events: string[] = []
  for (const type of ['store.unavailable', 'store.available'] as const)
    auth.events.on(type, () => void events.push(type))
  const other = new Client(database.url)
  await other.connect()
  onTestFinished(() => other.end())
  return { auth, other, events, lookUp: () => auth.applications.get('nosuch').catch((error: unknown) => error) }
}

it('health() names a lock on a table, and a missing one, as the cause of reads that fail', async () => {
  const { auth, other, lookUp } = await open()
  await other.query('BEGIN; LOCK platform_auth_applications IN ACCESS EXCLUSIVE MODE')
  await lookUp()
  expect((await auth.health()).problems.join()).toMatch(
    /(?:fail|unavailable) since .*: a lock on its tables keeps calls waiting/,
  )
  await other.query('ROLLBACK')
  await lookUp()
  // A failed poll of the feed is a problem until the next one is answered.
  await expect.poll(() => auth.health()).toEqual({ ok: true, problems: [] })

  await other.query('ALTER TABLE platform_auth_applications RENAME TO elsewhere')
  await expect
    .poll(async () => {
      await lookUp()
      return (await auth.health()).problems.join()
    })
    .toMatch(/(?:fail|unavailable) since .*: a table is missing/)
  await other.query('ALTER TABLE elsewhere RENAME TO platform_auth_applications')
})

it('connections that are ended while they are idle are no outage', async () => {
  const { auth, other, events, lookUp } = await open()
  for (let i = 0; i < 10; i++) {
    await Promise.all([lookUp(), lookUp()])
    await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'`)
    expect(await auth.health()).toMatchObject({ ok: true })
  }
  expect(events).toEqual([])
})
