import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore, type EventType } from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { openPlatform } from '../support/platform.js'

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
