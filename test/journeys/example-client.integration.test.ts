import { createServer } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { useExampleApps, type Example } from '../support/example-app.js'
import { freePort } from '../support/free-port.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { createProxy, listen, listenBriefly, type ChangeAnswer } from './changing-proxy.js'
import { listOrders } from './orders.js'

/** An example app that no test stops, and whose credentials the clients read. A proxy may change its answers. */
const apps = useExampleApps({ shared: true })
const own = useExampleApps()
let example: Example
let changeAnswer: ChangeAnswer | undefined
beforeAll(async () => {
  const port = await freePort()
  const proxy = createProxy({ to: port, changeAnswer: (exchange) => changeAnswer?.(exchange) })
  example = await apps.start({ PORT: String(port), PLATFORM_URL: await listen(proxy) })
  return () => proxy.close().closeAllConnections()
})

describe('The example client', () => {
  it('prints a check mark for each step, and exits with 0', async () => {
    const { code, stdout, stderr } = await apps.runClient(example.baseUrl)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const steps = stdout.split('\n').filter((line) => line !== '')
    expect(steps.length).toBeGreaterThan(15)
    expect(steps.slice(0, -1).filter((line) => !line.startsWith('✓ '))).toEqual([])
    expect(stdout).not.toMatch(/epa_(?:key|sec)_|eyJ/)
    // The client deletes its orders.
    expect(await listOrders(example)).toEqual([])
    expect((await apps.client(example.baseUrl)).code).toBe(0)
  })

  it('exits with 1 if the server accepts every request', async () => {
    const acceptingServer = createServer((req, res) => void req.resume().on('end', () => res.end('{ "items": [] }')))
    const { code, stdout, stderr } = await apps.client(await listenBriefly(acceptingServer))
    expect(code).toBe(1)
    expect(stdout).not.toContain('without an access token')
    expect(stderr).toContain('GET /orders/items, status: expected 401, got 200\n')
  })

  it('exits with 1 if no server answers, and if there are no credentials', async () => {
    const unusedAddress = `http://localhost:${await freePort()}`
    expect(await own.client(unusedAddress)).toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') })
    expect(await apps.client(unusedAddress)).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
  })

  it('exits with 1 for wrong answers of the server', { timeout: 180_000 }, async () => {
    onTestFinished(() => void (changeAnswer = undefined))
    expect(await apps.client(example.baseUrl)).toMatchObject({ code: 0 })
    // Every fourth one; in the long lane all.
    const wrong = Object.entries(WRONG_ANSWERS).filter((_, at) => IS_LONG_LANE || at % 4 === 0)
    for (const [name, each] of wrong) {
      let changed = 0
      changeAnswer = (exchange) => {
        const before = JSON.stringify([exchange.status, exchange.body, [...exchange.headers]])
        each(exchange)
        if (JSON.stringify([exchange.status, exchange.body, [...exchange.headers]]) !== before) changed++
      }
      const { code, stderr } = await apps.client(example.baseUrl)
      expect({ name, changed: changed > 0, code, stderr }).toMatchObject({ changed: true, code: 1 })
      expect(stderr).toMatch(/expected .*, got /)
    }
  })
})

/** Wrong answers of a broken platform. */
const WRONG_ANSWERS: Record<string, ChangeAnswer> = {
  'accepts calls without an access token'(exchange) {
    if (exchange.url === '/orders/items' && !exchange.credential) exchange.status = 200
  },
  'omits the challenge'(exchange) {
    if (exchange.url === '/orders/items') exchange.headers.delete('www-authenticate')
  },
  'sends an error code without a credential'(exchange) {
    const { headers } = exchange
    const challenge = headers.get('www-authenticate')
    if (challenge && !exchange.credential) headers.set('www-authenticate', `${challenge}, error="invalid_token"`)
  },
  'allows caching of refusals'(exchange) {
    if (exchange.status === 401) exchange.headers.delete('cache-control')
  },
  'allows caching of access tokens'(exchange) {
    if (exchange.body.includes('access_token')) exchange.headers.delete('cache-control')
  },
  'writes bearer with a capital'(exchange) {
    exchange.body = exchange.body.replace('"bearer"', '"Bearer"')
  },
  'refuses Basic'(exchange) {
    if (exchange.url === '/orders/token' && exchange.credential) exchange.status = 401
  },
  'refuses good access tokens'(exchange) {
    if (exchange.url === '/orders/items' && exchange.credential) exchange.status = 401
  },
  'loses changes'(exchange) {
    if (exchange.method === 'GET' && /items\/ord_/.test(exchange.url)) {
      exchange.body = exchange.body.replace(/"quantity": 3/, '"quantity": 2')
    }
  },
  'does not delete'(exchange) {
    if (exchange.status === 404) exchange.status = 200
  },
  'leaves new orders out of the list'(exchange) {
    if (exchange.url.startsWith('/orders/items?')) exchange.body = '{ "items": [] }'
  },
  'accepts any order'(exchange) {
    if (exchange.sent.includes('many')) Object.assign(exchange, { status: 201, body: exchange.sent })
  },
  'ignores scopes'(exchange) {
    if (exchange.status === 403) exchange.status = 201
  },
  'does not name the missing scope'(exchange) {
    if (exchange.status === 403)
      exchange.headers.set('www-authenticate', 'Bearer realm="orders", error="insufficient_scope"')
  },
  'issues access tokens for any resource'(exchange) {
    if (exchange.sent.includes('resource=')) exchange.status = 200
  },
  'accepts access tokens as keys'(exchange) {
    if (exchange.url === '/catalog/items' && exchange.credential?.startsWith('Bearer ')) exchange.status = 200
  },
  'accepts forged access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer eyJ') && exchange.status === 401) exchange.status = 200
  },
  'accepts keys as access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer epa_key')) exchange.status = 200
  },
  'accepts secrets as access tokens'(exchange) {
    if (exchange.credential?.startsWith('Bearer epa_sec')) exchange.status = 200
  },
  'accepts wrong secrets'(exchange) {
    if (exchange.body.includes('invalid_client')) exchange.status = 200
  },
  'accepts secrets in the query'(exchange) {
    if (exchange.url.includes('client_secret=')) exchange.status = 200
  },
  'accepts access tokens in the query'(exchange) {
    if (exchange.url.includes('access_token=')) exchange.status = 200
  },
  'accepts calls without a key'(exchange) {
    if (exchange.url === '/catalog/items' && !exchange.credential) exchange.status = 200
  },
  'accepts keys in the query'(exchange) {
    if (exchange.url.includes('X-Api-Key=')) exchange.status = 200
  },
  'accepts wrong keys'(exchange) {
    if (exchange.body.includes('invalid_api_key')) exchange.status = 200
  },
  'refuses good keys'(exchange) {
    if (exchange.url.startsWith('/catalog/items?') && exchange.status === 200) exchange.status = 401
  },
}
