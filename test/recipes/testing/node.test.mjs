import { after, afterEach, mock, test } from 'node:test'
import request from 'supertest'
import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { callersFor, createTestPlatform, expectSecured, headersFor, memoryMailer } from 'express-platform-auth/testing'
import { apis, createApp } from './app.cjs'

const mailer = memoryMailer()
const { auth } = createTestPlatform({ apis, features: [emails({ mailer }), registration()] })
const app = createApp(auth)
after(() => auth.close())
afterEach(() => mock.timers.reset())

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
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 7_200_000 })
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
