import { beforeEach, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { type Usage } from '../../../src/features/usage/index.js'
import { formatDay } from '../../../src/shared/lib/day.js'
import { application } from '../../stores/suite/records.js'

let usage: Usage
const count = (applicationId: string, day: string, outcome: string, times: number, api = 'orders') => {
  return { applicationId, day, outcome, count: times, api }
}

beforeEach(async () => {
  const store = memoryStore()
  usage = (await openAdmin(store)).usage!
  for (const id of ['b', 'a', 'c', 'd']) await store.saveApplication(application(id), undefined)
  await store.usage.add({ id: '1', at: 0 }, [
    count('a', '2026-11-22', 'allowed', 30),
    count('a', '2026-11-22', 'token', 2),
    count('a', '2026-11-22', 'invalid_token', 6),
    count('a', '2026-11-22', 'invalid_token', 1, 'catalog'),
    count('a', '2026-11-22', '__proto__', 1),
    count('a', '2026-11-15', 'invalid_token', 14),
    count('a', '2026-11-21', 'allowed', 70),
    count('a', '2026-11-14', 'invalid_token', 1000),
    count('b', '2026-11-22', 'invalid_client', 9),
    count('c', '2026-11-22', 'allowed', 100),
    count('d', formatDay(Date.now()), 'insufficient_scope', 1),
  ])
})

it('says who was refused most on a day, why, and how much more than in the week before', async () => {
  const errors = JSON.parse('{"invalid_token":7,"__proto__":1}') as object
  const mean = { allowed: 10, refused: 2 }
  const a = { applicationId: 'a', name: 'Application a', allowed: 30, accessTokens: 2, refused: 8, share: 21.1, errors }
  expect(await usage.totals({ period: '2026-11-22' })).toEqual({
    items: [
      {
        period: '2026-11-22',
        applicationId: 'b',
        name: 'Application b',
        allowed: 0,
        accessTokens: 0,
        refused: 9,
        share: 100,
        errors: { invalid_client: 9 },
        mean: { allowed: 0, refused: 0 },
      },
      { period: '2026-11-22', ...a, mean },
    ],
  })
  const { items, next } = await usage.totals({ period: '2026-11-22', limit: 1 })
  expect(items.map(({ applicationId }) => applicationId)).toEqual(['b'])
  const second = await usage.totals({ period: '2026-11-22', limit: 1, after: next })
  expect([second.items.map(({ applicationId }) => applicationId), second.next]).toEqual([['a'], undefined])
  expect((await usage.totals()).items).toMatchObject([
    { applicationId: 'd', period: formatDay(Date.now()), share: 100 },
  ])
})

it('sums up a month, without a mean, also by the calls that passed', async () => {
  const { items } = await usage.totals({ period: '2026-11', sort: 'allowed' })
  expect(items.filter(({ applicationId }) => applicationId !== 'd')).toMatchObject([
    { applicationId: 'c', allowed: 100, refused: 0, share: 0, errors: {} },
    { applicationId: 'a', allowed: 100, refused: 1022, share: 91.1, errors: { invalid_token: 1021 } },
  ])
  expect(items.map((item) => 'mean' in item)).not.toContain(true)
})

it('refuses a period, an order and a cursor that are none', async () => {
  for (const period of ['2026', '2026-02-30', 'today'])
    await expect(usage.totals({ period })).rejects.toThrow(/^period must be/)
  await expect(usage.totals({ sort: 'tokens' as 'refused' })).rejects.toThrow("sort must be 'refused' or 'allowed'.")
  for (const after of ['', 'a', '-1/a', '1/'])
    await expect(usage.totals({ after })).rejects.toThrow('after must be the `next` of the page before.')
})
