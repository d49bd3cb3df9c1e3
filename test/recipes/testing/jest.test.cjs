const request = require('supertest')
const { emails } = require('express-platform-auth/emails')
const { registration } = require('express-platform-auth/registration')
const {
  callersFor,
  createTestPlatform,
  expectSecured,
  headersFor,
  memoryMailer,
} = require('express-platform-auth/testing')
const { apis, createApp } = require('./app.cjs')

const mailer = memoryMailer()
const { auth } = createTestPlatform({ apis, features: [emails({ mailer }), registration()] })
const app = createApp(auth)
afterAll(() => auth.close())
afterEach(() => jest.useRealTimers())

test('every route is secured', async () => {
  await expectSecured(app, { auth })
})

test('only callers with the scope read orders', async () => {
  const reader = await headersFor(auth, 'orders', { scopes: ['orders:read'], metadata: { discount: 10 } })
  await request(app).get('/orders/items').set(reader).expect(200)
  const other = await headersFor(auth, 'orders', { scopes: [] })
  await request(app).get('/orders/items').set(other).expect(403)
})

test('suspended, expired and revoked callers are refused', async () => {
  const { suspended, expired, revoked } = await callersFor(auth, 'orders')
  for (const { headers } of [suspended, expired, revoked]) {
    await request(app).get('/orders/items').set(headers).expect(401)
  }
})

test('an access token expires', async () => {
  const headers = await headersFor(auth, 'orders')
  jest.useFakeTimers({ now: Date.now() + 7_200_000, doNotFake: ['setImmediate'] }) // supertest needs setImmediate
  await request(app).get('/orders/items').set(headers).expect(401)
})

test('the key in the e-mail opens the catalogue', async () => {
  await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
  await mailer.sent()
  const { clientId } = mailer.last().credentials
  await request(app)
    .get('/catalog/items')
    .set('X-Api-Key', clientId ?? '')
    .expect(200)
})
