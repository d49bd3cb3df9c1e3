import assert from 'node:assert/strict'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, MALFORMED_CURSORS, type TestCollector } from './suite.js'

/** `externalId`, `plan`, and the look-ups by several hashes and by external id. */
export function applicationSearchContract({ describe, it }: TestCollector): void {
  describe('external id', () => {
    it('finds its application, and no other', async ({ save, listIds }) => {
      await save('a', { externalId: 'customer 1' })
      await save('b', { externalId: 'customer 2', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('c')
      assertEqual(await listIds({ externalId: 'customer 1' }), ['a'])
      assertEqual(await listIds({ externalId: 'customer 2' }), ['b'])
      assertEqual(await listIds({ externalId: 'customer 1', after: 'a' }), [])
      assertEqual(await listIds({ externalId: 'customer 2', after: 'a' }), ['b'])
      for (const externalId of ['CUSTOMER 1', 'customer', ...MALFORMED_CURSORS]) {
        assertEqual(await listIds({ externalId }), [], JSON.stringify(externalId))
      }
    })

    it('that another application has is refused, and nothing is changed', async (context) => {
      const { store, other, save, listIds, withoutTraces } = context
      await save('a', { externalId: 'taken' })
      await save('b', { externalId: 'own' })
      const refused = [
        application('b', { version: 2, externalId: 'taken', keys: [credential('k')] }),
        application('new', { externalId: 'taken', keys: [credential('k')] }),
      ]
      for (const record of refused) {
        assert.equal(await withoutTraces(() => other.saveApplication(record, audit(record.id))), false)
      }
      assertEqual(await listIds(), ['a', 'b'])
      assertEqual(await listIds({ externalId: 'own' }), ['b'])
      assert.equal(await store.findApplicationByKey('k'), undefined)
    })

    it('can be kept, changed, removed, and taken by another application then', async ({ save, trySave, listIds }) => {
      await save('a', { externalId: 'one' })
      await save('a', { version: 2, externalId: 'one', name: 'renamed' })
      assert.equal(await trySave('b', { externalId: 'one' }), false)
      await save('a', { version: 3, externalId: 'two' })
      await save('b', { externalId: 'one' })
      await save('a', { version: 4, status: 'deleted' })
      await save('c', { externalId: 'two' })
      assertEqual(await listIds({ externalId: 'two' }), ['c'])
    })

    it('may be missing, or empty, in one application', async ({ save, trySave, listIds }) => {
      await save('a', { externalId: '' })
      await save('b')
      await save('c')
      assert.equal(await trySave('d', { externalId: '' }), false)
      assertEqual(await listIds({ externalId: '' }), ['a'])
    })

    it('is taken by exactly one of 10 concurrent callers', async ({ listIds, findWinner }) => {
      const winner = await findWinner(10, (one, at) =>
        one.saveApplication(application(`a${at}`, { externalId: 'wanted' }), audit(`a${at}`)),
      )
      assertEqual(await listIds(), [`a${winner}`])
    })
  })

  describe('credential', () => {
    it('finds the applications that have one with this prefix, oldest first', async (context) => {
      const { save, listIds, listInPages } = context
      const shown = (hash: string, prefix: string) => credential(hash, { prefix })
      await save('a', { keys: [shown('ka', 'pk_key_Ab12')], secrets: [shown('sa', 'pk_sec_Zz99')] })
      await save('b', { keys: [shown('kb', 'pk_key_ab12'), shown('kb2', 'import')] })
      await save('c', { keys: [shown('kc', 'import')], secrets: [shown('sc', 'import')], status: 'suspended' })
      await save('d', {
        keys: [credential('kd', { prefix: 'import', expiresAt: 1 })],
        apis: { orders: { scopes: [] } },
      })
      assertEqual(await listIds({ credential: 'pk_key_Ab12' }), ['a'])
      assertEqual(await listIds({ credential: 'pk_sec_Zz99' }), ['a'])
      for (const limit of [1, 2, 3]) assertEqual(await listInPages({ credential: 'import' }, limit), ['b', 'c', 'd'])
      for (const prefix of ['pk_key_Ab1', 'pk_key_Ab12x', 'impor%', ...MALFORMED_CURSORS])
        assertEqual(await listIds({ credential: prefix }), [], JSON.stringify(prefix))
      await save('b', { version: 2, keys: [shown('kb', 'pk_key_ab12')] })
      await save('d', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ credential: 'import' }), ['c'])
    })
  })

  describe('waiting', () => {
    it('finds registrations and requests for access, what has waited longest first, in pages of any size', async (context) => {
      const { save, listIds, store } = context
      const request = (api: string, requestedAt: number) => ({ api, scopes: [], requestedAt, by: undefined })
      await save('a', { accessRequests: [request('orders', NOW + 5), request('catalog', NOW + 3)] })
      await save('b', { status: 'pending', isHeld: true, createdAt: NOW + 2 })
      // Its e-mail is on its way, which no operator decides.
      await save('c', { status: 'pending' })
      await save('d', {
        status: 'pending',
        isHeld: true,
        createdAt: NOW + 4,
        accessRequests: [request('orders', NOW + 9)],
      })
      await save('e', { status: 'suspended', plan: 'gold', accessRequests: [request('orders', NOW + 3)] })
      await save('f', { status: 'pending', isHeld: true, createdAt: 0 })
      await save('g', { status: 'pending', isHeld: true, createdAt: NOW })
      await save('g', { version: 2, createdAt: NOW })
      const waiting = { waiting: true } as const
      const all = ['f', 'b', 'a', 'e', 'd']
      const times: Record<string, number> = { f: 0, b: NOW + 2, a: NOW + 3, e: NOW + 3, d: NOW + 4 }
      assertEqual(await listIds(waiting), all)
      for (const [i, after] of all.entries()) {
        assertEqual(await listIds({ ...waiting, after, afterKey: times[after] }), all.slice(i + 1))
        assertEqual(await listIds({ ...waiting, after, afterKey: times[after], limit: 1 }), all.slice(i + 1, i + 2))
      }
      assertEqual(await listIds({ ...waiting, after: 'f' }), [])
      assertEqual(await listIds({ ...waiting, after: 'unknown', afterKey: 0 }), [])
      // It is decided meanwhile: the next page begins where it was.
      assertEqual(await listIds({ ...waiting, after: 'c', afterKey: NOW + 3 }), ['e', 'd'])
      await save('f', { version: 2, status: 'deleted' })
      assertEqual(await listIds(waiting), all.slice(1))
      assert.equal((await store.findApplication('d'))?.status, 'pending')
    })
  })

  describe('last use', () => {
    const search = { usedSince: NOW + 10, usedBefore: NOW + 20 } as const

    it('finds what was used between two times, longest ago first, and what never was, in pages of any size', async (context) => {
      const { store, other, save, listIds, listInPages } = context
      for (const [i, at] of [15, undefined, 10, 20, 9, 19, undefined, 15].entries())
        await save(`a${i}`, { keys: [credential(`k${i}`)], ...(at !== undefined && { lastUsedAt: NOW + at }) })
      const readPosition = ({ lastUsedAt = 0 }) => ({ afterKey: lastUsedAt })
      const all = ['a4', 'a2', 'a0', 'a7', 'a5', 'a3']
      for (const limit of [1, 2, 3, 8]) {
        assertEqual(await listInPages(search, limit, readPosition), ['a2', 'a0', 'a7', 'a5'])
        assertEqual(await listInPages({ usedSince: 0 }, limit, readPosition), all)
        assertEqual(await listInPages({ usedBefore: NOW + 20 }, limit, readPosition), all.slice(0, -1))
        assertEqual(await listInPages({ neverUsed: true }, limit), ['a1', 'a6'])
      }
      assertEqual(await listIds({ ...search, after: 'a2' }), [])
      assertEqual(await listIds({ ...search, after: 'unknown', afterKey: NOW + 12 }), [])
      for (const afterKey of [0, NOW + 9, NOW + 20])
        assertEqual(await listIds({ ...search, after: 'a2', afterKey }), [])
      // One is used and one is deleted meanwhile: the next page begins where they were.
      await other.noteCredentialUse([{ hash: 'k2', at: NOW + 30 }])
      await save('a0', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ ...search, after: 'a2', afterKey: NOW + 10 }), ['a7', 'a5'])
      assertEqual(await listIds({ ...search, after: 'a0', afterKey: NOW + 15 }), ['a7', 'a5'])
      assertEqual(await listIds({ usedSince: 0 }), ['a4', 'a7', 'a5', 'a3', 'a2'])
      await save('a1', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ neverUsed: true }), ['a6'])
      assert.equal((await store.findApplication('a0'))?.lastUsedAt, undefined)
    })

    it('is that of any credential, also of one that is gone, if it is later by more than the minimum age', async (context) => {
      const { store, other, save } = context
      const readLastUse = async () => (await other.findApplication('a'))?.lastUsedAt
      await save('a', { keys: [credential('k')], secrets: [credential('s')] })
      assert.equal(await readLastUse(), undefined)
      await store.noteCredentialUse([
        { hash: 's', at: NOW + 2 },
        { hash: 'k', at: NOW + 1 },
        { hash: 'unknown', at: NOW + 9 },
      ])
      assert.equal(await readLastUse(), NOW + 2)
      await store.noteCredentialUse([{ hash: 'k', at: NOW + 12 }], 10)
      assert.equal(await readLastUse(), NOW + 2)
      await store.noteCredentialUse([{ hash: 's', at: NOW + 13 }], 10)
      assert.equal(await readLastUse(), NOW + 13)
      await save('a', { version: 2, keys: [credential('new')], lastUsedAt: NOW + 1 })
      assert.equal(await readLastUse(), NOW + 13)
      await save('a', { version: 3, status: 'deleted', lastUsedAt: NOW + 99 })
      assert.equal(await readLastUse(), undefined)
    })

    it('is the latest of concurrent ones in whatever order', async ({ other, save, callAtOnce }) => {
      const ids = Array.from({ length: 6 }, (_, i) => `a${i}`)
      for (const id of ids) await save(id, { keys: [credential(`${id}k`)], secrets: [credential(`${id}s`)] })
      await callAtOnce(20, (one, i) => {
        const uses = ids.flatMap((id) => ['k', 's'].map((kind) => ({ hash: id + kind, at: NOW + i })))
        return one.noteCredentialUse(i % 3 === 0 ? uses : uses.toReversed())
      })
      for (const id of ids) assert.equal((await other.findApplication(id))?.lastUsedAt, NOW + 19)
    })
  })

  describe('plan', () => {
    it('finds its applications, in pages of any size, and no deleted one', async ({ save, listIds, listInPages }) => {
      await save('a', { plan: 'gold' })
      await save('b', { plan: 'gold, too', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('c')
      await save('d', { plan: 'gold' })
      for (const limit of [1, 2, 3]) {
        assertEqual(await listInPages({ plan: true }, limit), ['a', 'b', 'd'])
        assertEqual(await listInPages({ plan: 'gold' }, limit), ['a', 'd'])
      }
      for (const plan of ['GOLD', 'gol', '', ...MALFORMED_CURSORS]) assertEqual(await listIds({ plan }), [], plan)
      await save('a', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ plan: true }), ['b', 'd'])
    })
  })

  describe('look-up by several hashes of a key', () => {
    it('finds the application of the first, else of any of the others, and none by a secret', async (context) => {
      const { store, save } = context
      await save('a', { keys: [credential('ka')] })
      await save('b', { keys: [credential('kb2'), credential('sha256:kb')], secrets: [credential('sb')] })
      assert.equal((await store.findApplicationByKey('ka', 'sha256:kb'))?.id, 'a')
      assert.equal((await store.findApplicationByKey('sha256:kb', 'ka'))?.id, 'b')
      assert.equal((await store.findApplicationByKey('none', 'sha512:none', 'sha256:kb'))?.id, 'b')
      assert.equal(await store.findApplicationByKey('none', 'sb'), undefined)
    })
  })
}
