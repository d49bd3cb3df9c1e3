import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createChangeFeed, type ChangeFeed } from '../../src/store-client/change-feed.js'
import type { Change, ChangesPage, Store } from '../../src/contracts/store.js'
import { memoryStore } from '../../src/stores/memory/index.js'

const INTERVAL = 20
let feed: ChangeFeed | undefined
afterEach(() => feed?.close())

/** A store of which only the feed is there: it answers what it is told to, when it is told to. */
function scriptedStore() {
  const script = {
    changes: [] as Change[],
    failing: false,
    /** Readings wait for it. */
    dead: undefined as Promise<void> | undefined,
    cursors: [] as (string | undefined)[],
    wake: undefined as (() => void) | undefined,
  }
  const parts: Pick<Store, 'pollInterval' | 'changesSince' | 'watch'> = {
    pollInterval: INTERVAL,
    async changesSince(cursor): Promise<ChangesPage> {
      script.cursors.push(cursor)
      // As a database does: what it answers is what was there when it looked.
      const end = script.changes.length
      const page = {
        cursor: String(end),
        changes: cursor === undefined ? [] : script.changes.slice(Number(cursor), end),
      }
      await script.dead
      if (script.failing) throw new Error('out of reach')
      return page
    },
    watch(wake) {
      script.wake = wake
      return () => void (script.wake = undefined)
    },
  }
  return { store: parts as Store, script }
}

const change = (id: string): Change => ({ kind: 'application', id })

function startFeed(store: Store, maxStaleness = 5, onChange?: (change: Change) => void | Promise<void>) {
  const seen: Change[] = []
  const created = createChangeFeed({ store, maxStaleness })
  feed = created
  const start = (): Promise<void> => created.start(onChange ?? ((each) => void seen.push(each)))
  return { feed: { ...created, start }, seen }
}

