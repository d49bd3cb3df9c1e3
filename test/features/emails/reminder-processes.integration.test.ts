import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoreWith } from '../../../src/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { openProvider } from '../../core/applications/applicant.js'
import { freshDatabase } from '../../support/postgres.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { waitUntil } from '../../support/wait-until.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const PROCESS = fileURLToPath(new URL('../../support/reminding-process.mjs', import.meta.url))
const DAY_MS = 24 * 3600 * 1000
/** A killed process's lease of 15 seconds is over in 1.5 seconds. */
const SPEED = 10
const APPLICATIONS = 40

const DATABASES: Readonly<Record<string, () => Promise<{ address: string; store: StoreWith }>>> = {
  async SQLite() {
    const folder = await createTemporaryFolder()
    const address = join(folder, 'platform.sqlite')
    return { address, store: sqliteStore(address) }
  },
  async PostgreSQL() {
    const { url, remove } = await freshDatabase()
    const pool = new Pool({ connectionString: url, max: 2 })
    onTestFinished(() => pool.end().then(remove))
    return { address: url, store: postgresStore({ pool, listen: false }) }
  },
}

describe('two processes that remind contacts, one of which is killed again and again', () => {
  it.each(IS_LONG_LANE ? Object.keys(DATABASES) : ['PostgreSQL'])(
    'queue each reminder once, and lose none: %s',
    async (name) => {
      const { address, store } = await DATABASES[name]!()
      const { auth, clock, findRecord } = openProvider({ onTestFinished }, { store, credentials: { maxAge: 90 } })
      const ids: string[] = []
      for (let i = 0; i < APPLICATIONS; i++) {
        const application = { name: `Shop ${i}`, contact: `shop${i}@customer.example`, apis: ['catalog'] as const }
        ids.push((await auth.applications.create(application)).application.id)
      }

      const mails: string[] = []
      const clockArguments = [String(Date.now()), String(clock.now() + 60 * DAY_MS), String(SPEED)]
      const start = (): ChildProcess => {
        const child = spawn(process.execPath, [PROCESS, address, ...clockArguments], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        createInterface({ input: child.stdout }).on('line', (line) => void mails.push(line))
        onTestFinished(() => kill(child))
        return child
      }
      const kill = async (child: ChildProcess): Promise<void> => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const closed = once(child, 'close')
        child.kill('SIGKILL')
        await closed
      }

      start()
      for (let kills = 0; kills < (IS_LONG_LANE ? 2 : 1); kills++) {
        const child = start()
        const before = mails.length
        await waitUntil(() => mails.length > before + 3, { timeout: 60_000 })
        await kill(child)
      }
      const countDelivered = async (): Promise<number[]> => {
        const lists = await Promise.all(ids.map((applicationId) => auth.audit.list({ applicationId })))
        return lists.map(({ items }) => items.filter(({ type }) => type === 'application.delivered').length)
      }
      await waitUntil(() => new Set(mails).size === APPLICATIONS, { timeout: 60_000 })
      await waitUntil(async () => (await countDelivered()).every((count) => count > 0), {
        timeout: 60_000,
        interval: 200,
      })
      expect(await store.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([])
      expect(await countDelivered()).toEqual(ids.map(() => 1))
      // What a process was sending when it was killed is sent again: none is lost.
      expect(new Set(mails).size).toBe(APPLICATIONS)
      expect((await findRecord(ids[0]!)).keys[0]?.remindedDays).toBe(30)
    },
  )
})
