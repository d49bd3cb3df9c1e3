const request = require('supertest')
const { createTestPlatform, expectSecured, headersFor } = require('express-platform-auth/testing')
const { apis, createApp } = require('./app.cjs')

const { auth } = createTestPlatform({ apis })
const app = createApp(auth)
afterAll(() => auth.close())
afterEach(() => jest.useRealTimers())

test('every route is secured', async () => {
  await expectSecured(app, { auth })
})

test('an access token expires', async () => {
  const headers = await headersFor(auth, 'orders')
  jest.useFakeTimers({ now: Date.now() + 7_200_000, doNotFake: ['setImmediate'] }) // supertest needs setImmediate
  await request(app).get('/orders/items').set(headers).expect(401)
})
