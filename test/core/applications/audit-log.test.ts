import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openPlatform, usePlatform } from '../../support/platform.js'

const DAY_MS = 86_400_000

describe('auth.audit.list()', () => {
  it('lists newest first, by type, actor and time, in pages of that order', async () => {
    const { auth, clock } = usePlatform()
    const ids: string[] = []
    for (let i = 0; i < 4; i++) {
      const { application } = await auth.applications.create({ name: `A ${i}`, apis: ['catalog'], by: 'alice' })
      ids.push(application.id)
      clock.advance(60)
    }
    await auth.applications.suspend(ids[1]!, { by: 'bob' })
    const list = async (query: Parameters<typeof auth.audit.list>[0]) =>
      (await auth.audit.list(query)).items.map(({ type, applicationId }) => `${type} ${ids.indexOf(applicationId!)}`)
    expect(await list({ order: 'newest', limit: 2 })).toEqual(['application.suspended 1', 'application.registered 3'])
    const { next } = await auth.audit.list({ order: 'newest', limit: 2 })
    expect(await list({ order: 'newest', limit: 2, after: next })).toEqual([
      'application.registered 2',
      'application.registered 1',
    ])
    expect(await list({ type: 'application.suspended' })).toEqual(['application.suspended 1'])
    expect(await list({ by: 'bob' })).toEqual(['application.suspended 1'])
    const now = clock.now()
    expect(await list({ from: new Date(now - 150_000), until: new Date(now - 30_000) })).toEqual([
      'application.registered 2',
      'application.registered 3',
    ])
  })

  it.each([
    { order: 'up' },
    { type: 7 },
    { by: {} },
    { from: 'yesterday' },
    { until: new Date(Number.NaN) },
    { after: 3 },
    { applicationId: 42 },
    { limit: 0 },
  ])('refuses %j', async (query) => {
    const { auth } = usePlatform()
    await expect(auth.audit.list(query as never)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

it('audit records are deleted when their retention has passed, and others stay', async () => {
  const store = memoryStore()
  const first = openPlatform({ store, background: { auditRetention: 30 } })
  const old = (await first.auth.applications.create({ name: 'Old', apis: ['catalog'] })).application.id
  first.clock.advance((29 * DAY_MS) / 1000)
  const young = (await first.auth.applications.create({ name: 'New', apis: ['catalog'] })).application.id
  await first.auth.close()
  first.clock.advance((2 * DAY_MS) / 1000)
  const second = usePlatform({ store, background: { auditRetention: 30 }, now: first.clock.now })
  const count = async (applicationId: string) => (await second.auth.audit.list({ applicationId })).items.length
  await expect.poll(() => count(old)).toBe(0)
  expect(await count(young)).toBe(1)
})