describe('the change feed', () => {
  it('begins at the present end: what was there before is not told', async () => {
    const { store, script } = scriptedStore()
    script.changes.push(change('old'))
    const { feed: started, seen } = startFeed(store)
    expect(started.isFresh()).toBe(false)
    await started.start()
    expect(started.isFresh()).toBe(true)
    script.changes.push(change('new'))
    await expect.poll(() => seen, { interval: 5 }).toEqual([change('new')])
  })

  it('tells every change once, in its order, however many come at a time', async () => {
    const { store, script } = scriptedStore()
    const { feed: started, seen } = startFeed(store)
    await started.start()
    const all = Array.from({ length: 50 }, (_, i) => change(String(i)))
    for (const each of all) {
      script.changes.push(each)
      if (Math.random() < 0.3) await sleep(Math.random() * 2 * INTERVAL)
    }
    await expect.poll(() => seen.length, { interval: 5 }).toBe(50)
    await sleep(3 * INTERVAL)
    expect(seen).toEqual(all)
  })

  it('looks at once when it is woken, and again when it was woken while it looked', async () => {
    const { store, script } = scriptedStore()
    const slow = { ...store, pollInterval: 60_000 }
    const { feed: started, seen } = startFeed(slow)
    await started.start()
    let go = (): void => undefined
    script.dead = new Promise((resolve) => (go = resolve))
    script.changes.push(change('first'))
    script.wake!()
    await sleep(5)
    // The look under way was too early for this one.
    script.changes.push(change('second'))
    script.wake!()
    script.wake!()
    script.dead = undefined
    go()
    await expect.poll(() => seen, { interval: 5 }).toEqual([change('first'), change('second')])
    expect(script.cursors).toEqual([undefined, '0', '1'])
  })

  it('asks once for all who want to know now', async () => {
    const { store, script } = scriptedStore()
    const { feed: started } = startFeed({ ...store, pollInterval: 60_000 })
    await started.start()
    expect(await Promise.all([started.poll(), started.poll(), started.poll()])).toEqual([true, true, true])
    expect(script.cursors).toHaveLength(2)
    script.failing = true
    expect(await Promise.all([started.poll(), started.poll()])).toEqual([false, false])
    expect(script.cursors).toHaveLength(3)
  })

  it('is fresh for maxStaleness after the last answer, and fresh again with the next', async () => {
    const { store, script } = scriptedStore()
    const { feed: started } = startFeed(store, 0.2)
    await started.start()
    await sleep(300)
    expect(started.isFresh()).toBe(true)
    script.failing = true
    const failing = performance.now()
    await expect.poll(started.isFresh, { interval: 5 }).toBe(false)
    expect(performance.now() - failing).toBeGreaterThan(150)
    expect(performance.now() - failing).toBeLessThan(1000)
    script.failing = false
    await expect.poll(started.isFresh, { interval: 5 }).toBe(true)
  })

  it('counts the age of an answer from when it was asked for, not from when it came', async () => {
    const { store, script } = scriptedStore()
    const { feed: started } = startFeed({ ...store, pollInterval: 60_000 }, 0.1)
    await started.start()
    await sleep(120)
    script.dead = sleep(150)
    expect(await started.poll()).toBe(true)
    expect(started.isFresh()).toBe(false)
  })

  it('brings a change again whose follower failed, and those behind it', async () => {
    const { store, script } = scriptedStore()
    const told: string[] = []
    let failures = 2
    const { feed: started } = startFeed(store, 5, async (each) => {
      const { id } = each as { id: string }
      told.push(id)
      if (id === 'b' && failures-- > 0) throw new Error('not now')
    })
    await started.start()
    script.changes.push(change('a'), change('b'), change('c'))
    await expect.poll(() => told.at(-1), { interval: 5 }).toBe('c')
    expect(told).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'c'])
    expect(script.cursors.slice(-1)).not.toEqual([undefined])
  })

  it('is not fresh by an answer that could not be followed', async () => {
    const { store, script } = scriptedStore()
    const { feed: started } = startFeed({ ...store, pollInterval: 60_000 }, 0.05, () => Promise.reject(new Error('no')))
    await started.start()
    script.changes.push(change('a'))
    await sleep(60)
    expect(await started.poll()).toBe(false)
    expect(started.isFresh()).toBe(false)
  })

  it('asks nobody and tells nothing once it is closed', async () => {
    const { store, script } = scriptedStore()
    const { feed: started, seen } = startFeed(store)
    await started.start()
    started.close()
    expect(script.wake).toBeUndefined()
    const asked = script.cursors.length
    script.changes.push(change('late'))
    await sleep(4 * INTERVAL)
    expect(script.cursors).toHaveLength(asked)
    expect(seen).toEqual([])
    started.close()
  })

  it('does not begin to poll where it was closed while it started', async () => {
    const { store, script } = scriptedStore()
    const { feed: started } = startFeed(store)
    script.dead = sleep(20)
    const starting = started.start()
    started.close()
    await starting
    await sleep(3 * INTERVAL)
    expect(script.cursors).toEqual([undefined])
    expect(script.wake).toBeUndefined()
  })

  it('polls once, and watches once, where it is started twice', async () => {
    const { store, script } = scriptedStore()
    script.failing = true
    const { feed: started } = startFeed(store)
    await expect(started.start()).rejects.toThrow('out of reach')
    script.failing = false
    await started.start()
    await started.start()
    const before = script.cursors.length
    await sleep(10 * INTERVAL)
    expect(script.cursors.length - before).toBeLessThanOrEqual(11)
    expect(script.cursors.length - before).toBeGreaterThan(2)
  })

  it('hears of a change in a memory store long before the next poll', async () => {
    const store = memoryStore()
    const { feed: started, seen } = startFeed({ ...store, pollInterval: 60_000 })
    await started.start()
    await store.revokeAccessToken({ id: 'a', expiresAt: Date.now() + 1000 }, Date.now())
    await expect
      .poll(() => seen, { interval: 1, timeout: 200 })
      .toMatchObject([{ kind: 'accessTokenRevoked', id: 'a' }])
  })
})
