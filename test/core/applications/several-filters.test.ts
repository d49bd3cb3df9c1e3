import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { ApplicationQuery, ApplicationRecord } from '../../../src/store.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { application, audit, credential, NOW } from '../../stores/suite/records.js'

const COUNT = 2500
const ORDERS = { orders: { scopes: [] } }

/** A store with many applications, and what was asked of it. */
async function openMany() {
  const store = memoryStore()
  await store.open()
  for (let i = 0; i < COUNT; i++) {
    const changes: Partial<ApplicationRecord> = {
      name: `Shop ${String(i).padStart(4, '0')}`,
      plan: i % 2 === 0 ? 'gold' : 'free',
      status: i % 1000 === 999 ? 'suspended' : 'active',
      apis: i === 2400 ? ORDERS : {},
      contact: i % 1000 === 7 ? 'ann@example.com' : undefined,
      keys: [credential(`k${i}`, { prefix: i < 2 ? 'pk_key_aaaa' : `pk_key_${i}` })],
      ...(i % 10 === 0 && { lastUsedAt: NOW - i }),
    }
    await store.saveApplication(application(`app_${i}`, changes), audit(`app_${i}`))
  }
  const reads: { readonly query: ApplicationQuery; readonly rows: number }[] = []
  const admin = await openAdmin({
    ...store,
    async listApplications(query) {
      const records = await store.listApplications(query)
      reads.push({ query, rows: records.length })
      return records
    },
  })
  return { list: admin.applications.list, reads }
}

it('list() reads one search of several by its index, and at most 1,000 applications for a page, and says so', async () => {
  const { list, reads } = await openMany()
  const readPage = async (query: Parameters<typeof list>[0]) => {
    reads.length = 0
    const { items, ...rest } = await list(query)
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(1000)
    // The store is asked for one search, or for API and status.
    for (const {
      query: { after: _, afterKey: _key, limit: _limit, expiringAfter: _since, api, status, ...search },
    } of reads) {
      const given = Object.entries(search).filter(([, value]) => value !== undefined)
      if (given.length > 0) expect([api, status]).toEqual([undefined, undefined])
      expect(new Set(given.map(([name]) => name.replace(/^used.*/, 'used'))).size).toBeLessThanOrEqual(1)
    }
    return { names: items.map(({ name }) => name), ...rest }
  }

  // Few match: pages may be empty, and go on.
  const suspended = { name: 'shop', status: 'suspended' } as const
  const first = await readPage(suspended)
  expect(first).toMatchObject({ names: ['Shop 0999'], searched: 1000 })
  const second = await readPage({ ...suspended, after: first.next })
  expect(second).toMatchObject({ names: ['Shop 1999'], searched: 1000 })
  expect(await readPage({ ...suspended, after: second.next })).toEqual({ names: [] })
  const ofApi = { plan: 'gold', api: 'orders' }
  const none = await readPage(ofApi)
  expect(none).toEqual({ names: [], next: 'app_1998', searched: 1000 })
  expect(await readPage({ ...ofApi, after: none.next })).toEqual({ names: ['Shop 2400'] })

  // A page that is full says nothing, and the next one begins behind it.
  const full = await readPage({ ...suspended, limit: 1 })
  expect(full.names).toEqual(['Shop 0999'])
  expect(Object.keys(full)).toEqual(['names', 'next'])
  expect((await readPage({ ...suspended, limit: 1, after: full.next })).names).toEqual(['Shop 1999'])
  const gold = await readPage({ name: 'shop', plan: 'gold', limit: 2 })
  expect(gold).toMatchObject({ names: ['Shop 0000', 'Shop 0002'] })
  expect(reads).toHaveLength(1)
  expect((await readPage({ name: 'shop', plan: 'gold', limit: 2, after: gold.next })).names).toEqual([
    'Shop 0004',
    'Shop 0006',
  ])

  // The search that finds fewer is read, whatever else is asked for.
  const used = { usedSince: new Date(0), usedBefore: new Date(NOW + 1), plan: 'gold', name: 'Shop 00' }
  expect(await readPage({ ...used, credential: 'pk_key_aaaa' })).toEqual({ names: ['Shop 0000'] })
  expect(await readPage({ ...used, contact: 'Ann@example.com', credential: 'pk_key_7', neverUsed: false })).toEqual({
    names: [],
  })
  expect(await readPage({ name: 'Shop', contact: 'Ann@example.com' })).toEqual({
    names: ['Shop 0007', 'Shop 1007', 'Shop 2007'],
  })
  expect(reads.map(({ rows }) => rows)).toEqual([3])
  expect((await readPage({ ...used, limit: 3 })).names).toEqual(['Shop 0090', 'Shop 0080', 'Shop 0070'])
  expect(await readPage({ status: 'deleted', neverUsed: true, contact: 'ann@example.com' })).toEqual({ names: [] })

  // One search, and status with API, read no more than the page.
  for (const query of [{ plan: 'free' }, { status: 'active', limit: 5 }, { neverUsed: true, limit: 7 }] as const) {
    await readPage(query)
    expect(reads).toMatchObject([{ rows: ('limit' in query ? query.limit : 100) + 1 }])
  }
})
