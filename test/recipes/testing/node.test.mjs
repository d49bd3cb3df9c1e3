import { after, afterEach, mock, test } from 'node:test'
import request from 'supertest'
import { createTestPlatform, expectSecured, headersFor } from 'express-platform-auth/testing'
import { apis, createApp } from './app.cjs'

const { auth } = createTestPlatform({ apis })
const app = createApp(auth)
after(() => auth.close())
afterEach(() => mock.timers.reset())

test('every route is secured', async () => {
  await expectSecured(app, { auth })
})

test('an access token expires', async () => {
  const headers = await headersFor(auth, 'orders')
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 7_200_000 })
  await request(app).get('/orders/items').set(headers).expect(401)
})
