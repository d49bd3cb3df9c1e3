import { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { usePlatform } from '../../support/platform.js'
import { freshDatabase } from '../../support/postgres.js'

it("a clock that differs from PostgreSQL's is a problem of health(), an event and a log line, until it is set right", async () => {
  const database = await freshDatabase()
  onTestFinished(database.remove)
  const pool = new Pool({ connectionString: database.url })
  onTestFinished(() => pool.end())
  let ahead = 0
  const { auth, logger } = usePlatform({ store: postgresStore({ pool }), now: () => Date.now() + ahead })
  const events: string[] = []
  for (const type of ['clock.deviates', 'clock.agrees'] as const) {
    auth.events.on(type, ({ reason = '' }) => void events.push(`${type} ${reason}`.trim()))
  }
  await auth.ready()
  // The feed's first change: an empty one tells no time.
  await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  expect(await auth.health()).toEqual({ ok: true, problems: [] })

  for (const [seconds, difference] of [
    [90, "90 seconds ahead of the store's"],
    [-40 * 86_400, "3456000 seconds behind the store's"],
  ] as const) {
    events.length = 0
    ahead = seconds * 1000
    await expect.poll(async () => (await auth.health()).problems.join()).toContain(difference)
    expect((await auth.health()).ok).toBe(true)
    expect(logger.lines.join('\n')).toContain(difference)
    ahead = 0
    await expect.poll(auth.health).toEqual({ ok: true, problems: [] })
    expect(events).toEqual([`clock.deviates ${difference}`, 'clock.agrees'])
  }
})
