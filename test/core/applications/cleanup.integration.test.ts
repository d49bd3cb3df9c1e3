import { describe, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { withEnd } from '../../../src/shared/lib/application-id.js'
import { openProvider, POLL_OPTIONS, waitForAttempts } from './applicant.js'
import { failingMailer, REFUSED } from '../../support/failing-mailer.js'

const HOUR = 3600

describe.concurrent('a pending application', () => {
  it('is deleted with its e-mail after 14 days, approved or not', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const failing = failingMailer(REFUSED)
    const before = openProvider({ onTestFinished }, { store, mailer: failing })
    const held = await before.register(['invoices'])
    const tried = await before.register()
    await waitForAttempts(before, tried.id, 1)
    const { application: active } = await before.auth.applications.create({ name: 'Active', apis: ['catalog'] })
    before.clock.advance(HOUR)
    const younger = await before.register(['invoices'])
    await before.auth.close()

    before.clock.advance(14 * 24 * HOUR - HOUR - 1)
    let listed = false
    const watched: StoreWith = {
      ...store,
      async listApplications(query) {
        const found = await store.listApplications(query)
        listed ||= query.status === 'pending'
        return found
      },
    }
    const early = openProvider({ onTestFinished }, { store: watched, mailer: failing, now: before.clock.now })
    await expect.poll(() => listed, POLL_OPTIONS).toBe(true)
    expect(await early.getStatus(held.id)).toBe('pending')
    await early.auth.close()

    before.clock.advance(1)
    const later = openProvider({ onTestFinished }, { store, mailer: failing, now: before.clock.now })
    await expect.poll(() => later.getStatus(held.id), POLL_OPTIONS).toBe('deleted')
    await expect.poll(() => later.getStatus(tried.id), POLL_OPTIONS).toBe('deleted')
    expect(await later.findRecord(held.id)).toMatchObject({ name: '', contact: undefined, keys: [], secrets: [] })
    expect(await later.listEmails(held.id)).toEqual([])
    expect(await later.listEmails(tried.id)).toEqual([])
    expect(await later.getStatus(younger.id)).toBe('pending')
    expect(await later.getStatus(active.id)).toBe('active')
    expect(later.listEvents(held.id)).toEqual(['deleted'])
    const { items: records } = await later.auth.audit.list({ applicationId: held.id })
    expect(records.at(-1)).toMatchObject({ type: 'application.deleted', details: { pendingTooLong: true } })
  })
})

describe.concurrent('an application that ends', () => {
  it('is deleted after its end, whatever its status, and no other of its name', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const before = openProvider({ onTestFinished }, { store })
    const create = async (endsIn: number): Promise<string> => {
      const given = { name: 'Same', apis: ['catalog'] } as const
      const { applications } = before.auth
      return (await applications.create(withEnd(given, before.clock.now() + endsIn * 1000))).application.id
    }
    const [ended, suspended, later] = [await create(HOUR), await create(HOUR), await create(HOUR + 1)]
    await before.auth.applications.suspend(suspended)
    const { application: other } = await before.auth.applications.create({ name: 'Same', apis: ['catalog'] })
    await before.auth.close()

    before.clock.advance(HOUR)
    const after = openProvider({ onTestFinished }, { store, now: before.clock.now })
    await expect.poll(() => after.getStatus(ended), POLL_OPTIONS).toBe('deleted')
    await expect.poll(() => after.getStatus(suspended), POLL_OPTIONS).toBe('deleted')
    expect(await after.getStatus(later)).toBe('active')
    expect(await after.getStatus(other.id)).toBe('active')
    expect(await after.findRecord(ended)).toMatchObject({ name: '', endsAt: undefined, keys: [], secrets: [] })
    const { items: records } = await after.auth.audit.list({ applicationId: ended })
    expect(records.at(-1)).toMatchObject({ type: 'application.deleted', details: { ended: true } })
  })

  it('stays if a store lists it that does not know of ends', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const before = openProvider({ onTestFinished }, { store })
    const { application } = await before.auth.applications.create({ name: 'No end', apis: ['catalog'] })
    await before.auth.close()
    before.clock.advance(24 * HOUR)
    let listed = false
    const ignorant: StoreWith = {
      ...store,
      async listApplications({ endingBefore, ...query }) {
        listed ||= endingBefore !== undefined
        return store.listApplications(query)
      },
    }
    const after = openProvider({ onTestFinished }, { store: ignorant, now: before.clock.now })
    await expect.poll(() => listed, POLL_OPTIONS).toBe(true)
    await after.auth.close()
    expect((await store.findApplication(application.id))?.status).toBe('active')
  })
})
