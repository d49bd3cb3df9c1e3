import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ChangeFeed } from '../../../src/core/store-client/change-feed.js'
import { createChangeFeed } from '../../../src/core/store-client/change-feed.js'
import type { Change, ChangesPage, StoreWith } from '../../../src/shared/contracts/store.js'
import { waitUntil } from '../../support/wait-until.js'

const POLL_INTERVAL_MS = 20
let feed: ChangeFeed | undefined
afterEach(() => feed?.close())

/** A store with a change feed only, which the test's script controls. */
function scriptedStore() {
  const script = {
    changes: [] as Change[],
    failing: false,
    /** Reads wait for it. */
    hold: undefined as Promise<void> | undefined,
    cursors: [] as (string | undefined)[],
    wake: undefined as (() => void) | undefined,
  }
  const store: Pick<StoreWith, 'pollInterval' | 'changesSince' | 'watch'> = {
    pollInterval: POLL_INTERVAL_MS,
    async changesSince(cursor): Promise<ChangesPage> {
      script.cursors.push(cursor)
      // As in a database: the answer is the state at the start of the query.
      const end = script.changes.length
      const page = {
        cursor: String(end),
        changes: cursor === undefined ? [] : script.changes.slice(Number(cursor), end),
      }
      await script.hold
      if (script.failing) throw new Error('unavailable')
      return page
    },
    watch(wake) {
      script.wake = wake
      return () => void (script.wake = undefined)
    },
  }
  return { store: store as StoreWith, script }
}

const change = (id: string): Change => ({ kind: 'application', id })

/** A feed on a scripted store, which is not started yet. */
function createScripted({ maxStaleness = 5, pollInterval = POLL_INTERVAL_MS, onChange }: FeedOptions = {}) {
  const { store, script } = scriptedStore()
  const delivered: Change[] = []
  const created = createChangeFeed({ store: { ...store, pollInterval }, maxStaleness })
  feed = created
  const start = (): Promise<void> => created.start(onChange ?? ((each) => void delivered.push(each)))
  return { script, started: { ...created, start }, delivered }
}

async function startScripted(options: FeedOptions = {}) {
  const scripted = createScripted(options)
  await scripted.started.start()
  return scripted
}

interface FeedOptions {
  readonly maxStaleness?: number
  readonly pollInterval?: number
  readonly onChange?: (change: Change) => void | Promise<void>
}

/** Lets reads wait until the function that it returns is called. */
function holdReads(script: ReturnType<typeof scriptedStore>['script']): () => void {
  let release = (): void => undefined
  script.hold = new Promise((resolve) => (release = resolve))
  return release
}

