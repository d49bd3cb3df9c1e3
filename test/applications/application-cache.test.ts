import express from 'express'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/index.js'
import { callerOf } from '../support/caller.js'
import { platform, STORES } from '../support/platform.js'

/** A store whose answers can be held up on their way: what they say was true when it looked. */
function heldUp(store: Store) {
  const looks: string[] = []
  let held: Promise<void> | undefined
  let about = /^$/
  let release = (): void => undefined
  const slow =
    <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const answer = await call(...args)
      looks.push(name)
      if (about.test(name)) await held
      return answer
    }
  return {
    looks,
    store: {
      ...store,
      findApplication: slow('findApplication', store.findApplication),
      findApplicationByKey: slow('findApplicationByKey', store.findApplicationByKey),
      listSigningKeys: slow('listSigningKeys', store.listSigningKeys),
    } satisfies Store,
    /** From now on answers to the calls of these names wait for `release()`. */
    hold(names: RegExp) {
      about = names
      held = new Promise((resolve) => (release = resolve))
    },
    release() {
      held = undefined
      release()
    },
  }
}

/** Two platforms on one store: one changes things, and the other's answers from the store are late. */
describe.each(Object.entries(STORES))(
  'an answer of a %s store that was on its way when things changed',
  (_, openStore) => {
    async function open() {
      const { store, remove } = await openStore()
      const late = heldUp(store)
      const [operator, guarded] = [platform({ store }), platform({ store: late.store })]
      await Promise.all([operator.auth.ready(), guarded.auth.ready()])
      const { application, credentials } = await operator.auth.applications.create({
        name: 'Shop',
        apis: ['orders', 'catalog'],
      })
      const accessToken = await callerOf({ app: express().use(operator.auth.router) }).accessToken(
        'orders',
        credentials,
      )
      const app = express().use(guarded.auth.router)
      app.get('/orders/items', guarded.auth.requireBearer('orders'), (_req, res) => void res.json([]))
      app.get('/catalog/items', guarded.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
      const caller = callerOf({ app })
      const asks = {
        'the key guard': async () => (await caller.key('/catalog/items', credentials.clientId)).status,
        'the bearer guard': async () => (await caller.bearer('/orders/items', accessToken)).status,
        'the token endpoint': async () => (await caller.token('orders', credentials)).status,
      }
      const close = async (): Promise<void> => {
        late.release()
        await Promise.all([operator.auth.close(), guarded.auth.close()])
        await remove()
      }
      return { late, operator, guarded, id: application.id, credentials, accessToken, caller, asks, close }
    }

    it.each(['the key guard', 'the bearer guard', 'the token endpoint'] as const)(
      'is kept by nobody: %s, a change made here',
      async (door) => {
        const { late, guarded, id, asks, close } = await open()
        late.hold(/^find/)
        const early = asks[door]()
        await expect.poll(() => late.looks.filter((look) => look.startsWith('findApplication')).length).toBe(1)
        // The change reads the application too, and must not wait for what is held up.
        const change = guarded.auth.applications.suspend(id)
        await expect.poll(() => late.looks.filter((look) => look === 'findApplication').length).toBeGreaterThan(0)
        late.release()
        await change
        expect([200, 401, 403]).toContain(await early)
        expect(await asks[door]()).not.toBe(200)
        await close()
      },
    )

    it.each(['the key guard', 'the bearer guard', 'the token endpoint'] as const)(
      'is kept by nobody: %s, a change made elsewhere',
      async (door) => {
        const { late, operator, guarded, id, asks, close } = await open()
        late.hold(/^find/)
        const early = asks[door]()
        await expect.poll(() => late.looks.filter((look) => look.startsWith('findApplication')).length).toBe(1)
        await operator.auth.applications.suspend(id)
        // Now it has heard of it, and the answer from before is still on its way.
        expect(await guarded.auth.health()).toMatchObject({ ok: true })
        const late2 = asks[door]()
        late.release()
        expect(await early).toBe(200)
        // Whoever asked after the change does not get the answer of whoever asked before it.
        expect(await late2).not.toBe(200)
        expect(await asks[door]()).not.toBe(200)
        await close()
      },
    )

    it('is kept by nobody: a key that verified, and was revoked meanwhile', async () => {
      const { late, operator, guarded, credentials, asks, close } = await open()
      const { kid } = await operator.auth.signingKeys.rotate({ immediately: true })
      const app = express().use(operator.auth.router)
      const fresh = await callerOf({ app }).accessToken('orders', credentials)
      await operator.auth.signingKeys.rotate({ immediately: true })
      const ask = () =>
        guarded.auth.verifyAccessToken('orders', fresh).then(
          () => 200,
          () => 401,
        )
      late.hold(/^find/)
      const early = ask()
      await operator.auth.signingKeys.revoke(kid)
      late.release()
      await early
      expect(await guarded.auth.health()).toMatchObject({ ok: true })
      expect(await ask()).toBe(401)
      expect(await asks['the bearer guard']()).toBe(200)
      await close()
    })

    it('is one for all who ask at the same time', async () => {
      const { guarded, late, asks, close } = await open()
      // What the feed has yet to tell would have it looked up once more.
      expect(await guarded.auth.health()).toMatchObject({ ok: true })
      late.hold(/^find/)
      const before = late.looks.length
      const answers = Promise.all(Array.from({ length: 10 }, () => asks['the bearer guard']()))
      await expect.poll(() => late.looks.length).toBe(before + 1)
      late.release()
      expect(await answers).toEqual(Array<number>(10).fill(200))
      expect(late.looks.filter((look) => look === 'findApplication')).toHaveLength(1)
      await close()
    })
  },
)

it('what is nobody’s key is looked up once, however often it is tried', async () => {
  const { store, remove } = await STORES.SQLite()
  const { looks, store: counted } = heldUp(store)
  const [owner, guarded] = [platform(), platform({ store: counted })]
  const { credentials } = await owner.auth.applications.create({ name: 'Elsewhere', apis: ['catalog'] })
  const app = express().get('/catalog/items', guarded.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  for (let i = 0; i < 5; i++) await callerOf({ app }).key('/catalog/items', credentials.clientId).expect(401)
  // Well formed, so that it must be looked up; what is not is never.
  expect(looks.filter((look) => look === 'findApplicationByKey')).toHaveLength(1)
  await callerOf({ app })
    .key('/catalog/items', `${credentials.clientId.slice(0, -1)}!`)
    .expect(401)
  const last = credentials.clientId.endsWith('A') ? 'B' : 'A'
  await callerOf({ app })
    .key('/catalog/items', credentials.clientId.slice(0, -1) + last)
    .expect(401)
  expect(looks.filter((look) => look === 'findApplicationByKey')).toHaveLength(1)
  await Promise.all([owner.auth.close(), guarded.auth.close()])
  await remove()
})
