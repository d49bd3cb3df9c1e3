import { mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE, readMode, useExampleApps, type Example, type ProgramResult } from '../support/example-app.js'
import { defaultDriver } from '../stores/sqlite/drivers.js'
import { freePort } from '../support/free-port.js'
import { SECRET } from '../support/platform.js'
import { createProxy, listen } from './changing-proxy.js'

const apps = useExampleApps()

/** Of the tests that only call it. */
const shared = useExampleApps({ shared: true })
let example: Example
beforeAll(async () => {
  example = await shared.start()
})

describe('The example app', () => {
  it('prints commands that work in a shell', async () => {
    const lines = readCommands(example)
    expect(Object.keys(lines)).toHaveLength(7)
    const paste = (title: string): Promise<ProgramResult> => {
      const [line] =
        Object.entries(lines)
          .find(([name]) => name.includes(title))
          ?.slice(1) ?? []
      return shared.paste(line ?? `echo no line "${title}"; false`)
    }

    for (const way of ['in the form', 'by HTTP Basic']) {
      const { code, stdout, stderr } = await paste(way)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'orders:read orders:write',
      })
    }
    const placed = JSON.parse((await paste('place an order')).stdout)
    expect(placed).toMatchObject({ product: 'TEA-SENCHA-100', quantity: 2 })
    expect(JSON.parse((await paste('list your orders')).stdout)).toEqual({ items: [placed] })
    const { items } = JSON.parse((await paste('Search the catalogue')).stdout)
    const sencha = { sku: 'TEA-SENCHA-100', priceInCents: 1390 }
    expect(items).toContainEqual(expect.objectContaining({ ...sencha, yourPriceInCents: 1251 }))
    // Another program changes the customer's discount. The server follows.
    expect(example.output()).toContain('C-1001, with a discount of 10 % (metadata)\n')
    const discounted = await paste('Give customer C-1001')
    expect(discounted).toEqual({ code: 0, stdout: 'Customer C-1001 has a discount of 20 % now.\n', stderr: '' })
    await expect
      .poll(async () => JSON.parse((await paste('Search the catalogue')).stdout).items)
      .toContainEqual(expect.objectContaining({ ...sencha, yourPriceInCents: 1112 }))
    const refused = await paste('Refused')
    expect(refused.stdout).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
    expect(refused.stdout).toContain(
      `\r\nWWW-Authenticate: Bearer realm="orders", scope="orders:read", resource_metadata="${example.baseUrl}/`,
    )
  })

  it('uses PLATFORM_AUTH_SECRET and DATABASE_URL, prints the demo credentials, and logs no credential and no access token', async () => {
    const env = { PLATFORM_AUTH_SECRET: SECRET, DATABASE_URL: join(apps.folder(), 'elsewhere', 'shop.sqlite') }
    const own = await apps.start(env)
    const { clientId, clientSecret } = await own.credentials()
    expect(own.output()).toContain(`key (client_id)         ${clientId}\n`)
    expect(own.output()).toContain(`secret (client_secret)  ${clientSecret}\n`)
    // It uses PLATFORM_AUTH_SECRET and DATABASE_URL.
    expect(await readdir(join(apps.folder(), 'var'))).toEqual(['demo-credentials.json'])
    expect(await readMode(env.DATABASE_URL)).toBe('600')
    const printed = own.output().length
    for (const line of Object.values(readCommands(own))) await apps.paste(line)
    expect((await apps.client(own.baseUrl)).code).toBe(0)
    await own.end('SIGTERM')
    const logged = own.output().slice(printed)
    expect(logged).toContain('insufficient_scope')
    expect(logged).not.toMatch(/epa_(?:key|sec)_|eyJ/)
  })

  it('serves a guide with its own address, and prints a line for the client that finds its credentials', async () => {
    const guide = await (await fetch(`${example.baseUrl}/developers/guides/01-first-order`)).text()
    expect(guide).toContain(`${example.baseUrl}/orders/token`)
    expect(guide).not.toContain('localhost:3000')
    const line = /^A client that checks all of this: (.*)$/m.exec(example.output())![1]!
    // In another shell, which has not the variables of the server's.
    const { code, stdout } = await shared.run('bash', ['--norc', '-c', line], { EXAMPLE_VAR: '' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('place') as string })
  })

  it('writes files that only their owner can read', async () => {
    const folder = shared.folder()
    const names = await readdir(join(folder, 'var'))
    expect(names).toEqual(expect.arrayContaining(['demo-credentials.json', 'example.sqlite', 'platform-auth-secret']))
    expect(
      names.filter(
        (name) => !/^(?:demo-credentials\.json|example\.sqlite(?:-wal|-shm)?|platform-auth-secret)$/.test(name),
      ),
    ).toEqual([])
    for (const name of names) expect(`${name} ${await readMode(join(folder, 'var', name))}`).toBe(`${name} 600`)
    expect(await readMode(join(folder, 'var'))).toBe('700')
    const ignored = await readFile(join(EXAMPLE, '../.gitignore'), 'utf8')
    expect(ignored).toContain('/example-app/var/\n')
  })

  it('prints one line for each setting that it cannot start with', async () => {
    const taken = await apps.runServer({ PORT: String(example.port) })
    expect(taken).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Port \d+ is in use\..* npm start\n$/),
    })
    const lines = {
      PORT: ['http', 'PORT is "http". '],
      PLATFORM_URL: ['localhost:3000', 'baseUrl is "localhost:3000". '],
      DATABASE_URL: ['mysql://me:sesame@db/shop', 'DATABASE_URL begins with mysql://. '],
      SMTP_URL: ['me:sesame@smtp.example.com', 'SMTP_URL is not the URL of a mail server. '],
      MAIL_FROM: ['The shop <shop@example.com>', 'MAIL_FROM is "The shop <shop@example.com>". '],
      PLATFORM_AUTH_SECRET: ['too short', 'secret is too short. '],
    }
    const runs = Object.entries(lines).map(async ([name, [value = '', line = '']]) => {
      const { code, stdout, stderr } = await apps.tryServer({ [name]: value })
      expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
      expect(stderr).toContain(line)
      expect(stderr).not.toContain('sesame')
    })
    await Promise.all(runs)
  })

  it('says which file to remove, if a build from before the first release made it', async () => {
    const path = join(apps.folder(), 'var/example.sqlite')
    await mkdir(join(apps.folder(), 'var'))
    const database = new defaultDriver(path)
    database.exec(`
      CREATE TABLE platform_auth_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
      INSERT INTO platform_auth_meta VALUES ('schema_version', '6')`)
    database.close()
    const { code, stderr } = await apps.tryServer({})
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Remove ${path}, and start again.`)])
  })
})

describe('With a path in PLATFORM_URL, the example app', () => {
  /** Behind a proxy. With the files of `example`: the same signing key and the same demo application. */
  let below: Example
  let origin: string
  let strip = ''
  beforeAll(async () => {
    const port = await freePort()
    const proxy = createProxy({ to: port, strip: () => strip })
    origin = await listen(proxy)
    below = await shared.start({ PORT: String(port), PLATFORM_URL: `${origin}/v1/` })
    return () => proxy.close().closeAllConnections()
  })

  it('serves everything below the path, and the well-known documents at the root', async () => {
    expect(below.output()).toContain(`running at ${origin}/v1\n`)
    for (const line of Object.values(readCommands(below)).filter((each) => each.startsWith('curl '))) {
      expect(line).toContain(`${origin}/v1/`)
      expect((await apps.paste(line)).stdout).toMatch(/"access_token"|"items"|"product"|401 Unauthorized/)
    }
    expect((await fetch(`${origin}/v1/health`)).status).toBe(200)
    const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server/v1/orders`)
    expect(await metadata.json()).toMatchObject({
      issuer: `${origin}/v1/orders`,
      token_endpoint: `${origin}/v1/orders/token`,
      jwks_uri: `${origin}/v1/orders/.well-known/jwks.json`,
    })
  })

  it('works behind a proxy that strips the path, and one that does not', async () => {
    strip = '/v1'
    expect(await shared.client(below.baseUrl)).toMatchObject({ code: 0 })
    strip = ''
    expect(await shared.client(below.baseUrl)).toMatchObject({ code: 0 })
  })
})

/** The printed commands by their titles. */
function readCommands({ output }: Example): Record<string, string> {
  return Object.fromEntries(
    [...output().matchAll(/^# (.*)\n((?:curl|node) .*)$/gm)].map(([, title = '', line = '']) => [title, line]),
  )
}
