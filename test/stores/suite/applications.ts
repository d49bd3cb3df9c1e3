import assert from 'node:assert/strict'
import type { ApplicationRecord } from '../../../src/store.js'
import { application, audit, credential, NOW } from './records.js'
import { assertEqual, MALFORMED_CURSORS, overwrite, type TestCollector } from './suite.js'

const WITHHELD = {
  apis: { zebra: { scopes: ['z:3'] }, 'Ünï "1"': { scopes: [] } },
  credentials: [
    { kind: 'key', credentialId: 'cred_1', apis: { 'Ünï "1"': { scopes: ['z'] } }, networks: ['::1/128'], endsAt: NOW },
    { kind: 'secret', credentialId: 'cred_2' },
  ],
  networks: ['203.0.113.0/24'],
} as const

/** `findApplication()` and `findApplicationByKey()`. */
export function applicationsContract({ describe, it }: TestCollector): void {
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
      withheld: WITHHELD,
      isUnconfirmed: true,
      isHeld: true,
      uncounted: 3,
      status: 'suspended',
      apis: { zebra: { scopes: ['z:2', 'z:1'] }, apple: { scopes: [] }, mango: { scopes: ['m'] } },
      metadata: { 'Ünï 🔑 \u0000': [null, true, 1.5e300, { '': '\ud800"' }], 2: {}, 1: -0.1 },
      externalId: `Ünïcode "quotes" 'n' \\ 🔑 %_; --`,
      rateLimits: { zebra: { limit: 5, window: 60, until: NOW + 13 }, 'Ünï "1"': { limit: 1, window: 1 } },
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      plan: `Ünï "gold" 🔑`,
      resourceServer: ['zebra', 'Ünï "1"'],
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

    it('is read as it was saved', async ({ store, other, save, listApplications }) => {
      for (const record of [full, application('empty', { name: '' })]) {
        await save(record.id, record)
        assertEqual(await store.findApplication(record.id), record)
        assertEqual(await other.findApplication(record.id), record)
      }
      const read = await other.findApplication('full')
      assertEqual(Object.keys(read?.apis ?? {}), ['zebra', 'apple', 'mango'])
      assertEqual(Object.keys(read?.keys[1]?.apis ?? {}), ['zebra', 'apple'])
      assertEqual(await listApplications(), [full, application('empty', { name: '' })])
    })

    it('is read as it was saved after every member has changed', async ({ store, save }) => {
      await save('full', full)
      const next = application('full', { version: 2, apis: { kiwi: { scopes: ['k'] } }, keys: [credential('k3')] })
      await save('full', next)
      assertEqual(await store.findApplication('full'), next)
      await save('full', { ...full, version: 3 })
      assertEqual(await store.findApplication('full'), { ...full, version: 3 })
    })

    it('that does not exist is undefined', async ({ store, save }) => {
      await save('full', full)
      assert.equal(await store.findApplication('FULL'), undefined)
      for (const id of MALFORMED_CURSORS) assert.equal(await store.findApplication(id), undefined)
      assert.equal(await store.findApplicationByKey('full'), undefined)
    })

    it('is found by each of its keys, expired or not, and not by a secret', async ({ store, save }) => {
      await save('another', { keys: [credential('k0')] })
      await save('full', full)
      assertEqual(await store.findApplicationByKey('k1'), full)
      assertEqual(await store.findApplicationByKey('k2'), full)
      assert.equal(await store.findApplicationByKey('s1'), undefined)
      assert.equal(await store.findApplicationByKey('s2'), undefined)
    })

    it('is no longer found by a removed key, and is found by a new one', async ({ store, save }) => {
      await save('a', { keys: [credential('k1')] })
      await save('a', { version: 2, keys: [credential('k2')] })
      assert.equal(await store.findApplicationByKey('k1'), undefined)
      assert.equal((await store.findApplicationByKey('k2'))?.version, 2)
      await save('a', { version: 3, secrets: [credential('k2')] })
      assert.equal(await store.findApplicationByKey('k2'), undefined)
    })

    it('can take a key that another application no longer has', async ({ store, save }) => {
      await save('a', { keys: [credential('k')] })
      await save('a', { version: 2, status: 'deleted' })
      await save('b', { keys: [credential('k')] })
      assert.equal((await store.findApplicationByKey('k'))?.id, 'b')
    })
  })
}

