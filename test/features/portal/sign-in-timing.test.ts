import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { failingStore, type StoreCallName } from '../../support/failing-store.js'
import { createBrowser } from './browser.js'
import { nextSignInEmail, usePortalOf } from './portal-app.js'

const KNOWN = 'dev@shop.example'
const UNKNOWN = 'foo@shop.example'
/** Shorter than the time after which the platform gives up a call of the store. */
const MOST_HELD_MS = 4000

it('P65: the answer waits neither for the look-up of an address nor for the e-mail, which only a known one gets', async () => {
  const store = memoryStore()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => void (release = resolve))
  const found: string[] = []
  const slow: StoreWith = {
    ...store,
    async listApplications(query) {
      const page = await store.listApplications(query)
      if (query.contact === undefined) return page
      await Promise.race([held, sleep(MOST_HELD_MS, undefined, { ref: false })])
      found.push(query.contact)
      return page
    },
  }
  const host = await usePortalOf(KNOWN, { store: slow })
  const browser = createBrowser(host.app)
  for (const contact of [KNOWN, UNKNOWN]) {
    await browser.get()
    expect((await browser.submit('/sign-in', { contact })).status).toBe(202)
  }
  expect([found, host.mailer.emails]).toEqual([[], []])
  release()
  await expect.poll(() => found.toSorted()).toEqual([KNOWN, UNKNOWN])
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
