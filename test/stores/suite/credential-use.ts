import assert from 'node:assert/strict'
import type { StoreWith } from '../../../src/store.js'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** When credentials were last used. */
export function credentialUseContract({ describe, it }: TestCollector): void {
  describe('credential use', () => {
    const readLastUses = async (other: StoreWith, id = 'a'): Promise<Record<string, number | undefined>> => {
      const record = await other.findApplication(id)
      const credentials = [...(record?.keys ?? []), ...(record?.secrets ?? [])]
      return Object.fromEntries(credentials.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
    }

    it('is stored if it is later than the stored time, and is not added to the feed', async (context) => {
      const { store, other, save, withoutTraces } = context
      const secrets = [credential('s', { lastUsedAt: NOW + 5 })]
      await save('a', { keys: [credential('k2'), credential('k1', { lastUsedAt: 0 })], secrets })
      await save('b', { keys: [credential('kb')] })
      const note = (): Promise<void> =>
        store.noteCredentialUse([
          { hash: 'k1', at: NOW + 1 },
          { hash: 'kb', at: 0 },
          { hash: 'unknown', at: NOW },
          { hash: 's', at: NOW + 4 },
        ])
      await withoutTraces(note)
      assertEqual(await readLastUses(other), { k2: undefined, k1: NOW + 1, s: NOW + 5 })
      assertEqual(await readLastUses(other, 'b'), { kb: 0 })
      assert.equal((await store.findApplicationByKey('k1'))?.version, 1)
      await store.noteCredentialUse([])
    })

    it('is stored only if it is later by more than the minimum age', async ({ store, other, save }) => {
      const keys = [
        credential('k'),
        credential('old', { lastUsedAt: NOW }),
        credential('recent', { lastUsedAt: NOW + 1 }),
      ]
      await save('a', { keys })
      const uses = ['k', 'old', 'recent'].map((hash) => ({ hash, at: NOW + 101 }))
      await store.noteCredentialUse(uses, 100)
      assertEqual(await readLastUses(other), { k: NOW + 101, old: NOW + 101, recent: NOW + 1 })
    })

    it('keeps the latest of many times, from concurrent calls or one call', async (context) => {
      const { store, other, save, callAtOnce } = context
      await save('a', { keys: [credential('k')] })
      await callAtOnce(20, (one, i) => one.noteCredentialUse([{ hash: 'k', at: NOW + ((i * 7) % 20) }]))
      assertEqual(await readLastUses(other), { k: NOW + 19 })
      await store.noteCredentialUse([30, 50, 40].map((later) => ({ hash: 'k', at: NOW + later })))
      assertEqual(await readLastUses(other), { k: NOW + 50 })
    })

    it('is kept when the application is saved from an older read', async ({ store, other, save }) => {
      const secrets = [credential('s')]
      await save('a', { keys: [credential('k', { lastUsedAt: NOW })], secrets })
      const read = await store.findApplication('a')
      const uses = [
        { hash: 'k', at: NOW + 1 },
        { hash: 's', at: NOW + 2 },
      ]
      await other.noteCredentialUse(uses)
      await save('a', { ...read!, name: 'new', version: 2 })
      assertEqual(await store.findApplicationByKey('k'), {
        ...read,
        name: 'new',
        keys: [credential('k', { lastUsedAt: NOW + 1 })],
        secrets: [credential('s', { lastUsedAt: NOW + 2 })],
        lastUsedAt: NOW + 2,
        version: 2,
      })
      await save('a', { version: 3, keys: [credential('k', { lastUsedAt: NOW + 9 })], secrets })
      assertEqual(await readLastUses(other), { k: NOW + 9, s: NOW + 2 })
    })

    it('is deleted with the credential, and is not restored with it', async ({ store, other, save }) => {
      await save('a', { keys: [credential('k', { lastUsedAt: NOW })] })
      await save('a', { version: 2 })
      await store.noteCredentialUse([{ hash: 'k', at: NOW + 1 }])
      await save('a', { version: 3, keys: [credential('k')] })
      assertEqual(await readLastUses(other), { k: undefined })
    })

    it('is stored while applications are saved', async ({ other, save, callAtOnce }) => {
      const hashes = Array.from({ length: 6 }, (_, i) => `h${i}`)
      const keys = hashes.map((hash) => credential(hash))
      await save('a', { keys })
      const noting = callAtOnce(10, (one, i) =>
        one.noteCredentialUse((i % 3 ? hashes : hashes.toReversed()).map((hash) => ({ hash, at: NOW + i }))),
      )
      for (let version = 2; version <= 10; version++) {
        const record = application('a', { version, keys: version % 2 ? keys : keys.toReversed() })
        assert.equal(await other.saveApplication(record, audit('a')), true)
      }
      await noting
      assertEqual(await readLastUses(other), Object.fromEntries(hashes.map((hash) => [hash, NOW + 9])))
    })
  })
}
