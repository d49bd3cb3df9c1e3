import assert from 'node:assert/strict'
import type { AddOutcome, ApplicationRecord, NewApplication, StoreWith } from '../../../src/store.js'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** `imports.add()`. */
export function importsContract({ describe, it }: TestCollector): void {
  describe('imports.add()', () => {
    it('adds each with its audit record and a change in the feed', async (context) => {
      const { store, other, listAudit, recordTraces } = context
      const full = given('a', {
        contact: 'dev@shop.example',
        status: 'suspended',
        apis: { orders: { scopes: ['r'] } },
        externalId: 'x-1',
        metadata: { discount: 5 },
        keys: [credential('sha256:k', { apis: {} }), credential('k2', { name: 'second' })],
        secrets: [credential('bcrypt:$2b$04$s', { expiresAt: NOW + 1 })],
      })
      const traces = await recordTraces(async () => assertEqual(await add(store, full, given('b')), ['added', 'added']))
      assertEqual(traces, {
        audit: 2,
        changes: [
          { kind: 'application', id: 'a' },
          { kind: 'application', id: 'b' },
        ],
      })
      assertEqual(await other.findApplication('a'), full.record)
      assertEqual(await other.findApplicationByKey('unknown', 'sha256:k'), full.record)
      assertEqual(
        (await listAudit()).map(({ type, applicationId }) => [type, applicationId]),
        [
          ['application.imported', 'a'],
          ['application.imported', 'b'],
        ],
      )
    })

    it('resolves what keeps an application out, and adds the others', async ({ store, save, listIds }) => {
      const taken = { externalId: 'x', keys: [credential('k')], secrets: [credential('s')] }
      await add(store, given('a', taken), given('gone'))
      await save('gone', { version: 2, status: 'deleted' })
      const expected: readonly (readonly [NewApplication, AddOutcome])[] = [
        [given('a', { name: 'changed' }), 'exists'],
        [given('gone'), 'exists'],
        [given('b', { externalId: 'x' }), 'externalIdTaken'],
        [given('c', { keys: [credential('free'), credential('k')] }), 'credentialTaken'],
        [given('d', { secrets: [credential('k')] }), 'credentialTaken'],
        [given('e', { keys: [credential('s')] }), 'credentialTaken'],
        [given('f', {}, ['also free', 'k']), 'credentialTaken'],
        [given('g', { externalId: 'y', keys: [credential('free')] }, ['also free']), 'added'],
        [given('h', { externalId: 'y' }), 'externalIdTaken'],
        [given('i', { keys: [credential('free')] }), 'credentialTaken'],
      ]
      const outcomes = await add(store, ...expected.map(([each]) => each))
      assertEqual(
        outcomes,
        expected.map(([, outcome]) => outcome),
      )
      assertEqual(await listIds(), ['a', 'g'])
      assertEqual(await store.findApplication('a'), application('a', taken))
      assert.equal((await store.findApplication('gone'))?.status, 'deleted')
    })

    it('changes nothing without `write`, and resolves the same', async ({ store, listIds, withoutTraces }) => {
      await add(store, given('a', { externalId: 'x', keys: [credential('k')] }))
      const others = [given('b', { externalId: 'x' }), given('c', { keys: [credential('k')] }), given('d')]
      const added = await withoutTraces(() => store.imports.add([given('a'), ...others], { write: false }))
      assertEqual(added, ['exists', 'externalIdTaken', 'credentialTaken', 'added'])
      assertEqual(await listIds(), ['a'])
    })

    it('adds an application once if two processes do so at the same time', async ({ store, other, listAudit }) => {
      const both = [store, other].map((each) =>
        add(each, given('a', { keys: [credential('k')] })).catch(() => ['rejected']),
      )
      assert.ok((await Promise.all(both)).flat().includes('added'))
      assert.equal((await listAudit()).length, 1)
      assertEqual(await add(store, given('a', { keys: [credential('k')] })), ['exists'])
    })
  })
}

