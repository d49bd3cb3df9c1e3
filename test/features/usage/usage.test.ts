import { beforeEach, describe, expect, it } from 'vitest'
import { readPages } from '../../../src/shared/lib/own-members.js'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { type Usage, type UsageQuery } from '../../../src/features/usage/index.js'
import type { StoreWith } from '../../../src/store.js'
import { application } from '../../stores/suite/records.js'

let store: StoreWith
let usage: Usage

beforeEach(async () => {
  store = memoryStore()
  usage = (await openAdmin(store)).usage!
  for (const id of ['b', 'a']) await store.saveApplication(application(id), undefined)
  const counts = ['b', 'a'].flatMap((applicationId) =>
    ['2026-10-31', '2026-11-01', '2026-11-30'].flatMap((day) => [
      { day, applicationId, api: 'orders', outcome: 'allowed', count: 10 },
      { day, applicationId, api: 'orders', outcome: 'token', count: 2 },
      { day, applicationId, api: 'orders', outcome: 'invalid_token', count: 1 },
      { day, applicationId, api: 'catalog', outcome: '__proto__', count: 4 },
    ]),
  )
  await store.usage.add({ id: '1', at: 0 }, counts)
})

const catalog = { allowed: 0, accessTokens: 0, refused: JSON.parse('{"__proto__":4}') as object }
const orders = { allowed: 10, accessTokens: 2, refused: { invalid_token: 1 } }

describe('auth.usage.list()', () => {
  it('sums up by day', async () => {
    const { items } = await usage.list({ applicationId: 'a', from: '2026-10-31', to: '2026-11-01' })
    expect(items).toEqual([
      { period: '2026-10-31', applicationId: 'a', api: 'catalog', ...catalog },
      { period: '2026-10-31', applicationId: 'a', api: 'orders', ...orders },
      { period: '2026-11-01', applicationId: 'a', api: 'catalog', ...catalog },
      { period: '2026-11-01', applicationId: 'a', api: 'orders', ...orders },
    ])
  })

  it('sums up by month', async () => {
    const { items } = await usage.list({ api: 'orders', from: '2026-10', to: '2026-11', by: 'month' })
    expect(items).toEqual(
      ['b', 'a'].flatMap((applicationId) => [
        { period: '2026-10', applicationId, api: 'orders', ...orders },
        {
          period: '2026-11',
          applicationId,
          api: 'orders',
          allowed: 20,
          accessTokens: 4,
          refused: { invalid_token: 2 },
        },
      ]),
    )
  })

  it.each(['day', 'month'] as const)('is read in pages, by %s', async (by) => {
    const range = { from: '2026-10', to: '2026-11', by }
    const { items: all, next } = await usage.list(range)
    expect(next).toBeUndefined()
    expect(all).toHaveLength(by === 'day' ? 12 : 8)
    for (const limit of [1, 3, all.length]) {
      const seen: unknown[] = []
      for await (const items of readPages((after) => usage.list({ ...range, limit, after }))) {
        seen.push(...items)
        expect(items).toHaveLength(Math.min(limit, all.length - seen.length + items.length))
      }
      expect(seen).toEqual(all)
    }
  })

  it('lists the last 30 days, unless another time is given', async () => {
    const today = new Date()
    const days = [0, 29, 30].map((ago) => new Date(today.getTime() - ago * 24 * 3600_000).toISOString().slice(0, 10))
    const count = { applicationId: 'a', api: 'orders', outcome: 'allowed', count: 1 }
    await store.usage.add(
      { id: '2', at: 0 },
      days.map((day) => ({ ...count, day })),
    )
    const listed = (await usage.list({ applicationId: 'a', api: 'orders' })).items.map(({ period }) => period)
    expect(listed).toEqual(expect.arrayContaining([days[0], days[1]]))
    expect(listed).not.toContain(days[2])
  })

  it.each<[string, UsageQuery]>([
    ['by', { by: 'week' as never }],
    ['from', { from: '2026-02-30' }],
    ['from', { from: '22.11.2026' }],
    ['to', { to: new Date(Number.NaN) }],
    ['to', { to: 1 as never }],
    ['from', { from: '2026-11-23', to: '2026-11-22' }],
    ['limit', { limit: 0 }],
    ['after', { after: 'nonsense' }],
    ['after', { after: 'a/2026-11-22/orders', by: 'month' }],
  ])('rejects a wrong %s: %j', async (name, query) => {
    await expect(usage.list(query)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(name) as string,
    })
  })

  it('is empty for applications that do not exist', async () => {
    const range = { from: '2026-10', to: '2026-11' }
    expect(await usage.list({ ...range, applicationId: 'unknown' })).toEqual({ items: [] })
    expect(await usage.list({ ...range, after: 'unknown/2026-11-22/orders' })).toEqual({ items: [] })
    expect(await usage.refusals('unknown')).toEqual({ items: [] })
  })
})
