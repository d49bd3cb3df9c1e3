import assert from 'node:assert/strict'
import { email, fullEmail, NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** `emails.save()`, `emails.find()` and `emails.findByClaimLink()`. */
export function emailsContract({ describe, it }: TestCollector): void {
  describe('e-mail', () => {
    it('is read as it was saved, also after every member has changed', async ({ store, other, listEmails }) => {
      for (const record of [
        fullEmail,
        email('full', { version: 2 }),
        { ...fullEmail, version: 3, purpose: 'key' as const, state: 'held' as const },
      ]) {
        assert.equal(await store.emails.save(record), true)
        assertEqual(await listEmails(), [record])
        assertEqual(await other.emails.list({ applicationId: undefined, state: undefined, limit: 1 }), [record])
      }
    })

    it('without credentials is read as it was saved, and has versions', async ({ store, other, listEmails }) => {
      const notice = { ...fullEmail, purpose: 'invitation', claimLinks: [] } as const
      assert.equal(await store.emails.save({ ...notice, version: 2 }), false)
      assert.equal(await store.emails.save(notice), true)
      assertEqual(await other.emails.find(notice.id), notice)
      assert.equal(await other.emails.save(notice), false)
      const next = { ...email('full', { purpose: 'invitation' }), version: 2 }
      assert.equal(await other.emails.save(next), true)
      assertEqual(await listEmails(), [next])
    })

    it('saved without its application is added to neither audit nor feed', async ({ store, listAudit }) => {
      const { cursor } = await store.changesSince(undefined)
      await store.emails.save(fullEmail)
      assertEqual(await store.changesSince(cursor), { cursor, changes: [] })
      assertEqual(await listAudit(), [])
    })

    for (const version of [1, 2, 3, 5, 0, -1]) {
      it(`of version 3 is not replaced by version ${version}`, async ({ store, other, listEmails }) => {
        for (const next of [1, 2, 3]) assert.equal(await store.emails.save(email('l', { version: next })), true)
        const stale = email('l', { version, state: 'failed', claimLinks: [{ hash: 'stale', expiresAt: NOW }] })
        assert.equal(await other.emails.save(stale), false)
        assertEqual(await listEmails(), [email('l', { version: 3 })])
        assert.equal(await store.emails.findByClaimLink('stale'), undefined)
      })
    }

    it('starts with version 1', async ({ saveEmails, listEmails }) => {
      for (const version of [0, 2, 7]) assertEqual(await saveEmails([email('l', { version })]), [false])
      assertEqual(await listEmails(), [])
    })

    it('has each version saved by exactly one of 20 concurrent callers', async ({ listEmails, findWinner }) => {
      for (const version of [1, 2, 3]) {
        const create = (at: number) => email('l', { version, claimLinks: [{ hash: `c${at}`, expiresAt: NOW }] })
        const winner = await findWinner(20, (one, at) => one.emails.save(create(at)))
        assertEqual(await listEmails(), [create(winner)])
      }
    })

    it('is found by each of its claim links, and by nothing else', async ({ store, other, saveEmails }) => {
      await saveEmails([email('empty'), fullEmail, email('one', { claimLinks: [{ hash: 'c3', expiresAt: 0 }] })])
      assertEqual(await store.emails.findByClaimLink('c1'), fullEmail)
      assertEqual(await other.emails.findByClaimLink('c2'), fullEmail)
      assert.equal((await store.emails.findByClaimLink('c3'))?.id, 'one')
      for (const hash of ['h1', 'C1', '', 'full']) assert.equal(await store.emails.findByClaimLink(hash), undefined)
    })

    it('is found by its id', async ({ store, other, saveEmails }) => {
      await saveEmails([email('empty'), fullEmail])
      assertEqual(await store.emails.find('full'), fullEmail)
      assertEqual(await other.emails.find('full'), fullEmail)
      await saveEmails([email('full', { version: 2 })])
      assertEqual(await store.emails.find('full'), email('full', { version: 2 }))
      for (const id of ['FULL', '', 'c1']) assert.equal(await store.emails.find(id), undefined)
    })

    it('is no longer found by a removed claim link', async ({ store, saveEmails }) => {
      await saveEmails([fullEmail])
      const claimLinks = [{ hash: 'c3', expiresAt: NOW }, ...fullEmail.claimLinks.slice(0, 1)]
      await saveEmails([{ ...fullEmail, version: 2, claimLinks }])
      assert.equal(await store.emails.findByClaimLink('c1'), undefined)
      assert.equal((await store.emails.findByClaimLink('c2'))?.version, 2)
      assert.equal((await store.emails.findByClaimLink('c3'))?.version, 2)
    })

    it('is not changed by writing to the object that was saved or read', async ({ store, listEmails }) => {
      const given = { ...email('l'), attemptedHashes: [['h']], claimLinks: [{ hash: 'c', expiresAt: NOW }] }
      const expected = structuredClone(given)
      await store.emails.save(given)
      given.attemptedHashes[0]?.push('overwritten')
      Reflect.set(given.claimLinks[0]!, 'hash', 'overwritten')
      const read = await store.emails.findByClaimLink('c')
      assertEqual(read, expected)
      Reflect.set(read!.claimLinks[0]!, 'hash', 'overwritten')
      assertEqual(await listEmails(), [expected])
      assertEqual(await store.emails.find('l'), expected)
    })
  })
}
