import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { failingStore, type StoreCallName } from '../../support/failing-store.js'
import { createBrowser } from './browser.js'
import { nextSignInEmail, usePortalOf } from './portal-app.js'

const KNOWN = 'dev@shop.example'
const UNKNOWN = 'foo@shop.example'
const PAIRS = 12
/** How much longer the look-up of a known address takes here. Whatever made the answer wait for it would show. */
const LOOKUP_MS = 150

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

it('P65: the answer takes the same time for known and unknown addresses', async () => {
  const store = memoryStore()
  const slow: StoreWith = {
    ...store,
    async listApplications(query) {
      const found = await store.listApplications(query)
      if (query.contact !== undefined && found.length > 0) await sleep(LOOKUP_MS)
      return found
    },
  }
  const host = await usePortalOf(KNOWN, { store: slow, mailer: { send: () => sleep(LOOKUP_MS) } })
  const browser = createBrowser(host.app)
  const times: Record<string, number[]> = { [KNOWN]: [], [UNKNOWN]: [] }
  for (let i = 0; i < PAIRS; i++) {
    // Alternating which is first, so that what slows down the machine meets both.
    for (const contact of i % 2 ? [KNOWN, UNKNOWN] : [UNKNOWN, KNOWN]) {
      await browser.get()
      const start = performance.now()
      expect((await browser.submit('/sign-in', { contact })).status).toBe(202)
      times[contact]!.push(performance.now() - start)
    }
  }
  expect(Math.abs(median(times[KNOWN]!) - median(times[UNKNOWN]!))).toBeLessThan(LOOKUP_MS / 2)
})

it('P65, P67: the same calls of the store precede the answers, for requests and for codes', async () => {
  const store = failingStore(memoryStore())
  let lookups = 0
  const host = await usePortalOf(KNOWN, {
    store: {
      ...store,
      listApplications(query) {
        // The background lists applications, too.
        if (query.contact !== undefined) lookups += 1
        return store.listApplications(query)
      },
    },
  })
  const names = [
    ...Object.keys(store),
    ...Object.keys(store.emails).map((name) => `emails.${name}`),
    ...Object.keys(store.signIns).map((name) => `signIns.${name}`),
  ] as StoreCallName[]
  // The look-up follows at a random time.
  const counted = names.filter((name) => name !== 'changesSince' && name !== 'listApplications')
  const count = (): number[] => counted.map((name) => store.calls(name))

  async function countCalls(work: () => Promise<unknown>): Promise<number[]> {
    const before = count()
    await work()
    return count().map((calls, i) => calls - before[i]!)
  }

  const calls: number[][][] = []
  for (const contact of [KNOWN, UNKNOWN]) {
    const browser = createBrowser(host.app)
    await browser.get()
    const earlier = lookups
    const asked = await countCalls(() => browser.submit('/sign-in', { contact }))
    await expect.poll(() => lookups).toBe(earlier + 1)
    if (contact === KNOWN) await nextSignInEmail(host.mailer, 0)
    calls.push([asked, await countCalls(() => browser.submit('/sign-in/code', { code: 'BBBB-BBBB' }))])
  }
  expect(calls[1]).toEqual(calls[0])
})
