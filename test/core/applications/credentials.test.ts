import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCredentials } from '../../../src/core/applications/credentials/credentials.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'

describe('a credential', () => {
  it('has the format {prefix}_{kind}_{random}{CRC-32}, in [A-Za-z0-9_]', async () => {
    for (const { clientId, clientSecret = '' } of await manyCredentials({}, 100)) {
      expect(clientId).toMatch(/^epa_key_[A-Za-z0-9]{28}[A-Za-z0-9]{6}$/)
      expect(clientSecret).toMatch(/^epa_sec_[A-Za-z0-9]{43}[A-Za-z0-9]{6}$/)
      for (const credential of [clientId, clientSecret])
        expect(credential.slice(-6)).toBe(crc32InBase62(credential.slice(0, -6)))
    }
  })

  it('begins with the option credentials.prefix', async () => {
    const [credentials] = await manyCredentials({ credentials: { prefix: 'Acme_2' } }, 1)
    expect(credentials!.clientId).toMatch(/^Acme_2_key_[A-Za-z0-9]{34}$/)
    expect(credentials!.clientSecret).toMatch(/^Acme_2_sec_[A-Za-z0-9]{49}$/)
    expect(credentials!.clientId.slice(-6)).toBe(crc32InBase62(credentials!.clientId.slice(0, -6)))
  })

  it('has every letter and digit equally often', () => {
    const { mint } = createCredentials('epa', randomBytes(32))
    const counts = new Map(BASE62.split('').map((character) => [character, 0]))
    const made = new Set<string>()
    for (let i = 0; i < 2000; i++) {
      const [clientId, clientSecret] = [mint('key', 0).plain, mint('secret', 0).plain]
      made.add(clientId).add(clientSecret)
      for (const character of clientId.slice(8, 8 + 28) + clientSecret.slice(8, 8 + 43)) {
        counts.set(character, counts.get(character)! + 1)
      }
    }
    expect(made.size).toBe(4000)
    // Chi-squared with 61 degrees of freedom: by chance above 140 once in ten million; with `byte % 62` about 1000.
    const expected = (2000 * (28 + 43)) / 62
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    expect(chiSquared).toBeLessThan(140)
    // Below 20 the characters would be distributed too evenly to be random.
    expect(chiSquared).toBeGreaterThan(20)
  })

  async function manyCredentials(options: TestOptions, count: number) {
    const { auth } = openPlatform(options)
    const made = await Promise.all(
      Array.from({ length: count }, () => auth.applications.create({ name: 'Shop', apis: ['orders'] })),
    )
    await auth.close()
    return made.map(({ credentials }) => credentials)
  }
})

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 (ISO 3309) computed bit by bit, as six base62 digits. */
function crc32InBase62(text: string): string {
  let crc = 0xffffffffn
  for (const byte of Buffer.from(text)) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xedb88320n : crc >> 1n
  }
  let rest = crc ^ 0xffffffffn
  let digits = ''
  for (; digits.length < 6; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits
  return digits
}
