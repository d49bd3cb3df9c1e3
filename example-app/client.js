// @ts-check
/**
 * A client that checks every answer: run `npm run example:client` while the example app is running. It calls both APIs,
 * sends requests that must be refused, and ends with exit code 1 at the first unexpected answer.
 */
import { readDemoCredentials } from './demo/demo-application.js'
import { expect, expectAnswer, request, step } from './demo/expectation.js'
import { readSettings } from './settings.js'

const { baseUrl, clientId, clientSecret } = await step(
  'the credentials of the demo application are there',
  async () => {
    const settings = readSettings()
    const credentials = readDemoCredentials(settings.credentialsFile)
    if (credentials) return { baseUrl: settings.baseUrl, ...credentials }
    throw new Error(`There are none in ${settings.credentialsFile}. Start the example app: npm start`)
  },
)

const token = `${baseUrl}/orders/token`
const orders = `${baseUrl}/orders/items`
const catalog = `${baseUrl}/catalog/items`

const grant = { grant_type: 'client_credentials' }
const form = { ...grant, client_id: clientId, client_secret: clientSecret }
const order = { product: 'TEA-SENCHA-100', quantity: 2, note: 'A gift.' }

// RFC 6750 3.1: a request without a credential gets a challenge without an error code.
const unauthorized = refusal(401, 'unauthorized', /^Bearer realm="orders", scope="[\w: ]+", resource_metadata="[^"]+"$/)
const invalidToken = refusal(401, 'invalid_token', /^Bearer realm="orders", error="invalid_token"/)
const keyNeeded = refusal(401, 'unauthorized', 'ApiKey realm="catalog", header="X-Api-Key"')
const invalidKey = refusal(401, 'invalid_api_key', /^ApiKey realm="catalog", error="invalid_api_key"/)
const notFound = { status: 404, body: { error: 'not_found' } }

await step('orders without an access token: 401, with a challenge', async () => {
  expectAnswer(await request('GET', orders), unauthorized)
  expectAnswer(await request('POST', orders, { json: order }), unauthorized)
})

const bearer = await step('an access token, with key and secret in the form', async () => {
  return readBearer(await request('POST', token, { form }), 'orders:read orders:write')
})

await step('an access token, with key and secret by HTTP Basic', async () => {
  const answer = await request('POST', token, { form: grant, headers: createBasic(clientId, clientSecret) })
  const headers = readBearer(answer, 'orders:read orders:write')
  expectAnswer(await request('GET', orders, { headers }), { status: 200 })
})

await step('orders with the access token: 200', async () => {
  expectAnswer(await request('GET', orders, { headers: bearer }), { status: 200, body: { items: Array.isArray } })
})

await step('an order is placed, read, listed, changed and cancelled', async () => {
  const placed = await request('POST', orders, { headers: bearer, json: order })
  expectAnswer(placed, { status: 201, body: { ...order, id: /^ord_/ } })
  const address = `${orders}/${placed.body.id}`
  expectAnswer(await request('GET', address, { headers: bearer }), { status: 200, body: placed.body })
  expect('the list has it', await isListed(orders, placed.body.id, bearer), true)
  const changed = { ...order, quantity: 3, note: '' }
  expectAnswer(await request('PUT', address, { headers: bearer, json: changed }), { status: 200, body: changed })
  expectAnswer(await request('GET', address, { headers: bearer }), { status: 200, body: changed })
  expectAnswer(await request('DELETE', address, { headers: bearer }), { status: 204 })
  expectAnswer(await request('GET', address, { headers: bearer }), notFound)
})

await step('an invalid order: 400', async () => {
  const answer = await request('POST', orders, { headers: bearer, json: { ...order, quantity: 'many' } })
  expectAnswer(answer, { status: 400, body: { error: 'invalid_request', error_description: /quantity/ } })
})

await step('an access token for reading reads, and does not write: 403', async () => {
  const headers = readBearer(await request('POST', token, { form: { ...form, scope: 'orders:read' } }), 'orders:read')
  expectAnswer(await request('GET', orders, { headers }), { status: 200 })
  const refused = refusal(403, 'insufficient_scope', /error="insufficient_scope".*, scope="orders:write"/)
  expectAnswer(await request('POST', orders, { headers, json: order }), refused)
})

await step('the wrong audience: not issued, not accepted by another API, not forged', async () => {
  const answer = await request('POST', token, { form: { ...form, resource: `${baseUrl}/catalog` } })
  expectAnswer(answer, { status: 400, body: { error: 'invalid_target' } })
  expectAnswer(await request('GET', catalog, { headers: bearer }), keyNeeded)
  const forged = { Authorization: withAudience(`${baseUrl}/catalog`, bearer.Authorization) }
  expectAnswer(await request('GET', orders, { headers: forged }), invalidToken)
})

