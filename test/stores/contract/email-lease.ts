import { describe, expect, it } from 'vitest'
import { email, fullEmail, NOW } from '../records.js'
import { createEmailCalls } from './suite.js'
import type { OpenedStores } from './suite.js'

/** The lease that a process takes to send an e-mail. */
export function emailLeaseContract(opened: () => OpenedStores): void {
  const { listEmails, saveEmails } = createEmailCalls(opened)

  describe('lease of an e-mail', () => {
    it('sets the time and the next version, and is added to neither audit nor feed', async () => {
      const { store, other } = opened()
      const due = { ...fullEmail, state: 'due', leasedUntil: 0, dueAt: NOW } as const
      await saveEmails([due])
      const { cursor } = await store.changesSince(undefined)
      const leased = await store.leaseEmail(NOW, NOW + 60_000)
      expect(leased).toStrictEqual({ ...due, leasedUntil: NOW + 60_000, version: 2 })
      expect(await listEmails()).toStrictEqual([leased])
      expect(await other.findEmailByClaimLink('c1')).toStrictEqual(leased)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
    })

    it('is given to exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      for (const id of ['l1', 'l2', 'l3']) {
        await saveEmails([email(id)])
        const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseEmail(NOW, NOW + 1))
        const leased = (await Promise.all(tries)).filter((one) => one !== undefined)
        expect(leased).toStrictEqual([email(id, { leasedUntil: NOW + 1, version: 2 })])
      }
    })

    it('gives 20 concurrent callers an e-mail each', async () => {
      const { store, other } = opened()
      await saveEmails(Array.from({ length: 30 }, (_, i) => email(`l${i}`)))
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseEmail(NOW, NOW + 1))
      const leased = await Promise.all(tries)
      expect(new Set(leased.map((one) => one?.id)).size).toBe(20)
      expect((await listEmails()).filter(({ version }) => version === 2)).toHaveLength(20)
    })

    it('blocks other leases until it ends', async () => {
      const { store, other } = opened()
      await saveEmails([email('l')])
      await store.leaseEmail(NOW, NOW + 100)
      for (const now of [NOW, NOW + 99]) {
        expect(await store.leaseEmail(now, now + 100)).toBeUndefined()
        expect(await other.leaseEmail(now, now + 100)).toBeUndefined()
      }
      expect(await other.leaseEmail(NOW + 100, NOW + 200)).toMatchObject({
        id: 'l',
        version: 3,
        leasedUntil: NOW + 200,
      })
    })

    it('takes the e-mail that has been due longest', async () => {
      const { store } = opened()
      const dueAts = { third: NOW, first: NOW - 2, second: NOW - 1, 'not yet': NOW + 1 }
      await saveEmails(Object.entries(dueAts).map(([id, dueAt]) => email(id, { dueAt })))
      const leased: (string | undefined)[] = []
      for (let i = 0; i < 4; i++) leased.push((await store.leaseEmail(NOW, NOW + 100))?.id)
      expect(leased).toEqual(['first', 'second', 'third', undefined])
      expect((await store.leaseEmail(NOW + 1, NOW + 100))?.id).toBe('not yet')
    })

    it.each(['held', 'failed', 'claimable', 'suspended'] as const)(
      'is not given for an e-mail that is %s',
      async (state) => {
        const { store } = opened()
        await saveEmails([email('l', { state, dueAt: 0 })])
        expect(await store.leaseEmail(NOW, NOW + 100)).toBeUndefined()
        await saveEmails([email('l', { state: 'due', dueAt: 0, version: 2 })])
        expect((await store.leaseEmail(NOW, NOW + 100))?.version).toBe(3)
      },
    )

    it('refuses a save from a read before the lease', async () => {
      const { store } = opened()
      await saveEmails([email('l')])
      const leased = await store.leaseEmail(NOW, NOW + 100)
      expect(await saveEmails([email('l', { version: 2, state: 'failed' })])).toEqual([false])
      expect(await saveEmails([{ ...leased!, version: 3, leasedUntil: 0, attemptCount: 1 }])).toEqual([true])
      expect(await store.leaseEmail(NOW, NOW + 100)).toMatchObject({ version: 4, attemptCount: 1 })
    })
  })
}
