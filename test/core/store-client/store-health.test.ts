import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError, memoryStore, type EventType } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openPlatform, usePlatform } from '../../support/platform.js'

const STORE_EVENTS: readonly EventType[] = [
  'store.writesRejected',
  'store.writesAccepted',
  'store.unavailable',
  'store.available',
]

/** A platform whose store can be made to reject writes, or everything. */
async function open() {
  const working = memoryStore()
  let fault: 'writes' | 'everything' | undefined
  const store: StoreWith = {
    ...working,
    async saveApplication(...args) {
      if (fault) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
      return working.saveApplication(...args)
    },
    async changesSince(cursor) {
      if (fault === 'everything') throw new Error('connection refused')
      return working.changesSince(cursor)
    },
  }
  const { auth } = openPlatform({ store })
  await auth.ready()
  onTestFinished(() => auth.close())
  const events: (readonly [EventType, string | undefined])[] = []
  for (const type of STORE_EVENTS) auth.events.on(type, ({ reason }) => events.push([type, reason]))
  return {
    auth,
    events,
    breakStore: (part: typeof fault) => void (fault = part),
    create: () => auth.applications.create({ name: 'Shop', apis: ['catalog'] }),
  }
}

describe('A store that rejects writes', () => {
  it('is reported by one event and by health(), until it accepts them again', async () => {
    const { auth, events, breakStore, create } = await open()
    breakStore('writes')
    for (let i = 0; i < 2; i++) await expect(create()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(events).toEqual([['store.writesRejected', 'No space left on device']])
    expect(await auth.health()).toMatchObject({ ok: true, problems: [expect.stringMatching(/rejected writes.*full/)] })
    breakStore(undefined)
    await create()
    expect(events.slice(1)).toEqual([['store.writesAccepted', undefined]])
    expect(await auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('is no longer reported when it has rejected none for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { auth, events, breakStore, create } = await open()
    breakStore('writes')
    await expect(create()).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(40_000)
    await expect(create()).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(events).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(events.slice(1)).toEqual([['store.writesAccepted', undefined]])
    expect((await auth.health()).problems).toEqual([])
  })

  it('is reported as an outage alone when it becomes unavailable altogether', async () => {
    const { events, auth, breakStore, create } = await open()
    breakStore('writes')
    await expect(create()).rejects.toThrow()
    breakStore('everything')
    await expect.poll(async () => (await auth.health()).problems.join()).toMatch(/unavailable since/)
    expect(events.map(([type]) => type)).toEqual(['store.writesRejected', 'store.writesAccepted', 'store.unavailable'])
  })
})

describe('health()', () => {
  it('keeps its reason while the changes cannot be read and look-ups are answered', async () => {
    const working = memoryStore()
    let polls: number | undefined
    const store: StoreWith = {
      ...working,
      async changesSince(cursor) {
        if (polls === undefined) return working.changesSince(cursor)
        polls += 1
        // What the database says, and what a pool of connections says while it has none.
        throw polls % 2 === 1
          ? Object.assign(new Error('too many clients'), { code: '53300' })
          : new Error('no connection')
      },
    }
    const { auth } = usePlatform({ store })
    await auth.ready()
    polls = 0
    await expect.poll(async () => (await auth.health()).problems).not.toEqual([])
    const seen = new Set<string>()
    for (let i = 0; i < 10; i++) {
      await auth.applications.list({})
      const { problems } = await auth.health()
      await auth.applications.list({})
      for (const problem of [...problems, ...(await auth.health()).problems])
        seen.add(problem.replace(/\d{4}-\S+Z/, 'T'))
      expect(problems).not.toEqual([])
    }
    expect([...seen].filter((problem) => !problem.includes('no connection left'))).toEqual([])
    polls = undefined
    await expect.poll(async () => auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('names why it is not known whether imported credentials are refused', async () => {
    const working = memoryStore()
    const countHashes = (): Promise<never> => Promise.reject(new Error('relation is gone'))
    const store: StoreWith = { ...working, imports: { ...working.imports, countHashes } }
    const { auth, logger } = usePlatform({ store })
    await auth.ready()
    await expect
      .poll(() => logger.lines.filter((line) => line.startsWith('It is not known whether the store has credentials')))
      .toHaveLength(1)
  })

  it('starts with a store that does not count imported credentials', async () => {
    const { imports, ...working } = memoryStore()
    const { countHashes: _, ...others } = imports
    const { auth, logger } = usePlatform({ store: { ...working, imports: others } })
    await auth.ready()
    await auth.close()
    expect(logger.lines).toEqual([])
  })
})

it('a problem of several sentences is joined with its fix by one full stop', () => {
  const error = new ConfigurationError({
    option: 'features',
    problem: 'lacks plans(). One has a plan.',
    fix: 'Add it.',
  })
  expect(error.message).toBe('features lacks plans(). One has a plan. Add it.')
})