/** `saveApplication()` and versions. */
export function applicationVersionsContract({ describe, it }: TestCollector): void {
  describe('application', () => {
    it('is saved with one audit record and one change in the feed', async ({ save, recordTraces }) => {
      const traces = { audit: 1, changes: [{ kind: 'application', id: 'a' }] }
      for (const version of [1, 2]) assertEqual(await recordTraces(() => save('a', { version })), traces)
    })

    it('is saved without an audit record if none is given', async ({ store, recordTraces }) => {
      const save = (version: number) => store.saveApplication(application('a', { version }), undefined)
      const traces = { audit: 0, changes: [{ kind: 'application', id: 'a' }] }
      for (const version of [1, 2]) assertEqual(await recordTraces(() => save(version)), traces)
      assert.equal((await store.findApplication('a'))?.version, 2)
    })

    for (const version of [1, 2, 3, 5, 0, -1]) {
      it(`of version 3 is not replaced by version ${version}`, async ({ store, other, save, withoutTraces }) => {
        for (const next of [1, 2, 3]) await save('a', { version: next })
        const stale = application('a', { version, name: 'stale', keys: [credential('stale')] })
        assert.equal(await withoutTraces(() => other.saveApplication(stale, audit('a'))), false)
        assertEqual(await store.findApplication('a'), application('a', { version: 3 }))
        assert.equal(await store.findApplicationByKey('stale'), undefined)
      })
    }

    it('starts with version 1', async ({ store, trySave, listAudit }) => {
      for (const version of [0, 2, 7]) assert.equal(await trySave('a', { version }), false)
      assert.equal(await store.findApplication('a'), undefined)
      assertEqual(await listAudit(), [])
    })

    it('has each version saved by exactly one of 20 concurrent callers', async ({ store, listAudit, findWinner }) => {
      for (const version of [1, 2, 3, 4, 5]) {
        const winner = await findWinner(20, (one, at) => {
          const record = application('a', { version, name: `saver ${at}`, keys: [credential(`k${at}`)] })
          return one.saveApplication(record, audit('a', { details: { saver: at } }))
        })
        const saved = await store.findApplication('a')
        assertEqual(
          { version: saved?.version, name: saved?.name, keys: saved?.keys.map(({ hash }) => hash) },
          { version, name: `saver ${winner}`, keys: [`k${winner}`] },
        )
        assertEqual((await listAudit()).at(-1)?.details, { saver: winner })
      }
      assert.equal((await listAudit()).length, 5)
    })
  })
}

/** `saveApplication()` with what it must reject, and objects that were saved or read. */
export function applicationErrorsContract({ describe, it }: TestCollector): void {
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
      it(`with ${what} is an error that changes nothing`, async (context) => {
        const { store, save, trySave, listApplications, listIds, withoutTraces } = context
        await save('owner', taken)
        await save('b', { keys: [credential('b')] })
        for (const [id, version] of [
          ['b', 2],
          ['new', 1],
        ] as const) {
          const bad = { version, name: 'bad', apis: { orders: { scopes: [] } }, ...changes }
          await withoutTraces(() => assert.rejects(trySave(id, bad, audit(id, { details }))))
        }
        assertEqual(await listApplications(), [
          application('owner', taken),
          application('b', { keys: [credential('b')] }),
        ])
        assert.equal((await store.findApplicationByKey('taken key'))?.id, 'owner')
        assert.equal((await store.findApplicationByKey('b'))?.id, 'b')
        assert.equal(await store.findApplicationByKey('free'), undefined)
        assertEqual(await listIds({ api: 'orders' }), [])
        await save('b', { version: 2 })
      })
    }

    it('is not changed by writing to the object that was saved or read', async ({ store, listApplications }) => {
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
