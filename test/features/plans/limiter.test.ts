import { describe, expect, it } from 'vitest'
import type { QuotaCount } from '../../../src/shared/contracts/quotas.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import { recordingLogger } from '../../support/platform.js'
import { NOON, startLimiter } from './start-limiter.js'

/** The limiter of one process on a store. */
function start(
  requests: Parameters<typeof startLimiter>[0],
  { time = { now: NOON }, ...options }: Parameters<typeof startLimiter>[1] & { readonly time?: { now: number } } = {},
) {
  const { limit, ledger } = startLimiter(requests, { ...options, now: () => time.now })
  return {
    limit,
    ledger,
    /** How many of so many requests pass, one after another. */
    async admit(count: number, units = 1, id = 'a') {
      let admitted = 0
      const add = (): void => void (admitted += 1)
      for (let i = 0; i < count; i++) await limit(id, units).then(add, () => undefined)
      return admitted
    },
    refusal: (): Promise<unknown> =>
      limit().then(
        () => Promise.reject(new Error('It passes.')),
        (error: unknown) => error,
      ),
  }
}

const perSecond = (limit: number) => ({ limit, window: 1 })
const perDay = (limit: number) => ({ limit, per: 'day' }) as const
const perMonth = (limit: number) => ({ limit, per: 'month' }) as const

describe('the limits of a plan', () => {
  it('let pass what every one of them allows, and begin anew when their windows end', async () => {
    const time = { now: NOON }
    const { admit } = start([perSecond(3), perDay(5), perMonth(7)], { time })
    expect(await admit(5)).toBe(3)
    time.now += 1000
    expect(await admit(5)).toBe(2)
    time.now = Date.parse('2026-11-26T00:00:00Z')
    expect(await admit(5)).toBe(2)
    time.now = Date.parse('2026-12-01T00:00:00Z')
    expect(await admit(5)).toBe(3)
  })

  it('go on when the clock is set back: neither is a window longer, nor a quota that of a day to come', async () => {
    const time = { now: NOON }
    const store = memoryStore().quotas
    const { admit, refusal, ledger } = start([perSecond(3), perMonth(7)], { store, time })
    expect(await admit(5)).toBe(3)
    time.now -= 1800_000
    expect(await admit(5)).toBe(3)
    time.now = Date.parse('2030-01-01T12:00:00Z')
    expect(await admit(5)).toBe(3)
    await ledger.writer.write()
    time.now = NOON + 1000
    expect(await admit(5)).toBe(1)
    expect(await refusal()).toMatchObject({ error: 'quota_exceeded' })
    time.now = Date.parse('2026-12-01T00:00:00Z')
    expect(await admit(5)).toBe(3)
  })

  it('are written once for an application and a day at a time, whatever the clock does', async () => {
    const time = { now: NOON }
    const { quotas } = memoryStore()
    const batches: (readonly QuotaCount[])[] = []
    const store: typeof quotas = {
      ...quotas,
      add(batch, counts) {
        batches.push(counts)
        return quotas.add(batch, counts)
      },
    }
    const { admit, ledger } = start([perMonth(1000)], { store, time })
    for (const day of ['2026-11-25', '2026-11-27', '2026-11-25', '2026-11-27']) {
      time.now = Date.parse(`${day}T12:00:00Z`)
      expect(await admit(1)).toBe(1)
    }
    await ledger.writer.write()
    for (const counts of batches) expect(new Set(counts.map(({ day }) => day)).size).toBe(counts.length)
    expect(await quotas.list('a', '2026-11-01', '2026-11-30')).toMatchObject([{ count: 2 }, { count: 2 }])
  })

  it('give nothing anew when the clock is set back at midnight', async () => {
    const time = { now: Date.parse('2026-12-01T00:00:01Z') }
    const { admit } = start([perDay(3)], { time })
    expect(await admit(2)).toBe(2)
    time.now -= 2000
    expect(await admit(3)).toBe(1)
  })

  it('count the units of a request, and let a smaller one pass where a larger one does not', async () => {
    const { admit } = start([perDay(10)])
    expect(await admit(3, 4)).toBe(2)
    expect(await admit(3, 1)).toBe(2)
    expect(await admit(1, 0)).toBe(1)
  })

  it('only count if they are soft', async () => {
    const { admit, limit } = start([{ ...perDay(2), soft: true }, perMonth(5)])
    expect(await admit(4)).toBe(4)
    expect((await limit())?.['RateLimit']).toMatch(/^"plan\/day";r=0;t=43200, "plan\/month";r=0;t=/)
    expect(await admit(1)).toBe(0)
  })

  it('of another plan go on with what was used of the day', async () => {
    const store = memoryStore().quotas
    const { admit, ledger } = start([perDay(3)], { store })
    await admit(2)
    await ledger.writer.write()
    const { limit } = start([perDay(5), perSecond(10)], { store })
    expect((await limit())?.['RateLimit']).toBe('"plan/day";r=2;t=43200, "plan/1s";r=9;t=1')
  })
})

