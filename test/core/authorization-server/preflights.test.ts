import express from 'express'
import { expect, it } from 'vitest'
import { usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const { auth } = usePlatform()
const app = express()
  .use(auth.router)
  .use((_req, res) => void res.status(298).send('the app'))

const DOCUMENTS = [
  '/.well-known/jwks.json',
  '/orders/.well-known/jwks.json',
  '/orders/.well-known/oauth-authorization-server',
  '/orders/.well-known/openid-configuration',
  '/orders/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server/orders',
]

it.each(DOCUMENTS)('answers the preflight of %s for every origin (P11)', async (path) => {
  const { status, headers, text } = await request(app).options(path).set({
    Origin: 'https://spa.example',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'x-trace',
  })
  expect([status, text]).toEqual([204, ''])
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'x-trace',
  })
})

it.each(DOCUMENTS)('leaves every other OPTIONS of %s to the app', async (path) => {
  await request(app).options(path).expect(298)
  await request(app).options(path).set('Origin', 'https://spa.example').expect(298)
  await request(app).options(path).set('Access-Control-Request-Method', 'GET').expect(298)
})

it.each(['/orders/token', '/orders/revoke', '/orders/authorize', '/else'])(
  'answers no preflight at %s without the option cors',
  async (path) => {
    const { status, headers } = await request(app)
      .options(path)
      .set({ Origin: 'https://spa.example', 'Access-Control-Request-Method': 'POST' })
    expect(status).toBe(path === '/orders/token' ? 405 : 298)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  },
)
