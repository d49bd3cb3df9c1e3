import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openProvider } from '../../core/applications/applicant.js'
import { DATABASES } from '../../support/databases.js'
import { killProcess } from '../../support/kill-process.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { waitUntil } from '../../support/wait-until.js'

const PROCESS = fileURLToPath(new URL('../../support/reminding-process.mjs', import.meta.url))
const DAY_MS = 24 * 3600 * 1000
/** A killed process's lease of 15 seconds is over in 1.5 seconds. */
const SPEED = 10
const APPLICATIONS = 40

describe('two processes that remind contacts, one of which is killed again and again', () => {
  it.each(IS_LONG_LANE ? (['SQLite', 'PostgreSQL'] as const) : (['PostgreSQL'] as const))(
    'queue each reminder once, and lose none: %s',
    async (name) => {
      const { address, open } = await DATABASES[name]()
      const store = open()
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
        onTestFinished(() => killProcess(child))
        return child
      }

      start()
      for (let kills = 0; kills < (IS_LONG_LANE ? 2 : 1); kills++) {
        const child = start()
        const before = mails.length
        await waitUntil(() => mails.length > before + 3, { timeout: 60_000 })
        await killProcess(child)
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
