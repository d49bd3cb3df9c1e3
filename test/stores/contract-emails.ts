import { describe, expect, it } from 'vitest'
import type { EmailChange, EmailQuery, QueuedEmail, Store } from '../../src/contracts/store.js'
import { application, audit, credential, email, NOW } from './records.js'

/** What every store does with emails: a part of `storeContract()`, which opens the stores anew for each test. */
export function emailsContract(opened: () => { readonly store: Store; readonly other: Store }): void {
  const list = (query: Partial<EmailQuery> = {}): Promise<readonly QueuedEmail[]> =>
    opened().store.listEmails({ applicationId: undefined, state: undefined, limit: 100, ...query })
  const ids = async (query: Partial<EmailQuery> = {}): Promise<readonly string[]> =>
    (await list(query)).map(({ id }) => id)
  const save = (emails: readonly QueuedEmail[]): Promise<readonly boolean[]> =>
    Promise.all(emails.map((one) => opened().store.saveEmail(one)))

  const full = email('full', {
    applicationId: 'Ünï 🔑',
    purpose: 'secret',
    state: 'claimable',
    overlap: 86_400,
    attemptCount: 7,
    attemptedHashes: [['h3', 'h2'], ['h1']],
    claimLinks: [
      { hash: 'c2', expiresAt: NOW + 2 },
      { hash: 'c1', expiresAt: NOW + 1 },
    ],
    dueAt: NOW + 5,
    leasedUntil: NOW + 6,
    problem: 'smtp_550',
  })

  describe('a email', () => {
    it('comes back exactly, also after everything about it has changed', async () => {
      const { store, other } = opened()
      for (const record of [
        full,
        email('full', { version: 2 }),
        { ...full, version: 3, purpose: 'key' as const, state: 'held' as const },
      ]) {
        expect(await store.saveEmail(record)).toBe(true)
        expect(await list()).toStrictEqual([record])
        expect(await other.listEmails({ applicationId: undefined, state: undefined, limit: 1 })).toStrictEqual([record])
      }
    })

    it('goes into neither the audit nor the feed when it is saved alone', async () => {
      const { store } = opened()
      const { cursor } = await store.changesSince(undefined)
      await store.saveEmail(full)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
      expect(await store.listAudit({ after: undefined, limit: 1, applicationId: undefined })).toEqual([])
    })

    it.each([1, 2, 3, 5, 0, -1])('of version 3 is not replaced by version %d', async (version) => {
      const { store, other } = opened()
      for (const next of [1, 2, 3]) expect(await store.saveEmail(email('l', { version: next }))).toBe(true)
      const stale = email('l', { version, state: 'failed', claimLinks: [{ hash: 'stale', expiresAt: NOW }] })
      expect(await other.saveEmail(stale)).toBe(false)
      expect(await list()).toStrictEqual([email('l', { version: 3 })])
      expect(await store.findEmailByClaimLink('stale')).toBeUndefined()
    })

    it('begins with version 1', async () => {
      for (const version of [0, 2, 7]) expect(await save([email('l', { version })])).toEqual([false])
      expect(await list()).toEqual([])
    })

    it('has each version saved by exactly one of 20 who try at once', async () => {
      const { store, other } = opened()
      for (const version of [1, 2, 3]) {
        const savers = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).saveEmail(email('l', { version, claimLinks: [{ hash: `c${i}`, expiresAt: NOW }] })),
        )
        const winner = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [i] : []))
        expect(winner).toHaveLength(1)
        expect(await list()).toMatchObject([{ version, claimLinks: [{ hash: `c${winner[0]}` }] }])
      }
    })

    it('is found by any of its claims, and by those alone', async () => {
      const { store, other } = opened()
      await save([email('empty'), full, email('one', { claimLinks: [{ hash: 'c3', expiresAt: 0 }] })])
      expect(await store.findEmailByClaimLink('c1')).toStrictEqual(full)
      expect(await other.findEmailByClaimLink('c2')).toStrictEqual(full)
      expect((await store.findEmailByClaimLink('c3'))?.id).toBe('one')
      for (const hash of ['h1', 'C1', '', 'full']) expect(await store.findEmailByClaimLink(hash)).toBeUndefined()
    })

    it('is no longer found by a claim it has lost', async () => {
      const { store } = opened()
      await save([full])
      const claimLinks = [{ hash: 'c3', expiresAt: NOW }, ...full.claimLinks.slice(0, 1)]
      await save([{ ...full, version: 2, claimLinks }])
      expect(await store.findEmailByClaimLink('c1')).toBeUndefined()
      expect((await store.findEmailByClaimLink('c2'))?.version).toBe(2)
      expect((await store.findEmailByClaimLink('c3'))?.version).toBe(2)
    })

    it('keeps what it was saved with, whatever becomes of the objects', async () => {
      const { store } = opened()
      const given = { ...email('l'), attemptedHashes: [['h']], claimLinks: [{ hash: 'c', expiresAt: NOW }] }
      const expected = structuredClone(given)
      await store.saveEmail(given)
      given.attemptedHashes[0]?.push('scribbled')
      Reflect.set(given.claimLinks[0]!, 'hash', 'scribbled')
      const read = await store.findEmailByClaimLink('c')
      expect(read).toStrictEqual(expected)
      Reflect.set(read!.claimLinks[0]!, 'hash', 'scribbled')
      expect(await list()).toStrictEqual([expected])
    })
  })

  describe('the list of emails', () => {
    const emails = [
      email('later', { dueAt: NOW + 2, applicationId: 'b' }),
      email('first', { dueAt: NOW - 2, state: 'failed' }),
      email('tie 1', { dueAt: NOW + 1 }),
      email('tie 0', { dueAt: NOW + 1, applicationId: 'b' }),
      email('claim', { dueAt: NOW, state: 'claimable', applicationId: 'b' }),
      email('held', { dueAt: 0, state: 'held' }),
    ]

    it.each<[string, Partial<EmailQuery>, readonly string[]]>([
      ['all', {}, ['held', 'first', 'claim', 'tie 1', 'tie 0', 'later']],
      ['one state', { state: 'due' }, ['tie 1', 'tie 0', 'later']],
      ['one application', { applicationId: 'b' }, ['claim', 'tie 0', 'later']],
      ['one application and state', { applicationId: 'b', state: 'due' }, ['tie 0', 'later']],
      ['an application that has none', { applicationId: 'B' }, []],
      ['a few', { limit: 2 }, ['held', 'first']],
      ['a few of one state', { state: 'due', limit: 1 }, ['tie 1']],
    ])('of %s is in the order they are due', async (_, query, expected) => {
      for (const one of emails) await save([one])
      expect(await ids(query)).toEqual(expected)
    })
  })

  describe('the lease of a email', () => {
    it('sets the time and the next version, and goes into neither the audit nor the feed', async () => {
      const { store, other } = opened()
      const due = { ...full, state: 'due', leasedUntil: 0, dueAt: NOW } as const
      await save([due])
      const { cursor } = await store.changesSince(undefined)
      const leased = await store.leaseEmail(NOW, NOW + 60_000)
      expect(leased).toStrictEqual({ ...due, leasedUntil: NOW + 60_000, version: 2 })
      expect(await list()).toStrictEqual([leased])
      expect(await other.findEmailByClaimLink('c1')).toStrictEqual(leased)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
    })

    it('is given to exactly one of 20 who try at once', async () => {
      const { store, other } = opened()
      for (const id of ['l1', 'l2', 'l3']) {
        await save([email(id)])
        const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseEmail(NOW, NOW + 1))
        const leased = (await Promise.all(tries)).filter((one) => one !== undefined)
        expect(leased).toStrictEqual([email(id, { leasedUntil: NOW + 1, version: 2 })])
      }
    })

    it('is given to 20 who try at once for a email each', async () => {
      const { store, other } = opened()
      await save(Array.from({ length: 30 }, (_, i) => email(`l${i}`)))
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseEmail(NOW, NOW + 1))
      const leased = await Promise.all(tries)
      expect(new Set(leased.map((one) => one?.id)).size).toBe(20)
      expect((await list()).filter(({ version }) => version === 2)).toHaveLength(20)
    })

    it('is given to nobody while it lasts, and again when it has ended', async () => {
      const { store, other } = opened()
      await save([email('l')])
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

    it('begins with the email that has been due longest', async () => {
      const { store } = opened()
      const dueAts = { third: NOW, first: NOW - 2, second: NOW - 1, 'not yet': NOW + 1 }
      await save(Object.entries(dueAts).map(([id, dueAt]) => email(id, { dueAt })))
      const leased: (string | undefined)[] = []
      for (let i = 0; i < 4; i++) leased.push((await store.leaseEmail(NOW, NOW + 100))?.id)
      expect(leased).toEqual(['first', 'second', 'third', undefined])
      expect((await store.leaseEmail(NOW + 1, NOW + 100))?.id).toBe('not yet')
    })

    it.each(['held', 'failed', 'claimable'] as const)('is for no email that is %s', async (state) => {
      const { store } = opened()
      await save([email('l', { state, dueAt: 0 })])
      expect(await store.leaseEmail(NOW, NOW + 100)).toBeUndefined()
      await save([email('l', { state: 'due', dueAt: 0, version: 2 })])
      expect((await store.leaseEmail(NOW, NOW + 100))?.version).toBe(3)
    })

    it('keeps others from saving what they read before', async () => {
      const { store } = opened()
      await save([email('l')])
      const leased = await store.leaseEmail(NOW, NOW + 100)
      expect(await save([email('l', { version: 2, state: 'failed' })])).toEqual([false])
      expect(await save([{ ...leased!, version: 3, leasedUntil: 0, attemptCount: 1 }])).toEqual([true])
      expect(await store.leaseEmail(NOW, NOW + 100)).toMatchObject({ version: 4, attemptCount: 1 })
    })
  })

  describe('an application saved with its email', () => {
    const saveWith = (change: EmailChange, version = 2): Promise<boolean> =>
      opened().store.saveApplication(
        application('a', { version, name: `version ${version}`, keys: [credential(`k${version}`)] }),
        audit('a'),
        change,
      )

    /** What a save that was refused must not have touched. */
    async function everything(): Promise<unknown> {
      const { store } = opened()
      return {
        application: await store.findApplication('a'),
        found: await store.findApplicationByKey('k2'),
        emails: await list(),
        claimed: await store.findEmailByClaimLink('c'),
        audit: await store.listAudit({ after: undefined, limit: 100, applicationId: undefined }),
        feed: await store.changesSince(undefined),
      }
    }

    it('is there with it, in one step', async () => {
      const { store, other } = opened()
      const { cursor } = await store.changesSince(undefined)
      expect(await saveWith({ save: { ...full, applicationId: 'a' } }, 1)).toBe(true)
      expect((await other.findApplication('a'))?.version).toBe(1)
      expect(await other.findEmailByClaimLink('c1')).toStrictEqual({ ...full, applicationId: 'a' })
      expect((await store.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
      expect(await saveWith({ save: email('full', { version: 2 }) })).toBe(true)
      expect(await list()).toStrictEqual([email('full', { version: 2 })])
      expect(await saveWith({ save: email('another') }, 3)).toBe(true)
      expect(await ids()).toEqual(['full', 'another'])
    })

    it('can remove it, its claims too', async () => {
      const { store } = opened()
      await saveWith({ save: email('l', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([email('another')])
      expect(await saveWith({ remove: email('l') })).toBe(true)
      expect(await ids()).toEqual(['another'])
      expect(await store.findEmailByClaimLink('c')).toBeUndefined()
      expect(await save([email('l')])).toEqual([true])
      expect(await store.findEmailByClaimLink('c')).toBeUndefined()
    })

    it('can remove all it has, and no other’s', async () => {
      const { store } = opened()
      await saveWith({ save: email('l1', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([
        email('l2', { state: 'held' }),
        email('l3', { leasedUntil: NOW + 1 }),
        email('l4', { applicationId: 'b' }),
      ])
      expect(await saveWith('removeAll')).toBe(true)
      expect(await ids()).toEqual(['l4'])
      expect(await store.findEmailByClaimLink('c')).toBeUndefined()
      expect(await saveWith('removeAll', 3)).toBe(true)
    })

    it.each<[string, EmailChange, number]>([
      ['its own version is stale', { save: email('l', { version: 3 }) }, 1],
      ['its own version is stale and emails are to be removed', 'removeAll', 3],
      ['the version of the email is stale', { save: email('l', { version: 2, state: 'failed' }) }, 2],
      ['the email is there already', { save: email('l', { claimLinks: [{ hash: 'new', expiresAt: NOW }] }) }, 2],
      ['the email to be saved is not there', { save: email('nowhere', { version: 2 }) }, 2],
      ['the version of the email to be removed is stale', { remove: email('l') }, 2],
      ['the version of the email to be removed is yet to come', { remove: email('l', { version: 3 }) }, 2],
      ['the email to be removed is not there', { remove: email('nowhere') }, 2],
    ])('is not saved when %s, and everything is as it was', async (_, change, version) => {
      await saveWith({ save: email('l', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([email('l', { version: 2, claimLinks: [{ hash: 'c', expiresAt: NOW }] })])
      const before = await everything()
      expect(await saveWith(change, version)).toBe(false)
      expect(await everything()).toStrictEqual(before)
    })

    it('leaves no email when it can not be saved', async () => {
      const { store } = opened()
      await store.saveApplication(application('owner', { keys: [credential('taken')] }), audit('owner'))
      const bad = application('a', { keys: [credential('taken')] })
      const saving = store.saveApplication(bad, audit('a'), { save: email('l') })
      await expect(saving).rejects.toBeInstanceOf(Error)
      expect(await list()).toEqual([])
    })

    it('is one step for who leases at the same time', async () => {
      const { store, other } = opened()
      for (let round = 0; round < 10; round++) {
        const id = `l${round}`
        await save([email(id)])
        const [removed, leased] = await Promise.all([
          other.saveApplication(application('a', { version: round + 1 }), undefined, { remove: email(id) }),
          store.leaseEmail(NOW, NOW + 1),
        ])
        expect({ removed, leased: leased?.id }).toEqual(
          removed ? { removed, leased: undefined } : { removed: false, leased: id },
        )
        if (!removed) {
          const remove = email(id, { version: 2 })
          expect(await store.saveApplication(application('a', { version: round + 1 }), undefined, { remove })).toBe(
            true,
          )
        }
      }
    })
  })
}
