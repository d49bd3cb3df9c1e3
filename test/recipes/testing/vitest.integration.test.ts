import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import {
  callersFor,
  createTestPlatform,
  expectSecured,
  fetchFrom,
  headersFor,
  memoryMailer,
} from 'express-platform-auth/testing'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { apis, createApp } from './app.cjs'

const mailer = memoryMailer()
const { auth } = createTestPlatform({ apis, features: [emails({ mailer }), registration()] })
const app = createApp(auth)
const fetch = fetchFrom(app) // without a port; supertest works as well
afterAll(() => auth.close())
afterEach(() => void vi.useRealTimers())

test('every route is secured', async () => {
  await expectSecured(app, { auth })
})

test('only callers with the scope read orders', async () => {
  const reader = await headersFor(auth, 'orders', { scopes: ['orders:read'], metadata: { discount: 10 } })
  expect(await fetch('/orders/items', { headers: reader })).toMatchObject({ status: 200 })
  const other = await headersFor(auth, 'orders', { scopes: [] })
  expect(await fetch('/orders/items', { headers: other })).toMatchObject({ status: 403 })
})

test('suspended, expired and revoked callers are refused', async () => {
  const { suspended, expired, revoked } = await callersFor(auth, 'orders')
  for (const { headers } of [suspended, expired, revoked]) {
    expect(await fetch('/orders/items', { headers })).toMatchObject({ status: 401 })
  }
})

test('an access token expires', async () => {
  const headers = await headersFor(auth, 'orders')
  vi.useFakeTimers({ now: Date.now() + 7_200_000 })
  expect(await fetch('/orders/items', { headers })).toMatchObject({ status: 401 })
})

test('the key in the e-mail opens the catalogue', async () => {
  await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
  await mailer.sent()
  const { clientId } = mailer.last().credentials
  expect(await fetch('/catalog/items', { headers: { 'X-Api-Key': clientId ?? '' } })).toMatchObject({ status: 200 })
})