/** The result of `findApplicationByKey()` after imported keys have ended. */
export function endedKeysContract({ describe, it }: TestCollector): void {
  const imported = (hash: string): Partial<ApplicationRecord> => ({ keys: [credential(hash, { isImported: true })] })

  async function saveNext(store: StoreWith, id: string, changes: Partial<ApplicationRecord>): Promise<void> {
    const current = (await store.findApplication(id))!
    assert.ok(await store.saveApplication({ ...current, ...changes, version: current.version + 1 }, audit(id)))
  }

  async function find(store: StoreWith): Promise<string | undefined> {
    return (await store.findApplicationByKey('own', 'sha256:k', 'sha512:k'))?.id
  }

  describe('an imported key', () => {
    it('belongs to the application that was added first', async ({ store }) => {
      await add(store, given('a', imported('sha512:k')), given('b', imported('sha256:k')))
      assert.equal(await find(store), 'a')
    })

    for (const [how, change] of [
      ['was ended', { keys: [] }],
      ['ended with its deleted application', { status: 'deleted', keys: [] }],
      ['was replaced by another', { keys: [credential('other')] }],
    ] as const) {
      it(`that ${how} begins to work for no application that was there, and works for one that is added later`, async (context) => {
        const { store, other } = context
        await add(store, given('a', imported('sha256:k')), given('b', imported('sha512:k')))
        await saveNext(store, 'a', change)
        assert.equal(await find(other), undefined)
        await saveNext(store, 'b', { name: 'Renamed' })
        assert.equal(await find(other), undefined)
        await add(store, given('c', imported('sha256:k')))
        assert.equal(await find(other), 'c')
        await saveNext(store, 'c', { keys: [] })
        assert.equal(await find(other), undefined)
      })
    }

    it('that ended after its hash was replaced begins to work for no other', async ({ store, other }) => {
      await add(store, given('a', imported('sha256:k')), given('b', imported('sha512:k')))
      await store.imports.replaceHash({ former: 'sha256:k', hash: 'own', prefix: 'p', usedAt: NOW })
      assert.equal(await find(other), 'a')
      await saveNext(store, 'a', { keys: [] })
      assert.equal(await find(other), undefined)
    })

    it('goes on if another application ends it that was added later', async ({ store, other }) => {
      await add(store, given('a', imported('sha256:k')), given('b', imported('sha512:k')))
      await saveNext(store, 'b', { keys: [] })
      assert.equal(await find(other), 'a')
    })

    it('has not ended while its record is saved with another hash', async ({ store, other, save }) => {
      await add(store, given('a', imported('sha256:k')))
      const read = (await store.findApplication('a'))!
      await store.imports.replaceHash({ former: 'sha256:k', hash: 'own', prefix: 'p', usedAt: NOW })
      await save('a', { ...read, name: 'Renamed', version: 2 })
      assert.equal(await find(other), 'a')
    })

    it('of the platform itself leaves nothing behind when it ends', async ({ store }) => {
      await add(store, given('a', { keys: [credential('own')] }), given('b', imported('sha512:k')))
      await saveNext(store, 'a', { keys: [] })
      assert.equal(await find(store), 'b')
    })
  })
}

/** `imports.replaceHash()` and `imports.countHashes()`. */
export function hashReplacementContract({ describe, it }: TestCollector): void {
  describe('imports.replaceHash()', () => {
    const replacement = { former: 'sha256:k', hash: 'own', prefix: 'abcd', usedAt: NOW + 5 }

    it('replaces hash and prefix, keeps the rest, and adds a change to the feed', async (context) => {
      const { store, other, recordTraces } = context
      const kept = credential('other')
      const key = credential('sha256:k', { name: 'n', apis: {}, expiresAt: NOW + 9, lastUsedAt: NOW })
      await add(store, given('a', { keys: [kept, key], secrets: [credential('s')] }))
      const traces = await recordTraces(async () => assert.equal(await store.imports.replaceHash(replacement), true))
      assertEqual(traces, { audit: 0, changes: [{ kind: 'application', id: 'a' }] })
      const keys = [kept, { ...key, hash: 'own', prefix: 'abcd', lastUsedAt: NOW + 5 }]
      assertEqual(
        await other.findApplication('a'),
        application('a', { keys, secrets: [credential('s')], lastUsedAt: NOW + 5 }),
      )
      assert.equal((await other.findApplicationByKey('own'))?.id, 'a')
      assert.equal(await other.findApplicationByKey('sha256:k'), undefined)
    })

    it('keeps a later use', async ({ store }) => {
      await add(store, given('a', { secrets: [credential('sha256:k', { lastUsedAt: NOW + 7 })] }))
      assert.equal(await store.imports.replaceHash(replacement), true)
      const [secret] = (await store.findApplication('a'))?.secrets ?? []
      assertEqual([secret?.hash, secret?.lastUsedAt], ['own', NOW + 7])
    })

    it('resolves false if the hash is gone or the new one is taken', async ({ store, other, withoutTraces }) => {
      assert.equal(await store.imports.replaceHash(replacement), false)
      await add(store, given('a', { keys: [credential('sha256:k')] }), given('b', { secrets: [credential('own')] }))
      assert.equal(await withoutTraces(() => other.imports.replaceHash(replacement)), false)
      assertEqual(await store.findApplication('a'), application('a', { keys: [credential('sha256:k')] }))
    })
  })

  it('countImportedHashes() counts imported hashes by format, if the store has it', async ({ store }) => {
    if (!store.imports.countHashes) return
    assertEqual(await store.imports.countHashes(), {})
    const keys = ['sha256:a', 'sha256:b', 'sha512:a', 'hmac-sha256:a', 'own', 'sha25'].map((hash) => credential(hash))
    await add(store, given('a', { keys, secrets: [credential('bcrypt:$2b$'), credential('argon2id:$argon2id$')] }))
    const counts = { argon2id: 1, bcrypt: 1, 'hmac-sha256': 1, sha256: 2, sha512: 1 }
    assertEqual(await store.imports.countHashes(), counts)
  })
}

function given(
  id: string,
  changes: Partial<ApplicationRecord> = {},
  otherHashes: readonly string[] = [],
): NewApplication {
  return { record: application(id, changes), audit: audit(id, { type: 'application.imported' }), otherHashes }
}

function add(store: StoreWith, ...applications: readonly NewApplication[]): Promise<readonly AddOutcome[]> {
  return store.imports.add(applications, { write: true })
}
