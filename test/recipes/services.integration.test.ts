import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import express from 'express'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { blocksOf, readPage } from '../docs/pages.js'
import { freePort } from '../support/free-port.js'
import { accessToken, createApplication } from '../support/http.js'
import { openPlatform } from '../support/platform.js'
import { waitUntil } from '../support/wait-until.js'

const PAGE = 'docs/recipes/services.md'
/** The page links to it. */
const MIDDLEWARE = new URL('../../docs/recipes/introspection.py', import.meta.url)
const PYTHON = process.env['PYTHON'] ?? '/usr/bin/python3'
const APIS = { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read', 'orders:write': 'Write' } } } as const

/** The service: it answers who the caller is, as the proxy or the middleware says. */
const SERVICE = `
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps([self.headers.get_all("Client-Id"), self.headers.get("Client-Scope")]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`

/** A server for ASGI apps, with the middleware of the page around an app that answers who the caller is. */
const ASGI_SERVER = `
import http.server, sys, os
async def service(scope, receive, send):
    body = json.dumps([[scope["client_id"]], None]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
app = Introspection(service, sys.argv[2], os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"], "orders:read")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in self.headers.items()]
        sent = []
        async def send(message): sent.append(message)
        asyncio.run(app({"type": "http", "headers": headers, "client": self.client_address}, None, send))
        self.send_response(sent[0]["status"])
        for name, value in sent[0]["headers"]: self.send_header(name.decode(), value.decode())
        self.end_headers()
        self.wfile.write(sent[1]["body"])
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`

/** Opens a WebSocket with the token of the command line, and lets the server start. */
const WEBSOCKETS = `
import sys
async def main():
    passed, sent = [], []
    async def service(scope, receive, send): passed.append(scope["type"])
    async def send(message): sent.append(message)
    app = Introspection(service, sys.argv[1], "", "")
    headers = [(b"authorization", b"Bearer " + sys.argv[2].encode())]
    await app({"type": "lifespan"}, None, send)
    await app({"type": "websocket", "headers": headers, "client": ("127.0.0.1", 1)}, None, send)
    print(json.dumps([passed, sent]))
asyncio.run(main())
`

interface Answer {
  readonly status: number
  readonly challenge: string | undefined
  readonly wait: string | undefined
  readonly text: string
}

const blocks = blocksOf(readPage(PAGE))
const codeOf = (language: string): string => blocks.find((block) => block.language === language)!.code

/** Something else answers at the platform's address: with 200, or by leading elsewhere. */
let away: 'page' | 'redirect' | undefined
/** The requests that came where it led to. */
const led: string[] = []
const ends: (() => Promise<unknown>)[] = []

async function openHost() {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { auth } = openPlatform({ baseUrl: issuer, apis: APIS, now: Date.now })
  await auth.ready()
  const app = express()
    .use('/led', (req, res) => {
      led.push(`${req.method} ${String(req.get('Authorization'))}`)
      res.json({ active: true, client_id: 'anybody', max_age: 60 })
    })
    .use((_req, res, next) => {
      if (away === undefined) next()
      else if (away === 'page') res.send('Back soon')
      else res.redirect('/led')
    })
    .use(auth.router)
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const made = await auth.applications.create({ name: 'Service', resourceServer: ['orders'] })
  const { id } = made.application
  const secret = made.credentials.clientSecret!
  return { auth, app, server, issuer, id, secret, form: `client_id=${id}&client_secret=${secret}` }
}

async function start(command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(command, args, {
    // Python complains of connections that end with the test.
    stdio: ['ignore', 'ignore', command === PYTHON ? 'ignore' : 'inherit'],
    env: { ...process.env, ...environment },
  })
  const ended = once(child, 'exit')
  ends.push(async () => {
    child.kill('SIGKILL')
    await ended
  })
}

/** Sends headers as they are given, also twice. */
function get(port: number, headers: readonly string[] = [], path = '/orders/items?token=x'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const given = ['Host', 'localhost', 'Connection', 'close', ...headers]
    send({ port, host: '127.0.0.1', path, headers: given as never, setHost: false }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      res.on('end', () =>
        resolve({
          status: res.statusCode!,
          challenge: res.headers['www-authenticate'],
          wait: res.headers['retry-after'],
          text,
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}

const bearer = (token: string): string[] => ['Authorization', `Bearer ${token}`]

const platform = await openHost()
const { auth, app } = platform
const folder = await createTemporaryFolder()

afterAll(async () => {
  for (const end of ends) await end()
  platform.server.closeAllConnections()
  platform.server.close()
  await auth.close()
})

/** Starts the service behind a proxy, and resolves the port of the proxy. */
const PLACES = {
  async nginx(service: number) {
    const port = await freePort()
    const secret = join(folder, 'resource-server.conf')
    await writeFile(secret, `set $resource_server "${platform.form}";\n`)
    const recipe = codeOf('nginx')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('/etc/nginx/resource-server.conf', secret)
      .replace('https://api.example.com', platform.issuer)
      .replace('127.0.0.1:8000', `127.0.0.1:${service}`)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/t;`,
    )
    const file = join(folder, 'nginx.conf')
    await writeFile(
      file,
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http { access_log ${folder}/access.log; ${temporary.join(' ')} ${recipe} }`,
    )
    await start('nginx', ['-c', file, '-e', 'stderr'])
    return port
  },
  async haproxy(service: number) {
    const port = await freePort()
    const lua = join(folder, 'check.lua')
    await writeFile(lua, codeOf('lua').replace('https://api.example.com', platform.issuer))
    const file = join(folder, 'haproxy.cfg')
    const recipe = codeOf('haproxy')
      .replace('/etc/haproxy/check.lua', lua)
      .replace('bind :80', `bind 127.0.0.1:${port}`)
      .replace('127.0.0.1:8000', `127.0.0.1:${service}`)
    await writeFile(file, recipe)
    await start('haproxy', ['-db', '-q', '-f', file], { RESOURCE_SERVER: platform.form })
    return port
  },
  async Python() {
    const port = await freePort()
    const file = join(folder, 'middleware.py')
    await writeFile(file, (await readFile(MIDDLEWARE, 'utf8')) + ASGI_SERVER)
    const environment = { CLIENT_ID: platform.id, CLIENT_SECRET: platform.secret }
    await start(PYTHON, [file, String(port), `${platform.issuer}/orders/introspect`], environment)
    return port
  },
} as const

it('the Python middleware closes a WebSocket before it opens, and hands on that the server starts', async () => {
  const { issuer } = platform
  const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
  const file = join(folder, 'websockets.py')
  await writeFile(file, (await readFile(MIDDLEWARE, 'utf8')) + WEBSOCKETS)
  const { stdout } = await promisify(execFile)(PYTHON, [file, `${issuer}/orders/introspect`, token])
  expect(JSON.parse(stdout)).toEqual([['lifespan'], [{ type: 'websocket.close', code: 1008 }]])
})

describe.each(Object.keys(PLACES) as (keyof typeof PLACES)[])('A Python service behind %s', (place) => {
  let port: number
  beforeAll(async () => {
    const service = await freePort()
    const file = join(folder, `service-${place}.py`)
    await writeFile(file, SERVICE)
    if (place !== 'Python') await start(PYTHON, [file, String(service)])
    port = await PLACES[place](service)
    const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
    await waitUntil(async () => (await get(port, bearer(token)).catch(() => undefined))?.status === 200)
  }, 60_000)

  it('lets good access tokens pass, and says whose they are, whatever the caller claims', async () => {
    const shop = await createApplication(auth, { orders: { scopes: ['orders:read'] } })
    const token = await accessToken(app, 'orders', shop)
    const spoofed = [...bearer(token), 'Client-Id', 'app_other', 'Client-Scope', 'admin', 'X-Api-Key', 'x&ip=1.2.3.4']
    for (const headers of [bearer(token), spoofed]) {
      const { status, text } = await get(port, headers)
      expect([status, JSON.parse(text)]).toEqual([200, [[shop.id], place === 'Python' ? null : 'orders:read']])
    }
  })

  it('gets 401, 403 and 429 to the caller as a guard does', async () => {
    const challenge = expect.stringMatching(/^Bearer realm="orders"/) as string
    for (const headers of [
      [],
      bearer('nonsense'),
      ['Authorization', 'Basic eDp5'],
      ['Authorization', `Basic ${Buffer.from(`${platform.id}:${platform.secret}`).toString('base64')}`],
    ])
      expect([headers, await get(port, headers)]).toMatchObject([headers, { status: 401, challenge }])

    // Nothing of the caller's gets into the form.
    expect((await get(port, bearer('x&ip=127.0.0.1&scope='))).status).toBe(400)
    const writer = await createApplication(auth, { orders: { scopes: ['orders:write'] } })
    expect((await get(port, bearer(await accessToken(app, 'orders', writer)))).status).toBe(403)
    const abroad = await createApplication(auth, ['orders'])
    const token = await accessToken(app, 'orders', abroad)
    await auth.applications.update(abroad.id, { networks: ['203.0.113.0/24'] })
    expect((await get(port, bearer(token))).status).toBe(403)
    await auth.applications.update(abroad.id, { networks: ['127.0.0.0/8'] })
    await auth.applications.allow(abroad.id, 'orders', { rateLimit: { limit: 1, window: 3600 } })
    expect((await get(port, bearer(token))).status).toBe(200)
    if (place !== 'Python')
      expect(await get(port, bearer(token))).toMatchObject({ status: 429, wait: expect.any(String) as string })
  })

  it('lets no other spelling of the path pass, and no answer but a yes', async () => {
    for (const path of [
      '/%6frders/items',
      '//orders/items',
      '/x/../orders/items',
      '/orders/%2e/items',
      '/ORDERS/items',
    ])
      expect([path, (await get(port, [], path)).status]).not.toEqual([path, 200])
    const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
    try {
      for (away of ['page', 'redirect'] as const)
        expect([away, (await get(port, bearer(token))).status]).toEqual([away, 503])
    } finally {
      away = undefined
    }
    expect(led).toEqual([])
  })

  it('feels a revocation: at the next request, or when the cached answer ends', async () => {
    const shop = await createApplication(auth, ['orders'])
    const token = await accessToken(app, 'orders', shop)
    expect((await get(port, bearer(token))).status).toBe(200)
    await auth.applications.revokeTokens(shop.id)
    const status = async () => (await get(port, bearer(token))).status
    if (place === 'Python') await expect.poll(status).toBe(401)
    else expect(await status()).toBe(401)
  })

  it('gets 503, never 401, while the resource server itself is refused', async () => {
    const { id } = platform
    const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
    await auth.applications.suspend(id)
    expect((await get(port, bearer(token))).status).toBe(503)
    expect((await get(port, bearer('nonsense'))).status).toBe(503)
    await auth.applications.resume(id)
    expect((await get(port, bearer(token))).status).toBe(200)
  })
})

it('openid-client introspects as docs/recipes/services.md shows, and so does oauth4webapi', async () => {
  const { issuer: baseUrl, id, secret } = platform
  const shop = await createApplication(auth, ['orders'])
  const token = await accessToken(app, 'orders', shop)
  const parameters = { ip: '203.0.113.7', scope: 'orders:read' }
  const expected = { active: true, client_id: shop.id, token_type: 'bearer', max_age: expect.any(Number) as number }
  const issuer = new URL(`${baseUrl}/orders`)

  const config = await openid.discovery(issuer, id, undefined, openid.ClientSecretBasic(secret), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  expect(await openid.tokenIntrospection(config, token, parameters)).toMatchObject(expected)

  const insecure = { [oauth.allowInsecureRequests]: true }
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const client = { client_id: id }
  const ask = async (presented: string) => {
    const options = { additionalParameters: parameters, ...insecure }
    const response = await oauth.introspectionRequest(
      server,
      client,
      oauth.ClientSecretBasic(secret),
      presented,
      options,
    )
    return oauth.processIntrospectionResponse(server, client, response)
  }
  expect(await ask(token)).toMatchObject(expected)
  expect(await ask('nonsense')).toEqual({ active: false, reason: 'invalid_token', max_age: 0 })
})
