import assert from 'node:assert/strict'
import type { RunningProcess } from '../../../src/store.js'
import { assertEqual, overwrite, type TestCollector } from './suite.js'

const LIFETIME_MS = 60_000
const CHANGE = { kind: 'processes' } as const

/** The processes that run on a store. */
export function processesContract({ describe, it }: TestCollector): void {
  describe('processes.announce()', () => {
    it('stores what runs and its settings; the change feed has what begins to run or has other settings, and no more', async (context) => {
      const { store, other, recordTraces, withoutTraces } = context
      const [first, second] = [process('a'), process('b', { 'plans.q': '"40" in a month é\n' })]
      for (const each of [second, first]) {
        assertEqual(await recordTraces(() => store.processes.announce(each, LIFETIME_MS)), {
          audit: 0,
          changes: [CHANGE],
        })
        await withoutTraces(() => other.processes.announce(each, LIFETIME_MS))
      }
      assertEqual(await other.processes.list(LIFETIME_MS), [first, second])
      const changed = process('a', { baseUrl: 'https://b.example' })
      assertEqual((await recordTraces(() => store.processes.announce(changed, LIFETIME_MS))).changes, [CHANGE])
      assertEqual(await other.processes.list(LIFETIME_MS), [changed, second])
    })

    it('forgets what was not announced for its lifetime, and tells when it is announced again', async ({
      store,
      other,
      recordTraces,
    }) => {
      await store.processes.announce(process('a'), LIFETIME_MS)
      assertEqual(await other.processes.list(0), [])
      assertEqual(await other.processes.list(LIFETIME_MS), [process('a')])
      assertEqual((await recordTraces(() => store.processes.announce(process('a'), 0))).changes, [CHANGE])
    })

    it('takes announcements that come at the same time, and what it was given or has resolved can be written to', async (context) => {
      const { store, other, callAtOnce } = context
      await callAtOnce(20, (one, at) => {
        const given = structuredClone(process(`p${at % 10}`))
        const announced = one.processes.announce(given, LIFETIME_MS)
        overwrite(given.settings)
        return announced
      })
      overwrite(await store.processes.list(LIFETIME_MS))
      const ids = (await other.processes.list(LIFETIME_MS)).map(({ id }) => id)
      assertEqual(
        ids,
        Array.from({ length: 10 }, (_, at) => `p${at}`),
      )
    })
  })

  it('processes.remove() removes one, and the change feed has it once', async ({ store, other, recordTraces }) => {
    for (const id of ['a', 'b']) await store.processes.announce(process(id), LIFETIME_MS)
    assertEqual(await recordTraces(() => other.processes.remove('a')), { audit: 0, changes: [CHANGE] })
    assertEqual(await store.processes.list(LIFETIME_MS), [process('b')])
    assert.deepEqual((await recordTraces(() => store.processes.remove('a'))).changes, [])
  })
}

function process(id: string, settings: RunningProcess['settings'] = { baseUrl: 'https://a.example' }): RunningProcess {
  return { id, settings }
}
