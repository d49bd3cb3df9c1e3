import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { memoryStore, type AuditEntry } from '../../../src/index.js'
import { type ImportedApplication, type ImportSource, type WithImports } from '../../../src/features/imports/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { whilePolluted } from '../../support/while-polluted.js'

const KEY = '4174348a-9222-4e81-b33e-5d72d2fd7f1e'
const OTHER_KEY = 'b7f5d2b0c1e94c0a8a3f1d2e4b6c8d9e'
const SECRET = 'x9!Kq2 vR7_pL4&wZ1'
const HMAC_KEY = 'the key of the other system'

function open(options: TestOptions = {}) {
  return openPlatform({ imports: { hmacKey: HMAC_KEY }, ...options })
}

function line(changes: object = {}): object {
  return { externalId: 'c-1', name: 'Corner Shop', apis: ['catalog'], keys: [{ plain: KEY }], ...changes }
}

/** The summary of an import, with the reasons of refused lines. */
async function importLines(auth: Pick<WithImports, 'imports'>, lines: readonly (object | string)[], confirm = true) {
  const refused: [number, string][] = []
  const onRefused = (number: number, reason: string): unknown => refused.push([number, reason])
  const summary = await auth.imports.run(lines as readonly ImportedApplication[], { confirm, by: 'alice', onRefused })
  return { ...summary, reasons: refused }
}

/** The store, and for each look-up of a key how many hashes it was given. */
function countLookups(store: StoreWith): { store: StoreWith; lookups: number[] } {
  const lookups: number[] = []
  const findApplicationByKey: StoreWith['findApplicationByKey'] = (...hashes) => {
    lookups.push(hashes.length)
    return store.findApplicationByKey(...hashes)
  }
  return { store: { ...store, findApplicationByKey }, lookups }
}

async function listImports({ audit }: Pick<WithImports, 'audit'>): Promise<AuditEntry[]> {
  return (await audit.list()).items.filter(({ type }) => type === 'application.imported')
}