await step('key and secret are no access tokens: 401', async () => {
  expectAnswer(await request('GET', orders, { headers: { Authorization: `Bearer ${clientId}` } }), invalidToken)
  expectAnswer(await request('GET', orders, { headers: { Authorization: `Bearer ${clientSecret}` } }), invalidToken)
  expectAnswer(await request('GET', orders, { headers: { 'X-Api-Key': clientId } }), unauthorized)
})

await step('a wrong secret: 401', async () => {
  const answer = await request('POST', token, { form: grant, headers: createBasic(clientId, `${clientSecret}x`) })
  expectAnswer(answer, refusal(401, 'invalid_client', /^Basic realm="orders", charset="UTF-8", error="invalid_client"/))
})

await step('secret and access token in the query: refused', async () => {
  const credentials = new URLSearchParams({ client_id: clientId, client_secret: clientSecret })
  const answer = await request('POST', `${token}?${credentials.toString()}`, { form: grant })
  expectAnswer(answer, { status: 400, body: { error: 'invalid_request' } })
  const accessToken = bearer.Authorization.replace('Bearer ', '')
  expectAnswer(await request('GET', `${orders}?access_token=${accessToken}`), unauthorized)
})

await step('the catalogue without a key: 401, with a challenge', async () => {
  expectAnswer(await request('GET', catalog), keyNeeded)
  expectAnswer(await request('GET', `${catalog}?X-Api-Key=${clientId}`), keyNeeded)
})

await step('the catalogue with a wrong key: 401', async () => {
  expectAnswer(await request('GET', catalog, { headers: { 'X-Api-Key': `${clientId}x` } }), invalidKey)
  expectAnswer(await request('GET', catalog, { headers: { 'X-Api-Key': clientSecret } }), invalidKey)
})

const key = { 'X-Api-Key': clientId }

await step('the catalogue with the key: 200', async () => {
  const answer = await request('GET', `${catalog}?search=tea&limit=3`, { headers: key })
  expectAnswer(answer, { status: 200, body: { items: Array.isArray } })
})

await step('a product is added, read, listed, changed and removed', async () => {
  const sku = `CLIENT-${Date.now()}`
  const product = { name: 'Test product', category: 'test', description: 'From client.js.', priceInCents: 100 }
  const address = `${catalog}/${sku}`
  const added = await request('POST', catalog, { headers: key, json: { sku, ...product } })
  expectAnswer(added, { status: 201, body: { sku, ...product } })
  expectAnswer(await request('GET', address, { headers: key }), { status: 200, body: { sku, ...product } })
  expect('the list has it', await isListed(catalog, sku, key), true)
  const changed = { ...product, priceInCents: 120 }
  expectAnswer(await request('PUT', address, { headers: key, json: changed }), {
    status: 200,
    body: { sku, ...changed },
  })
  expectAnswer(await request('DELETE', address, { headers: key }), { status: 204 })
  expectAnswer(await request('GET', address, { headers: key }), notFound)
})

console.log(`\nThe platform at ${baseUrl} does all that it should.`)

/** @param {number} status @param {string} error @param {unknown} challenge */
function refusal(status, error, challenge) {
  return { status, headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' }, body: { error } }
}

/**
 * Checks a token response (RFC 6749 5.1), and returns the header for calls with its access token.
 * @param {import('./demo/expectation.js').Answer} answer @param {string} scope
 */
function readBearer(answer, scope) {
  expectAnswer(answer, {
    status: 200,
    headers: { 'content-type': /^application\/json\b/, 'cache-control': 'no-store' },
    body: { access_token: /^\S+$/, token_type: 'bearer', expires_in: Number.isInteger, scope },
  })
  return { Authorization: `Bearer ${answer.body.access_token}` }
}

/** @param {string} user @param {string} password */
function createBasic(user, password) {
  return { Authorization: `Basic ${btoa(`${user}:${password}`)}` }
}

/** Changes the audience of an access token, so that its signature no longer matches. @param {string} audience @param {string} bearer */
function withAudience(audience, bearer) {
  const [header, claims = '', signature] = bearer.split('.')
  const forged = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), aud: audience }
  return [header, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.')
}

/**
 * Whether a list has an item, on any of its pages.
 * @param {string} list @param {string} id @param {Record<string, string>} headers
 */
async function isListed(list, id, headers) {
  for (let after = ''; ;) {
    const { body } = await request('GET', `${list}?limit=100&after=${after}`, { headers })
    if (body.items?.some((/** @type {any} */ item) => [item.id, item.sku].includes(id))) return true
    if (!body.next) return false
    after = body.next
  }
}
