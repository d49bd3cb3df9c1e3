import { describe, expect, it } from 'vitest'
import { platform } from '../support/platform.js'
import { expectRefused, infoOf, onEveryOperator } from './operator.js'

onEveryOperator((host, { caller, anApplication, auditOf }) => {
  describe('rotateSecret()', () => {
    it('leaves the old secret good for a day, and not a second longer', async () => {
      const { id, credentials: old } = await anApplication()
      host.clock.advance(10)
      const { application, credentials } = await host.auth.applications.rotateSecret(id)
      const fresh = { ...old, ...credentials }
      expect(credentials).toEqual({ clientSecret: expect.any(String) })
      expect(credentials.clientSecret).not.toBe(old.clientSecret)
      expect(application.secrets).toEqual([
        infoOf(fresh.clientSecret, host.clock.now()),
        infoOf(old.clientSecret!, host.clock.now() - 10_000, host.clock.now() + 86_400_000),
      ])
      await caller.token('orders', old).expect(200)
      await caller.token('orders', fresh).expect(200)

      host.clock.advance(86_399)
      await caller.token('orders', old).expect(200)
      host.clock.advance(1)
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.token('orders', fresh).expect(200)
      expect((await host.auth.applications.get(id))!.secrets).toHaveLength(1)
    })

    it('ends the old secret with the next request where the overlap is 0', async () => {
      const { id, credentials: old } = await anApplication()
      await caller.token('orders', old).expect(200)
      const { application, credentials } = await host.auth.applications.rotateSecret(id, { overlap: 0 })
      expect(application.secrets).toEqual([infoOf(credentials.clientSecret, host.clock.now())])
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.token('orders', { ...old, ...credentials }).expect(200)
    })

    it('keeps access tokens and the key as they are', async () => {
      const { id, credentials } = await anApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await host.auth.applications.rotateSecret(id, { overlap: 0 })
      await caller.bearer('/orders/items', accessToken).expect(200)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
    })

    it('ends the oldest with the third: at most two are live', async () => {
      const { id, credentials: first } = await anApplication()
      const second = (await host.auth.applications.rotateSecret(id)).credentials
      await caller.token('orders', first).expect(200)
      const { application, credentials: third } = await host.auth.applications.rotateSecret(id)
      expect(application.secrets).toEqual([
        infoOf(third.clientSecret, host.clock.now()),
        infoOf(second.clientSecret, host.clock.now(), host.clock.now() + 86_400_000),
      ])
      await caller.token('orders', first).expect(401)
      await caller.token('orders', { ...first, ...second }).expect(200)
      await caller.token('orders', { ...first, ...third }).expect(200)
    })

    it('never makes an old secret live longer than the rotation before said', async () => {
      const { id, credentials: first } = await anApplication()
      await host.auth.applications.rotateSecret(id, { overlap: 100 })
      await host.auth.applications.rotateSecret(id, { overlap: 0 })
      await caller.token('orders', first).expect(401)

      const { id: other, credentials: old } = await anApplication()
      const { credentials: middle } = await host.auth.applications.rotateSecret(other, { overlap: 100 })
      const { application } = await host.auth.applications.rotateSecret(other, { overlap: 50 })
      expect(application.secrets[1]).toEqual(infoOf(middle.clientSecret, host.clock.now(), host.clock.now() + 50_000))
      await caller.token('orders', old).expect(401)
    })

    it.each([-1, 0.5, NaN, Infinity, '60', null])('refuses the overlap %j', async (overlap) => {
      const { id } = await anApplication()
      const options = { overlap: overlap as number }
      await expectRefused(host.auth.applications.rotateSecret(id, options), 'invalid_argument', /^overlap /)
      await expectRefused(host.auth.applications.rotateKey(id, options), 'invalid_argument', /^overlap /)
      expect(await auditOf(id)).toHaveLength(1)
    })
  })

  describe('rotateKey()', () => {
    it('leaves the old key good for a day, as client_id and as X-Api-Key', async () => {
      const { id, credentials: old } = await anApplication()
      const { application, credentials } = await host.auth.applications.rotateKey(id)
      const fresh = { ...old, ...credentials }
      expect(credentials).toEqual({ clientId: expect.any(String) })
      expect(application.id).toBe(id)
      for (const each of [old, fresh]) {
        await caller.token('orders', each).expect(200)
        const { body } = await caller.key('/catalog/items', each.clientId).expect(200)
        expect(body).toMatchObject({ application: { id } })
      }
      host.clock.advance(86_400)
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.key('/catalog/items', old.clientId).expect(401, /invalid_api_key/)
      await caller.token('orders', fresh).expect(200)
      await caller.key('/catalog/items', fresh.clientId).expect(200)
    })

    it('ends the old key with the next request where the overlap is 0', async () => {
      const { id, credentials: old } = await anApplication()
      await caller.key('/catalog/items', old.clientId).expect(200)
      const { credentials } = await host.auth.applications.rotateKey(id, { overlap: 0 })
      await caller.key('/catalog/items', old.clientId).expect(401, /invalid_api_key/)
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
    })

    it('lets any live key go with any live secret', async () => {
      const { id, credentials: first } = await anApplication()
      const { credentials: key } = await host.auth.applications.rotateKey(id)
      const { credentials: secret } = await host.auth.applications.rotateSecret(id)
      for (const clientId of [first.clientId, key.clientId]) {
        for (const clientSecret of [first.clientSecret!, secret.clientSecret]) {
          await caller.token('orders', { clientId, clientSecret }).expect(200)
        }
      }
      const stranger = await anApplication()
      await caller
        .token('orders', { clientId: key.clientId, clientSecret: stranger.credentials.clientSecret! })
        .expect(401)
    })

    it('ends the oldest with the third, and keeps the id in access tokens', async () => {
      const { id, credentials: first } = await anApplication()
      const accessToken = await caller.accessToken('orders', first)
      const { credentials: second } = await host.auth.applications.rotateKey(id)
      const { credentials: third } = await host.auth.applications.rotateKey(id)
      await caller.key('/catalog/items', first.clientId).expect(401)
      await caller.key('/catalog/items', second.clientId).expect(200)
      await caller.key('/catalog/items', third.clientId).expect(200)
      await caller.bearer('/orders/items', accessToken).expect(200)
    })
  })
})