it('units whose totals a store lacks, by a mistake, are written once; that is logged, and the writer goes on', async () => {
  const added: (readonly unknown[])[] = []
  const logger = recordingLogger()
  const store = { ...memoryStore().quotas, add: async (_: object, rows: readonly unknown[]) => (added.push(rows), []) }
  const { admit, ledger } = start([perDay(3)], { store, logger })
  await admit(1)
  expect([await ledger.writer.write(), ledger.writer.isFailing]).toEqual([true, false])
  expect(added).toHaveLength(1)
  expect(logger.lines.join()).toContain('The totals of quotas that the store has answered could not be kept.')
})

describe('a quota', () => {
  it('survives a restart', async () => {
    const store = memoryStore().quotas
    const first = start([perDay(5)], { store })
    await first.admit(3)
    await first.ledger.writer.close()
    const second = start([perDay(5)], { store })
    expect(await second.admit(9)).toBe(2)
    expect(await second.refusal()).toMatchObject({ error: 'quota_exceeded' })
  })

  it('is exceeded by 1 % in each of several processes at most, and never ends early', async () => {
    const store = memoryStore().quotas
    for (const [limit, atMost] of [
      [1000, 10],
      [50, 1],
    ] as const) {
      const processes = Array.from({ length: 4 }, () => start([perDay(limit)], { store }))
      const id = `app ${limit}`
      const admitted = await Promise.all(processes.map(({ admit }) => admit(limit, 1, id)))
      const sum = admitted.reduce((one, other) => one + other)
      expect(sum).toBeGreaterThanOrEqual(limit)
      expect(sum).toBeLessThanOrEqual(limit + 4 * atMost)
      for (const { ledger } of processes) await ledger.writer.close()
      expect(await store.list(id, '2026-11-25', '2026-11-25')).toEqual([
        { applicationId: id, day: '2026-11-25', count: sum },
      ])
    }
  })

  it('is counted in bounded memory, and forgotten for nobody who has used some of it', async () => {
    const store = memoryStore().quotas
    const { admit, ledger } = start([perSecond(100), perMonth(3)], { store, accounts: 10 })
    for (let round = 0; round < 2; round++) for (let i = 0; i < 500; i++) expect(await admit(1, 1, `app ${i}`)).toBe(1)
    await ledger.writer.write()
    for (let i = 0; i < 500; i++) expect(await admit(3, 1, `app ${i}`)).toBe(1)
  })

  it('goes on from what is known while the store is unavailable, and is written once afterwards', async () => {
    const real = memoryStore().quotas
    let failing = false
    const check = (): void => {
      if (failing) throw new Error('The store is unavailable.')
    }
    const store = {
      ...real,
      add: async (...args: Parameters<typeof real.add>) => (check(), real.add(...args)),
      list: async (...args: Parameters<typeof real.list>) => (check(), real.list(...args)),
    }
    const { admit, ledger } = start([perDay(100)], { store })
    expect(await admit(10)).toBe(10)
    failing = true
    expect(await admit(200)).toBe(90)
    expect(await admit(10, 1, 'b')).toBe(10)
    failing = false
    expect(await ledger.writer.write()).toBe(true)
    const used = async (id: string) => (await real.list(id, '2026-11-25', '2026-11-25'))[0]?.count
    expect([await used('a'), await used('b')]).toEqual([100, 10])
  })
})
