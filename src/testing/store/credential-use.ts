import assert from 'node:assert/strict'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, createReaders, NO_TRACES, type OpenedStores, type TestCollector } from './suite.js'

/** When credentials were last used. */
export function credentialUseContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('credential use', () => {
    const readLastUses = async (id = 'a'): Promise<Record<string, number | undefined>> => {
      const record = await opened().other.findApplication(id)
      const credentials = [...(record?.keys ?? []), ...(record?.secrets ?? [])]
      return Object.fromEntries(credentials.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
    }

    it('is stored if it is later than the stored time, and is not added to the feed', async () => {
      const { store } = opened()
      const secrets = [credential('s', { lastUsedAt: NOW + 5 })]
      const record = application('a', { keys: [credential('k2'), credential('k1', { lastUsedAt: 0 })], secrets })
      await store.saveApplication(record, audit('a'))
      await store.saveApplication(application('b', { keys: [credential('kb')] }), audit('b'))
      const note = (): Promise<void> =>
        store.noteCredentialUse([
          { hash: 'k1', at: NOW + 1 },
          { hash: 'kb', at: 0 },
          { hash: 'unknown', at: NOW },
          { hash: 's', at: NOW + 4 },
        ])
      assertEqual(await recordTraces(note), NO_TRACES)
      assertEqual(await readLastUses(), { k2: undefined, k1: NOW + 1, s: NOW + 5 })
      assertEqual(await readLastUses('b'), { kb: 0 })
      assert.equal((await store.findApplicationByKey('k1'))?.version, 1)
      await store.noteCredentialUse([])
    })

    it('is stored only if it is later by more than the minimum age', async () => {
      const { store } = opened()
      const keys = [
        credential('k'),
        credential('old', { lastUsedAt: NOW }),
        credential('recent', { lastUsedAt: NOW + 1 }),
      ]
      await store.saveApplication(application('a', { keys }), audit('a'))
      const uses = ['k', 'old', 'recent'].map((hash) => ({ hash, at: NOW + 101 }))
      await store.noteCredentialUse(uses, 100)
      assertEqual(await readLastUses(), { k: NOW + 101, old: NOW + 101, recent: NOW + 1 })
    })

    it('keeps the latest of many times, from concurrent calls or one call', async () => {
      const { store, other } = opened()
      await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const at = NOW + ((i * 7) % 20)
          return (i % 2 ? store : other).noteCredentialUse([{ hash: 'k', at }])
        }),
      )
      assertEqual(await readLastUses(), { k: NOW + 19 })
      await store.noteCredentialUse([30, 50, 40].map((later) => ({ hash: 'k', at: NOW + later })))
      assertEqual(await readLastUses(), { k: NOW + 50 })
    })

    it('is kept when the application is saved from an older read', async () => {
      const { store, other } = opened()
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
      assert.equal(await store.saveApplication({ ...read!, name: 'new', version: 2 }, audit('a')), true)
      assertEqual(await store.findApplicationByKey('k'), {
        ...read,
        name: 'new',
        keys: [credential('k', { lastUsedAt: NOW + 1 })],
        secrets: [credential('s', { lastUsedAt: NOW + 2 })],
        version: 2,
      })
      const later = application('a', { version: 3, keys: [credential('k', { lastUsedAt: NOW + 9 })], secrets })
      await store.saveApplication(later, audit('a'))
      assertEqual(await readLastUses(), { k: NOW + 9, s: NOW + 2 })
    })

    it('is deleted with the credential, and is not restored with it', async () => {
      const { store } = opened()
      await store.saveApplication(application('a', { keys: [credential('k', { lastUsedAt: NOW })] }), audit('a'))
      await store.saveApplication(application('a', { version: 2 }), audit('a'))
      await store.noteCredentialUse([{ hash: 'k', at: NOW + 1 }])
      await store.saveApplication(application('a', { version: 3, keys: [credential('k')] }), audit('a'))
      assertEqual(await readLastUses(), { k: undefined })
    })

    it('is stored while applications are saved', async () => {
      const { store, other } = opened()
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
        assert.equal(await other.saveApplication(record, audit('a')), true)
      }
      await Promise.all(noting)
      assertEqual(await readLastUses(), Object.fromEntries(hashes.map((hash) => [hash, NOW + 9])))
    })
  })
}