describe('a credential', () => {
  it('is the prefix, its kind, random letters and digits, and their CRC-32, all of [A-Za-z0-9_]', async () => {
    for (const { clientId, clientSecret = '' } of await manyCredentials({}, 100)) {
      expect(clientId).toMatch(/^epa_key_[A-Za-z0-9]{28}[A-Za-z0-9]{6}$/)
      expect(clientSecret).toMatch(/^epa_sec_[A-Za-z0-9]{43}[A-Za-z0-9]{6}$/)
      for (const credential of [clientId, clientSecret])
        expect(credential.slice(-6)).toBe(crc32InBase62(credential.slice(0, -6)))
    }
  })

  it('begins with what the option credentialPrefix says', async () => {
    const [credentials] = await manyCredentials({ credentialPrefix: 'Acme_2' }, 1)
    expect(credentials!.clientId).toMatch(/^Acme_2_key_[A-Za-z0-9]{34}$/)
    expect(credentials!.clientSecret).toMatch(/^Acme_2_sec_[A-Za-z0-9]{49}$/)
    expect(credentials!.clientId.slice(-6)).toBe(crc32InBase62(credentials!.clientId.slice(0, -6)))
  })

  it('has no email or digit more often than another, anywhere', async () => {
    const counts = new Map(BASE62.split('').map((character) => [character, 0]))
    const made = new Set<string>()
    for (const { clientId, clientSecret = '' } of await manyCredentials({}, 2000)) {
      made.add(clientId).add(clientSecret)
      for (const character of clientId.slice(8, 8 + 28) + clientSecret.slice(8, 8 + 43)) {
        counts.set(character, counts.get(character)! + 1)
      }
    }
    expect(made.size).toBe(4000)
    // Chi-squared with 61 degrees of freedom: by chance above 140 once in ten million; `byte % 62` makes it about 1000.
    const expected = (2000 * (28 + 43)) / 62
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    expect(chiSquared).toBeLessThan(140)
    // And above 20: what is spread more evenly than that was dealt, not drawn.
    expect(chiSquared).toBeGreaterThan(20)
  })

  async function manyCredentials(options: Parameters<typeof platform>[0], count: number) {
    const { auth } = platform(options)
    const made = await Promise.all(
      Array.from({ length: count }, () => auth.applications.create({ name: 'Shop', apis: ['orders'] })),
    )
    await auth.close()
    return made.map(({ credentials }) => credentials)
  }
})

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 as ISO 3309 has it, bit by bit, written in base62 with six digits. */
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
