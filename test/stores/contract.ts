import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationQuery, ApplicationRecord, AuditQuery, Change, Store } from '../../src/contracts/store.js'
import { emailsContract } from './contract-emails.js'
import { application, audit, credential, NOW, signingKey } from './records.js'

/** A store that is open, on a backing of its own. */
export interface OpenedStore {
  readonly store: Store
  /** Another store on the same backing, open too. */
  readonly again?: () => Promise<Store>
  readonly close: () => Promise<void>
}

/** What every store does. To be called once for each. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the contract of stores:`, () => {
    let opened: OpenedStore
    let store: Store
    let other: Store

    beforeEach(async () => {
      opened = await open()
      store = opened.store
      other = (await opened.again?.()) ?? store
    })
    afterEach(() => opened.close())

    const list = (query: Partial<ApplicationQuery> = {}): Promise<readonly ApplicationRecord[]> =>
      store.listApplications({ after: undefined, limit: 100, api: undefined, status: undefined, ...query })
    const ids = async (query: Partial<ApplicationQuery> = {}): Promise<readonly string[]> =>
      (await list(query)).map(({ id }) => id)
    const listAudit = (query: Partial<AuditQuery> = {}): ReturnType<Store['listAudit']> =>
      store.listAudit({ after: undefined, limit: 100, applicationId: undefined, ...query })

    /** What a call adds to audit and feed. */
    async function tracesOf(call: () => Promise<unknown>): Promise<{ audit: number; changes: readonly Change[] }> {
      const before = (await listAudit()).length
      const { cursor } = await store.changesSince(undefined)
      await call()
      const { changes } = await store.changesSince(cursor)
      return { audit: (await listAudit()).length - before, changes }
    }
    const NO_TRACE = { audit: 0, changes: [] }

    it('may be opened when it is open', async () => {
      await store.saveApplication(application('a'), audit('a'))
      await Promise.all([store.open(), store.open()])
      expect(await ids()).toEqual(['a'])
    })

    describe('the pepper', () => {
      it('is the first it was ever given', async () => {
        expect(await store.establishPepper('first')).toBe('first')
        expect(await store.establishPepper('second')).toBe('first')
        expect(await other.establishPepper('third')).toBe('first')
      })

      it('is the same for all who bring one at once', async () => {
        const brought = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).establishPepper(`pepper ${i}`))
        const kept = new Set(await Promise.all(brought))
        expect(kept.size).toBe(1)
        expect(kept).toContain(await other.establishPepper('late'))
      })

      it('is sealed anew by who knows how it is sealed now, and by nobody else', async () => {
        expect(await store.resealPepper('first', 'second')).toBe(false)
        expect(await store.establishPepper('first')).toBe('first')
        const reseal = async (): Promise<void> => expect(await other.resealPepper('first', 'second')).toBe(true)
        expect(await tracesOf(reseal)).toEqual(NO_TRACE)
        expect(await store.establishPepper('third')).toBe('second')
        expect(await store.resealPepper('first', 'third')).toBe(false)
        expect(await other.establishPepper('third')).toBe('second')
      })

      it('is sealed anew by exactly one of 20 who try at once', async () => {
        await store.establishPepper('first')
        const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).resealPepper('first', `again ${i}`))
        const winner = (await Promise.all(tries)).flatMap((done, i) => (done ? [i] : []))
        expect(winner).toHaveLength(1)
        expect(await store.establishPepper('late')).toBe(`again ${winner[0]}`)
      })
    })

    describe('signing keys', () => {
      it('come back exactly, in the order they were added', async () => {
        expect(await store.listSigningKeys()).toEqual([])
        expect(await store.addSigningKey(signingKey('z'), undefined, audit())).toBe(true)
        expect(await store.addSigningKey(signingKey('a'), 'z', audit())).toBe(true)
        expect(await store.addSigningKey(signingKey('m'), 'a', audit())).toBe(true)
        expect(await store.listSigningKeys()).toStrictEqual([signingKey('z'), signingKey('a'), signingKey('m')])
      })

      it('are added after the newest only', async () => {
        expect(await tracesOf(() => store.addSigningKey(signingKey('a'), 'nobody', audit()))).toEqual(NO_TRACE)
        await store.addSigningKey(signingKey('a'), undefined, audit())
        await store.addSigningKey(signingKey('b'), 'a', audit())
        expect(await store.addSigningKey(signingKey('c'), undefined, audit())).toBe(false)
        expect(await store.addSigningKey(signingKey('c'), 'a', audit())).toBe(false)
        expect(await tracesOf(() => store.addSigningKey(signingKey('c'), 'a', audit()))).toEqual(NO_TRACE)
        expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['a', 'b'])
      })

      it('are added by exactly one of 20 who try at once', async () => {
        for (let round = 1; round <= 3; round++) {
          const newest = (await store.listSigningKeys()).at(-1)?.kid
          const tries = Array.from({ length: 20 }, (_, i) =>
            (i % 2 ? store : other).addSigningKey(signingKey(`${round}-${i}`), newest, audit()),
          )
          const winners = (await Promise.all(tries)).flatMap((added, i) => (added ? [`${round}-${i}`] : []))
          expect(winners).toHaveLength(1)
          expect((await store.listSigningKeys()).at(-1)?.kid).toBe(winners[0])
        }
        expect(await store.listSigningKeys()).toHaveLength(3)
        expect(await listAudit()).toHaveLength(3)
      })

      it('can be removed, once', async () => {
        await store.addSigningKey(signingKey('a'), undefined, audit())
        await store.addSigningKey(signingKey('b'), 'a', audit())
        const traces = await tracesOf(async () => expect(await other.removeSigningKey('b', audit())).toBe(true))
        expect(traces).toEqual({ audit: 1, changes: [{ kind: 'signingKeys' }] })
        const again = await tracesOf(async () => expect(await store.removeSigningKey('b', audit())).toBe(false))
        expect(again).toEqual(NO_TRACE)
        expect(await store.listSigningKeys()).toStrictEqual([signingKey('a')])
      })

      it('are sealed anew by who knows how they are sealed now, and stay where they are', async () => {
        await store.addSigningKey(signingKey('a'), undefined, audit())
        await store.addSigningKey(signingKey('b'), 'a', audit())
        const reseal = async (): Promise<void> =>
          expect(await other.resealSigningKey('a', 'sealed a', 'sealed anew')).toBe(true)
        expect(await tracesOf(reseal)).toEqual(NO_TRACE)
        expect(await store.resealSigningKey('a', 'sealed a', 'sealed too late')).toBe(false)
        expect(await store.resealSigningKey('b', 'sealed a', 'sealed wrongly')).toBe(false)
        expect(await store.resealSigningKey('c', 'sealed c', 'sealed for nobody')).toBe(false)
        const resealed = { ...signingKey('a'), sealedPrivateJwk: 'sealed anew' }
        expect(await store.listSigningKeys()).toStrictEqual([resealed, signingKey('b')])
      })

      it('follow on the newest that is left', async () => {
        await store.addSigningKey(signingKey('a'), undefined, audit())
        await store.addSigningKey(signingKey('b'), 'a', audit())
        await store.removeSigningKey('b', audit())
        expect(await store.addSigningKey(signingKey('c'), 'b', audit())).toBe(false)
        expect(await store.addSigningKey(signingKey('c'), 'a', audit())).toBe(true)
      })

      it('are there once: the same kid again is an error that leaves no trace', async () => {
        await store.addSigningKey(signingKey('a'), undefined, audit())
        const twice = (): Promise<boolean> => store.addSigningKey(signingKey('a'), 'a', audit())
        expect(await tracesOf(() => expect(twice()).rejects.toBeInstanceOf(Error))).toEqual(NO_TRACE)
      })
    })

    describe('an application', () => {
      const full = application('full', {
        name: `Ünïcode "quotes" 'n' \\ \n 🔑 %_; DROP TABLE platform_auth_meta; --`,
        contact: 'owner@example.com',
        status: 'suspended',
        apis: { zebra: { scopes: ['z:2', 'z:1'] }, apple: { scopes: [] }, mango: { scopes: ['m'] } },
        keys: [credential('k2', { lastUsedAt: NOW + 1 }), credential('k1', { expiresAt: NOW + 2 })],
        secrets: [credential('s2', { prefix: 'epa_sec_wxyz' }), credential('s1', { expiresAt: 1, lastUsedAt: 0 })],
        createdAt: NOW + 3,
        tokensRevokedAt: NOW + 4,
      })

      it('comes back exactly as it was saved', async () => {
        for (const record of [full, application('empty', { name: '' })]) {
          expect(await store.saveApplication(record, audit(record.id))).toBe(true)
          expect(await store.findApplication(record.id)).toStrictEqual(record)
          expect(await other.findApplication(record.id)).toStrictEqual(record)
        }
        expect(Object.keys((await store.findApplication('full'))?.apis ?? {})).toEqual(['zebra', 'apple', 'mango'])
        expect(await list()).toStrictEqual([full, application('empty', { name: '' })])
      })

      it('comes back exactly after everything about it has changed', async () => {
        await store.saveApplication(full, audit('full'))
        const next = application('full', { version: 2, apis: { kiwi: { scopes: ['k'] } }, keys: [credential('k3')] })
        expect(await store.saveApplication(next, audit('full'))).toBe(true)
        expect(await store.findApplication('full')).toStrictEqual(next)
        expect(await store.saveApplication({ ...full, version: 3 }, audit('full'))).toBe(true)
        expect(await store.findApplication('full')).toStrictEqual({ ...full, version: 3 })
      })

      it('that nobody saved is undefined', async () => {
        await store.saveApplication(full, audit('full'))
        expect(await store.findApplication('FULL')).toBeUndefined()
        expect(await store.findApplication('')).toBeUndefined()
        expect(await store.findApplicationByKey('full')).toBeUndefined()
      })

      it('is found by each of its keys, expired or not, and by no secret', async () => {
        await store.saveApplication(application('another', { keys: [credential('k0')] }), audit('another'))
        await store.saveApplication(full, audit('full'))
        expect(await store.findApplicationByKey('k1')).toStrictEqual(full)
        expect(await store.findApplicationByKey('k2')).toStrictEqual(full)
        expect(await store.findApplicationByKey('s1')).toBeUndefined()
        expect(await store.findApplicationByKey('s2')).toBeUndefined()
      })

      it('is no longer found by a key it has lost, and at once by a new one', async () => {
        await store.saveApplication(application('a', { keys: [credential('k1')] }), audit('a'))
        await store.saveApplication(application('a', { version: 2, keys: [credential('k2')] }), audit('a'))
        expect(await store.findApplicationByKey('k1')).toBeUndefined()
        expect((await store.findApplicationByKey('k2'))?.version).toBe(2)
        await store.saveApplication(application('a', { version: 3, secrets: [credential('k2')] }), audit('a'))
        expect(await store.findApplicationByKey('k2')).toBeUndefined()
      })

      it('leaves a key that it has lost to whoever takes it', async () => {
        await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
        await store.saveApplication(application('a', { version: 2, status: 'deleted' }), audit('a'))
        expect(await store.saveApplication(application('b', { keys: [credential('k')] }), audit('b'))).toBe(true)
        expect((await store.findApplicationByKey('k'))?.id).toBe('b')
      })

      it('is saved with its audit entry and its change, in one step', async () => {
        const save = (version: number): Promise<unknown> =>
          store.saveApplication(application('a', { version }), audit('a'))
        const traces = { audit: 1, changes: [{ kind: 'application', id: 'a' }] }
        expect(await tracesOf(() => save(1))).toEqual(traces)
        expect(await tracesOf(() => save(2))).toEqual(traces)
      })

      it('is saved without an audit entry where there is none', async () => {
        const save = (version: number) => () => store.saveApplication(application('a', { version }), undefined)
        const traces = { audit: 0, changes: [{ kind: 'application', id: 'a' }] }
        expect(await tracesOf(save(1))).toEqual(traces)
        expect(await tracesOf(save(2))).toEqual(traces)
        expect((await store.findApplication('a'))?.version).toBe(2)
      })

      it.each([1, 2, 3, 5, 0, -1])('of version 3 is not replaced by version %d', async (version) => {
        for (const next of [1, 2, 3]) {
          expect(await store.saveApplication(application('a', { version: next }), audit('a'))).toBe(true)
        }
        const stale = application('a', { version, name: 'stale', keys: [credential('stale')] })
        const traces = await tracesOf(async () => expect(await other.saveApplication(stale, audit('a'))).toBe(false))
        expect(traces).toEqual(NO_TRACE)
        expect(await store.findApplication('a')).toStrictEqual(application('a', { version: 3 }))
        expect(await store.findApplicationByKey('stale')).toBeUndefined()
      })

      it('begins with version 1', async () => {
        for (const version of [0, 2, 7]) {
          expect(await store.saveApplication(application('a', { version }), audit('a'))).toBe(false)
        }
        expect(await store.findApplication('a')).toBeUndefined()
        expect(await listAudit()).toEqual([])
      })

      it('has each version saved by exactly one of 20 who try at once', async () => {
        for (const version of [1, 2, 3, 4, 5]) {
          const savers = Array.from({ length: 20 }, (_, i) => {
            const record = application('a', { version, name: `saver ${i}`, keys: [credential(`k${i}`)] })
            return (i % 2 ? store : other).saveApplication(record, audit('a', { details: { saver: i } }))
          })
          const winner = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [i] : []))
          expect(winner).toHaveLength(1)
          const saved = await store.findApplication('a')
          expect(saved).toMatchObject({ version, name: `saver ${winner[0]}`, keys: [{ hash: `k${winner[0]}` }] })
          expect((await listAudit()).at(-1)?.details).toEqual({ saver: winner[0] })
        }
        expect(await listAudit()).toHaveLength(5)
      })

      const taken = { keys: [credential('mine')], secrets: [credential('my secret')] }
      it.each<[string, Partial<ApplicationRecord>, Record<string, unknown>]>([
        ['a key that another one has', { keys: [credential('free'), credential('mine')] }, {}],
        ['a secret that another one has', { secrets: [credential('free'), credential('my secret')] }, {}],
        ['a key that is the secret of another one', { keys: [credential('free'), credential('my secret')] }, {}],
        ['one credential twice', { keys: [credential('free')], secrets: [credential('free')] }, {}],
        ['audit details that are no JSON', { keys: [credential('free')] }, { big: 1n }],
      ])('with %s is an error, and leaves everything as it was', async (_, changes, details) => {
        await store.saveApplication(application('owner', taken), audit('owner'))
        await store.saveApplication(application('b', { keys: [credential('b')] }), audit('b'))
        for (const [id, version] of [
          ['b', 2],
          ['new', 1],
        ] as const) {
          const bad = application(id, { version, name: 'bad', apis: { orders: { scopes: [] } }, ...changes })
          const save = (): Promise<boolean> => store.saveApplication(bad, audit(id, { details }))
          expect(await tracesOf(() => expect(save()).rejects.toBeInstanceOf(Error))).toEqual(NO_TRACE)
        }
        expect(await list()).toStrictEqual([application('owner', taken), application('b', { keys: [credential('b')] })])
        expect((await store.findApplicationByKey('mine'))?.id).toBe('owner')
        expect((await store.findApplicationByKey('b'))?.id).toBe('b')
        expect(await store.findApplicationByKey('free')).toBeUndefined()
        expect(await ids({ api: 'orders' })).toEqual([])
        expect(await store.saveApplication(application('b', { version: 2 }), audit('b'))).toBe(true)
      })

      it('keeps what it was saved with, whatever becomes of the objects', async () => {
        const given = application('a', { apis: { orders: { scopes: ['read'] } }, keys: [credential('k')] })
        const expected = structuredClone(given)
        await store.saveApplication(given, audit('a'))
        scribble(given)
        expect(given.name).toBe('scribbled')
        expect(await store.findApplication('a')).toStrictEqual(expected)
        for (const read of [
          () => store.findApplication('a'),
          () => store.findApplicationByKey('k'),
          async () => (await list())[0],
        ]) {
          scribble(await read())
          expect(await read()).toStrictEqual(expected)
        }
      })
    })

    describe('the use of credentials', () => {
      const used = async (id = 'a'): Promise<Record<string, number | undefined>> => {
        const record = await other.findApplication(id)
        const credentials = [...(record?.keys ?? []), ...(record?.secrets ?? [])]
        return Object.fromEntries(credentials.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
      }

      it('is noted where it is later than what is known, and is no change', async () => {
        const secrets = [credential('s', { lastUsedAt: NOW + 5 })]
        const record = application('a', { keys: [credential('k2'), credential('k1', { lastUsedAt: 0 })], secrets })
        await store.saveApplication(record, audit('a'))
        await store.saveApplication(application('b', { keys: [credential('kb')] }), audit('b'))
        const note = (): Promise<void> =>
          store.noteCredentialUse([
            { hash: 'k1', at: NOW + 1 },
            { hash: 'kb', at: 0 },
            { hash: 'nobody', at: NOW },
            { hash: 's', at: NOW + 4 },
          ])
        expect(await tracesOf(note)).toEqual(NO_TRACE)
        expect(await used()).toStrictEqual({ k2: undefined, k1: NOW + 1, s: NOW + 5 })
        expect(await used('b')).toStrictEqual({ kb: 0 })
        expect((await store.findApplicationByKey('k1'))?.version).toBe(1)
        await store.noteCredentialUse([])
      })

      it('keeps the latest of many, noted at once or in one call', async () => {
        await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
        await Promise.all(
          Array.from({ length: 20 }, (_, i) => {
            const at = NOW + ((i * 7) % 20)
            return (i % 2 ? store : other).noteCredentialUse([{ hash: 'k', at }])
          }),
        )
        expect(await used()).toEqual({ k: NOW + 19 })
        await store.noteCredentialUse([30, 50, 40].map((later) => ({ hash: 'k', at: NOW + later })))
        expect(await used()).toEqual({ k: NOW + 50 })
      })

      it('survives the application being saved by who read it before', async () => {
        const secrets = [credential('s')]
        await store.saveApplication(
          application('a', { keys: [credential('k', { lastUsedAt: NOW })], secrets }),
          audit('a'),
        )
        const read = await store.findApplication('a')
        const uses = [
          { hash: 'k', at: NOW + 1 },
          { hash: 's', at: NOW + 2 },
        ]
        await other.noteCredentialUse(uses)
        expect(await store.saveApplication({ ...read!, name: 'new', version: 2 }, audit('a'))).toBe(true)
        expect(await store.findApplicationByKey('k')).toStrictEqual({
          ...read,
          name: 'new',
          keys: [credential('k', { lastUsedAt: NOW + 1 })],
          secrets: [credential('s', { lastUsedAt: NOW + 2 })],
          version: 2,
        })
        const later = application('a', { version: 3, keys: [credential('k', { lastUsedAt: NOW + 9 })], secrets })
        await store.saveApplication(later, audit('a'))
        expect(await used()).toEqual({ k: NOW + 9, s: NOW + 2 })
      })

      it('is lost with the credential, and does not come back with it', async () => {
        await store.saveApplication(application('a', { keys: [credential('k', { lastUsedAt: NOW })] }), audit('a'))
        await store.saveApplication(application('a', { version: 2 }), audit('a'))
        await store.noteCredentialUse([{ hash: 'k', at: NOW + 1 }])
        await store.saveApplication(application('a', { version: 3, keys: [credential('k')] }), audit('a'))
        expect(await used()).toStrictEqual({ k: undefined })
      })

      it('can be noted while applications are saved', async () => {
        const hashes = Array.from({ length: 6 }, (_, i) => `h${i}`)
        const keys = hashes.map((hash) => credential(hash))
        await store.saveApplication(application('a', { keys }), audit('a'))
        const noting = Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).noteCredentialUse(
            (i % 3 ? hashes : hashes.toReversed()).map((hash) => ({ hash, at: NOW + i })),
          ),
        )
        for (let version = 2; version <= 10; version++) {
          const record = application('a', { version, keys: version % 2 ? keys : keys.toReversed() })
          expect(await other.saveApplication(record, audit('a'))).toBe(true)
        }
        await Promise.all(noting)
        expect(await used()).toEqual(Object.fromEntries(hashes.map((hash) => [hash, NOW + 9])))
      })
    })

    emailsContract(() => ({ store, other }))

    describe('the list of applications', () => {
      /** a0 active on orders, p1 pending on both, s2 suspended on catalog, d3 deleted on orders, a4 active on nothing ... */
      async function populate(count: number): Promise<void> {
        const statuses = ['active', 'pending', 'suspended', 'deleted'] as const
        for (let i = 0; i < count; i++) {
          const status = statuses[i % 4] ?? 'active'
          const apis = [['orders'], ['orders', 'catalog'], ['catalog'], ['orders'], []][i % 5] ?? []
          const record = application(`${status[0]}${i}`, {
            status,
            apis: Object.fromEntries(apis.map((api) => [api, { scopes: [] }])),
          })
          await store.saveApplication(record, audit(record.id))
        }
      }

      async function inPages(limit: number, query: Partial<ApplicationQuery>): Promise<string[]> {
        const seen: string[] = []
        for (;;) {
          const page = await ids({ ...query, limit, after: seen.at(-1) })
          expect(page.length).toBeLessThanOrEqual(limit)
          seen.push(...page)
          if (page.length < limit) return seen
        }
      }

      const everyone = Array.from({ length: 20 }, (_, i) => `${'apsd'[i % 4]}${i}`)
      const on = (api: 'orders' | 'catalog') => (id: string) => {
        const place = Number(id.slice(1)) % 5
        return api === 'orders' ? [0, 1, 3].includes(place) : [1, 2].includes(place)
      }
      const live = (id: string): boolean => !id.startsWith('d')

      it('is empty at first', async () => {
        expect(await list()).toEqual([])
      })

      it.each<[string, Partial<ApplicationQuery>, (id: string) => boolean]>([
        ['of all', {}, live],
        ['of one status', { status: 'pending' }, (id) => id.startsWith('p')],
        ['of the deleted', { status: 'deleted' }, (id) => !live(id)],
        ['of one API', { api: 'orders' }, (id) => live(id) && on('orders')(id)],
        ['of the other API', { api: 'catalog' }, (id) => live(id) && on('catalog')(id)],
        ['of one API and status', { api: 'orders', status: 'active' }, (id) => id.startsWith('a') && on('orders')(id)],
        ['of the deleted of one API', { api: 'orders', status: 'deleted' }, (id) => !live(id) && on('orders')(id)],
        ['of an API that nobody has', { api: 'ORDERS' }, () => false],
      ])('%s is whole and in order of creation, in pages of any size', async (_, query, matches) => {
        await populate(20)
        const expected = everyone.filter(matches)
        expect(await ids(query)).toEqual(expected)
        for (const limit of [1, 2, 3, 7, 20]) expect(await inPages(limit, query)).toEqual(expected)
      })

      it('goes on after an application that does not match any more', async () => {
        await populate(8)
        await store.saveApplication(application('p1', { version: 2, status: 'deleted' }), audit('p1'))
        expect(await ids({ after: 'p1', limit: 2 })).toEqual(['s2', 'a4'])
        expect(await ids({ after: 'p1', api: 'orders' })).toEqual(['p5', 's6'])
      })

      it('follows every change of status and access', async () => {
        await populate(4)
        await store.saveApplication(application('a0', { version: 2, status: 'suspended' }), audit('a0'))
        expect(await ids({ status: 'active' })).toEqual([])
        expect(await ids({ status: 'suspended' })).toEqual(['a0', 's2'])
        expect(await ids({ api: 'orders' })).toEqual(['p1'])
        const allowed = application('a0', { version: 3, apis: { orders: { scopes: ['read'] } } })
        await store.saveApplication(allowed, audit('a0'))
        expect(await ids({ api: 'orders' })).toEqual(['a0', 'p1'])
        expect(await ids({ api: 'orders', status: 'active' })).toEqual(['a0'])
      })

      it('has nothing after an application that never was', async () => {
        await populate(2)
        expect(await ids({ after: 'nobody' })).toEqual([])
        expect(await ids({ after: 'nobody', status: 'active' })).toEqual([])
        expect(await ids({ after: 'nobody', api: 'orders' })).toEqual([])
      })
    })

    describe('revoked access tokens', () => {
      const of = async (now: number, limit = 100): Promise<readonly string[]> =>
        (await store.listRevokedAccessTokens(now, limit)).map(({ id }) => id).toSorted()

      it('are remembered exactly', async () => {
        await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
        expect(await store.listRevokedAccessTokens(NOW, 10)).toStrictEqual([{ id: 'jti', expiresAt: NOW + 1 }])
        expect(await other.isAccessTokenRevoked('jti')).toBe(true)
        expect(await store.isAccessTokenRevoked('JTI')).toBe(false)
      })

      it('are listed while they have not expired, up to the limit', async () => {
        await Promise.all([3, 1, 2].map((i) => store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)))
        expect(await of(NOW)).toEqual(['t1', 't2', 't3'])
        expect(await of(NOW + 1)).toEqual(['t2', 't3'])
        expect(await of(NOW + 3)).toEqual([])
        expect(await of(NOW, 2)).toHaveLength(2)
      })

      it('are forgotten after they have expired, and not before', async () => {
        for (const i of [1, 2, 3]) await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + i }, NOW)
        await store.revokeAccessToken({ id: 'late', expiresAt: NOW + 100 }, NOW + 2)
        expect(await of(0)).toEqual(['late', 't3'])
        expect(await store.isAccessTokenRevoked('t3')).toBe(true)
      })

      it('are told once, however often they are revoked', async () => {
        const token = { id: 'jti', expiresAt: NOW + 1 }
        const first = await tracesOf(() => store.revokeAccessToken(token, NOW))
        expect(first.changes).toEqual([{ kind: 'accessTokenRevoked', ...token }])
        const more = await tracesOf(() => Promise.all([store, other].map((one) => one.revokeAccessToken(token, NOW))))
        expect(more).toEqual(NO_TRACE)
        expect(await of(NOW)).toEqual(['jti'])
      })
    })

    describe('the audit', () => {
      it('comes back exactly, oldest first', async () => {
        const entries = [
          audit('a', { by: 'alice', details: { from: 'x', nested: { list: [1, null, 'ü\u0000'] } } }),
          audit('a', { at: 0, type: 'application.suspended' }),
        ]
        await store.saveApplication(application('a'), entries[0])
        await store.saveApplication(application('a', { version: 2 }), entries[1])
        await store.addSigningKey(signingKey('k'), undefined, audit(undefined, { type: 'signingKey.rotated' }))
        const records = await listAudit()
        const placed = [...entries, audit(undefined, { type: 'signingKey.rotated' })]
        expect(records).toStrictEqual(placed.map((entry, i) => ({ ...entry, id: records[i]?.id })))
        expect(new Set(records.map(({ id }) => id)).size).toBe(3)
      })

      it('has no members in its details that JSON has not', async () => {
        await store.saveApplication(application('a'), audit('a', { details: { gone: undefined, at: new Date(0) } }))
        expect((await listAudit())[0]?.details).toStrictEqual({ at: '1970-01-01T00:00:00.000Z' })
      })

      it('can be read in pages, of one application or of all', async () => {
        for (let i = 0; i < 9; i++) await store.saveApplication(application(`${i}`), audit(`${i % 2}`, { at: i }))
        const inPages = async (limit: number, applicationId?: string): Promise<number[]> => {
          const seen: number[] = []
          for (let after: string | undefined; ;) {
            const page = await listAudit({ after, limit, applicationId })
            expect(page.length).toBeLessThanOrEqual(limit)
            seen.push(...page.map(({ at }) => at))
            if (page.length < limit) return seen
            after = page.at(-1)?.id
          }
        }
        for (const limit of [1, 2, 4, 9, 10]) {
          expect(await inPages(limit)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
          expect(await inPages(limit, '1')).toEqual([1, 3, 5, 7])
          expect(await inPages(limit, 'nobody')).toEqual([])
        }
      })

      it.each(['nonsense', '999999'])('has nothing after a place it does not know: %s', async (after) => {
        await store.saveApplication(application('a'), audit('a'))
        expect(await listAudit({ after })).toEqual([])
      })

      it('stays when its application is deleted', async () => {
        await store.saveApplication(application('a'), audit('a'))
        await store.saveApplication(application('a', { version: 2, status: 'deleted', name: '' }), audit('a'))
        expect(await listAudit({ applicationId: 'a' })).toHaveLength(2)
      })

      it('can not be changed by who reads it', async () => {
        await store.saveApplication(application('a'), audit('a', { details: { list: ['x'] } }))
        const expected = structuredClone(await listAudit())
        scribble(await listAudit())
        expect(await listAudit()).toStrictEqual(expected)
      })
    })

    describe('the feed', () => {
      it('begins where it ends now', async () => {
        await store.saveApplication(application('a'), audit('a'))
        const { cursor, changes } = await store.changesSince(undefined)
        expect(changes).toEqual([])
        expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
      })

      it('tells what was committed since, once and in order, from any place', async () => {
        const start = (await store.changesSince(undefined)).cursor
        await store.saveApplication(application('a'), audit('a'))
        await other.addSigningKey(signingKey('k'), undefined, audit())
        const middle = (await store.changesSince(start)).cursor
        await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
        await other.saveApplication(application('b'), audit('b'))
        const first = [{ kind: 'application', id: 'a' }, { kind: 'signingKeys' }]
        const second = [
          { kind: 'accessTokenRevoked', id: 'jti', expiresAt: NOW + 1 },
          { kind: 'application', id: 'b' },
        ]
        for (const one of [store, other]) {
          const end = (await one.changesSince(undefined)).cursor
          expect(await one.changesSince(middle)).toStrictEqual({ cursor: end, changes: second })
          expect(await one.changesSince(start)).toStrictEqual({ cursor: end, changes: [...first, ...second] })
          expect(await one.changesSince(end)).toStrictEqual({ cursor: end, changes: [] })
        }
      })

      it('tells two stores on one backing of each other, at the next look', async () => {
        let [mine, theirs] = [
          (await store.changesSince(undefined)).cursor,
          (await other.changesSince(undefined)).cursor,
        ]
        for (let i = 0; i < 20; i++) {
          await (i % 3 === 0 ? store : other).saveApplication(application(`${i}`), audit())
          const [here, there] = await Promise.all([store.changesSince(mine), other.changesSince(theirs)])
          expect(here.changes).toEqual([{ kind: 'application', id: `${i}` }])
          expect(there.changes).toEqual([{ kind: 'application', id: `${i}` }])
          ;[mine, theirs] = [here.cursor, there.cursor]
          expect((await store.changesSince(mine)).changes).toEqual([])
        }
      })

      it('has a change as soon as what it tells of can be read', async () => {
        let { cursor } = await other.changesSince(undefined)
        let told = 0
        const saving = (async () => {
          for (let i = 1; i <= 30; i++) await store.saveApplication(application('a', { version: i }), audit())
        })()
        while (told < 30) {
          const seen = (await other.findApplication('a'))?.version ?? 0
          const page = await other.changesSince(cursor)
          told += page.changes.length
          cursor = page.cursor
          expect(told).toBeGreaterThanOrEqual(seen)
          // A turn for the writer, which may live in this process.
          await new Promise(setImmediate)
        }
        await saving
        expect(told).toBe(30)
      })

      it.each(['999999', 'nonsense', '-1'])('tells of everything since a place it has not got: %s', async (cursor) => {
        await store.saveApplication(application('a'), audit('a'))
        const page = await store.changesSince(cursor)
        expect(page).toEqual({
          cursor: (await store.changesSince(undefined)).cursor,
          changes: [{ kind: 'everything' }],
        })
        await store.saveApplication(application('b'), audit('b'))
        expect((await store.changesSince(page.cursor)).changes).toEqual([{ kind: 'application', id: 'b' }])
      })

      it('wakes who watches it, until they stop, after the change can be read', async () => {
        if (!store.watch) return
        const { cursor } = await other.changesSince(undefined)
        const seen: (readonly Change[])[] = []
        let woken = 0
        const stop = other.watch!(() => {
          woken += 1
          void other.changesSince(cursor).then(({ changes }) => seen.push(changes))
        })
        await store.saveApplication(application('a'), audit('a'))
        // More often than there is something new does no harm.
        await expect.poll(() => seen.at(-1)).toEqual([{ kind: 'application', id: 'a' }])
        stop()
        await new Promise((resolve) => setTimeout(resolve, 20))
        const before = woken
        await store.saveApplication(application('b'), audit('b'))
        await new Promise((resolve) => setTimeout(resolve, 50))
        expect(woken).toBe(before)
      })

      it('can not be changed by who reads it', async () => {
        const { cursor } = await store.changesSince(undefined)
        await store.saveApplication(application('a'), audit('a'))
        scribble((await store.changesSince(cursor)).changes)
        expect((await store.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
      })
    })
  })
}

/** Writes over all that can be written over in it. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    scribble(part)
    Reflect.set(value, name, 'scribbled')
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('scribbled')
}
