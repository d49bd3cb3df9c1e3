import express from 'express'
import { calculateJwkThumbprint, CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type PlatformAuth } from '../../../src/index.js'
import type { SigningKeyRecord, StoreWith } from '../../../src/store.js'
import { createEncryption } from '../../../src/core/store-client/encryption.js'
import { describeRecord } from '../../../src/core/tokens/signing-key.js'
import { accessToken, createApplication } from '../../support/http.js'
import { openPlatform, SECRET, type TestOptions, type TestPlatform, usePlatform } from '../../support/platform.js'
import { audit } from '../../stores/suite/records.js'
import { createTokenId, encode, fetchKeySet, ISSUER } from './signer.js'

const OTHER_SECRET = 'another secret, which the platform does not have'

describe('a signing key that somebody else writes to the store', () => {
  const opened: PlatformAuth[] = []
  let store: StoreWith
  let platform: TestPlatform
  let genuine: SigningKeyRecord

  beforeEach(async () => {
    store = memoryStore()
    platform = await open()
    genuine = (await store.listSigningKeys())[0]!
  })
  afterAll(() => Promise.all(opened.map((auth) => auth.close())))

  async function open(options: TestOptions = {}): Promise<TestPlatform> {
    const made = openPlatform({ store, ...options })
    opened.push(made.auth)
    await made.auth.ready()
    return made
  }

  /** Adds a record as someone who can write to the database, and resolves when the platform has read it. */
  async function write(record: SigningKeyRecord): Promise<void> {
    const newest = (await store.listSigningKeys()).at(-1)?.kid
    await store.addSigningKey(record, newest, audit())
    await platform.auth.signingKeys.list()
  }

  /** Replaces the platform's key. */
  async function replace(changed: Partial<SigningKeyRecord>): Promise<void> {
    await store.removeSigningKey(genuine.kid, audit())
    await write({ ...genuine, ...changed })
  }

  async function expectIgnored({ auth, logger }: TestPlatform, kid: string): Promise<void> {
    expect((await auth.signingKeys.list()).items.map((key) => key.kid)).not.toContain(kid)
    const { keys } = await fetchKeySet(express().use(auth.router))
    expect(keys.map((key) => key.kid)).not.toContain(kid)
    const { ok, problems } = await auth.health()
    expect({ ok, problems }).toEqual({
      ok: true,
      problems: [expect.stringMatching(`^Signing keys .* ignored.*${kid}`)],
    })
    expect(logger.lines.filter((line) => line.includes(kid))).toHaveLength(1)
  }

  /** A key pair of somebody else, as a record, and a token that it signs for an application. */
  async function forge(seal: (text: string, context: string) => Promise<string> | string) {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(publicKey)
    const kid = await calculateJwkThumbprint(jwk)
    const clear = { ...genuine, kid, publicJwk: { ...jwk, kid, alg: 'ES256', use: 'sig' } }
    const sealedPrivateJwk = await seal(JSON.stringify(await exportJWK(privateKey)), describeRecord(clear))
    const { id } = await createApplication(platform.auth, ['orders'])
    const iat = Math.floor(platform.clock.now() / 1000)
    const times = { iat, exp: iat + 600, jti: createTokenId(0) }
    const claims = { iss: ISSUER, aud: ISSUER, sub: id, client_id: id, ...times }
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
      .sign(privateKey)
    return { record: { ...clear, sealedPrivateJwk }, token }
  }

  const forgeries: [name: string, (text: string, context: string) => Promise<string> | string][] = [
    ['unencrypted', (text) => `plain:${text}`],
    ['encrypted with another secret', (text, context) => createEncryption([OTHER_SECRET]).seal(text, context)],
    [
      "with the platform's secret, but nothing that authenticates the rest",
      (text) => createEncryption([SECRET]).seal(text),
    ],
    ["with the private half of the platform's key", () => genuine.sealedPrivateJwk],
    ['with a header of its own', () => `${encode({ alg: 'dir', enc: 'A256GCM', context_macs: ['A'.repeat(43)] })}....`],
    ['as text that is no JWE', () => 'e30'],
    ['empty', () => ''],
  ]

  it.each(forgeries)('%s: is ignored, logged once and reported, and is not encrypted', async (_, seal) => {
    const { record, token } = await forge(seal)
    await write(record)
    await expect(platform.auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
    await expectIgnored(platform, record.kid)

    const restarted = await open()
    await expect(restarted.auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
    await expectIgnored(restarted, record.kid)
    expect((await store.listSigningKeys()).map(({ sealedPrivateJwk }) => sealedPrivateJwk)).toContain(
      record.sealedPrivateJwk,
    )
    await restarted.auth.signingKeys.revoke(record.kid)
    expect((await restarted.auth.health()).problems).toEqual([])
  })

  it.each<[string, Partial<SigningKeyRecord>]>([
    ['algorithm', { algorithm: 'RS256' }],
    ['creation time', { createdAt: 1 }],
    ['signing time', { signsFrom: 1 }],
    ['end of the key before it', { formerVerifiesFor: 0 }],
    ['kid', { kid: 'another' }],
    ['public key', { publicJwk: { kty: 'EC' } }],
  ])('as a copy of the platform’s own with another %s: is ignored', async (_, changed) => {
    await replace(changed)
    await expectIgnored(platform, changed.kid ?? genuine.kid)
  })

  it('is accepted with its members in another order, as a store may keep them', async () => {
    await replace({ publicJwk: Object.fromEntries(Object.entries(genuine.publicJwk).toReversed()) })
    expect((await platform.auth.signingKeys.list()).items).toHaveLength(1)
  })

  it('does not end the genuine keys, whatever times it states', async () => {
    const { record } = await forge((text) => `plain:${text}`)
    await write({ ...record, signsFrom: genuine.signsFrom + 1, formerVerifiesFor: 0 })
    await platform.auth.signingKeys.rotate({ immediately: true })
    const kids = (await platform.auth.signingKeys.list()).items.map(({ kid }) => kid)
    expect(kids).toHaveLength(2)
    expect(kids).toContain(genuine.kid)
  })
})

describe('the option importUnencrypted', () => {
  it('is needed for a store that had no secret until now, and encrypts what is in it', async () => {
    const store = memoryStore()
    const before = openPlatform({ store, secret: undefined })
    const shop = await createApplication(before.auth, ['orders'])
    const token = await accessToken(express().use(before.auth.router), 'orders', shop)
    await before.auth.close()

    const refused = openPlatform({ store })
    await expect(refused.auth.ready()).rejects.toMatchObject({
      option: 'secret',
      fix: expect.stringContaining('importUnencrypted: true'),
    })
    await refused.auth.close()
    expect(await store.establishSecret('pepper', 'ignored')).toMatch(/^plain:/)

    const importing = openPlatform({ store, importUnencrypted: true })
    await importing.auth.verifyAccessToken('orders', token)
    expect(importing.logger.lines).toEqual([expect.stringMatching(/^importUnencrypted is true/)])
    await importing.auth.close()

    const after = usePlatform({ store })
    await after.auth.verifyAccessToken('orders', token)
    expect(await store.establishSecret('pepper', 'ignored')).not.toMatch(/^plain:/)
    expect((await store.listSigningKeys())[0]!.sealedPrivateJwk).not.toMatch(/^plain:/)
  })
})

it.each<['session' | 'pepper', string, (store: StoreWith) => Promise<string>]>([
  ['session', 'the pepper', (store) => store.establishSecret('pepper', '')],
  ['pepper', 'an unencrypted one', async () => `plain:${'A'.repeat(43)}`],
  ['pepper', 'the session secret', (store) => store.establishSecret('session', '')],
  ['pepper', 'a signing key', async (store) => (await store.listSigningKeys())[0]!.sealedPrivateJwk],
])('a %s in whose place somebody else writes %s ends the start with a ConfigurationError', async (name, _, forge) => {
  const store = memoryStore()
  const before = openPlatform({ store })
  await before.auth.ready()
  await before.auth.close()
  await store.replaceSecret(name, await store.establishSecret(name, ''), await forge(store))
  const { auth } = usePlatform({ store })
  await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigurationError' })
})
