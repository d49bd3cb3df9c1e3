import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ImportedApplication } from '../../../src/features/imports/index.js'
import { createCaller } from '../../support/caller.js'
import { onEveryPlatform, type Host } from '../../support/platform.js'

const HMAC_KEY = 'the key of the other system'

/** The forms in which a line can have a key. */
const FORMS: Readonly<Record<string, (key: string) => object>> = {
  plain: (plain) => ({ plain }),
  sha256: (key) => ({ sha256: createHash('sha256').update(key).digest('hex') }),
  sha512: (key) => ({ sha512: createHash('sha512').update(key).digest('hex') }),
  hmacSha256: (key) => ({ hmacSha256: createHmac('sha256', HMAC_KEY).update(key).digest('hex') }),
}

const ENDS: Readonly<Record<string, (host: Host, id: string, key: string) => Promise<unknown>>> = {
  'was ended': ({ auth }, id, key) => auth.applications.endCredential(id, key),
  'was replaced': ({ auth }, id) => auth.applications.rotateKey(id, { overlap: 0 }),
  'ended with its deleted application': ({ auth }, id) => auth.applications.delete(id),
}

let unique = 0

onEveryPlatform(
  (host) => {
    const caller = createCaller(host)
    let isMounted = false

    async function call(key: string): Promise<unknown> {
      if (!isMounted) {
        host.app.get('/catalog/items', host.auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
        isMounted = true
      }
      return (await caller.key('/catalog/items', key)).status
    }

    async function importKey(name: string, key: object): Promise<string> {
      const line = { externalId: `${name} ${(unique += 1)}`, name: `${name} ${unique}`, apis: ['catalog'], keys: [key] }
      const refused: string[] = []
      await host.auth.imports.run([line], { confirm: true, onRefused: (_, reason) => void refused.push(reason) })
      expect(refused).toEqual([])
      const { items } = await host.auth.applications.list({ externalId: line.externalId })
      return items[0]!.id
    }

    const cases = Object.keys(ENDS).flatMap((how) =>
      Object.keys(FORMS).flatMap((form) => [true, false].map((isUsed) => [how, form, isUsed] as const)),
    )

    it.each(cases)('a key that %s (%s, used before: %s) begins to work for no other', async (how, form, isUsed) => {
      const key = `4174348a-9222-4e81-b33e-${createHash('md5')
        .update(`${how}${form}${isUsed}${(unique += 1)}`)
        .digest('hex')}`
      const others = ['sha256', 'sha512', 'hmacSha256'].filter((each) => each !== form)
      const owner = await importKey('Owner', FORMS[form]!(key))
      await importKey('Other', FORMS[others[0]!]!(key))
      if (isUsed) {
        expect(await call(key)).toBe(200)
        const adopted = async () => (await host.auth.applications.get(owner))?.keys[0]?.prefix
        await expect.poll(adopted).toBe('4174')
      }
      const { id } = (await host.auth.applications.get(owner))!.keys[0]!
      await ENDS[how]!(host, owner, id)
      expect([await call(key), await call(key)]).toEqual([401, 401])
      await host.auth.applications.suspend(await importKey('Later', FORMS[others[1]!]!(key)))
      // The new application has it now: whoever has the key may learn that it is suspended.
      expect(await call(key)).toBe(403)
    })

    it("a text of the platform's own form is never an imported key", async () => {
      const { application, credentials } = await host.auth.applications.create({ name: 'Own', apis: ['catalog'] })
      const key = credentials.clientId
      for (const form of ['sha256', 'sha512', 'hmacSha256']) await importKey(`Thief ${form}`, FORMS[form]!(key))
      expect(await call(key)).toBe(200)
      await host.auth.applications.delete(application.id)
      expect(await call(key)).toBe(401)
      const { auth } = host
      for (const more of [{ keys: [{ plain: key }] }, { clientId: key }]) {
        const refused: string[] = []
        const line = { name: 'Thief', apis: ['catalog'], ...more } as ImportedApplication
        await auth.imports.run([line], { confirm: true, onRefused: (_, reason) => void refused.push(reason) })
        expect(refused).toEqual([expect.stringContaining("form of the platform's own keys")])
      }
    })
  },
  { imports: { hmacKey: HMAC_KEY }, rateLimits: { failedAuthentication: false } },
)
