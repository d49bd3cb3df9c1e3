import { describe, expect, it } from 'vitest'
import type { LetterChange, LetterQuery, LetterRecord, Store } from '../../src/contracts/store.js'
import { application, audit, credential, letter, NOW } from './records.js'

/** What every store does with letters: a part of `storeContract()`, which opens the stores anew for each test. */
export function lettersContract(opened: () => { readonly store: Store; readonly other: Store }): void {
  const list = (query: Partial<LetterQuery> = {}): Promise<readonly LetterRecord[]> =>
    opened().store.listLetters({ applicationId: undefined, state: undefined, limit: 100, ...query })
  const ids = async (query: Partial<LetterQuery> = {}): Promise<readonly string[]> =>
    (await list(query)).map(({ id }) => id)
  const save = (letters: readonly LetterRecord[]): Promise<readonly boolean[]> =>
    Promise.all(letters.map((one) => opened().store.saveLetter(one)))

  const full = letter('full', {
    applicationId: 'Ünï 🔑',
    purpose: 'secret',
    state: 'claimable',
    overlap: 86_400,
    attempts: 7,
    attempted: [['h3', 'h2'], ['h1']],
    claims: [
      { hash: 'c2', expiresAt: NOW + 2 },
      { hash: 'c1', expiresAt: NOW + 1 },
    ],
    dueAt: NOW + 5,
    leasedUntil: NOW + 6,
    problem: 'smtp_550',
  })

  describe('a letter', () => {
    it('comes back exactly, also after everything about it has changed', async () => {
      const { store, other } = opened()
      for (const record of [
        full,
        letter('full', { version: 2 }),
        { ...full, version: 3, purpose: 'key' as const, state: 'held' as const },
      ]) {
        expect(await store.saveLetter(record)).toBe(true)
        expect(await list()).toStrictEqual([record])
        expect(await other.listLetters({ applicationId: undefined, state: undefined, limit: 1 })).toStrictEqual([
          record,
        ])
      }
    })

    it('goes into neither the audit nor the feed when it is saved alone', async () => {
      const { store } = opened()
      const { cursor } = await store.changesSince(undefined)
      await store.saveLetter(full)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
      expect(await store.listAudit({ after: undefined, limit: 1, applicationId: undefined })).toEqual([])
    })

    it.each([1, 2, 3, 5, 0, -1])('of version 3 is not replaced by version %d', async (version) => {
      const { store, other } = opened()
      for (const next of [1, 2, 3]) expect(await store.saveLetter(letter('l', { version: next }))).toBe(true)
      const stale = letter('l', { version, state: 'failed', claims: [{ hash: 'stale', expiresAt: NOW }] })
      expect(await other.saveLetter(stale)).toBe(false)
      expect(await list()).toStrictEqual([letter('l', { version: 3 })])
      expect(await store.findLetterByClaim('stale')).toBeUndefined()
    })

    it('begins with version 1', async () => {
      for (const version of [0, 2, 7]) expect(await save([letter('l', { version })])).toEqual([false])
      expect(await list()).toEqual([])
    })

    it('has each version saved by exactly one of 20 who try at once', async () => {
      const { store, other } = opened()
      for (const version of [1, 2, 3]) {
        const savers = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).saveLetter(letter('l', { version, claims: [{ hash: `c${i}`, expiresAt: NOW }] })),
        )
        const winner = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [i] : []))
        expect(winner).toHaveLength(1)
        expect(await list()).toMatchObject([{ version, claims: [{ hash: `c${winner[0]}` }] }])
      }
    })

    it('is found by any of its claims, and by those alone', async () => {
      const { store, other } = opened()
      await save([letter('empty'), full, letter('one', { claims: [{ hash: 'c3', expiresAt: 0 }] })])
      expect(await store.findLetterByClaim('c1')).toStrictEqual(full)
      expect(await other.findLetterByClaim('c2')).toStrictEqual(full)
      expect((await store.findLetterByClaim('c3'))?.id).toBe('one')
      for (const hash of ['h1', 'C1', '', 'full']) expect(await store.findLetterByClaim(hash)).toBeUndefined()
    })

    it('is no longer found by a claim it has lost', async () => {
      const { store } = opened()
      await save([full])
      const claims = [{ hash: 'c3', expiresAt: NOW }, ...full.claims.slice(0, 1)]
      await save([{ ...full, version: 2, claims }])
      expect(await store.findLetterByClaim('c1')).toBeUndefined()
      expect((await store.findLetterByClaim('c2'))?.version).toBe(2)
      expect((await store.findLetterByClaim('c3'))?.version).toBe(2)
    })

    it('keeps what it was saved with, whatever becomes of the objects', async () => {
      const { store } = opened()
      const given = { ...letter('l'), attempted: [['h']], claims: [{ hash: 'c', expiresAt: NOW }] }
      const expected = structuredClone(given)
      await store.saveLetter(given)
      given.attempted[0]?.push('scribbled')
      Reflect.set(given.claims[0]!, 'hash', 'scribbled')
      const read = await store.findLetterByClaim('c')
      expect(read).toStrictEqual(expected)
      Reflect.set(read!.claims[0]!, 'hash', 'scribbled')
      expect(await list()).toStrictEqual([expected])
    })
  })

  describe('the list of letters', () => {
    const letters = [
      letter('later', { dueAt: NOW + 2, applicationId: 'b' }),
      letter('first', { dueAt: NOW - 2, state: 'failed' }),
      letter('tie 1', { dueAt: NOW + 1 }),
      letter('tie 0', { dueAt: NOW + 1, applicationId: 'b' }),
      letter('claim', { dueAt: NOW, state: 'claimable', applicationId: 'b' }),
      letter('held', { dueAt: 0, state: 'held' }),
    ]

    it.each<[string, Partial<LetterQuery>, readonly string[]]>([
      ['all', {}, ['held', 'first', 'claim', 'tie 1', 'tie 0', 'later']],
      ['one state', { state: 'due' }, ['tie 1', 'tie 0', 'later']],
      ['one application', { applicationId: 'b' }, ['claim', 'tie 0', 'later']],
      ['one application and state', { applicationId: 'b', state: 'due' }, ['tie 0', 'later']],
      ['an application that has none', { applicationId: 'B' }, []],
      ['a few', { limit: 2 }, ['held', 'first']],
      ['a few of one state', { state: 'due', limit: 1 }, ['tie 1']],
    ])('of %s is in the order they are due', async (_, query, expected) => {
      for (const one of letters) await save([one])
      expect(await ids(query)).toEqual(expected)
    })
  })

  describe('the lease of a letter', () => {
    it('sets the time and the next version, and goes into neither the audit nor the feed', async () => {
      const { store, other } = opened()
      const due = { ...full, state: 'due', leasedUntil: 0, dueAt: NOW } as const
      await save([due])
      const { cursor } = await store.changesSince(undefined)
      const leased = await store.leaseLetter(NOW, NOW + 60_000)
      expect(leased).toStrictEqual({ ...due, leasedUntil: NOW + 60_000, version: 2 })
      expect(await list()).toStrictEqual([leased])
      expect(await other.findLetterByClaim('c1')).toStrictEqual(leased)
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
    })

    it('is given to exactly one of 20 who try at once', async () => {
      const { store, other } = opened()
      for (const id of ['l1', 'l2', 'l3']) {
        await save([letter(id)])
        const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseLetter(NOW, NOW + 1))
        const leased = (await Promise.all(tries)).filter((one) => one !== undefined)
        expect(leased).toStrictEqual([letter(id, { leasedUntil: NOW + 1, version: 2 })])
      }
    })

    it('is given to 20 who try at once for a letter each', async () => {
      const { store, other } = opened()
      await save(Array.from({ length: 30 }, (_, i) => letter(`l${i}`)))
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).leaseLetter(NOW, NOW + 1))
      const leased = await Promise.all(tries)
      expect(new Set(leased.map((one) => one?.id)).size).toBe(20)
      expect((await list()).filter(({ version }) => version === 2)).toHaveLength(20)
    })

    it('is given to nobody while it lasts, and again when it has ended', async () => {
      const { store, other } = opened()
      await save([letter('l')])
      await store.leaseLetter(NOW, NOW + 100)
      for (const now of [NOW, NOW + 99]) {
        expect(await store.leaseLetter(now, now + 100)).toBeUndefined()
        expect(await other.leaseLetter(now, now + 100)).toBeUndefined()
      }
      expect(await other.leaseLetter(NOW + 100, NOW + 200)).toMatchObject({
        id: 'l',
        version: 3,
        leasedUntil: NOW + 200,
      })
    })

    it('begins with the letter that has been due longest', async () => {
      const { store } = opened()
      const dueAts = { third: NOW, first: NOW - 2, second: NOW - 1, 'not yet': NOW + 1 }
      await save(Object.entries(dueAts).map(([id, dueAt]) => letter(id, { dueAt })))
      const leased: (string | undefined)[] = []
      for (let i = 0; i < 4; i++) leased.push((await store.leaseLetter(NOW, NOW + 100))?.id)
      expect(leased).toEqual(['first', 'second', 'third', undefined])
      expect((await store.leaseLetter(NOW + 1, NOW + 100))?.id).toBe('not yet')
    })

    it.each(['held', 'failed', 'claimable'] as const)('is for no letter that is %s', async (state) => {
      const { store } = opened()
      await save([letter('l', { state, dueAt: 0 })])
      expect(await store.leaseLetter(NOW, NOW + 100)).toBeUndefined()
      await save([letter('l', { state: 'due', dueAt: 0, version: 2 })])
      expect((await store.leaseLetter(NOW, NOW + 100))?.version).toBe(3)
    })

    it('keeps others from saving what they read before', async () => {
      const { store } = opened()
      await save([letter('l')])
      const leased = await store.leaseLetter(NOW, NOW + 100)
      expect(await save([letter('l', { version: 2, state: 'failed' })])).toEqual([false])
      expect(await save([{ ...leased!, version: 3, leasedUntil: 0, attempts: 1 }])).toEqual([true])
      expect(await store.leaseLetter(NOW, NOW + 100)).toMatchObject({ version: 4, attempts: 1 })
    })
  })

  describe('an application saved with its letter', () => {
    const saveWith = (change: LetterChange, version = 2): Promise<boolean> =>
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
        letters: await list(),
        claimed: await store.findLetterByClaim('c'),
        audit: await store.listAudit({ after: undefined, limit: 100, applicationId: undefined }),
        feed: await store.changesSince(undefined),
      }
    }

    it('is there with it, in one step', async () => {
      const { store, other } = opened()
      const { cursor } = await store.changesSince(undefined)
      expect(await saveWith({ save: { ...full, applicationId: 'a' } }, 1)).toBe(true)
      expect((await other.findApplication('a'))?.version).toBe(1)
      expect(await other.findLetterByClaim('c1')).toStrictEqual({ ...full, applicationId: 'a' })
      expect((await store.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
      expect(await saveWith({ save: letter('full', { version: 2 }) })).toBe(true)
      expect(await list()).toStrictEqual([letter('full', { version: 2 })])
      expect(await saveWith({ save: letter('another') }, 3)).toBe(true)
      expect(await ids()).toEqual(['full', 'another'])
    })

    it('can remove it, its claims too', async () => {
      const { store } = opened()
      await saveWith({ save: letter('l', { claims: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([letter('another')])
      expect(await saveWith({ remove: letter('l') })).toBe(true)
      expect(await ids()).toEqual(['another'])
      expect(await store.findLetterByClaim('c')).toBeUndefined()
      expect(await save([letter('l')])).toEqual([true])
      expect(await store.findLetterByClaim('c')).toBeUndefined()
    })

    it('can remove all it has, and no other’s', async () => {
      const { store } = opened()
      await saveWith({ save: letter('l1', { claims: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([
        letter('l2', { state: 'held' }),
        letter('l3', { leasedUntil: NOW + 1 }),
        letter('l4', { applicationId: 'b' }),
      ])
      expect(await saveWith('removeAll')).toBe(true)
      expect(await ids()).toEqual(['l4'])
      expect(await store.findLetterByClaim('c')).toBeUndefined()
      expect(await saveWith('removeAll', 3)).toBe(true)
    })

    it.each<[string, LetterChange, number]>([
      ['its own version is stale', { save: letter('l', { version: 3 }) }, 1],
      ['its own version is stale and letters are to be removed', 'removeAll', 3],
      ['the version of the letter is stale', { save: letter('l', { version: 2, state: 'failed' }) }, 2],
      ['the letter is there already', { save: letter('l', { claims: [{ hash: 'new', expiresAt: NOW }] }) }, 2],
      ['the letter to be saved is not there', { save: letter('nowhere', { version: 2 }) }, 2],
      ['the version of the letter to be removed is stale', { remove: letter('l') }, 2],
      ['the version of the letter to be removed is yet to come', { remove: letter('l', { version: 3 }) }, 2],
      ['the letter to be removed is not there', { remove: letter('nowhere') }, 2],
    ])('is not saved when %s, and everything is as it was', async (_, change, version) => {
      await saveWith({ save: letter('l', { claims: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await save([letter('l', { version: 2, claims: [{ hash: 'c', expiresAt: NOW }] })])
      const before = await everything()
      expect(await saveWith(change, version)).toBe(false)
      expect(await everything()).toStrictEqual(before)
    })

    it('leaves no letter when it can not be saved', async () => {
      const { store } = opened()
      await store.saveApplication(application('owner', { keys: [credential('taken')] }), audit('owner'))
      const bad = application('a', { keys: [credential('taken')] })
      const saving = store.saveApplication(bad, audit('a'), { save: letter('l') })
      await expect(saving).rejects.toBeInstanceOf(Error)
      expect(await list()).toEqual([])
    })

    it('is one step for who leases at the same time', async () => {
      const { store, other } = opened()
      for (let round = 0; round < 10; round++) {
        const id = `l${round}`
        await save([letter(id)])
        const [removed, leased] = await Promise.all([
          other.saveApplication(application('a', { version: round + 1 }), undefined, { remove: letter(id) }),
          store.leaseLetter(NOW, NOW + 1),
        ])
        expect({ removed, leased: leased?.id }).toEqual(
          removed ? { removed, leased: undefined } : { removed: false, leased: id },
        )
        if (!removed) {
          const remove = letter(id, { version: 2 })
          expect(await store.saveApplication(application('a', { version: round + 1 }), undefined, { remove })).toBe(
            true,
          )
        }
      }
    })
  })
}