describe('a wrong line is refused:', () => {
  const { auth } = open()
  const digest = createHash('sha256').update(KEY).digest('hex')
  const sha512 = createHash('sha512').update(KEY).digest('hex')
  const keyed = (...keys: readonly object[]) => line({ keys })
  const secretly = (secret: object) => line({ secrets: [secret] })
  const argon = (part: string, other: string) => secretly({ argon2id: argon2.replace(part, other) })
  const argon2 = '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b4dWRWJTmaaJObGRdescudvJCs'

  it.each<[string, object | string, string]>([
    ['no JSON', '{"plain": ', 'The line is not JSON.'],
    ['a list', '[]', 'The line must be a JSON object.'],
    ['too long', `{"name":"${'x'.repeat(70_000)}"}`, 'The line is longer than 65536 characters.'],
    ['an unknown member', line({ nmae: 'x' }), 'The line has no member "nmae". Did you mean "name"?'],
    ['a member named __proto__', '{"__proto__":{"name":"x"}}', 'The line has no member "__proto__".'],
    ['no name', line({ name: undefined }), 'name must be 1 to 100 characters'],
    ['an unknown API', line({ apis: ['ordres'] }), 'There is no API "ordres".'],
    ['an unknown scope', line({ apis: { orders: { scopes: ['x'] } } }), 'has no scope "x"'],
    ['a wrong contact', line({ contact: 'nobody' }), 'contact must be one plain e-mail address'],
    ['another status', line({ status: 'pending' }), 'status must be "active" or "suspended".'],
    ['a time without a zone', line({ createdAt: '2024-01-31T12:00:00' }), 'createdAt must be a time such as'],
    ['a number as time', line({ createdAt: 1_700_000_000 }), 'createdAt must be a time such as'],
    ['a creation in the future', line({ createdAt: '2999-01-01' }), 'createdAt is in the future.'],
    ['metadata that is no object', line({ metadata: [] }), 'metadata must be'],
    ['an empty externalId', line({ externalId: '' }), 'externalId must be'],
    ['no key', line({ keys: [] }), 'The line needs a key or a clientId'],
    ['keys that are no list', line({ keys: {} }), 'keys must be a list of objects.'],
    ['a key as text', line({ keys: [KEY] }), 'keys[0] must be a JSON object.'],
    ['21 keys', keyed(...Array.from({ length: 21 }, () => ({ plain: KEY }))), 'An application has at most 20 keys.'],
    ['a key without a value', keyed({ name: 'a' }), 'keys[0] must have exactly one of plain, sha256, sha5'],
    ['a key with two values', keyed({ plain: KEY, sha256: digest }), 'keys[0] must have exactly one of'],
    ['a key as bcrypt hash', keyed({ bcrypt: 'x' }), 'keys[0] has no member "bcrypt".'],
    ['a short key', keyed({ plain: 'fifteen chars!!' }), 'keys[0].plain must be 16 to 512 visible ASCII '],
    ['a key with a space', keyed({ plain: 'two words of a key' }), 'keys[0].plain must be'],
    ['a key beyond ASCII', keyed({ plain: 'schlüssel-9f8a7b6c5d4e' }), 'keys[0].plain must be'],
    ['a long key', keyed({ plain: `${KEY}${'x'.repeat(500)}` }), 'keys[0].plain must be'],
    ['a weak key', keyed({ plain: 'aaaaaaaaaaaaaaaaaaaaaaaa' }), 'is easy to guess: it repeats itself'],
    ['a key like an id', keyed({ plain: `app_${'0123456789abcdef'.repeat(2)}` }), "form of an application's id"],
    ['a wrong digest', keyed({ sha256: 'abc' }), 'sha256 must be a digest of 32 octets'],
    ['an expired key', keyed({ plain: KEY, expiresAt: '2001-01-01' }), 'keys[0] has expired. Leave it out.'],
    ['a widening restriction', keyed({ plain: KEY, apis: ['weather'] }), 'is no API "weather". There are: catalog.'],
    ['a key twice', keyed({ plain: KEY }, { plain: KEY }), 'The line has the same credential twice.'],
    [
      'a name twice',
      keyed({ plain: KEY }, { plain: OTHER_KEY, name: 'default' }),
      'Two keys of the line have the same name.',
    ],
    ['a key that is the secret', secretly({ plain: KEY }), 'The line has the same credential twice.'],
    ['a wrong clientId', line({ clientId: 'two words' }), 'clientId must be 1 to 255 visible ASCII characters'],
    ['a wrong bcrypt hash', secretly({ bcrypt: '$2b$10$short' }), 'bcrypt must be a hash such as'],
    ['a costly bcrypt hash', secretly({ bcrypt: `$2b$15$${'a'.repeat(53)}` }), 'cost of at most 14'],
    ['argon2i', argon('2id', '2i'), 'argon2id must be a PHC string'],
    ['a costly argon2id hash', argon('65536', '1048576'), 'with m of at most 262144'],
    ['many argon2id passes', argon('t=3', 't=17'), 'm times t of at most 1048576'],
    ['a key in two formats', keyed({ sha256: digest }, { plain: KEY }), 'The line has the same credential twice.'],
    [
      'a clientId that is a key',
      line({ clientId: KEY, keys: [{ sha512 }] }),
      'The line has the same credential twice.',
    ],
  ])('%s', async (_, wrong, reason) => {
    const { reasons, added } = await importLines(auth, [wrong], false)
    expect(reasons).toEqual([[1, expect.stringContaining(reason)]])
    expect(added).toBe(0)
    expect(reasons[0]![1]).not.toContain(SECRET)
  })

  it('an HMAC without its key', async () => {
    const hmac = line({ keys: [{ hmacSha256: digest }] })
    const { auth: withoutKey } = open({ imports: true })
    expect((await importLines(withoutKey, [hmac])).reasons).toEqual([[1, expect.stringContaining('{ hmacKey }')]])
    expect((await importLines(auth, [hmac], false)).added).toBe(1)
  })
})

