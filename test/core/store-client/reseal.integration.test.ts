import { describe, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { BACKINGS, openProvider, type ReceivedCredentials, type Provider } from '../applications/applicant.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { request } from '../../support/request.js'

const OLD = 'the old secret, of 32 characters or more'
const NEW = 'the new secret, of 32 characters or more'
const NEWEST = 'the newest secret, of 32 characters or more'

async function create({ auth }: Provider): Promise<ReceivedCredentials> {
  await auth.ready()
  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  return credentials as ReceivedCredentials
}

async function accessToken({ app }: Provider, { clientId, clientSecret }: ReceivedCredentials): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { body } = await request(app).post('/orders/token').type('form').send(form)
  return (body as { access_token: string }).access_token
}

async function bearerStatus({ app }: Provider, token: string): Promise<number> {
  return (await request(app).get('/orders/items').set('Authorization', `Bearer ${token}`)).status
}

/** The sealed values in a store. */
async function readSealed(store: StoreWith): Promise<{ pepper: string; keys: readonly string[] }> {
  const pepper = await store.establishSecret('pepper', 'ignored: there is one')
  return { pepper, keys: (await store.listSigningKeys()).map(({ sealedPrivateJwk }) => sealedPrivateJwk) }
}

/** SQLite, whose statements are those of PostgreSQL, in the long lane. */
const TRIED = Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name !== 'SQLite')

for (const [name, prepare] of TRIED) {
  describe.concurrent(`a change of the option secret, on ${name},`, () => {
    it('seals pepper and signing keys again, and everything works with the new and with the old list', async ({
      expect,
      onTestFinished,
    }) => {
      const open = await prepare({ onTestFinished })
      const before = openProvider({ onTestFinished }, { store: open(), secret: OLD })
      const { now } = before.clock
      const old = await create(before)
      const token = await accessToken(before, old)
      await before.auth.signingKeys.rotate({ immediately: true })
      const sealedBefore = await readSealed(before.store)

      const after = openProvider({ onTestFinished }, { store: open(), secret: [NEW, OLD], now })
      await after.auth.ready()
      const sealedAfter = await readSealed(after.store)
      expect(sealedAfter.keys).toHaveLength(2)
      for (const sealed of [sealedAfter.pepper, ...sealedAfter.keys]) {
        expect([sealedBefore.pepper, ...sealedBefore.keys]).not.toContain(sealed)
        expect(sealed).not.toContain(NEW)
      }
      expect((await after.auth.signingKeys.list()).items.map(({ kid }) => kid)).toEqual(
        (await before.auth.signingKeys.list()).items.map(({ kid }) => kid),
      )

      const fresh = await create(after)
      const freshToken = await accessToken(after, fresh)
      for (const provider of [before, after]) {
        for (const credentials of [old, fresh]) {
          expect(await provider.tokenStatus(credentials)).toBe(200)
          expect(await provider.keyStatus(credentials)).toBe(200)
        }
        for (const each of [token, freshToken]) expect(await bearerStatus(provider, each)).toBe(200)
      }
      // Each follows the other's changes.
      const [{ id } = { id: '' }] = (await before.auth.applications.list()).items
      await before.auth.applications.suspend(id)
      await expect.poll(() => after.tokenStatus(old)).toBe(401)
      await after.auth.applications.resume(id)
      await expect.poll(() => before.tokenStatus(old)).toBe(200)
    })

    it('makes the newest secret sufficient, and the old one insufficient', async ({ expect, onTestFinished }) => {
      const open = await prepare({ onTestFinished })
      const before = openProvider({ onTestFinished }, { store: open(), secret: OLD })
      const old = await create(before)
      const token = await accessToken(before, old)
      await before.auth.close()
      const { now } = before.clock
      const between = openProvider({ onTestFinished }, { store: open(), secret: [NEW, OLD], now })
      await between.auth.ready()
      await between.auth.close()

      const after = openProvider({ onTestFinished }, { store: open(), secret: NEW, now })
      await after.auth.ready()
      expect([await after.tokenStatus(old), await after.keyStatus(old), await bearerStatus(after, token)]).toEqual([
        200, 200, 200,
      ])
      const sealed = await readSealed(after.store)
      await after.auth.close()

      const late = openProvider({ onTestFinished }, { store: open(), secret: OLD, now })
      await expect(late.auth.ready()).rejects.toThrow(ConfigurationError)
      await expect(late.auth.ready()).rejects.toThrow(/secret is not the one that the store was written with/)
      expect(late.logger.lines.join('\n')).not.toMatch(/secret, of 32/)

      // What the newest secret sealed is not sealed again.
      const again = openProvider({ onTestFinished }, { store: open(), secret: [NEW, OLD], now })
      await again.auth.ready()
      expect(await readSealed(again.store)).toEqual(sealed)
    })

    it('can be made by several processes at once, and repeatedly', async ({ expect, onTestFinished }) => {
      const open = await prepare({ onTestFinished })
      const first = openProvider({ onTestFinished }, { store: open(), secret: OLD })
      const credentials = await create(first)
      const { now } = first.clock
      for (const secret of [
        [NEW, OLD],
        [NEWEST, NEW],
      ]) {
        const providers = Array.from({ length: 5 }, () =>
          openProvider({ onTestFinished }, { store: open(), secret, now }),
        )
        await Promise.all(providers.map(({ auth }) => auth.ready()))
        const statuses = await Promise.all(providers.map((provider) => provider.tokenStatus(credentials)))
        expect(statuses).toEqual([200, 200, 200, 200, 200])
      }
      const alone = openProvider({ onTestFinished }, { store: open(), secret: NEWEST, now })
      await alone.auth.ready()
      expect(await alone.tokenStatus(credentials)).toBe(200)
      expect(await first.tokenStatus(credentials)).toBe(200)
    })

    it('seals what was stored without a secret, with importUnencrypted', async ({ expect, onTestFinished }) => {
      const open = await prepare({ onTestFinished })
      const before = openProvider({ onTestFinished }, { store: open(), secret: undefined })
      const credentials = await create(before)
      expect((await readSealed(before.store)).keys[0]).toMatch(/^plain:/)
      const options = { secret: NEW, importUnencrypted: true, now: before.clock.now }
      const after = openProvider({ onTestFinished }, { store: open(), ...options })
      await after.auth.ready()
      expect(await after.tokenStatus(credentials)).toBe(200)
      const { pepper, keys } = await readSealed(after.store)
      for (const sealed of [pepper, ...keys]) expect(sealed).not.toMatch(/^plain:/)
      expect(await before.tokenStatus(credentials)).toBe(200)
    })

    it('lets processes on the old list verify tokens of a key that the new secret sealed', async ({
      expect,
      onTestFinished,
    }) => {
      const open = await prepare({ onTestFinished })
      const before = openProvider({ onTestFinished }, { store: open(), secret: OLD })
      const credentials = await create(before)
      const after = openProvider({ onTestFinished }, { store: open(), secret: [NEW, OLD], now: before.clock.now })
      await after.auth.ready()
      await after.auth.signingKeys.rotate({ immediately: true })
      const token = await accessToken(after, credentials)
      expect(await bearerStatus(after, token)).toBe(200)
      expect(await bearerStatus(before, token)).toBe(200)
      // It follows other changes too.
      await after.auth.applications.suspend((await after.auth.applications.list()).items[0]!.id)
      await expect.poll(() => before.tokenStatus(credentials)).toBe(401)
    })
  })
}
