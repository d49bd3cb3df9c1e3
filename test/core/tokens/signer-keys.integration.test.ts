import express, { type Express } from 'express'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore, type SigningAlgorithm } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import {
  accessToken,
  createApplication,
  createTokenForm,
  expectRefusal,
  post,
  RETRY_AFTER_SECONDS,
} from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, SECRET, STORES, type TestPlatform } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { fetchKeySet } from './signer.js'
import { createVault, createVaultKey, signWith, type Vault } from './vault.js'
import { throwing } from '../../support/throwing.js'

type Client = Awaited<ReturnType<typeof createApplication>>

interface Site extends TestPlatform {
  readonly app: Express
  token(): Promise<string>
  verifies(token: string): Promise<boolean>
  states(): Promise<string[]>
  problems(): Promise<readonly string[]>
}

const opened: TestPlatform[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ auth }) => auth.close()))
})

/** A store that several platforms use one after the other, or at once. */
const keepOpen = (store: StoreWith): StoreWith => ({ ...store, close: async () => undefined })

describe.each(Object.entries(STORES))('keys of a signer, with the %s store', (_, openStore) => {
  let shop: Client | undefined

  /** Opens another process on the store. */
  async function open(
    signer: Vault | undefined,
    { store, clock }: { readonly store: StoreWith; readonly clock?: TestPlatform['clock'] },
  ): Promise<Site> {
    const platform = openPlatform({ store: keepOpen(store), tokens: { signer }, ...(clock && { now: clock.now }) })
    opened.push(platform)
    await platform.auth.ready()
    const { auth } = platform
    const app = express().use(auth.router)
    return {
      ...platform,
      clock: clock ?? platform.clock,
      app,
      token: async () => accessToken(app, 'orders', (shop ??= await createApplication(auth, ['orders']))),
      verifies: (token) =>
        auth.verifyAccessToken('orders', token).then(
          () => true,
          () => false,
        ),
      states: async () => (await auth.signingKeys.list()).items.map(({ kid, state }) => `${kid} ${state}`),
      problems: async () => (await auth.health()).problems,
    }
  }

  async function withStore(test: (store: StoreWith) => Promise<void>): Promise<void> {
    const { store, remove } = await openStore()
    shop = undefined
    try {
      await test(store)
    } finally {
      await Promise.all(opened.splice(0).map(({ auth }) => auth.close()))
      await store.close()
      await remove()
    }
  }

  const kidOf = (token: string): string | undefined => decodeProtectedHeader(token).kid

  it('sign when they are listed first and published for long enough, verify while they are listed, and never again', () =>
    withStore(async (store) => {
      const [first, second] = [createVaultKey('first'), createVaultKey('second', 'RS256')]
      const vault = createVault(first)
      const here = await open(vault, { store })
      const there = await open(createVault(first, second), { store, clock: here.clock })
      const before = await here.token()
      expect(kidOf(before)).toBe('first')
      // `there` has read of a second key, which comes second: it is published everywhere, and signs nowhere.
      await waitUntil(async () => (await here.verifies(before)) && (await fetchKeySet(here.app)).keys.length === 2)
      expect(await there.states()).toEqual(['first current', 'second next'])

      vault.keys = [second, first]
      expect(await here.states()).toEqual(['first current', 'second next'])
      here.clock.advance(299.999)
      expect(kidOf(await here.token())).toBe('first')
      here.clock.advance(0.001)
      const after = await here.token()
      expect(kidOf(after)).toBe('second')
      expect(await here.states()).toEqual(['first former', 'second current'])
      // `there` still lists the first key first.
      expect(kidOf(await there.token())).toBe('first')
      for (const each of [here, there])
        for (const token of [before, after]) expect(await each.verifies(token)).toBe(true)

      // Back, at once: both are published. Neither ends while it is listed.
      vault.keys = [first, second]
      expect(await here.states()).toEqual(['first current', 'second former'])
      here.clock.advance(100_000)
      const [late, laterHere] = [await there.token(), await here.token()]
      vault.keys = [second]
      expect(await here.states()).toEqual(['second current'])
      expect([await here.verifies(late), await here.verifies(laterHere)]).toEqual([false, false])
      await waitUntil(async () => !(await there.verifies(late)))
      // The list of `there` is older than the removal, so it does not bring the key back.
      expect(await there.states()).toEqual(['second current'])
      expect(kidOf(await there.token())).toBe('second')
      expect((await fetchKeySet(there.app)).keys.map(({ kid }) => kid)).toEqual(['second'])
    }))

  it('wait to sign over a restart, and are revoked by the first list of a process that lacks them', () =>
    withStore(async (store) => {
      const [first, second] = [createVaultKey('first'), createVaultKey('second')]
      const vault = createVault(first)
      const here = await open(vault, { store })
      const before = await here.token()
      vault.keys = [second, first]
      await here.auth.signingKeys.list()
      const { items } = await here.auth.signingKeys.list()
      here.clock.advance(200)
      await here.auth.close()

      const again = await open(vault, { store, clock: here.clock })
      expect((await again.auth.signingKeys.list()).items).toEqual(items)
      again.clock.advance(99)
      expect(kidOf(await again.token())).toBe('first')
      again.clock.advance(1)
      expect(kidOf(await again.token())).toBe('second')
      expect(await again.verifies(before)).toBe(true)
      await again.auth.close()

      const last = await open(createVault(second), { store, clock: here.clock })
      await waitUntil(async () => !(await last.verifies(before)))
      expect(await last.states()).toEqual(['second current'])
    }))

  it('are followed by stored keys at once, also where those from before still sign', () =>
    withStore(async (store) => {
      const stored = await open(undefined, { store })
      const { clock } = stored
      const old = await stored.token()
      const moved = await open(createVault(createVaultKey('vault')), { store, clock })
      clock.advance(300)
      const elsewhere = await moved.token()
      await Promise.all([stored.auth.close(), moved.auth.close()])
      // The stored key signs, and would end an hour later.
      const back = await open(undefined, { store, clock })
      expect(kidOf(await back.token())).toBe(kidOf(old))
      clock.advance(300)
      const fresh = await back.token()
      expect([kidOf(old), 'vault']).not.toContain(kidOf(fresh))
      expect(await back.verifies(elsewhere)).toBe(true)
      clock.advance(3590)
      expect(await back.verifies(fresh)).toBe(true)
    }))

  it('follow the stored keys of a platform, which go on verifying, and stored keys follow them', () =>
    withStore(async (store) => {
      const stored = await open(undefined, { store })
      const { clock } = stored
      const old = await stored.token()
      const moved = await open(createVault(createVaultKey('vault')), { store, clock })
      // Both processes sign with the stored key until the signer's has been published for long enough.
      expect(kidOf(await moved.token())).toBe(kidOf(old))
      clock.advance(300)
      const elsewhere = await moved.token()
      expect(kidOf(elsewhere)).toBe('vault')
      for (const each of [stored, moved])
        for (const token of [old, elsewhere]) expect(await each.verifies(token)).toBe(true)
      clock.advance(3290)
      expect(await moved.verifies(old)).toBe(true)
      await stored.auth.close()
      clock.advance(400)
      expect(await moved.states()).toEqual(['vault current'])

      // Back: the signer's key does not sign here, so the new one does at once. The signer's verifies until its tokens end.
      const last = await moved.token()
      await moved.auth.close()
      const back = await open(undefined, { store, clock })
      const fresh = await back.token()
      expect(kidOf(fresh)).not.toBe('vault')
      clock.advance(3590)
      expect(await back.verifies(last)).toBe(true)
      clock.advance(100)
      expect((await back.auth.signingKeys.list()).items.map(({ state }) => state)).toEqual(['current'])

      // To the signer again, with the same key: it is published anew.
      const again = await open(createVault(createVaultKey('other')), { store, clock })
      expect(kidOf(await again.token())).toBe(kidOf(fresh))
      clock.advance(300)
      expect(kidOf(await again.token())).toBe('other')
    }))
})

