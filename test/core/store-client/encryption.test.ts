import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { createEncryption } from '../../../src/core/store-client/encryption.js'

const [OLD, NEW, OTHER] = ['o'.repeat(32), 'n'.repeat(32), 'x'.repeat(32)] as const
const TEXT = 'not readable at rest: é Ω \0'

describe('createEncryption()', () => {
  it('unseals what it sealed, and seals equal texts differently', async () => {
    const encryption = createEncryption([NEW])
    const sealed = [await encryption.seal(TEXT), await encryption.seal(TEXT), await encryption.seal('')]
    expect(new Set(sealed).size).toBe(3)
    expect(await Promise.all(sealed.map(encryption.unseal))).toEqual([TEXT, TEXT, ''])
  })

  it('seals to a JWE with dir and A256GCM that contains neither the text nor the secret', async () => {
    const sealed = await createEncryption([NEW]).seal(TEXT)
    expect(decodeProtectedHeader(sealed)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: expect.stringMatching(/^[\w-]{12}$/),
    })
    const clear =
      sealed
        .split('.')
        .map((part) => Buffer.from(part, 'base64url').toString())
        .join(' ') + sealed
    expect(clear).not.toContain('readable')
    expect(clear).not.toContain(NEW)
  })

  it('seals with the newest secret, and unseals with every secret', async () => {
    const sealed = await createEncryption([OLD]).seal(TEXT)
    expect(await createEncryption([NEW, OTHER, OLD]).unseal(sealed)).toBe(TEXT)
    const sealedAgain = await createEncryption([NEW, OLD]).seal(TEXT)
    expect(await createEncryption([NEW]).unseal(sealedAgain)).toBe(TEXT)
    await expect(createEncryption([OLD]).unseal(sealedAgain)).rejects.toThrow(/^secret is not the one/)
  })

  it('rejects with the fix what none of its secrets decrypts', async () => {
    const sealed = await createEncryption([OLD]).seal(TEXT)
    const refusal = { name: 'ConfigurationError', message: expect.stringContaining('give both, newest first') }
    await expect(createEncryption([NEW]).unseal(sealed)).rejects.toMatchObject(refusal)
    await expect(createEncryption([NEW, OTHER]).unseal(sealed)).rejects.toMatchObject(refusal)
  })

  it('rejects a changed JWE', async () => {
    const encryption = createEncryption([NEW])
    const [header, key, iv, text, tag] = (await encryption.seal(TEXT)).split('.') as [
      string,
      string,
      string,
      string,
      string,
    ]
    const change = (part: string): string => (part.startsWith('A') ? 'B' : 'A') + part.slice(1)
    for (const parts of [
      [header, key, change(iv), text, tag],
      [header, key, iv, change(text), tag],
      [header, key, iv, text, change(tag)],
      [Buffer.from('{"alg":"dir","enc":"A128GCM"}').toString('base64url'), key, iv, text, tag],
      [header, key, iv, text],
      [''],
    ]) {
      await expect(encryption.unseal(parts.join('.'))).rejects.toThrow(/^secret is not the one/)
    }
  })

  it('without a secret keeps the text readable, which a secret that is added later imports only if it is told to', async () => {
    const none = createEncryption([])
    const plain = await none.seal(TEXT)
    expect(plain).toContain(TEXT)
    expect(await none.unseal(plain)).toBe(TEXT)
    expect(await createEncryption([NEW], { importUnencrypted: true }).unseal(plain)).toBe(TEXT)
    await expect(createEncryption([NEW]).unseal(plain)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/^secret is set, and the store has unencrypted values/),
    })
    const sealed = await createEncryption([NEW]).seal(TEXT)
    await expect(none.unseal(sealed)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/^secret is missing, and the store was written with one\./),
    })
  })

  it('authenticates the context that a value was sealed with, under every secret of that time', async () => {
    const sealed = await createEncryption([NEW, OLD]).seal(TEXT, 'context')
    for (const secrets of [[NEW], [OLD], [OTHER, OLD]]) {
      expect(createEncryption(secrets).authenticate(sealed, 'context')).toBe('authentic')
      expect(createEncryption(secrets).authenticate(sealed, 'context ')).toBe('forged')
    }
    expect(createEncryption([OTHER]).authenticate(sealed, 'context')).toBe('forged')
    expect(await createEncryption([NEW]).unseal(sealed)).toBe(TEXT)
    const [, ...rest] = sealed.split('.')
    const withoutMacs = Buffer.from(JSON.stringify({ ...decodeProtectedHeader(sealed), context_macs: undefined }))
    await expect(
      createEncryption([NEW]).unseal([withoutMacs.toString('base64url'), ...rest].join('.')),
    ).rejects.toThrow()
  })

  it('takes a value that was sealed without a context for forged, and tells that one is unencrypted', async () => {
    const encryption = createEncryption([NEW])
    for (const each of [await encryption.seal(TEXT), 'e30', ''])
      expect(encryption.authenticate(each, 'context')).toBe('forged')
    expect(encryption.authenticate(`plain:${TEXT}`, 'context')).toBe('unencrypted')
    for (const context_macs of [null, 'x', {}, [], [null], [{}]]) {
      const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', context_macs })).toString('base64url')
      expect(createEncryption([NEW]).authenticate(`${header}....`, 'context')).toBe('forged')
    }
  })

  it('seals a text that starts with the prefix of unsealed ones', async () => {
    for (const secrets of [[], [NEW]]) {
      const encryption = createEncryption(secrets)
      expect(await encryption.unseal(await encryption.seal('plain:plain:'))).toBe('plain:plain:')
    }
  })
})
