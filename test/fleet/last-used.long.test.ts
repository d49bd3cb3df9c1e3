import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/postgres.js'
import { SECRET } from '../support/platform.js'
import { openPostgresPlatform, print, repeat } from './capacity.js'
import { addApplications } from './many-applications.js'

const APPLICATIONS = 1000
const PROCESSES = 3
const SECONDS = 60

// Prints a figure of docs/scaling.md.
it('lastUsedAt of applications that call all the time is seldom written', { timeout: 180_000 }, async () => {
  const { url, remove } = await freshDatabase()
  onTestFinished(remove)
  const platforms = await Promise.all(Array.from({ length: PROCESSES }, () => openPostgresPlatform(url)))
  const callers = await addApplications(url, SECRET, APPLICATIONS)
  const pool = new Pool({ connectionString: url, max: 1 })
  onTestFinished(() => pool.end())
  const sum = `SELECT coalesce(sum(n_tup_upd), 0)::int AS updates FROM pg_stat_user_tables WHERE relname = 'platform_auth_credentials'`
  const countUpdates = async (): Promise<number> => {
    // The counters of other sessions are at most a second old.
    await sleep(1500)
    return (await pool.query<{ updates: number }>(sum)).rows[0]!.updates
  }

  const callAll = ({ auth }: (typeof platforms)[number]): Promise<void> =>
    repeat(APPLICATIONS, 10, (i) => auth.verifyApiKey('catalog', callers[i]!.key))
  async function callFor(seconds: number): Promise<number> {
    const before = await countUpdates()
    const until = performance.now() + seconds * 1000
    while (performance.now() < until) {
      await Promise.all(platforms.map(callAll))
      await sleep(1000)
    }
    return ((await countUpdates()) - before) / seconds
  }

  const first = await callFor(SECONDS / 2)
  const rate = await callFor(SECONDS)
  print('row updates a second for lastUsedAt', { 'in the first half minute': first, afterwards: rate })
  expect(rate).toBeLessThan(APPLICATIONS / 60)
})