describe('an import', () => {
  it('adds applications as their lines say, with audit and events', async () => {
    const { auth } = open()
    const events: unknown[] = []
    auth.events.on('application.imported', (event) => events.push(event.applicationId))
    const given = line({
      contact: 'dev@shop.example',
      status: 'suspended',
      apis: { orders: { scopes: ['orders:read'] }, catalog: {} },
      metadata: { discount: 5 },
      createdAt: '2024-01-31T12:00:00Z',
      clientId: 'corner-shop',
      keys: [
        { plain: KEY, name: 'web', apis: ['catalog'], createdAt: '2024-02-01', expiresAt: '2999-01-31T12:00:00+01:00' },
        { sha512: createHash('sha512').update(OTHER_KEY).digest('base64') },
      ],
      secrets: [{ plain: SECRET }],
    })
    expect(await importLines(auth, [JSON.stringify(given)])).toEqual({
      read: 1,
      added: 1,
      unchanged: 0,
      refused: 0,
      confirmed: true,
      reasons: [],
    })
    const [application] = (await auth.applications.list()).items
    expect(application).toMatchObject({
      name: 'Corner Shop',
      contact: 'dev@shop.example',
      status: 'suspended',
      apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
      createdAt: new Date('2024-01-31T12:00:00Z'),
      externalId: 'c-1',
      metadata: { discount: 5 },
      keys: [
        { name: 'client-id', prefix: 'corner-shop', apis: {} },
        {
          name: 'web',
          prefix: '4174',
          apis: { catalog: { scopes: [] } },
          createdAt: new Date('2024-02-01'),
          expiresAt: new Date('2999-01-31T11:00:00Z'),
        },
        { name: 'default-2', prefix: 'imported', createdAt: new Date('2024-01-31T12:00:00Z') },
      ],
      secrets: [{ name: 'default', prefix: 'x9!K' }],
    })
    expect(events).toEqual([application!.id])
    const [record, ...others] = await listImports(auth)
    expect(others).toEqual([])
    expect(record).toMatchObject({ type: 'application.imported', by: 'alice', applicationId: application!.id })
    expect(record?.details).toMatchObject({ externalId: true, metadata: ['discount'] })
    const text = JSON.stringify(record)
    for (const hidden of [KEY, SECRET, createHash('sha512').update(OTHER_KEY).digest('base64url')])
      expect(text).not.toContain(hidden)
  })

  it('changes nothing without `confirm`', async () => {
    const { auth } = open()
    const again = line({ externalId: 'c-2', keys: [{ plain: OTHER_KEY }] })
    const summary = { read: 3, added: 2, unchanged: 0, refused: 1, confirmed: false }
    expect(await importLines(auth, [line(), again, '{'], false)).toMatchObject(summary)
    expect(await auth.applications.list()).toEqual({ items: [] })
    expect(await listImports(auth)).toEqual([])
  })

  it('changes nothing the second time, whatever has happened to the application since', async () => {
    const { auth } = open()
    const withoutId = line({
      externalId: undefined,
      keys: [{ sha256: createHash('sha256').update(OTHER_KEY).digest('hex') }],
    })
    expect(await importLines(auth, [line(), withoutId])).toMatchObject({ added: 2 })
    const [first, second] = (await auth.applications.list()).items
    await auth.applications.update(first!.id, { name: 'Renamed' })
    await auth.verifyApiKey('catalog', OTHER_KEY)
    await auth.applications.delete(second!.id)
    const before = await auth.audit.list()
    expect(await importLines(auth, [line(), withoutId])).toMatchObject({ added: 0, unchanged: 2, refused: 0 })
    expect((await auth.applications.get(first!.id))?.name).toBe('Renamed')
    expect(await auth.audit.list()).toEqual(before)
  })

  const forms: Readonly<Record<string, object>> = {
    plain: { plain: KEY },
    sha256: { sha256: createHash('sha256').update(KEY).digest('hex') },
    'sha256 in base64': { sha256: createHash('sha256').update(KEY).digest('base64') },
    sha512: { sha512: createHash('sha512').update(KEY).digest('hex') },
    hmacSha256: { hmacSha256: createHmac('sha256', HMAC_KEY).update(KEY).digest('hex') },
  }
  const pairs = Object.keys(forms).flatMap((first) => Object.keys(forms).map((second) => [first, second] as const))

  it.each(pairs)('finds a key that stands twice where that can be known: %s, then %s', async (first, second) => {
    const { auth } = open()
    const lines = [line({ keys: [forms[first]] }), line({ externalId: 'c-2', keys: [forms[second]] })]
    const canBeKnown = [first, second].includes('plain') || first.split(' ')[0] === second.split(' ')[0]
    const { reasons } = await importLines(auth, lines)
    expect(reasons).toEqual(canBeKnown ? [[2, 'Line 1 has the same externalId or credential.']] : [])
  })

  it('takes credentials in plain text though the other system had the same HMAC key twice', async () => {
    const { auth } = open({ imports: { hmacKey: [HMAC_KEY, HMAC_KEY] } })
    expect((await importLines(auth, [line()])).reasons).toEqual([])
  })

  it('refuses duplicates within the file, and credentials and ids of other applications', async () => {
    const { auth } = open()
    await auth.applications.create({ name: 'Own', apis: ['catalog'], externalId: 'own' } as never)
    expect(await importLines(auth, [line()])).toMatchObject({ added: 1 })
    const sha256 = createHash('sha256').update(OTHER_KEY).digest('hex')
    const lines = [
      line({ externalId: 'c-2' }),
      line({ externalId: 'own', keys: [{ plain: `${KEY}0` }] }),
      '',
      line({ externalId: 'c-3', keys: [{ sha256 }] }),
      line({ externalId: 'c-3', keys: [{ plain: `${KEY}1` }] }),
      line({ externalId: 'c-4', keys: [{ sha256 }] }),
    ]
    for (const confirm of [false, true]) {
      const { reasons, added, read } = await importLines(auth, lines, confirm)
      expect(reasons.toSorted(([a], [b]) => a - b)).toEqual([
        [1, 'Another application has one of its credentials.'],
        [2, 'Another application has this externalId.'],
        [5, 'Line 4 has the same externalId or credential.'],
        [6, 'Line 4 has the same externalId or credential.'],
      ])
      expect([added, read]).toEqual([1, 5])
    }
    // The same key in another form.
    const plain = line({ externalId: 'c-5', keys: [{ plain: OTHER_KEY }] })
    expect((await importLines(auth, [plain])).reasons).toEqual([[1, 'Another application has one of its credentials.']])
  })

  it('reads nothing from a polluted Object.prototype', async () => {
    const { auth } = open()
    await auth.ready()
    const polluted = { confirm: true, clientId: 'mallory', status: 'suspended', expiresAt: 5, plain: KEY }
    await whilePolluted(polluted, async () => {
      const summary = await auth.imports.run([line() as ImportedApplication], {})
      expect(summary).toEqual({ read: 1, added: 1, unchanged: 0, refused: 0, confirmed: false })
      await auth.imports.run([line() as ImportedApplication], { confirm: true })
    })
    const [application] = (await auth.applications.list()).items
    expect(application).toMatchObject({ status: 'active', keys: [{ prefix: '4174', expiresAt: undefined }] })
  })

  it('takes a stream, and waits for onRefused', async () => {
    const { auth } = open()
    let isReported = true
    async function* stream(): AsyncGenerator<string> {
      for (let i = 0; i < 3; i++) {
        expect(isReported).toBe(true)
        yield 'no JSON'
      }
    }
    const onRefused = async (): Promise<void> => {
      isReported = false
      await new Promise((resolve) => setImmediate(resolve))
      isReported = true
    }
    expect(await auth.imports.run(stream(), { onRefused })).toMatchObject({ read: 3, refused: 3 })
  })

  it('needs the feature, and something to read', async () => {
    expect(openPlatform({}).auth.imports).toBeUndefined()
    const { auth: ready } = open()
    for (const source of ['partners.ndjson', undefined, null, 5])
      await expect(ready.imports.run(source as unknown as ImportSource), String(source)).rejects.toThrow('Import takes')
    await expect(ready.imports.run([], { confirm: 'yes' as unknown as boolean })).rejects.toThrow('confirm must be')
  })
})

