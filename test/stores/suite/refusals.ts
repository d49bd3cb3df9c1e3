import assert from 'node:assert/strict'
import type { RefusalRecord, StoreWith } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, overwrite, type TestCollector } from './suite.js'

/** The last refusals of applications. */
export function refusalsContract({ describe, it }: TestCollector): void {
  async function listTimes(store: StoreWith, id: string, after = 0): Promise<readonly number[]> {
    return (await store.usage.listRefusals(id, after)).map(({ at }) => at)
  }

  describe('refusals', () => {
    it('are listed unchanged, the one added last first', async ({ store, other, save }) => {
      for (const id of ['a', 'b']) await save(id)
      const full = refusal('a', {
        requestId: 'req-1',
        address: '2001:db8::1',
        details: { expiredAt: NOW, credential: 'Ünï\u0000 "🔑"', none: null },
      })
      await store.usage.addRefusals({ id: '1', at: NOW }, [refusal('a'), refusal('b'), full], 50)
      await other.usage.addRefusals({ id: '2', at: NOW }, [refusal('a', { at: 1 })], 50)
      assertEqual(await store.usage.listRefusals('a', 0), [refusal('a', { at: 1 }), full, refusal('a')])
      assertEqual(await other.usage.listRefusals('b', 0), [refusal('b')])
      assertEqual(await store.usage.listRefusals('unknown', 0), [])
    })

    it('are added once for a batch that is written again', async ({ store, other, save }) => {
      await save('a')
      const write = (each: typeof store) => each.usage.addRefusals({ id: 'same', at: NOW }, [refusal('a')], 50)
      await Promise.all([write(store), write(other)])
      await write(store)
      assert.equal((await listTimes(store, 'a')).length, 1)
    })

    it('are kept up to a number for each application', async ({ store, other, save }) => {
      for (const id of ['a', 'b']) await save(id)
      const add = (each: typeof store, id: string, at: number) =>
        each.usage.addRefusals({ id: `${id}${at}`, at: NOW }, [refusal(id, { at }), refusal(id, { at: at + 1 })], 3)
      await add(store, 'b', 100)
      for (const at of [1, 3, 5, 7]) await add(other, 'a', at)
      assertEqual(await listTimes(store, 'a'), [8, 7, 6])
      assertEqual(await listTimes(store, 'b'), [101, 100])
    })

    it('of concurrent batches are kept up to that number', async ({ store, save, callAtOnce }) => {
      for (const id of ['a', 'b', 'c']) await save(id)
      const refuseAll = (at: number): RefusalRecord[] => ['a', 'b', 'c'].map((id) => refusal(id, { at }))
      await callAtOnce(20, (one, i) => {
        const refusals = refuseAll(i + 1)
        return one.usage.addRefusals({ id: `${i}`, at: NOW }, i % 3 === 0 ? refusals : refusals.toReversed(), 5)
      })
      await store.usage.addRefusals({ id: 'last', at: NOW }, refuseAll(99), 5)
      for (const id of ['a', 'b', 'c']) {
        const times = await listTimes(store, id)
        assert.equal(times.length, 5)
        assert.equal(times[0], 99)
      }
    })

    it('are listed after a time', async ({ store, save }) => {
      await save('a')
      const refusals = [5, 6, 7].map((at) => refusal('a', { at }))
      await store.usage.addRefusals({ id: '1', at: NOW }, refusals, 50)
      assertEqual(await listTimes(store, 'a', 5), [7, 6])
      assertEqual(await listTimes(store, 'a', 7), [])
    })

    it('are deleted with their application, and added for no application that is deleted or not stored', async (context) => {
      const { store, save } = context
      for (const id of ['a', 'b']) await save(id)
      await store.usage.addRefusals({ id: '1', at: NOW }, [refusal('a'), refusal('b'), refusal('unknown')], 50)
      await save('a', { version: 2, status: 'deleted', name: '' })
      await store.usage.addRefusals({ id: '2', at: NOW }, [refusal('a')], 50)
      assertEqual(await listTimes(store, 'a'), [])
      assert.equal((await listTimes(store, 'b')).length, 1)
      await save('unknown')
      assertEqual(await listTimes(store, 'unknown'), [])
    })

    it('are deleted when they are too old', async ({ store, save }) => {
      await save('a')
      const refusals = [1, 2, 3, 4, 5].map((at) => refusal('a', { at }))
      await store.usage.addRefusals({ id: '1', at: NOW }, refusals, 50)
      const expired = { countsBefore: '', refusalsBefore: 4, reportedBefore: 0, batchesBefore: 0, limit: 2 }
      for (let calls = 0; calls < 10; calls++) await store.usage.deleteExpired(expired)
      assertEqual(await listTimes(store, 'a'), [5, 4])
    })

    it('are added neither to the audit nor to the change feed', async ({ store, save, withoutTraces }) => {
      await save('a')
      await withoutTraces(() => store.usage.addRefusals({ id: '1', at: NOW }, [refusal('a')], 50))
    })

    it('are not changed by writing to what was given or read', async ({ store, save }) => {
      await save('a')
      const given = [{ ...refusal('a', { details: { seconds: 1 } }) }]
      await store.usage.addRefusals({ id: '1', at: NOW }, given, 50)
      overwrite(given)
      overwrite(await store.usage.listRefusals('a', 0))
      assertEqual(await store.usage.listRefusals('a', 0), [refusal('a', { details: { seconds: 1 } })])
    })
  })
}

function refusal(applicationId: string, changes: Partial<RefusalRecord> = {}): RefusalRecord {
  return {
    applicationId,
    at: NOW,
    api: 'orders',
    error: 'invalid_token',
    reason: 'expired_token',
    requestId: undefined,
    address: undefined,
    details: {},
    ...changes,
  }
}