describe('a signer', () => {
  const algorithms: readonly SigningAlgorithm[] = [
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'RS256',
    'RS512',
    'PS256',
    'PS384',
  ]

  async function openApp(vault: Vault, options: { readonly store?: StoreWith } = {}) {
    const platform = openPlatform({ ...options, tokens: { signer: vault } })
    opened.push(platform)
    const app = express().use(platform.auth.router)
    await platform.auth.ready()
    const shop = await createApplication(platform.auth, ['orders'])
    const request = () => post(app, '/orders/token', createTokenForm(shop))
    const problems = async (): Promise<readonly string[]> => (await platform.auth.health()).problems
    return { ...platform, app, shop, request, problems }
  }

  it('signs with every algorithm, ECDSA in DER or as a JWS has it, and only public members are published', async () => {
    for (const algorithm of algorithms) {
      const key = createVaultKey(`key-of.${algorithm}`, algorithm)
      const vault = createVault({ ...key, publicJwk: { ...key.publicJwk, kid: 'other', key_ops: ['sign'], ext: true } })
      const { app, auth, shop } = await openApp(vault)
      const verify = async (): Promise<void> => {
        const token = await accessToken(app, 'orders', shop)
        const keys = createLocalJWKSet(await fetchKeySet(app))
        const { protectedHeader } = await jwtVerify(token, keys, { issuer: 'https://api.example.com/orders' })
        expect(protectedHeader).toEqual({ alg: algorithm, kid: key.kid, typ: 'at+jwt' })
        await auth.verifyAccessToken('orders', token)
      }
      await verify()
      if (algorithm.startsWith('ES')) {
        // Numbers with a bit at their beginning are a byte longer in DER, small ones are shorter.
        const shortest = { ES256: 69, ES384: 101, ES512: 137 }[algorithm as 'ES256']
        vault.signInstead = async (_kid, bytes) => {
          for (;;) {
            const der = signWith(key, bytes, true)
            if (der.length <= shortest) return der
          }
        }
        await verify()
        vault.signInstead = async (_kid, bytes) => signWith(key, bytes, true)
        await verify()
      }
      const [published] = (await fetchKeySet(app)).keys
      expect(published).toEqual({ ...key.publicJwk, kid: key.kid, alg: algorithm, use: 'sig' })
    }
  })

  it('that gives no right signature causes 503 and a problem, and no token, until it does again', async () => {
    const [key, other] = [createVaultKey('key'), createVaultKey('other')]
    const vault = createVault(key)
    const { request, problems, logger, auth, app, shop } = await openApp(vault)
    const good = await accessToken(app, 'orders', shop)
    const wrong: Readonly<Record<string, Vault['signInstead']>> = {
      'of another key': async (_kid, bytes) => signWith(other, bytes),
      'of other bytes': async () => signWith(key, Buffer.from('other')),
      'too short': async (_kid, bytes) => signWith(key, bytes).subarray(1),
      'too long': async (_kid, bytes) => Buffer.concat([signWith(key, bytes), Buffer.alloc(1)]),
      'with more behind DER': async (_kid, bytes) => Buffer.concat([signWith(key, bytes, true), Buffer.alloc(1)]),
      'of 1 MB': async () => Buffer.alloc(1_000_000),
      empty: async () => new Uint8Array(),
      'an end of DER': async () => Buffer.from('3003020100', 'hex'),
      'DER of zeros': async () => Buffer.from('3006020100020100', 'hex'),
      'a text': async (_kid, bytes) => signWith(key, bytes).toString('base64url'),
      nothing: async () => undefined,
      'a rejection': async () => Promise.reject(new Error('AccessDenied: key-secret-text')),
      'an error': throwing(new Error('ECONNREFUSED')),
    }
    for (const [name, signInstead] of Object.entries(wrong)) {
      vault.signInstead = signInstead
      const answer = await request()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
      expect(await problems(), name).toEqual([expect.stringContaining('tokens.signer gives no right signature')])
      expect(answer.text).not.toContain('secret')
    }
    expect(logger.lines.filter((line) => line.includes('no right signature'))).toHaveLength(1)
    expect(await auth.verifyAccessToken('orders', good)).toBeDefined()
    vault.signInstead = undefined
    expect((await request()).status).toBe(200)
    expect(await problems()).toEqual([])
  })

  it('that does not answer holds up no guard and bounded memory: 64 calls at once, 5 seconds each', async () => {
    const vault = createVault(createVaultKey('key'))
    const { request, auth, app, shop } = await openApp(vault)
    const good = await accessToken(app, 'orders', shop)
    const signals: AbortSignal[] = []
    let mostAtOnce = 0
    vault.signInstead = (_kid, _bytes, signal) => {
      signals.push(signal)
      mostAtOnce = Math.max(mostAtOnce, signals.filter(({ aborted }) => !aborted).length)
      return new Promise(() => undefined)
    }
    const requests = Array.from({ length: 100 }, request)
    await waitUntil(() => signals.length >= 64)
    expect(await auth.verifyAccessToken('orders', good)).toBeDefined()
    for (const answer of await Promise.all(requests)) expect(answer.status).toBe(503)
    expect(mostAtOnce).toBe(64)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    // The places are free again, although the calls never end.
    vault.signInstead = undefined
    expect((await request()).status).toBe(200)
  }, 60_000)

  it('that is out of reach at a start keeps no guard from answering, and signs once it is back', async () => {
    const store = keepOpen(memoryStore())
    const vault = createVault(createVaultKey('key'))
    const first = await openApp(vault, { store })
    const good = await accessToken(first.app, 'orders', first.shop)
    await first.auth.close()

    vault.listInstead = () => Promise.reject(new Error('ECONNREFUSED'))
    const { auth, app, problems } = await openApp(vault, { store })
    expect(await auth.verifyAccessToken('orders', good)).toBeDefined()
    const answer = await post(app, '/orders/token', createTokenForm(first.shop))
    expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
    expect(await problems()).toEqual(['tokens.signer does not list its keys: those that are known go on.'])
    vault.listInstead = undefined
    await accessToken(app, 'orders', first.shop)
    expect(await problems()).toEqual([])

    // The same at the first start of all: APIs with keys go on.
    const unreached = createVault(createVaultKey('key'))
    unreached.listInstead = vault.listInstead = () => Promise.reject(new Error('ECONNREFUSED'))
    const later = await openApp(unreached)
    expect((await later.request()).status).toBe(503)
    unreached.listInstead = undefined
    expect((await later.request()).status).toBe(200)
  })

  const key = createVaultKey('key')
  const { publicJwk } = key
  const listedKey = { kid: 'key', algorithm: 'ES256', publicJwk }
  const lists: readonly (readonly [problem: RegExp, list: unknown])[] = [
    [/is missing\. Resolve a list/, undefined],
    [/is an object/, { keys: [listedKey] }],
    [/is empty/, []],
    [/has 11 keys/, Array.from({ length: 11 }, (_, at) => ({ ...listedKey, kid: `key${at}` }))],
    [/two keys with the kid key/, [listedKey, { ...createVaultKey('key'), privateKey: undefined }]],
    [/\[0\] is null/, [null]],
    [/no such kid/, [{ ...listedKey, kid: undefined }]],
    [/no such kid/, [{ ...listedKey, kid: '-key' }]],
    [/no such kid/, [{ ...listedKey, kid: 'arn:aws:kms:key/1' }]],
    [/no such kid/, [{ ...listedKey, kid: 'k'.repeat(65) }]],
    [/unknown algorithm/, [{ ...listedKey, algorithm: 'HS256' }]],
    [/unknown algorithm/, [{ ...listedKey, algorithm: 'none' }]],
    [/unknown algorithm/, [{ ...listedKey, algorithm: 'toString' }]],
    [/another kind than ES384/, [{ ...listedKey, algorithm: 'ES384' }]],
    [/another kind than RS256/, [{ ...listedKey, algorithm: 'RS256' }]],
    [/another kind than ES256/, [{ ...listedKey, publicJwk: createVaultKey('key', 'RS256').publicJwk }]],
    [/1024 bits/, [{ ...listedKey, algorithm: 'RS256', publicJwk: createVaultKey('key', 'RS256', 1024).publicJwk }]],
    [/no publicJwk/, [{ ...listedKey, publicJwk: 'pem' }]],
    [/no valid publicJwk/, [{ ...listedKey, publicJwk: { ...publicJwk, y: 'AAAA' } }]],
    [/private or symmetric key \(member d\)/, [{ ...listedKey, publicJwk: key.privateKey.export({ format: 'jwk' }) }]],
    [/private or symmetric key \(member k\)/, [{ ...listedKey, publicJwk: { kty: 'oct', k: 'c2VjcmV0' } }]],
  ]

  it('that lists what is no key set ends the first start with the reason, and later causes a problem alone', async () => {
    const running = createVault(createVaultKey('running'))
    const { request, problems, auth } = await openApp(running)
    for (const [problem, list] of lists) {
      const vault = createVault(key)
      vault.listInstead = async () => list
      const started = openPlatform({ tokens: { signer: vault } })
      opened.push(started)
      const error = await started.auth.ready().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'invalid_configuration', option: 'tokens.signer' })
      expect((error as Error).message).toMatch(problem)

      running.listInstead = vault.listInstead
      await auth.signingKeys.list()
      expect(await problems()).toEqual([expect.stringMatching(problem)])
      expect((await request()).status).toBe(200)
    }
    // Another key under a kid that has signed.
    running.listInstead = undefined
    running.keys = [createVaultKey('running')]
    await auth.signingKeys.list()
    expect(await problems()).toEqual([expect.stringMatching(/another key than before with the kid running/)])
    expect((await request()).status).toBe(503)
  })

  it('decides alone: rotate() and revoke() reject with the reason, and its record in the store must be authentic', async () => {
    const store = memoryStore()
    const vault = createVault(key)
    const { auth, request } = await openApp(vault, { store: keepOpen(store) })
    const decides = { code: 'invalid_state', message: expect.stringContaining('tokens.signer') as string }
    await expect(auth.signingKeys.rotate()).rejects.toMatchObject(decides)
    await expect(auth.signingKeys.revoke('key')).rejects.toMatchObject(decides)

    // Somebody writes a key of his own to the database, under a kid that the signer will list.
    const [record] = await store.listSigningKeys()
    const forged = createVaultKey('next')
    const { privateKey: _, ...written } = forged
    await store.addSigningKey(
      {
        ...record!,
        ...written,
        publicJwk: { ...forged.publicJwk, kid: 'next', alg: 'ES256', use: 'sig', signer: true },
      },
      'key',
      { at: 0, type: 'signingKey.rotated', by: undefined, applicationId: undefined, details: {} },
    )
    const next = createVaultKey('next')
    vault.keys = [key, next]
    await auth.signingKeys.list()
    const stored = (await store.listSigningKeys()).find(({ kid }) => kid === 'next')
    expect(stored?.publicJwk).toMatchObject(next.publicJwk)
    expect((await request()).status).toBe(200)
    expect((await auth.health()).problems).toEqual([])
  })

  it('is read again after a signature that failed, and without timers with a token request', async () => {
    const vault = createVault(key)
    const platform = openPlatform({ tokens: { signer: vault }, secret: SECRET, background: false })
    opened.push(platform)
    const app = express().use(platform.auth.router)
    const shop = await createApplication(platform.auth, ['orders'])
    const token = await accessToken(app, 'orders', shop)
    vault.keys = [createVaultKey('other')]
    expect(await platform.auth.verifyAccessToken('orders', token)).toBeDefined()
    await waitUntil(
      async () => {
        await post(app, '/orders/token', createTokenForm(shop))
        return (await fetchKeySet(app)).keys[0]?.kid === 'other'
      },
      { interval: 200 },
    )
    if (IS_LONG_LANE) {
      // The vault signs with a key that it no longer lists.
      const latest = createVaultKey('latest')
      const former = vault.keys[0]!
      vault.signInstead = async (kid, bytes) => signWith(kid === 'other' ? former : latest, bytes)
      vault.keys = [latest]
      await waitUntil(async () => decodeProtectedHeader(await accessToken(app, 'orders', shop)).kid === 'latest', {
        interval: 500,
      })
    }
    await expect(platform.auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
  }, 60_000)
})
