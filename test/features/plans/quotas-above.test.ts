import { expect, it } from 'vitest'
import { readPages } from '../../../src/shared/lib/own-members.js'
import { memoryStore } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { fakeClock } from '../../../src/tools/testing/index.js'
import { usePlatform } from '../../support/platform.js'

const PLANS = {
  free: {
    requests: [
      { limit: 10, window: 1 },
      { limit: 30, per: 'day' },
      { limit: 70, per: 'month' },
    ],
  },
  gold: { requests: [{ limit: 900, per: 'month', soft: true }] },
  open: { requests: [] },
} as const

/** A platform with an application for each of these counts: its plan, and the units of days of November. */
async function open(used: readonly { plan: keyof typeof PLANS; days: Record<string, number> }[]) {
  const store = memoryStore()
  const clock = fakeClock(Date.parse('2026-11-25T12:00:00Z'))
  const { auth } = usePlatform({ store, now: clock.now, plans: plans(PLANS) })
  await auth.ready()
  const ids: string[] = []
  for (const [i, { plan, days }] of used.entries()) {
    const { application } = await auth.applications.create({ name: `Shop ${i}`, apis: ['catalog'] })
    await auth.plans.set(application.id, plan)
    const counts = Object.entries(days).map(([day, count]) => ({ applicationId: application.id, day, count }))
    await store.quotas.add({ id: `${i}`, at: clock.now() }, counts)
    ids.push(application.id)
  }
  return { auth, clock, ids }
}

it('lists who runs out of which quota, worst first, with name, end and what is left', async () => {
  const { auth, clock, ids } = await open([
    { plan: 'free', days: { '2026-11-25': 24, '2026-11-01': 39 } },
    { plan: 'gold', days: { '2026-11-25': 1000 } },
    { plan: 'free', days: { '2026-11-24': 30, '2026-10-31': 70 } },
    { plan: 'open', days: { '2026-11-25': 5000 } },
  ])
  const ofDay = { plan: 'free', per: 'day', limit: 30, soft: false, endsAt: new Date('2026-11-26T00:00:00Z') }
  const ofMonth = { ...ofDay, per: 'month', limit: 70, endsAt: new Date('2026-12-01T00:00:00Z') }
  const gold = { plan: 'gold', per: 'month', limit: 900, soft: true, endsAt: ofMonth.endsAt }
  const first = { applicationId: ids[0], name: 'Shop 0' }
  expect(await auth.plans.list()).toEqual({
    items: [
      { applicationId: ids[1], name: 'Shop 1', ...gold, used: 1000, left: 0, share: 111.1 },
      { ...first, ...ofMonth, used: 63, left: 7, share: 90 },
      { ...first, ...ofDay, used: 24, left: 6, share: 80 },
    ],
  })
  expect((await auth.plans.list({ above: 81 })).items.map(({ share }) => share)).toEqual([111.1, 90])
  expect((await auth.plans.list({ above: 112 })).items).toEqual([])
  await auth.plans.set(ids[1]!, 'free')
  expect((await auth.plans.list({ limit: 2 })).items.map(({ share }) => share)).toEqual([3333.3, 1428.5])
  clock.advance(24 * 3600)
  expect((await auth.plans.list({ above: 90 })).items.map(({ name, per }) => [name, per])).toEqual([
    ['Shop 1', 'month'],
    ['Shop 0', 'month'],
  ])
})

it('has each quota on exactly one page, also those that are used alike by several plans', async () => {
  const days = (units: number) => ({ '2026-11-25': units })
  const { auth } = await open(
    Array.from({ length: 40 }, (_, i) =>
      i % 4 === 0 ? { plan: 'gold', days: days(90 * (1 + (i % 10))) } : { plan: 'free', days: days(7 * (i % 11)) },
    ),
  )
  const { items, next } = await auth.plans.list({ above: 1, limit: 1000 })
  expect([items.length > 60, next]).toEqual([true, undefined])
  expect(items.map(({ used, limit }) => used / limit)).toEqual(
    items.map(({ used, limit }) => used / limit).toSorted((one, other) => other - one),
  )
  for (const limit of [1, 2, 7]) {
    const paged: typeof items = []
    for await (const page of readPages((after) => auth.plans.list({ above: 1, limit, after }))) {
      expect(page.length).toBeLessThanOrEqual(limit)
      paged.push(...page)
    }
    expect(paged).toEqual(items)
  }
})

it('refuses a share that is none, the cursor of something else, and unknown options', async () => {
  const { auth } = await open([])
  for (const above of [0, 1001, 80.5, '80', Number.NaN])
    await expect(auth.plans.list({ above: above as number })).rejects.toThrow(
      /^above must be a whole number of percent/,
    )
  for (const after of [
    '',
    'app_1',
    'free/day/1',
    'free/year/1/app',
    'other/day/1/app',
    'free/day/-1/app',
    'open/day/1/app',
  ])
    await expect(auth.plans.list({ after })).rejects.toThrow('after must be the `next` of the page before.')
  await expect(auth.plans.list({ abov: 1 } as object)).rejects.toThrow(/Did you mean "above"/)
})
