import { describe, expect, it } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import type { FeatureEntry } from '../../../src/feature.js'
import { emails } from '../../../src/features/emails/index.js'
import { plans, type PlanLimit, type PlansOptions } from '../../../src/features/plans/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform, usePlatform } from '../../support/platform.js'

const open = (features: readonly FeatureEntry[]) =>
  openPlatform({ developersUrl: 'https://api.example.com/developers', background: false, features }).auth

const check = (given: unknown, options?: unknown) => open([plans(given as never, options as PlansOptions<never>)])

const limits = (...requests: unknown[]) => ({ free: { requests } })

describe('the options of plans()', () => {
  it('may be any number of plans and limits', () => {
    const per: PlanLimit = { limit: 1, per: 'month', soft: true }
    for (const given of [
      limits(),
      limits({ limit: 1, window: 1 }, { limit: 1, window: 2 }, { limit: 9, per: 'day' }, per),
    ])
      expect(() => check(given, { default: 'free', notify: false })).not.toThrow()
  })

  it.each([
    [undefined, 'plans is missing'],
    [[], 'plans is a list'],
    [{}, 'plans is an object'],
    [{ 'a b': { requests: [] } }, 'plans is "a b"'],
    [{ free: [] }, 'plans.free is'],
    [{ free: {} }, 'plans.free.requests is missing'],
    [{ free: { requests: { limit: 1, window: 1 } } }, 'plans.free.requests is'],
    [{ free: { request: [] } }, 'plans.free.request is not an option'],
    [{ free: { requests: [], soft: 'yes' } }, 'plans.free.soft is "yes"'],
    [limits(5), 'plans.free.requests[0] is 5'],
    [limits({ limit: 1 }), 'plans.free.requests[0] is'],
    [limits({ limit: 1, window: 1, per: 'day' }), "Give it either window (seconds) or per ('day' or 'month')."],
    [limits({ limit: 1, per: 'week' }), 'plans.free.requests[0].per is "week"'],
    [limits({ limit: 0, per: 'day' }), 'plans.free.requests[0].limit is 0'],
    [limits({ limit: 1.5, window: 1 }), 'plans.free.requests[0].limit is 1.5'],
    [limits({ limit: 1, window: 1e8 }), 'plans.free.requests[0].window is 100000000'],
    [limits({ limit: 1, window: 1, sof: true }), 'plans.free.requests[0].sof is not an option'],
    [limits({ limit: 1, window: 1 }, { limit: 2, window: 1 }), 'Give one limit for 1s'],
  ])('are refused by name: %j', (given, message) => {
    expect(() => check(given)).toThrow(message)
  })

  it('have a default that is one of them', () => {
    expect(() => check(limits(), { default: 'gold' })).toThrow('plans.default is "gold". There are: free.')
    expect(() => check(limits(), { notify: 1 })).toThrow('plans.notify is 1')
    expect(() => check(limits(), { defalt: 'free' })).toThrow('plans.defalt is not an option. Did you mean "default"?')
  })
})

it('A registration gets the default plan, and what operators create none', async () => {
  const free = plans({ free: { requests: [] } }, { default: 'free' })
  const { auth } = usePlatform({ mailer: memoryMailer(), plans: free })
  await auth.ready()
  const given = { name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] } as const
  const { application } = await auth.registration.register(given)
  expect(application.plan).toBe('free')
  expect((await auth.applications.create({ name: 'Other', apis: ['catalog'] })).application.plan).toBeUndefined()
})

describe('An option that needs a feature which is not given is refused at the start, by its name', () => {
  const mail = emails({ mailer: memoryMailer() })
  it.each<[string, string, () => unknown, () => unknown]>([
    [
      'plans.notify',
      'emails()',
      () => open([plans({ free: { requests: [] } }, { notify: true })]),
      () => open([plans({ free: { requests: [] } }, { notify: true }), mail]),
    ],
    ...(['requestAccess', 'acceptTerms'] as const).map((action) => {
      const feature = portal({ actions: { [action]: true } })
      return [
        `portal.actions.${action}`,
        'registration()',
        () => open([mail, feature]),
        () => open([mail, feature, registration()]),
      ] as [string, string, () => unknown, () => unknown]
    }),
    [
      'registration',
      'registration()',
      () => developerConsole(open([mail]), { registration: true }),
      () => developerConsole(open([mail, registration()]), { registration: true }),
    ],
  ])('%s without %s', (option, feature, without, withIt) => {
    expect(without).toThrow(`${option} needs ${feature}, which is not given`)
    expect(withIt).not.toThrow()
  })
})
