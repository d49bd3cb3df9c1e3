import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { createPlatformAuth } from '../../src/index.js'
import { accessToken, createApplication, listen, type ClientCredentials } from '../support/http.js'
import { EXPRESSES, openPlatform } from '../support/platform.js'
import { request } from '../support/request.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LIFETIME = 2

const app = EXPRESSES['Express 5']()
let auth: ReturnType<typeof createPlatformAuth>
let shop: ClientCredentials & { readonly id: string }
let platform: Awaited<ReturnType<typeof listen>>
let service: { readonly url: string; readonly process: ChildProcess }

beforeAll(async () => {
  platform = await listen(app)
  const baseUrl = `http://127.0.0.1:${platform.port}`
  ;({ auth } = openPlatform({
    baseUrl,
    now: Date.now,
    apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } }, invoices: { scheme: 'oauth2' } },
    tokens: { lifetime: LIFETIME },
  }))
  app.use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  shop = await createApplication(auth, ['orders', 'invoices'])
  service = await startService(baseUrl)
})
afterAll(async () => {
  service?.process.kill()
  await auth?.close()
  await platform?.close()
})

/** Starts the service of docs/scaling.md, with the address of this platform and a free port. */
async function startService(baseUrl: string): Promise<typeof service> {
  const blocks = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8').match(
    /(?<=```js\n)[^]*?(?=```)/g,
  )
  const program = blocks?.find(
    (block) => block.includes('createRemoteJWKSet') && block.includes('service.listen(3001)'),
  )
  if (program === undefined) throw new Error('docs/scaling.md has no example of a remote service.')
  const adapted = program
    .replaceAll('https://api.example.com', baseUrl)
    .replace('service.listen(3001)', 'service.listen(0, function () { console.log(this.address().port) })')
  const process = spawn('node', ['--input-type=module', '--eval', adapted], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(createInterface(process.stdout), 'line')) as [string]
  return { url: `http://127.0.0.1:${port}`, process }
}

/** The statuses of the remote service and of a guard. */
async function answers(token: string): Promise<readonly [number, number]> {
  const header = `Bearer ${token}`
  const elsewhere = await request(service.url).get('/items').set('Authorization', header)
  const here = await request(app).get('/orders/items').set('Authorization', header)
  return [elsewhere.status, here.status]
}

it('the documented remote service accepts exactly the valid access tokens, with the key set alone', async () => {
  const token = await accessToken(app, 'orders', shop)
  const { body } = await request(service.url).get('/items').set('Authorization', `Bearer ${token}`).expect(200)
  expect(body).toEqual({ for: shop.id })

  const [header = '', payload = ''] = token.split('.')
  const forged = await new SignJWT({ scope: 'orders:read' })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(new TextEncoder().encode('a secret of 32 characters or more'))
  for (const bad of [await accessToken(app, 'invoices', shop), `${header}.${payload}.AAAA`, forged, 'garbage']) {
    expect(await answers(bad)).toEqual([401, 401])
  }
  await request(service.url).get('/items').expect(401)
})

it('a remote service accepts the token of a suspended application until it expires; a guard refuses it at once', async () => {
  const token = await accessToken(app, 'orders', shop)
  const { id } = shop
  await auth.applications.suspend(id)
  expect(await answers(token)).toEqual([200, 401])
  // The service uses its own clock and a tolerance of 5 s.
  await expect.poll(async () => (await answers(token))[0], { interval: 250 }).toBe(401)
  await auth.applications.resume(id)
})

it('a remote service answers 503 while it cannot load the key set', async () => {
  const nowhere = await startService('http://127.0.0.1:9')
  const token = await accessToken(app, 'orders', shop)
  await request(nowhere.url).get('/items').set('Authorization', `Bearer ${token}`).expect(503)
  nowhere.process.kill()
})
