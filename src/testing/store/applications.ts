import assert from 'node:assert/strict'
import type { ApplicationRecord } from '../../store.js'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, createReaders, MALFORMED_CURSORS, NO_TRACES, overwrite } from './suite.js'
import type { OpenedStores, TestCollector } from './suite.js'

/** `findApplication()` and `findApplicationByKey()`. */
export function applicationsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listApplications } = createReaders(opened)

  describe('application', () => {
    const full = application('full', {
      name: `Ünïcode "quotes" 'n' \\ \n 🔑 %_; DROP TABLE platform_auth_meta; --`,
      contact: 'owner@example.com',
      otherContacts: ['Second@Example.com', 'first@example.com'],
      invitations: [
        { address: 'Third@example.com', hashes: ['h2', 'h1'], createdAt: NOW + 5, expiresAt: NOW + 6, by: 'Ünï 🔑' },
        { address: 'a@example.com', hashes: [], createdAt: NOW + 7, expiresAt: NOW + 8, by: undefined },
      ],
      language: 'fr',
      accessRequests: [
        { api: 'zebra', scopes: ['z:2', 'z:1'], requestedAt: NOW + 9, by: 'contact:a@example.com' },
        { api: 'apple', scopes: [], requestedAt: NOW + 10, by: undefined },
      ],
      decided: [
        {
          api: 'zebra',
          requested: { zebra: { scopes: ['z:2'] } },
          requestedAt: NOW + 11,
          requestedBy: 'Ünï "🔑"',
          outcome: 'rejected',
          at: NOW + 12,
          by: 'operator:a@example.com',
          reason: 'Ünï "🔑" \n',
        },
        { requested: {}, requestedAt: NOW, address: '::1', outcome: 'approved', at: NOW + 1 },
      ],
      withheld: {
        apis: { zebra: { scopes: ['z:3'] }, 'Ünï "1"': { scopes: [] } },
        ends: [{ kind: 'key', credentialId: 'cred_1', at: 1_800_000_000_000 }],
      },
      isUnconfirmed: true,
      status: 'suspended',
      apis: { zebra: { scopes: ['z:2', 'z:1'] }, apple: { scopes: [] }, mango: { scopes: ['m'] } },
      metadata: { 'Ünï 🔑 \u0000': [null, true, 1.5e300, { '': '\ud800"' }], 2: {}, 1: -0.1 },
      externalId: `Ünïcode "quotes" 'n' \\ 🔑 %_; --`,
      rateLimits: { zebra: { limit: 5, window: 60, until: NOW + 13 }, 'Ünï "1"': { limit: 1, window: 1 } },
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      plan: `Ünï "gold" 🔑`,
      acceptedTerms: { url: 'https://example.com/terms?v="1"', version: '2026-11 🔑', at: NOW + 14 },
      keys: [
        credential('k2', { lastUsedAt: NOW + 1, name: 'Wärehouse "1"', remindedDays: 0 }),
        credential('k1', { expiresAt: NOW + 2, apis: { zebra: { scopes: ['z:1'] }, apple: { scopes: [] } } }),
        credential('sha256:k0', { id: 'cred_0', remindedDays: 30, apis: {}, networks: ['192.0.2.1/32'] }),
      ],
      secrets: [credential('s2', { prefix: 'epa_sec_wxyz' }), credential('s1', { expiresAt: 1, lastUsedAt: 0 })],
      endsAt: NOW + 11,
      createdAt: NOW + 3,
      tokensRevokedAt: NOW + 4,
    })

    it('is read as it was saved', async () => {
      const { store, other } = opened()
      for (const record of [full, application('empty', { name: '' })]) {
        assert.equal(await store.saveApplication(record, audit(record.id)), true)
        assertEqual(await store.findApplication(record.id), record)
        assertEqual(await other.findApplication(record.id), record)
      }
      const read = await other.findApplication('full')
      assertEqual(Object.keys(read?.apis ?? {}), ['zebra', 'apple', 'mango'])
      assertEqual(Object.keys(read?.keys[1]?.apis ?? {}), ['zebra', 'apple'])
      assertEqual(await listApplications(), [full, application('empty', { name: '' })])
    })

    it('is read as it was saved after every member has changed', async () => {
      const { store } = opened()
      await store.saveApplication(full, audit('full'))
      const next = application('full', { version: 2, apis: { kiwi: { scopes: ['k'] } }, keys: [credential('k3')] })
      assert.equal(await store.saveApplication(next, audit('full')), true)
      assertEqual(await store.findApplication('full'), next)
      assert.equal(await store.saveApplication({ ...full, version: 3 }, audit('full')), true)
      assertEqual(await store.findApplication('full'), { ...full, version: 3 })
    })

    it('that does not exist is undefined', async () => {
      const { store } = opened()
      await store.saveApplication(full, audit('full'))
      assert.equal(await store.findApplication('FULL'), undefined)
      for (const id of MALFORMED_CURSORS) assert.equal(await store.findApplication(id), undefined)
      assert.equal(await store.findApplicationByKey('full'), undefined)
    })

    it('is found by each of its keys, expired or not, and not by a secret', async () => {
      const { store } = opened()
      await store.saveApplication(application('another', { keys: [credential('k0')] }), audit('another'))
      await store.saveApplication(full, audit('full'))
      assertEqual(await store.findApplicationByKey('k1'), full)
      assertEqual(await store.findApplicationByKey('k2'), full)
      assert.equal(await store.findApplicationByKey('s1'), undefined)
      assert.equal(await store.findApplicationByKey('s2'), undefined)
    })

    it('is no longer found by a removed key, and is found by a new one', async () => {
      const { store } = opened()
      await store.saveApplication(application('a', { keys: [credential('k1')] }), audit('a'))
      await store.saveApplication(application('a', { version: 2, keys: [credential('k2')] }), audit('a'))
      assert.equal(await store.findApplicationByKey('k1'), undefined)
      assert.equal((await store.findApplicationByKey('k2'))?.version, 2)
      await store.saveApplication(application('a', { version: 3, secrets: [credential('k2')] }), audit('a'))
      assert.equal(await store.findApplicationByKey('k2'), undefined)
    })

    it('can take a key that another application no longer has', async () => {
      const { store } = opened()
      await store.saveApplication(application('a', { keys: [credential('k')] }), audit('a'))
      await store.saveApplication(application('a', { version: 2, status: 'deleted' }), audit('a'))
      assert.equal(await store.saveApplication(application('b', { keys: [credential('k')] }), audit('b')), true)
      assert.equal((await store.findApplicationByKey('k'))?.id, 'b')
    })
  })
}

