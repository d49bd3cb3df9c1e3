import { describe, expect, it } from 'vitest'
import type { ApplicationRecord } from '../../../src/contracts/store.js'
import { application, audit, credential, NOW } from '../records.js'
import { createReaders, MALFORMED_CURSORS, NO_TRACES, overwrite } from './suite.js'
import type { OpenedStores } from './suite.js'

/** `saveApplication()`, `findApplication()` and `findApplicationByKey()`. */
export function applicationsContract(opened: () => OpenedStores): void {
  const { listApplications, listIds, listAudit, recordTraces } = createReaders(opened)

  describe('application', () => {
    const full = application('full', {
      name: `Ünïcode "quotes" 'n' \\ \n 🔑 %_; DROP TABLE platform_auth_meta; --`,
      contact: 'owner@example.com',
      status: 'suspended',
      apis: { zebra: { scopes: ['z:2', 'z:1'] }, apple: { scopes: [] }, mango: { scopes: ['m'] } },
      metadata: { 'Ünï 🔑 \u0000': [null, true, 1.5e300, { '': '\ud800"' }], 2: {}, 1: -0.1 },
      externalId: `Ünïcode "quotes" 'n' \\ 🔑 %_; --`,
      keys: [
        credential('k2', { lastUsedAt: NOW + 1, name: 'Wärehouse "1"', remindedDays: 0 }),
        credential('k1', { expiresAt: NOW + 2, apis: { zebra: { scopes: ['z:1'] }, apple: { scopes: [] } } }),
        credential('sha256:k0', { id: 'cred_0', remindedDays: 30, apis: {} }),
      ],
      secrets: [credential('s2', { prefix: 'epa_sec_wxyz' }), credential('s1', { expiresAt: 1, lastUsedAt: 0 })],
      createdAt: NOW + 3,
      tokensRevokedAt: NOW + 4,
    })

    it('is read as it was saved', async () => {
      const { store, other } = opened()
      for (const record of [full, application('empty', { name: '' })]) {
        expect(await store.saveApplication(record, audit(record.id))).toBe(true)
        expect(await store.findApplication(record.id)).toStrictEqual(record)
        expect(await other.findApplication(record.id)).toStrictEqual(record)
      }
      const read = await other.findApplication('full')
      expect(Object.keys(read?.apis ?? {})).toEqual(['zebra', 'apple', 'mango'])
      expect(Object.keys(read?.keys[1]?.apis ?? {})).toEqual(['zebra', 'apple'])
      expect(await listApplications()).toStrictEqual([full, application('empty', { name: '' })])
    })

    it('is read as it was saved after every member has changed', async () => {
      const { store } = opened()
      await store.saveApplication(full, audit('full'))
      const next = application('full', { version: 2, apis: { kiwi: { scopes: ['k'] } }, keys: [credential('k3')] })
      expect(await store.saveApplication(next, audit('full'))).toBe(true)
      expect(await store.findApplication('full')).toStrictEqual(next)
      expect(await store.saveApplication({ ...full, version: 3 }, audit('full'))).toBe(true)
      expect(await store.findApplication('full')).toStrictEqual({ ...full, version: 3 })
    })

    it('that does not exist is undefined', async () => {
      const { store } = opened()
      await store.saveApplication(full, audit('full'))
      expect(await store.findApplication('FULL')).toBeUndefined()
      for (const id of MALFORMED_CURSORS) expect(await store.findApplication(id)).toBeUndefined()
      expect(await store.findApplicationByKey('full')).toBeUndefined()
    })

    it('is found by each of its keys, expired or not, and not by a secret', async () => {
      const { store } = opened()
      await store.saveApplication(application('another', { keys: [credential('k0')] }), audit('another'))
      await store.saveApplication(full, audit('full'))
      expect(await store.findApplicationByKey('k1')).toStrictEqual(full)
      expect(await store.findApplicationByKey('k2')).toStrictEqual(full)
      expect(await store.findApplicationByKey('s1')).toBeUndefined()
      expect(await store.findApplicationByKey('s2')).toBeUndefined()
    })

    it('is no longer found by a removed key, and is found by a new one', async () => {
      const { store } = opened()
      await store.saveApplication(application('a', { keys: [credential('k1')] }), audit('a'))
      await store.saveApplication(application('a', { version: 2, keys: [credential('k2')] }), audit('a'))
      expect(await store.findApplicationByKey('k1')).toBeUndefined()
      expect((await store.findApplicationByKey('k2'))?.version).toBe(2)
      await store.saveApplication(application('a', { version: 3, secrets: [credential('k2')] }), audit('a'))
      expect(await store.findApplicationByKey('k2')).toBeUndefined()
    })

    it('can take a key that another application no longer has', async () => {
      const { store } = opened()
      await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
      await store.saveApplication(application('a', { version: 2, status: 'deleted' }), audit('a'))
      expect(await store.saveApplication(application('b', { keys: [credential('k')] }), audit('b'))).toBe(true)
      expect((await store.findApplicationByKey('k'))?.id).toBe('b')
    })

    it('is saved with one audit record and one change in the feed', async () => {
      const { store } = opened()
      const save = (version: number): Promise<unknown> =>
        store.saveApplication(application('a', { version }), audit('a'))
      const traces = { audit: 1, changes: [{ kind: 'application', id: 'a' }] }
      expect(await recordTraces(() => save(1))).toEqual(traces)
      expect(await recordTraces(() => save(2))).toEqual(traces)
    })

    it('is saved without an audit record if none is given', async () => {
      const { store } = opened()
      const save = (version: number) => () => store.saveApplication(application('a', { version }), undefined)
      const traces = { audit: 0, changes: [{ kind: 'application', id: 'a' }] }
      expect(await recordTraces(save(1))).toEqual(traces)
      expect(await recordTraces(save(2))).toEqual(traces)
      expect((await store.findApplication('a'))?.version).toBe(2)
    })

    it.each([1, 2, 3, 5, 0, -1])('of version 3 is not replaced by version %d', async (version) => {
      const { store, other } = opened()
      for (const next of [1, 2, 3]) {
        expect(await store.saveApplication(application('a', { version: next }), audit('a'))).toBe(true)
      }
      const stale = application('a', { version, name: 'stale', keys: [credential('stale')] })
      const traces = await recordTraces(async () => expect(await other.saveApplication(stale, audit('a'))).toBe(false))
      expect(traces).toEqual(NO_TRACES)
      expect(await store.findApplication('a')).toStrictEqual(application('a', { version: 3 }))
      expect(await store.findApplicationByKey('stale')).toBeUndefined()
    })

    it('starts with version 1', async () => {
      const { store } = opened()
      for (const version of [0, 2, 7]) {
        expect(await store.saveApplication(application('a', { version }), audit('a'))).toBe(false)
      }
      expect(await store.findApplication('a')).toBeUndefined()
      expect(await listAudit()).toEqual([])
    })

    it('has each version saved by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
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

    const taken = { keys: [credential('taken key')], secrets: [credential('taken secret')] }
    it.each<[string, Partial<ApplicationRecord>, Record<string, unknown>]>([
      ['a key of another application', { keys: [credential('free'), credential('taken key')] }, {}],
      ['a secret of another application', { secrets: [credential('free'), credential('taken secret')] }, {}],
      ["a key that is another application's secret", { keys: [credential('free'), credential('taken secret')] }, {}],
      ['the same credential twice', { keys: [credential('free')], secrets: [credential('free')] }, {}],
      ['audit details that JSON cannot express', { keys: [credential('free')] }, { big: 1n }],
    ])('with %s is an error that changes nothing', async (_, changes, details) => {
      const { store } = opened()
      await store.saveApplication(application('owner', taken), audit('owner'))
      await store.saveApplication(application('b', { keys: [credential('b')] }), audit('b'))
      for (const [id, version] of [
        ['b', 2],
        ['new', 1],
      ] as const) {
        const bad = application(id, { version, name: 'bad', apis: { orders: { scopes: [] } }, ...changes })
        const save = (): Promise<boolean> => store.saveApplication(bad, audit(id, { details }))
        expect(await recordTraces(() => expect(save()).rejects.toBeInstanceOf(Error))).toEqual(NO_TRACES)
      }
      expect(await listApplications()).toStrictEqual([
        application('owner', taken),
        application('b', { keys: [credential('b')] }),
      ])
      expect((await store.findApplicationByKey('taken key'))?.id).toBe('owner')
      expect((await store.findApplicationByKey('b'))?.id).toBe('b')
      expect(await store.findApplicationByKey('free')).toBeUndefined()
      expect(await listIds({ api: 'orders' })).toEqual([])
      expect(await store.saveApplication(application('b', { version: 2 }), audit('b'))).toBe(true)
    })

    it('is not changed by writing to the object that was saved or read', async () => {
      const { store } = opened()
      const keys = [credential('k', { apis: { orders: { scopes: ['read'] } } })]
      const metadata = { plan: ['gold', { discount: 1 }] }
      const given = application('a', { apis: { orders: { scopes: ['read'] } }, keys, metadata })
      const expected = structuredClone(given)
      await store.saveApplication(given, audit('a'))
      overwrite(given)
      expect(given.name).toBe('overwritten')
      expect(await store.findApplication('a')).toStrictEqual(expected)
      for (const read of [
        () => store.findApplication('a'),
        () => store.findApplicationByKey('k'),
        async () => (await listApplications())[0],
      ]) {
        overwrite(await read())
        expect(await read()).toStrictEqual(expected)
      }
    })
  })
}
