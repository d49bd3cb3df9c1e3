import express from 'express'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApplication, formOf, post } from '../support/http.js'
import { platform } from '../support/platform.js'

function refusingApp() {
  const made = platform()
  const app = express().use(made.auth.router)
  app.get(
    '/orders/items',
    made.auth.requireBearer('orders', { scopes: ['orders:read'] }),
    (_req, res) => void res.end(),
  )
  app.get('/catalog/items', made.auth.requireApiKey('catalog'), (_req, res) => void res.end())
  return { ...made, app }
}

async function refuse({ app, auth }: ReturnType<typeof refusingApp>): Promise<string[]> {
  const shop = await createApplication(auth, ['orders'])
  const key = { 'X-Api-Key': shop.clientId }
  await request(app).get('/orders/items')
  await request(app).get('/orders/items').set('Authorization', 'Bearer nonsense')
  await request(app).get('/catalog/items').set(key)
  await post(app, '/orders/token', formOf({ ...shop, clientSecret: 'guess' }))
  await post(app, '/orders/token', formOf(shop, { scope: 'orders:all' }))
  const consumed = express().use((req, _res, next) => void req.resume().on('end', next), app)
  await post(consumed, '/orders/token', formOf(shop))
  return [shop.clientId, shop.clientSecret, 'nonsense', 'guess']
}

describe('Outside production', () => {
  it('each refusal logs one line: reason, API and cure, never the credential', async () => {
    const made = refusingApp()
    const credentials = await refuse(made)
    await made.auth.close()
    expect(made.logger.lines).toEqual([
      expect.stringMatching(/^orders: 401 unauthorized: An access token is needed.* WWW-Authenticate/),
      expect.stringMatching(/^orders: 401 invalid_token: The access token is not valid\. .*token endpoint/),
      expect.stringMatching(/^catalog: 403 access_denied: .*allow\(id, api\)/),
      expect.stringMatching(/^orders: 401 invalid_client: Client authentication failed\. Check the key and the secret/),
      expect.stringMatching(/^orders: 400 invalid_scope: .*allow\(id, api, \{ scopes \}\)/),
      expect.stringMatching(/^orders: 500 server_error .*Mount auth\.router before/),
    ])
    for (const credential of credentials) expect(made.logger.lines.join('\n')).not.toContain(credential)
  })
})

describe('In production', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))
  afterEach(() => void vi.unstubAllEnvs())

  it('refusals are silent, and what went wrong inside is logged with its cause', async () => {
    const made = refusingApp()
    await refuse(made)
    await made.auth.close()
    expect(made.logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error .*Mount auth\.router before/)])
  })
})
