import { afterAll, beforeAll, expect, it } from 'vitest'
import { authOf, maybeAuthOf, type IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import { onEveryPlatform, openPlatform, type TestPlatform } from '../support/platform.js'
import { request } from '../support/request.js'

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

  it('guards of both on one route need credentials of both', async () => {
    const app = one.express()
    app.get(
      '/both',
      one.auth.requireApiKey('catalog'),
      other.auth.requireBearer('orders'),
      (req, res) => void res.json(authOf(req).application.name),
    )
    app.get(
      '/same',
      one.auth.requireBearer('orders'),
      other.auth.requireBearer('orders'),
      (_req, res) => void res.json('never'),
    )
    const both = request(app).get('/both').set('X-Api-Key', credentials.one.clientId)
    await both.set('Authorization', `Bearer ${accessTokens.other}`).expect(200, '"Shop of other"')
    for (const name of ['one', 'other'] as const) {
      await createCaller({ app })
        .bearer('/same', accessTokens[name])
        .expect(401, /invalid_token/)
    }
  })

  it('an optional guard of one refuses tokens of the other', async () => {
    const app = one.express()
    app.get(
      '/',
      one.auth.requireBearer('orders', { optional: true }),
      (req, res) => void res.json(maybeAuthOf(req) ?? null),
    )
    await request(app).get('/').expect(200, 'null')
    await createCaller({ app }).bearer('/', accessTokens.other).expect(401)
    await createCaller({ app })
      .bearer('/', accessTokens.one)
      .expect(200, /Shop of one/)
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

  it('40 concurrent requests are each answered for their own application', async () => {
    const server = appOf('one').listen(0)
    try {
      const names = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 'one' : 'other'))
      const answers = await Promise.all(
        names.map((name) =>
          request(server).get(`/${name}/orders/items`).set('Authorization', `Bearer ${accessTokens[name]}`),
        ),
      )
      expect(answers.map(({ body }) => body as string)).toEqual(names.map((name) => `Shop of ${name}`))
    } finally {
      server.close()
    }
  })
})
