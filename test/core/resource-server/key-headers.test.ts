import express from 'express'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { createApplication, exchange, expectRefusal } from '../../support/http.js'
import { usePlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'
import { recordEvents } from '../../support/record-events.js'

const mailer = memoryMailer()
const { auth } = usePlatform({
  mailer,
  apis: {
    catalog: { scheme: 'apiKey', header: 'Shop_Key' },
    prices: { scheme: 'apiKey', header: ['X-Shop-Key', 'apikey'] },
    weather: { scheme: 'apiKey' },
  },
})
const app = express().disable('x-powered-by')
for (const api of ['catalog', 'prices', 'weather'] as const) app.get(`/${api}`, auth.requireApiKey(api), sendAuthInfo)
const get = (path: string, headers: Readonly<Record<string, string>>): Test => request(app).get(path).set(headers)
let key: string

beforeAll(async () => {
  key = (await createApplication(auth, ['catalog', 'prices', 'weather'])).clientId
})

/** The bytes of a request with several headers of one name. */
const send = (path: string, ...headers: string[]) => exchange(app, [`GET ${path} HTTP/1.1`, ...headers])

describe('apis.catalog.header (docs/http.md G25)', () => {
  it('carries the key in that header, in any case, and in no other', async () => {
    for (const name of ['Shop_Key', 'shop_key', 'SHOP_KEY']) {
      expect((await get('/catalog', { [name]: key }).expect(200)).body).toMatchObject({ api: 'catalog' })
    }
    for (const name of ['X-Api-Key', 'Shop-Key', 'apikey']) {
      expectRefusal(await get('/catalog', { [name]: key }), 401, 'unauthorized', {
        'www-authenticate': 'ApiKey realm="catalog", header="Shop_Key"',
      })
    }
    expect((await get('/weather', { 'X-Api-Key': key })).status).toBe(200)
    expect((await get('/weather', { Shop_Key: key })).status).toBe(401)
  })

  it('names that header in every challenge and in Vary', async () => {
    const unknown = await get('/catalog', { Shop_Key: 'unknown' })
    expectRefusal(unknown, 401, 'invalid_api_key', { 'www-authenticate': /, header="Shop_Key"$/ })
    const { body } = await get('/catalog', {})
    expect(body).toMatchObject({ error_description: 'An API key is needed: Shop_Key: <API key>' })
    expect((await get('/catalog', { Shop_Key: key })).headers).toMatchObject({ vary: 'Shop_Key' })
    const twice = await send('/catalog', `Shop_Key: ${key}`, `shop_key: ${key}`)
    expectRefusal(twice, 400, 'invalid_request', { 'www-authenticate': /header="Shop_Key"$/ })
    expect(twice.body).toMatchObject({ error_description: 'There are two Shop_Key headers' })
  })

  it('with two names accepts either, and names the first in challenges and both in Vary', async () => {
    for (const name of ['X-Shop-Key', 'apikey', 'ApiKey']) {
      expect((await get('/prices', { [name]: key }).expect(200)).headers).toMatchObject({ vary: 'X-Shop-Key, apikey' })
      expectRefusal(await get('/prices', { [name]: `${key}x` }), 401, 'invalid_api_key', {
        'www-authenticate': /, header="X-Shop-Key"$/,
      })
      expectRefusal(await get('/prices', { [name]: '' }), 401, 'unauthorized', {
        'www-authenticate': 'ApiKey realm="prices", header="X-Shop-Key"',
      })
    }
    expect((await get('/prices', { 'X-Api-Key': key })).status).toBe(401)
  })

  it.each([
    ['two keys', (key: string) => [`X-Shop-Key: ${key}`, `apikey: ${key}x`]],
    ['two keys in the other order', (key: string) => [`APIKEY: ${key}`, `x-shop-key: ${key}x`]],
    ['an empty first', (key: string) => ['X-Shop-Key:', `apikey: ${key}`]],
    ['an empty second', (key: string) => [`X-Shop-Key: ${key}`, 'apikey:']],
    ['the first twice', (key: string) => [`X-Shop-Key: ${key}`, `X-Shop-Key: ${key}`]],
    ['the second twice', (key: string) => [`apikey: ${key}`, `apikey: ${key}`]],
    ['the second twice, one empty', (key: string) => ['apikey:', `apikey: ${key}`]],
  ])('with two names refuses %s with 400', async (_, headers) => {
    const answer = await send('/prices', ...headers(key))
    expectRefusal(answer, 400, 'invalid_request', { 'www-authenticate': /header="X-Shop-Key"$/ })
    expect(answer.body).toMatchObject({ error_description: 'Send one key, in X-Shop-Key or in apikey' })
  })

  it('takes the same key in both headers as one', async () => {
    expect((await send('/prices', `X-Shop-Key: ${key}`, `apikey: ${key}`)).status).toBe(200)
  })

  it('shows the client of that header in events', async () => {
    const events = recordEvents(auth, 'request.allowed', 'request.denied')
    await get('/prices', { apikey: key })
    await get('/catalog', { Shop_Key: `${key}x` })
    expect(events.map(({ client }) => client)).toEqual([key.slice(0, 12), undefined])
  })

  it('names the headers of an application’s APIs in its e-mail', async () => {
    await auth.registration.register({ name: 'Shop', contact: 'dev@customer.example', apis: ['catalog', 'prices'] })
    await vi.waitFor(() => expect(mailer.emails).toHaveLength(1), { timeout: 60_000, interval: 10 })
    const { text } = mailer.emails[0]!
    expect(text).toContain('Key (client_id, Shop_Key, X-Shop-Key):')
    expect(text).toContain('Send your key in the header:\n\n    X-Shop-Key\n')
    expect(text).toMatch(/curl -H "Shop_Key: epa_key_\w+" https:\/\/api\.example\.com\/catalog/)
    expect(text).toMatch(/curl -H "X-Shop-Key: epa_key_\w+" https:\/\/api\.example\.com\/prices/)
    expect(text).not.toContain('X-Api-Key')
  })
})
