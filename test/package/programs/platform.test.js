// Run by Jest as it is without any configuration: CommonJS, its own module loader.
const express = require('express')
const request = require('supertest')
const { authOf, createPlatformAuth, memoryStore } = require('express-platform-auth')
const { sqliteStore } = require('express-platform-auth/stores/sqlite')
const { developerConsole } = require('express-platform-auth/console')
const { accessTokenFor, apiKeyFor } = require('express-platform-auth/testing')
const { storeTests } = require('express-platform-auth/testing/store')

const secret = 'a secret of 32 characters or more'

test.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
])('a platform on %s', async (_name, makeStore) => {
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost',
    apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
    store: makeStore(),
    secret,
  })
  const app = express()
  app.use(auth.router)
  app.get('/orders', auth.requireBearer('orders'), (req, res) => res.json(authOf(req).scheme))
  app.get('/catalog', auth.requireApiKey('catalog'), (req, res) => res.json(authOf(req).scheme))

  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders'] })
  const issued = await request(app)
    .post('/orders/token')
    .auth(credentials.clientId, credentials.clientSecret)
    .type('form')
    .send({ grant_type: 'client_credentials' })
    .expect(200)
  await request(app).get('/orders').auth(issued.body.access_token, { type: 'bearer' }).expect(200, '"oauth2"')
  await request(app)
    .get('/orders')
    .auth(await accessTokenFor(auth, 'orders'), { type: 'bearer' })
    .expect(200)
  await request(app)
    .get('/catalog')
    .set('X-Api-Key', await apiKeyFor(auth, 'catalog'))
    .expect(200, '"apiKey"')
  await request(app).get('/orders').expect(401)
  await auth.close()
})

test('a console', async () => {
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost',
    apis: { catalog: { scheme: 'apiKey' } },
    store: memoryStore(),
  })
  const app = express()
  app.use('/developers', developerConsole(auth))
  const { text } = await request(app).get('/developers/').expect(200)
  await request(app)
    .get(`/developers/${/assets\/console\.\w+\.css/.exec(text)[0]}`)
    .expect(200)
  await auth.close()
})

test('fake timers reach a platform that exists already', async () => {
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost',
    apis: { orders: { scheme: 'oauth2' } },
    store: memoryStore(),
  })
  const accessToken = await accessTokenFor(auth, 'orders')
  await auth.verifyAccessToken('orders', accessToken)
  jest.useFakeTimers({ now: Date.now() + 7_200_000, doNotFake: ['performance'] }) // Jest 28 cannot fake it on Node 20
  await expect(auth.verifyAccessToken('orders', accessToken)).rejects.toThrow('The access token expired')
  jest.useRealTimers()
  await auth.close()
})

describe('a store', () => {
  const tests = storeTests(async () => {
    const store = memoryStore()
    return { store, again: async () => store, close: () => store.close() }
  })
  test.each(tests)('$name', ({ run }) => run())
})
