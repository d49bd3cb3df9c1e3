import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { storeTests, type StoreTest } from '../../stores/suite/index.js'

/** The tests of a memory store of which some members are replaced. */
function listTests(replace: (store: StoreWith) => Partial<StoreWith> = () => ({})): readonly StoreTest[] {
  return storeTests(async () => {
    const complete = memoryStore()
    const store = { ...complete, ...replace(complete) }
    await store.open()
    return { store, again: async () => store, close: () => store.close() }
  })
}

async function listFailures(tests: readonly StoreTest[]): Promise<string[]> {
  const results = await Promise.allSettled(tests.map(({ run }) => run()))
  return tests.flatMap(({ name }, i) => (results[i]?.status === 'rejected' ? [name] : []))
}

describe('storeTests()', () => {
  it('have a name each, and pass together with a store that fulfils the contract', async () => {
    const tests = listTests()
    expect(tests.length).toBeGreaterThan(100)
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length)
    expect(await listFailures(tests)).toEqual([])
  })

  it.each([[[]], [['emails']], [['usage']], [['signIns']], [['imports']]] as const)(
    'pass for a store that has only these parts: %j',
    async (parts) => {
      const tests = storeTests(
        async () => {
          const { emails, usage, signIns, imports, ...core } = memoryStore()
          const all = { emails, usage, signIns, imports }
          const given = Object.fromEntries(parts.map((part) => [part, all[part]]))
          const store: Store = { ...core, ...given }
          return { store, again: async () => store, close: async () => undefined }
        },
        { parts },
      )
      expect(tests.length).toBeGreaterThan(50)
      expect(await listFailures(tests)).toEqual([])
    },
  )

  it.each<[string, (store: StoreWith) => Partial<StoreWith>, string]>([
    [
      'accepts every version',
      (store) => ({
        async saveApplication(record, audit, ...emails) {
          const stored = await store.findApplication(record.id)
          return store.saveApplication({ ...record, version: (stored?.version ?? 0) + 1 }, audit, ...emails)
        },
      }),
      'application of version 3 is not replaced by version 3',
    ],
    [
      'has no audit log',
      () => ({ listAudit: async () => [] }),
      'application is saved with one audit record and one change in the feed',
    ],
    [
      'forgets changes',
      (store) => ({ changesSince: async () => ({ ...(await store.changesSince(undefined)), changes: [] }) }),
      'change feed lists what was committed after any cursor, once and in order',
    ],
    [
      'gives a lease twice',
      (store) => ({ emails: { ...store.emails, lease: (now) => store.emails.lease(now, now) } }),
      'lease of an e-mail blocks other leases until it ends',
    ],
    ['knows no revoked access tokens', () => ({ isAccessTokenRevoked: async () => false }), 'revoked access tokens'],
    ['replaces the pepper', () => ({ establishSecret: async (_name, sealed) => sealed }), 'secret'],
  ])('fail for a store that %s', async (_, replace, name) => {
    const concerned = listTests(replace).filter((test) => test.name.includes(name))
    expect(concerned).not.toEqual([])
    expect((await listFailures(concerned)).join('\n')).toContain(name)
  })

  it('reject with an AssertionError, or with the error of the store, and close the store', async () => {
    let closed = 0
    const [test] = storeTests(async () => {
      const store: StoreWith = { ...memoryStore(), saveApplication: async () => false }
      return { store, again: async () => store, close: async () => void (closed += 1) }
    })
    await expect(test!.run()).rejects.toBeInstanceOf(AssertionError)
    expect(closed).toBe(1)
    const [failing] = storeTests(() => Promise.reject(new Error('no database')))
    await expect(failing!.run()).rejects.toThrow('no database')
  })

  it('refuse a part that there is not, and name those that the store lacks', async () => {
    const open = async () => {
      const { usage: _, ...store } = memoryStore()
      return { store, again: async () => store, close: async () => undefined }
    }
    expect(() => storeTests(open, { parts: ['email' as 'emails'] })).toThrow(/^storeTests\(\) knows .* emails, usage, /)
    await expect(storeTests(open)[0]!.run()).rejects.toThrow(/lacks parts .* Give storeTests\(open, \{ parts \}\)/)
  })

  it('are run one after the other', async () => {
    let open = 0
    let most = 0
    const tests = storeTests(async () => {
      most = Math.max(most, ++open)
      const store = memoryStore()
      return { store, again: async () => store, close: async () => void (open -= 1) }
    })
    await Promise.all(tests.slice(0, 20).map(({ run }) => run()))
    expect({ open, most }).toEqual({ open: 0, most: 1 })
  })
})