describe('the change feed', () => {
  it('starts at the present end and does not deliver earlier changes', async () => {
    const { script, started, delivered } = createScripted()
    script.changes.push(change('old'))
    expect(started.isFresh()).toBe(false)
    await started.start()
    expect(started.isFresh()).toBe(true)
    script.changes.push(change('new'))
    await expect.poll(() => delivered, { interval: 5 }).toEqual([change('new')])
  })

  it('delivers every change once and in order', async () => {
    const { script, delivered } = await startScripted()
    const all = Array.from({ length: 50 }, (_, i) => change(String(i)))
    for (const each of all) {
      script.changes.push(each)
      if (Math.random() < 0.3) await sleep(Math.random() * 2 * POLL_INTERVAL_MS)
    }
    await expect.poll(() => delivered.length, { interval: 5 }).toBe(50)
    await sleep(3 * POLL_INTERVAL_MS)
    expect(delivered).toEqual(all)
  })

  it('polls at once when it is woken, and again when it was woken during a poll', async () => {
    const { script, delivered } = await startScripted({ pollInterval: 60_000 })
    const release = holdReads(script)
    script.changes.push(change('first'))
    script.wake!()
    await sleep(5)
    // The poll that is under way started too early for this one.
    script.changes.push(change('second'))
    script.wake!()
    script.wake!()
    script.hold = undefined
    release()
    await expect.poll(() => delivered, { interval: 5 }).toEqual([change('first'), change('second')])
    expect(script.cursors).toEqual([undefined, '0', '1'])
  })

  it('shares one poll among concurrent calls', async () => {
    const { script, started } = await startScripted({ pollInterval: 60_000 })
    expect(await Promise.all([started.poll(), started.poll(), started.poll()])).toEqual([true, true, true])
    expect(script.cursors).toHaveLength(2)
    script.failing = true
    expect(await Promise.all([started.poll(), started.poll()])).toEqual([false, false])
    expect(script.cursors).toHaveLength(3)
  })

  it('is fresh for maxStaleness after the last answer, and fresh again with the next', async () => {
    const { script, started } = await startScripted({ pollInterval: 60_000, maxStaleness: 60 })
    script.failing = true
    const answeredAt = performance.now()
    const now = vi.spyOn(performance, 'now')
    now.mockReturnValue(answeredAt + 59_000)
    expect([await started.poll(), started.isFresh()]).toEqual([false, true])
    now.mockReturnValue(answeredAt + 61_000)
    expect([await started.poll(), started.isFresh()]).toEqual([false, false])
    script.failing = false
    expect([await started.poll(), started.isFresh()]).toEqual([true, true])
    now.mockRestore()
  })

  it('counts the age of an answer from the start of its poll', async () => {
    const { script, started } = await startScripted({ pollInterval: 60_000, maxStaleness: 60 })
    const release = holdReads(script)
    const answered = started.poll()
    const startedAt = performance.now()
    const now = vi.spyOn(performance, 'now').mockReturnValue(startedAt + 50_000)
    release()
    expect(await answered).toBe(true)
    expect(started.isFresh()).toBe(true)
    now.mockReturnValue(startedAt + 61_000)
    expect(started.isFresh()).toBe(false)
    now.mockRestore()
  })

  it('overtakes a read that is not answered: it stays fresh, and changes arrive', async () => {
    // Long enough that a busy machine is not what makes it stale.
    const { script, started, delivered } = await startScripted({ maxStaleness: 4 })
    script.hold = new Promise(() => undefined)
    await expect.poll(() => script.cursors.length, { interval: 1 }).toBe(2)
    script.hold = undefined
    script.changes.push(change('a'))
    await expect.poll(() => delivered, { interval: 5 }).toEqual([change('a')])
    expect(started.isFresh()).toBe(true)
    expect(await started.pollAgain()).toBe(true)
    expect(started.isLate()).toBe(false)
  })

  it('reads again for every call that asks for the latest changes while one read is stuck, and after it', async () => {
    const { script, started, delivered } = await startScripted()
    const release = holdReads(script)
    await expect.poll(() => script.cursors.length, { interval: 1 }).toBe(2)
    script.hold = undefined
    // The stuck read has been overtaken.
    await expect.poll(() => script.cursors.length, { interval: 1 }).toBeGreaterThan(2)
    for (const id of ['a', 'b', 'c']) {
      script.changes.push(change(id))
      expect(await started.pollAgain()).toBe(true)
      expect(delivered.at(-1)).toEqual(change(id))
    }
    release()
    script.changes.push(change('d'))
    expect(await started.waitForLatest()).toBe(true)
    expect(delivered.at(-1)).toEqual(change('d'))
  })

  it('ignores the late answer of a read that was overtaken', async () => {
    const { script, delivered } = await startScripted()
    const release = holdReads(script)
    await expect.poll(() => script.cursors.length, { interval: 1 }).toBe(2)
    script.hold = undefined
    script.changes.push(change('a'), change('b'))
    await expect.poll(() => delivered, { interval: 5 }).toEqual([change('a'), change('b')])
    release()
    script.changes.push(change('c'))
    await expect.poll(() => delivered.length, { interval: 5 }).toBe(3)
    await sleep(3 * POLL_INTERVAL_MS)
    expect(delivered).toEqual([change('a'), change('b'), change('c')])
  })

  it('has three reads under way at most, and reports before maxStaleness that they are late', async () => {
    const { script, started } = await startScripted({ maxStaleness: 2 })
    const release = holdReads(script)
    await expect.poll(started.isLate, { interval: 5 }).toBe(true)
    expect(script.cursors.length).toBeLessThanOrEqual(4)
    // Neither waits for a read that may never be answered.
    expect(await Promise.all([started.poll(), started.waitForLatest()])).toEqual([false, false])
    expect(script.cursors.length).toBe(4)
    script.hold = undefined
    release()
    await expect.poll(started.isLate, { interval: 5 }).toBe(false)
    expect(started.isFresh()).toBe(true)
  })

  it('delivers a change again after onChange failed, and then the following ones', async () => {
    const deliveries: string[] = []
    let failures = 2
    const onChange = async (each: Change): Promise<void> => {
      const { id } = each as { id: string }
      deliveries.push(id)
      if (id === 'b' && failures-- > 0) throw new Error('not now')
    }
    const { script } = await startScripted({ onChange })
    script.changes.push(change('a'), change('b'), change('c'))
    await expect.poll(() => deliveries.at(-1), { interval: 5 }).toBe('c')
    expect(deliveries).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'c'])
    expect(script.cursors.slice(-1)).not.toEqual([undefined])
  })

  it('is not fresh after an answer for which onChange failed', async () => {
    const onChange = () => Promise.reject(new Error('no'))
    const { script, started } = await startScripted({ pollInterval: 60_000, maxStaleness: 0.05, onChange })
    script.changes.push(change('a'))
    await sleep(60)
    expect(await started.poll()).toBe(false)
    expect(started.isFresh()).toBe(false)
  })

  it('neither polls nor delivers changes after close()', async () => {
    const { script, started, delivered } = await startScripted()
    started.close()
    expect(script.wake).toBeUndefined()
    const polls = script.cursors.length
    script.changes.push(change('late'))
    await sleep(4 * POLL_INTERVAL_MS)
    expect(script.cursors).toHaveLength(polls)
    expect(delivered).toEqual([])
    started.close()
  })

  it('does not start to poll if it was closed during start()', async () => {
    const { script, started } = createScripted()
    script.hold = sleep(20)
    const starting = started.start()
    started.close()
    await starting
    await sleep(3 * POLL_INTERVAL_MS)
    expect(script.cursors).toEqual([undefined])
    expect(script.wake).toBeUndefined()
  })

  it('polls and watches once although it was started twice', async () => {
    const { script, started } = createScripted()
    script.failing = true
    await expect(started.start()).rejects.toThrow('unavailable')
    script.failing = false
    await started.start()
    await started.start()
    const before = script.cursors.length
    const since = performance.now()
    await sleep(10 * POLL_INTERVAL_MS)
    const intervals = (performance.now() - since) / POLL_INTERVAL_MS
    expect(script.cursors.length - before).toBeLessThanOrEqual(intervals + 1)
    await waitUntil(() => script.cursors.length - before > 2)
  })
})