/** `saveApplication()` and versions. */
export function applicationVersionsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listAudit, recordTraces } = createReaders(opened)

  describe('application', () => {
    it('is saved with one audit record and one change in the feed', async () => {
      const { store } = opened()
      const save = (version: number): Promise<unknown> =>
        store.saveApplication(application('a', { version }), audit('a'))
      const traces = { audit: 1, changes: [{ kind: 'application', id: 'a' }] }
      assertEqual(await recordTraces(() => save(1)), traces)
      assertEqual(await recordTraces(() => save(2)), traces)
    })

    it('is saved without an audit record if none is given', async () => {
      const { store } = opened()
      const save = (version: number) => () => store.saveApplication(application('a', { version }), undefined)
      const traces = { audit: 0, changes: [{ kind: 'application', id: 'a' }] }
      assertEqual(await recordTraces(save(1)), traces)
      assertEqual(await recordTraces(save(2)), traces)
      assert.equal((await store.findApplication('a'))?.version, 2)
    })

    for (const version of [1, 2, 3, 5, 0, -1]) {
      it(`of version 3 is not replaced by version ${version}`, async () => {
        const { store, other } = opened()
        for (const next of [1, 2, 3]) {
          assert.equal(await store.saveApplication(application('a', { version: next }), audit('a')), true)
        }
        const stale = application('a', { version, name: 'stale', keys: [credential('stale')] })
        const traces = await recordTraces(async () =>
          assert.equal(await other.saveApplication(stale, audit('a')), false),
        )
        assertEqual(traces, NO_TRACES)
        assertEqual(await store.findApplication('a'), application('a', { version: 3 }))
        assert.equal(await store.findApplicationByKey('stale'), undefined)
      })
    }

    it('starts with version 1', async () => {
      const { store } = opened()
      for (const version of [0, 2, 7]) {
        assert.equal(await store.saveApplication(application('a', { version }), audit('a')), false)
      }
      assert.equal(await store.findApplication('a'), undefined)
      assertEqual(await listAudit(), [])
    })

    it('has each version saved by exactly one of 20 concurrent callers', async () => {
      const { store, other } = opened()
      for (const version of [1, 2, 3, 4, 5]) {
        const savers = Array.from({ length: 20 }, (_, i) => {
          const record = application('a', { version, name: `saver ${i}`, keys: [credential(`k${i}`)] })
          return (i % 2 ? store : other).saveApplication(record, audit('a', { details: { saver: i } }))
        })
        const winner = (await Promise.all(savers)).flatMap((saved, i) => (saved ? [i] : []))
        assert.equal(winner.length, 1)
        const saved = await store.findApplication('a')
        assertEqual(
          { version: saved?.version, name: saved?.name, keys: saved?.keys.map(({ hash }) => hash) },
          { version, name: `saver ${winner[0]}`, keys: [`k${winner[0]}`] },
        )
        assertEqual((await listAudit()).at(-1)?.details, { saver: winner[0] })
      }
      assert.equal((await listAudit()).length, 5)
    })
  })
}

