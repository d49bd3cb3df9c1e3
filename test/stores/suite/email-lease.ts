import assert from 'node:assert/strict'
import { email, fullEmail, NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** The lease that a process takes to send an e-mail. */
export function emailLeaseContract({ describe, it }: TestCollector): void {
  describe('lease of an e-mail', () => {
    it('sets the time and the next version, and is added to neither audit nor feed', async (context) => {
      const { store, other, saveEmails, listEmails } = context
      const due = { ...fullEmail, state: 'due', leasedUntil: 0, dueAt: NOW } as const
      await saveEmails([due])
      const { cursor } = await store.changesSince(undefined)
      const leased = await store.emails.lease(NOW, NOW + 60_000)
      assertEqual(leased, { ...due, leasedUntil: NOW + 60_000, version: 2 })
      assertEqual(await listEmails(), [leased])
      assertEqual(await other.emails.findByClaimLink('c1'), leased)
      assertEqual(await store.changesSince(cursor), { cursor, changes: [] })
    })

    it('is given to exactly one of 20 concurrent callers', async ({ saveEmails, callAtOnce }) => {
      for (const id of ['l1', 'l2', 'l3']) {
        await saveEmails([email(id)])
        const tries = await callAtOnce(20, (one) => one.emails.lease(NOW, NOW + 1))
        const leased = tries.filter((each) => each !== undefined)
        assertEqual(leased, [email(id, { leasedUntil: NOW + 1, version: 2 })])
      }
    })

    it('gives 20 concurrent callers an e-mail each', async ({ saveEmails, listEmails, callAtOnce }) => {
      await saveEmails(Array.from({ length: 30 }, (_, i) => email(`l${i}`)))
      const leased = await callAtOnce(20, (one) => one.emails.lease(NOW, NOW + 1))
      assert.equal(new Set(leased.map((one) => one?.id)).size, 20)
      assert.equal((await listEmails()).filter(({ version }) => version === 2).length, 20)
    })

    it('of an e-mail without credentials is given to exactly one of 20 concurrent callers', async (context) => {
      const { other, saveEmails, callAtOnce } = context
      const notice = {
        ...fullEmail,
        purpose: 'invitation',
        state: 'due',
        leasedUntil: 0,
        dueAt: NOW,
        claimLinks: [],
      } as const
      await saveEmails([notice])
      const tries = await callAtOnce(20, (one) => one.emails.lease(NOW, NOW + 1))
      const leased = tries.filter((each) => each !== undefined)
      assertEqual(leased, [{ ...notice, leasedUntil: NOW + 1, version: 2 }])
      assertEqual(await other.emails.find(notice.id), leased[0])
    })

    it('blocks other leases until it ends', async ({ store, other, saveEmails }) => {
      await saveEmails([email('l')])
      await store.emails.lease(NOW, NOW + 100)
      for (const now of [NOW, NOW + 99]) {
        assert.equal(await store.emails.lease(now, now + 100), undefined)
        assert.equal(await other.emails.lease(now, now + 100), undefined)
      }
      assertEqual(await other.emails.lease(NOW + 100, NOW + 200), email('l', { version: 3, leasedUntil: NOW + 200 }))
    })

    it('takes the e-mail that has been due longest', async ({ store, saveEmails }) => {
      const dueAts = { third: NOW, first: NOW - 2, second: NOW - 1, 'not yet': NOW + 1 }
      const purpose = (id: string) => (id === 'second' ? 'invitation' : 'registration')
      await saveEmails(Object.entries(dueAts).map(([id, dueAt]) => email(id, { dueAt, purpose: purpose(id) })))
      const leased: (string | undefined)[] = []
      for (let i = 0; i < 4; i++) leased.push((await store.emails.lease(NOW, NOW + 100))?.id)
      assertEqual(leased, ['first', 'second', 'third', undefined])
      assert.equal((await store.emails.lease(NOW + 1, NOW + 100))?.id, 'not yet')
    })

    for (const state of ['held', 'failed', 'claimable', 'suspended'] as const) {
      it(`is not given for an e-mail that is ${state}`, async ({ store, saveEmails }) => {
        await saveEmails([email('l', { state, dueAt: 0 })])
        assert.equal(await store.emails.lease(NOW, NOW + 100), undefined)
        await saveEmails([email('l', { state: 'due', dueAt: 0, version: 2 })])
        assert.equal((await store.emails.lease(NOW, NOW + 100))?.version, 3)
      })
    }

    it('refuses a save from a read before the lease', async ({ store, saveEmails }) => {
      await saveEmails([email('l')])
      const leased = await store.emails.lease(NOW, NOW + 100)
      assertEqual(await saveEmails([email('l', { version: 2, state: 'failed' })]), [false])
      assertEqual(await saveEmails([{ ...leased!, version: 3, leasedUntil: 0, attemptCount: 1 }]), [true])
      const next = await store.emails.lease(NOW, NOW + 100)
      assertEqual([next?.version, next?.attemptCount], [4, 1])
    })
  })
}
