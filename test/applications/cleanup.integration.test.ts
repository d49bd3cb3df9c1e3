import { describe, it } from 'vitest'
import { memoryStore, type Mailer, type Store } from '../../src/index.js'
import { openProvider, POLL_OPTIONS, waitForAttempts } from './applicant.js'

const HOUR = 3600

describe.concurrent('a pending application', () => {
  it('is deleted with its e-mail after 14 days, approved or not', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const failing: Mailer = {
      async send() {
        throw Object.assign(new Error('no'), { refused: true })
      },
    }
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
    const watched: Store = {
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