/** `saveApplication()` with what it must reject, and objects that were saved or read. */
export function applicationErrorsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listApplications, listIds, recordTraces } = createReaders(opened)

  describe('application', () => {
    const taken = { keys: [credential('taken key')], secrets: [credential('taken secret')] }
    const cases: readonly (readonly [string, Partial<ApplicationRecord>, Record<string, unknown>])[] = [
      ['a key of another application', { keys: [credential('free'), credential('taken key')] }, {}],
      ['a secret of another application', { secrets: [credential('free'), credential('taken secret')] }, {}],
      ["a key that is another application's secret", { keys: [credential('free'), credential('taken secret')] }, {}],
      ['the same credential twice', { keys: [credential('free')], secrets: [credential('free')] }, {}],
      ['audit details that JSON cannot express', { keys: [credential('free')] }, { big: 1n }],
    ]
    for (const [what, changes, details] of cases) {
      it(`with ${what} is an error that changes nothing`, async () => {
        const { store } = opened()
        await store.saveApplication(application('owner', taken), audit('owner'))
        await store.saveApplication(application('b', { keys: [credential('b')] }), audit('b'))
        for (const [id, version] of [
          ['b', 2],
          ['new', 1],
        ] as const) {
          const bad = application(id, { version, name: 'bad', apis: { orders: { scopes: [] } }, ...changes })
          const save = (): Promise<boolean> => store.saveApplication(bad, audit(id, { details }))
          assertEqual(await recordTraces(() => assert.rejects(save())), NO_TRACES)
        }
        assertEqual(await listApplications(), [
          application('owner', taken),
          application('b', { keys: [credential('b')] }),
        ])
        assert.equal((await store.findApplicationByKey('taken key'))?.id, 'owner')
        assert.equal((await store.findApplicationByKey('b'))?.id, 'b')
        assert.equal(await store.findApplicationByKey('free'), undefined)
        assertEqual(await listIds({ api: 'orders' }), [])
        assert.equal(await store.saveApplication(application('b', { version: 2 }), audit('b')), true)
      })
    }

    it('is not changed by writing to the object that was saved or read', async () => {
      const { store } = opened()
      const keys = [credential('k', { apis: { orders: { scopes: ['read'] } } })]
      const metadata = { plan: ['gold', { discount: 1 }] }
      const given = application('a', { apis: { orders: { scopes: ['read'] } }, keys, metadata })
      const expected = structuredClone(given)
      await store.saveApplication(given, audit('a'))
      overwrite(given)
      assert.equal(given.name, 'overwritten')
      assertEqual(await store.findApplication('a'), expected)
      for (const read of [
        () => store.findApplication('a'),
        () => store.findApplicationByKey('k'),
        async () => (await listApplications())[0],
      ]) {
        overwrite(await read())
        assertEqual(await read(), expected)
      }
    })
  })
}