describe('an imported key', () => {
  const forms: readonly [string, object][] = [
    ['in plain text', { plain: KEY }],
    ['as SHA-256', { sha256: createHash('sha256').update(KEY).digest('hex') }],
    ['as SHA-512', { sha512: createHash('sha512').update(KEY).digest('base64') }],
    ['as HMAC-SHA-256', { hmacSha256: createHmac('sha256', HMAC_KEY).update(KEY).digest('base64url') }],
  ]

  it.each(forms)('%s is accepted, and has our hash after its first use', async (_, given) => {
    const store = memoryStore()
    const { auth } = open({ store })
    await importLines(auth, [line({ keys: [given] })])
    const [{ id } = { id: '' }] = (await auth.applications.list()).items
    expect((await auth.verifyApiKey('catalog', KEY)).application.id).toBe(id)
    await expect.poll(async () => store.imports.countHashes?.()).toEqual({})
    expect((await auth.applications.get(id))?.keys).toMatchObject([
      { prefix: '4174', lastUsedAt: expect.any(Date) as Date },
    ])
    expect((await auth.verifyApiKey('catalog', KEY)).application.id).toBe(id)
    await auth.applications.suspend(id)
    await expect(auth.verifyApiKey('catalog', KEY)).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('is refused without the option, and costs no look-up', async () => {
    const { store, lookups } = countLookups(memoryStore())
    await importLines(open({ store }).auth, [line()])
    const { auth } = openPlatform({ store })
    await expect(auth.verifyApiKey('catalog', KEY)).rejects.toMatchObject({ error: 'invalid_api_key' })
    expect(lookups).toEqual([])
  })

  it('is found by one look-up, and also while its hash cannot be replaced', async () => {
    const { store, lookups } = countLookups(memoryStore())
    const replaceHash = vi.fn<StoreWith['imports']['replaceHash']>(async () => Promise.reject(new Error('full')))
    const { auth } = open({ store: { ...store, imports: { ...store.imports, replaceHash } } })
    const sha512 = createHash('sha512').update(KEY).digest('base64')
    await importLines(auth, [line({ keys: [{ sha512 }] })])
    const verify = async (): Promise<string> => (await auth.verifyApiKey('catalog', KEY)).application.name
    expect([await verify(), await verify()]).toEqual(['Corner Shop', 'Corner Shop'])
    expect(lookups).toEqual([4])
    const [{ id } = { id: '' }] = (await auth.applications.list()).items
    await auth.applications.update(id, { name: 'Renamed' })
    expect([await verify(), await verify()]).toEqual(['Renamed', 'Renamed'])
    expect(lookups).toEqual([4, 4])
    // Not for every request.
    expect(replaceHash).toHaveBeenCalledOnce()
    await auth.applications.rotateKey(id, { overlap: 0 })
    for (let i = 0; i < 3; i++) await expect(verify()).rejects.toMatchObject({ error: 'invalid_api_key' })
    expect(lookups).toEqual([4, 4, 4])
  })

  it('does not work where it is restricted, nor does a clientId', async () => {
    const { auth } = open()
    const restricted = { plain: KEY, apis: ['catalog'] }
    await importLines(auth, [line({ apis: ['catalog', 'weather'], clientId: 'shop', keys: [restricted] })])
    expect((await auth.verifyApiKey('catalog', KEY)).application.name).toBe('Corner Shop')
    await expect(auth.verifyApiKey('weather', KEY)).rejects.toMatchObject({ error: 'access_denied' })
    await expect(auth.verifyApiKey('catalog', 'shop')).rejects.toMatchObject({ error: 'invalid_api_key' })
  })
})
