import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { createEncryption } from '../../src/store-client/encryption.js'

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

  it('without a secret keeps the text readable, also for a secret that is added later', async () => {
    const none = createEncryption([])
    const plain = await none.seal(TEXT)
    expect(plain).toContain(TEXT)
    expect(await none.unseal(plain)).toBe(TEXT)
    expect(await createEncryption([NEW]).unseal(plain)).toBe(TEXT)
    const sealed = await createEncryption([NEW]).seal(TEXT)
    await expect(none.unseal(sealed)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/^secret is missing, and the store was written with one\./),
    })
  })

  it('seals a text that starts with the prefix of unsealed ones', async () => {
    for (const secrets of [[], [NEW]]) {
      const encryption = createEncryption(secrets)
      expect(await encryption.unseal(await encryption.seal('plain:plain:'))).toBe('plain:plain:')
    }
  })
})
