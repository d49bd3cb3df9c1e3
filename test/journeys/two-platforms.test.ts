import { afterAll, beforeAll, expect, it } from 'vitest'
import { authOf, type IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform, openPlatform, type TestPlatform } from '../support/platform.js'

/** Both platforms have the same baseUrl, APIs and secret, and different stores. */
onEveryPlatform((one) => {
  let other: TestPlatform
  const credentials = {} as Record<'one' | 'other', IssuedCredentials>
  const accessTokens = {} as Record<'one' | 'other', string>

  beforeAll(async () => {
    other = openPlatform()
    for (const [name, { auth }] of [
      ['one', one],
      ['other', other],
    ] as const) {
      const made = await auth.applications.create({ name: `Shop of ${name}`, apis: ['orders', 'catalog'] })
      credentials[name] = made.credentials
    }
    accessTokens.one = await createCaller({ app: appOf('one') }, '/one').accessToken('orders', credentials.one)
    accessTokens.other = await createCaller({ app: appOf('other') }, '/other').accessToken('orders', credentials.other)
  })
  afterAll(() => other.auth.close())

  /** One app with both platforms, each below its own path. `first` is mounted first. */
  function appOf(first: 'one' | 'other') {
    const app = one.express()
    const platforms = { one: one.auth, other: other.auth }
    for (const name of first === 'one' ? (['one', 'other'] as const) : (['other', 'one'] as const)) {
      app.use(`/${name}`, platforms[name].router)
      app.get(
        `/${name}/orders/items`,
        platforms[name].requireBearer('orders'),
        (req, res) => void res.json(authOf(req).application.name),
      )
      app.get(
        `/${name}/catalog/items`,
        platforms[name].requireApiKey('catalog'),
        (req, res) => void res.json(authOf(req).application.name),
      )
    }
    return app
  }

  it.each(['one', 'other'] as const)('each accepts only its own applications, with %s mounted first', async (first) => {
    const app = appOf(first)
    for (const [own, foreign] of [
      ['one', 'other'],
      ['other', 'one'],
    ] as const) {
      const caller = createCaller({ app }, `/${own}`)
      await caller.bearer('/orders/items', accessTokens[own]).expect(200, `"Shop of ${own}"`)
      await caller.key('/catalog/items', credentials[own].clientId).expect(200, `"Shop of ${own}"`)
      await caller.token('orders', credentials[own]).expect(200)
      await caller.bearer('/orders/items', accessTokens[foreign]).expect(401, /invalid_token/)
      await caller.key('/catalog/items', credentials[foreign].clientId).expect(401, /invalid_api_key/)
      await caller.token('orders', credentials[foreign]).expect(401, /invalid_client/)
    }
  })

  it('a change in one does not affect the other', async () => {
    const app = appOf('one')
    const { items: applications } = await one.auth.applications.list()
    for (const { id } of applications) {
      await one.auth.applications.suspend(id)
      expect(await other.auth.applications.get(id)).toBeUndefined()
    }
    await createCaller({ app }, '/one').key('/catalog/items', credentials.one.clientId).expect(403)
    await createCaller({ app }, '/other').key('/catalog/items', credentials.other.clientId).expect(200)
    for (const { id } of applications) await one.auth.applications.resume(id)
  })
})
