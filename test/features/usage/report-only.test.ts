import { describe, expect, it } from 'vitest'
import { readPages } from '../../../src/shared/lib/own-members.js'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import type { ReportedCount } from '../../../src/store.js'
import { createReportedCollector } from '../../../src/features/usage/collector.js'
import { failingStore } from '../../support/failing-store.js'

const NOW = Date.parse('2026-11-22')
const REQUEST = { applicationId: 'a', api: 'orders', route: 'GET /items', reason: 'suspended', at: NOW }
const EVERYTHING = { after: undefined, applicationId: undefined, api: undefined, limit: 1000 }

describe('auth.usage.reportOnly()', () => {
  it('is read in pages', async () => {
    const store = memoryStore()
    const counts = Array.from({ length: 5 }, (_, i): ReportedCount => {
      const { at: _at, ...request } = REQUEST
      return {
        ...request,
        applicationId: i === 0 ? '' : 'a',
        route: `GET /${i}`,
        count: i + 1,
        firstAt: NOW,
        lastAt: NOW + i,
      }
    })
    await store.usage.addReported({ id: '1', at: NOW }, counts)
    const { usage } = await openAdmin(store)
    const seen: unknown[] = []
    let pages = 0
    for await (const items of readPages((after) => usage!.reportOnly({ limit: 2, after }))) {
      seen.push(...items)
      pages++
    }
    expect(pages).toBe(3)
    expect(seen).toEqual(
      counts.map(({ applicationId, firstAt, lastAt, ...count }) => ({
        ...count,
        ...(applicationId !== '' && { applicationId }),
        firstAt: new Date(firstAt),
        lastAt: new Date(lastAt),
      })),
    )
    expect((await usage!.reportOnly({ applicationId: 'a', api: 'orders' })).items).toHaveLength(4)
    expect(await usage!.reportOnly({ api: 'other' })).toEqual({ items: [] })
  })

  it.each([
    { limit: 0 },
    { after: 'nonsense' },
    { after: 1 as never },
    { after: btoa('[1,2,3,4]') },
    { api: 1 as never },
  ])('rejects %j', async (query) => {
    const { usage } = await openAdmin(memoryStore())
    await expect(usage!.reportOnly(query)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('the collector of report-only guards', () => {
  it('adds up in memory, with the first and the last time', async () => {
    const store = memoryStore()
    const collector = createReportedCollector(store.usage, () => NOW)
    for (const at of [NOW + 5, NOW + 1, NOW + 9]) collector.count({ ...REQUEST, at })
    collector.count({ ...REQUEST, applicationId: undefined })
    await collector.flush()
    collector.count(REQUEST)
    await collector.close()
    expect(await store.usage.listReported(EVERYTHING)).toMatchObject([
      { applicationId: '', count: 1 },
      { applicationId: 'a', count: 4, firstAt: NOW, lastAt: NOW + 9 },
    ])
  })

  it('loses none if there are too many different ones: they have the one route of the rest, as those of services', async () => {
    const store = memoryStore()
    const collector = createReportedCollector(store.usage, () => NOW)
    for (let i = 0; i < 10_100; i++)
      collector.count({ ...REQUEST, applicationId: `app${i}`, reason: i % 2 ? 'x' : 'y' })
    await collector.close()
    const counts = await store.usage.listReported({ ...EVERYTHING, limit: 20_000 })
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(10_100)
    expect(counts.filter(({ route }) => route === '(other)').map(({ applicationId }) => applicationId)).toEqual([
      '',
      '',
    ])
    expect(counts).toHaveLength(10_002)
  })

  it('keeps counts while the store is unavailable, and writes them once', async () => {
    const store = failingStore(memoryStore())
    const collector = createReportedCollector(store.usage, () => NOW)
    store.fail()
    collector.count(REQUEST)
    await collector.flush()
    store.recover()
    collector.count(REQUEST)
    await collector.flush()
    await collector.close()
    expect(await store.usage.listReported(EVERYTHING)).toMatchObject([{ count: 2 }])
  })
})
