import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { createCaller } from '../../support/caller.js'
import { onEveryPlatform } from '../../support/platform.js'

const SECRET = 'x9!Kq2 vR7_pL4&wZ1'
const HMAC_KEY = Buffer.from('the key of the other system')
const digest = (algorithm: string): string => createHash(algorithm).update(SECRET).digest('hex')

/** Of SECRET. */
const FORMS: Readonly<Record<string, object>> = {
  plain: { plain: SECRET },
  sha256: { sha256: digest('sha256') },
  sha512: { sha512: digest('sha512') },
  hmac: { hmacSha256: createHmac('sha256', HMAC_KEY).update(SECRET).digest('base64') },
  bcrypt: { bcrypt: '$2b$04$rceP/0LN3Z9LT9l8cYXZBOVNUIp4nuPcOHpcp66qBX.th6NvLHBvK' },
  php: { bcrypt: '$2y$04$rceP/0LN3Z9LT9l8cYXZBOVNUIp4nuPcOHpcp66qBX.th6NvLHBvK' },
  argon2id: {
    argon2id: '$argon2id$v=19$m=64,t=1,p=1$85vR6Z4DckXaRXDIV4h3nw$4ounFpGdz4jKCt+Irpkk/KgHdbdojyLKSTMCNBomcbw',
  },
}

onEveryPlatform(
  (host) => {
    const caller = createCaller(host)

    async function importClient(clientId: string, secret: object): Promise<void> {
      const line = { name: clientId, apis: ['orders'], clientId, secrets: [secret] }
      const { added } = await host.auth.imports.run([line], { confirm: true })
      expect(added).toBe(1)
    }

    it.each(Object.keys(FORMS))('a secret that was imported as %s gets access tokens', async (form) => {
      const clientId = `client-${form}`
      await importClient(clientId, FORMS[form]!)
      const { items } = await host.auth.applications.list({ limit: 1000 })
      const { id } = items.find(({ name }) => name === clientId)!
      const wrong = await caller.token('orders', { clientId, clientSecret: `${SECRET}x` })
      const unknown = await caller.token('orders', { clientId: 'client-unknown', clientSecret: SECRET })
      expect([wrong.status, wrong.text]).toEqual([401, unknown.text])
      await caller.accessToken('orders', { clientId, clientSecret: SECRET })
      const secret = async (): Promise<unknown> => (await host.auth.applications.get(id))?.secrets[0]
      await expect.poll(secret).toMatchObject({ prefix: 'x9!K', lastUsedAt: expect.any(Date) as Date })
      await caller.accessToken('orders', { clientId, clientSecret: SECRET })
      await caller.accessToken('orders', { clientId: id, clientSecret: SECRET })
      // The next form is of the same secret, and two applications cannot have the same hash.
      await host.auth.applications.delete(id)
    })
  },
  { imports: { hmacKey: ['another key', HMAC_KEY] }, rateLimits: { failedAuthentication: false } },
)
