import { describe, expect, it } from 'vitest'
import { email, fullEmail, NOW } from '../records.js'
import { createEmailCalls } from './suite.js'
import type { OpenedStores } from './suite.js'

/** `saveEmail()`, `findEmail()` and `findEmailByClaimLink()`. */
export function emailsContract(opened: () => OpenedStores): void {
  const { listEmails, saveEmails } = createEmailCalls(opened)

  describe('e-mail', () => {
    it('is read as it was saved, also after every member has changed', async () => {
      const { store, other } = opened()
      for (const record of [
        fullEmail,
        email('full', { version: 2 }),
        { ...fullEmail, version: 3, purpose: 'key' as const, state: 'held' as const },
      ]) {
        expect(await store.saveEmail(record)).toBe(true)
        expect(await listEmails()).toStrictEqual([record])
        expect(await other.listEmails({ applicationId: undefined, state: undefined, limit: 1 })).toStrictEqual([record])
      }
    })

    it('saved without its application is added to neither audit nor feed', async () => {
      const { store } = opened()
      const { cursor } = await store.changesSince(undefined)
      await store.saveEmail(fullEmail)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
      expect(await store.listAudit({ after: undefined, limit: 1, applicationId: undefined })).toEqual([])
    })

    it.each([1, 2, 3, 5, 0, -1])('of version 3 is not replaced by version %d', async (version) => {
      const { store, other } = opened()
      for (const next of [1, 2, 3]) expect(await store.saveEmail(email('l', { version: next }))).toBe(true)
      const stale = email('l', { version, state: 'failed', claimLinks: [{ hash: 'stale', expiresAt: NOW }] })
      expect(await other.saveEmail(stale)).toBe(false)
      expect(await listEmails()).toStrictEqual([email('l', { version: 3 })])
      expect(await store.findEmailByClaimLink('stale')).toBeUndefined()
    })

    it('starts with version 1', async () => {
      for (const version of [0, 2, 7]) expect(await saveEmails([email('l', { version })])).toEqual([false])
      expect(await listEmails()).toEqual([])
    })

    it('has each version saved by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      for (const version of [1, 2, 3]) {
        const savers = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).saveEmail(email('l', { version, claimLinks: [{ hash: `c${i}`, expiresAt: NOW }] })),
        )
        const winner = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [i] : []))
        expect(winner).toHaveLength(1)
        expect(await listEmails()).toMatchObject([{ version, claimLinks: [{ hash: `c${winner[0]}` }] }])
      }
    })

    it('is found by each of its claim links, and by nothing else', async () => {
      const { store, other } = opened()
      await saveEmails([email('empty'), fullEmail, email('one', { claimLinks: [{ hash: 'c3', expiresAt: 0 }] })])
      expect(await store.findEmailByClaimLink('c1')).toStrictEqual(fullEmail)
      expect(await other.findEmailByClaimLink('c2')).toStrictEqual(fullEmail)
      expect((await store.findEmailByClaimLink('c3'))?.id).toBe('one')
      for (const hash of ['h1', 'C1', '', 'full']) expect(await store.findEmailByClaimLink(hash)).toBeUndefined()
    })

    it('is found by its id', async () => {
      const { store, other } = opened()
      await saveEmails([email('empty'), fullEmail])
      expect(await store.findEmail('full')).toStrictEqual(fullEmail)
      expect(await other.findEmail('full')).toStrictEqual(fullEmail)
      await saveEmails([email('full', { version: 2 })])
      expect(await store.findEmail('full')).toStrictEqual(email('full', { version: 2 }))
      for (const id of ['FULL', '', 'c1']) expect(await store.findEmail(id)).toBeUndefined()
    })

    it('is no longer found by a removed claim link', async () => {
      const { store } = opened()
      await saveEmails([fullEmail])
      const claimLinks = [{ hash: 'c3', expiresAt: NOW }, ...fullEmail.claimLinks.slice(0, 1)]
      await saveEmails([{ ...fullEmail, version: 2, claimLinks }])
      expect(await store.findEmailByClaimLink('c1')).toBeUndefined()
      expect((await store.findEmailByClaimLink('c2'))?.version).toBe(2)
      expect((await store.findEmailByClaimLink('c3'))?.version).toBe(2)
    })

    it('is not changed by writing to the object that was saved or read', async () => {
      const { store } = opened()
      const given = { ...email('l'), attemptedHashes: [['h']], claimLinks: [{ hash: 'c', expiresAt: NOW }] }
      const expected = structuredClone(given)
      await store.saveEmail(given)
      given.attemptedHashes[0]?.push('overwritten')
      Reflect.set(given.claimLinks[0]!, 'hash', 'overwritten')
      const read = await store.findEmailByClaimLink('c')
      expect(read).toStrictEqual(expected)
      Reflect.set(read!.claimLinks[0]!, 'hash', 'overwritten')
      expect(await listEmails()).toStrictEqual([expected])
      expect(await store.findEmail('l')).toStrictEqual(expected)
    })
  })
}
