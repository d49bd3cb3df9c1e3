import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import express from 'express'
import helmet from 'helmet'
import { JSDOM } from 'jsdom'
import { describe, expect, it } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import { LOOK_CSS, shortenStyle } from '../../../src/shared/web/look.js'
import germanCalls from '../../../src/tools/console/browser/texts/calls/de.json' with { type: 'json' }
import { formatTokenAssignment } from '../../../src/shared/samples/curl.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'
import { atEnd } from '../../support/at-end.js'
import { APIS, DOCUMENTS, listen, useShop } from './shop.js'

/** Starts an app; resolves its URL. */
async function serve(app: express.Express): Promise<string> {
  const server = createServer(app)
  atEnd(() => server.close().closeAllConnections())
  return `http://localhost:${await listen(server)}`
}

async function pageAt(url: string): Promise<{ response: Response; page: Document; text: string }> {
  const response = await fetch(url)
  const text = await response.text()
  return { response, text, page: new JSDOM(text, { url: response.url }).window.document }
}

const shop = await useShop()

describe('the console of a shop', () => {
  it('lists every API with its title, description, scheme, scopes and exact addresses', async () => {
    const { page } = await pageAt(shop.developers)
    expect(page.querySelector('h1')?.textContent).toBe('Build with our APIs')
    const [orders = '', catalog = ''] = [...page.querySelectorAll('.api')].map((section) => wordsOf(section))
    for (const words of [
      'Orders',
      'Place orders, follow them, change and cancel them.',
      'OAuth 2.0',
      `${shop.baseUrl}/orders/token`,
      'Authorization: Bearer $ACCESS_TOKEN',
      'orders:read Read orders',
      'orders:write Place, change and cancel orders',
    ])
      expect(orders).toContain(words)
    for (const words of ['Catalogue', 'What the shop sells.', 'API key', 'Shop-Key: $API_KEY'])
      expect(catalog).toContain(words)
    expect(catalog).not.toContain('token')
  })

  it('has one header, with its pages and those of features, which say where the reader is', async () => {
    const { host } = new URL(shop.developers)
    const tabsAt = async (path: string) => {
      const { page } = await pageAt(`${shop.developers}${path}`)
      const links = [...page.querySelectorAll<HTMLAnchorElement>('header nav a')].map((link) => ({
        path: link.href.slice(link.href.indexOf(host) + host.length).replace(/^\/developers\/?/, ''),
        current: link.getAttribute('aria-current'),
      }))
      const current = links.filter((link) => link.current === 'page').map((link) => link.path)
      return { title: page.querySelector('header .home')?.textContent, paths: links.map((link) => link.path), current }
    }
    const title = 'Tea shop developers'
    const { paths } = await tabsAt('/apis/orders')
    expect(paths.length).toBeGreaterThan(2)
    expect(await tabsAt('')).toEqual({ title, paths, current: [] })
    expect(await tabsAt('/apis/orders')).toEqual({ title, paths, current: [''] })
    expect(await tabsAt('/apis/orders/operations/placeOrder')).toEqual({ title, paths, current: [''] })
    expect(await tabsAt('/register')).toEqual({ title, paths, current: ['register'] })
    expect(await tabsAt('/register/claim')).toEqual({ title, paths, current: [] })
    expect(await tabsAt('/applications')).toEqual({ title, paths, current: ['applications'] })
    expect(await tabsAt('/applications/sign-in/link')).toEqual({ title, paths, current: ['applications'] })
  })

  it('shows at an operation the others of its group', async () => {
    const { page } = await pageAt(`${shop.developers}/apis/orders/operations/placeOrder`)
    const links = [...page.querySelectorAll<HTMLAnchorElement>('#sidebar details[open] a')]
    const { page: reference } = await pageAt(`${shop.developers}/apis/orders`)
    const group = reference.querySelector('#placeOrder')!.closest('.tag')!
    expect(links.map(({ href }) => href)).toEqual([...group.querySelectorAll('a')].map(({ href }) => href))
    expect(links.filter((link) => link.matches('[aria-current=page]')).map(({ pathname }) => pathname)).toEqual([
      '/developers/apis/orders/operations/placeOrder',
    ])
    // The groups that are not open lead to the reference, and the list of schemas is one of them.
    const others = [...page.querySelectorAll('#sidebar .groups > li > a')].map((each) => wordsOf(each))
    expect(others).toEqual(['Overview', 'Samples', 'Schemas 4'])
  })

  it.each([
    ['', 'Overview'],
    ['/samples', 'Samples'],
    ['/schemas', 'Schemas 4'],
  ])('names in the sidebar the page of an API at orders%s', async (path, name) => {
    const { page } = await pageAt(`${shop.developers}/apis/orders${path}`)
    const current = [...page.querySelectorAll<HTMLAnchorElement>('#sidebar [aria-current=page]')]
    const places = current.map((each) => [wordsOf(each), each.pathname ?? '/developers/apis/orders/schemas'])
    expect(places).toEqual([[name, `/developers/apis/orders${path}`]])
  })

  it.each(['apis/orders', 'apis/orders/operations/placeOrder', 'apis/orders/schemas', 'apis/orders/schemas/Order'])(
    'leads from %s to the references of the other APIs',
    async (path) => {
      const { page } = await pageAt(`${shop.developers}/${path}`)
      const links = [...page.querySelectorAll<HTMLAnchorElement>('#sidebar .apis a')]
      expect(links.map((each) => [wordsOf(each), each.href])).toEqual([
        ['Catalogue', `${shop.developers}/apis/catalog`],
      ])
    },
  )

  it('shows commands that work when pasted one after the other, with key and secret in variables', async () => {
    const { page } = await pageAt(shop.developers)
    const commands = [...page.querySelectorAll('figure.copyable pre')].map(({ textContent }) => textContent)
    expect(commands).toEqual([
      formatTokenAssignment({ tokenEndpoint: `${shop.baseUrl}/orders/token` }),
      `curl -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  ${shop.baseUrl}/orders/items`,
      `curl -H "Shop-Key: $API_KEY" \\\n  ${shop.baseUrl}/catalog/items`,
    ])
    const { credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] })
    const env = {
      PATH: process.env['PATH'],
      CLIENT_ID: credentials.clientId,
      CLIENT_SECRET: credentials.clientSecret,
      API_KEY: credentials.clientId,
    }
    const { stdout } = await promisify(execFile)('sh', ['-c', commands.join('\n')], { env })
    expect(stdout).toMatch(/^\{"items":.*\}\{"items":.*\}$/)
    expect(page.querySelectorAll('.copyable button.copy[hidden][aria-label^="Copy: "]')).toHaveLength(8)
  })

  it('has a page with a sample in each language for every API', async () => {
    const { page, text } = await pageAt(`${shop.developers}/apis/orders/samples`)
    expect([...page.querySelectorAll('h1, main h2')].map(({ textContent }) => textContent)).toEqual([
      'Orders',
      'Samples',
    ])
    const labels = [...page.querySelectorAll('.samples summary')].map(({ textContent }) => textContent)
    expect(labels).toEqual(['curl', 'JavaScript', 'Python', 'Go', 'PHP', 'Java', 'C#'])
    for (const { textContent } of page.querySelectorAll('.samples pre'))
      for (const part of [`${shop.baseUrl}/orders/token`, `${shop.baseUrl}/orders/items`, 'CLIENT_SECRET'])
        expect(textContent).toContain(part)
    expect(text).not.toMatch(/undefined|\[object/)
  })

  it.each([2, 30])('needs 10 KB at most for the start page and for the registration of %i APIs', async (count) => {
    const names = Array.from({ length: count }, (_, index) => `${index % 2 ? 'orders' : 'catalog'}${index}` as const)
    const apis = Object.fromEntries(
      names.map((name, index) => [name, { ...APIS[index % 2 ? 'orders' : 'catalog'], title: `Tea number ${index}` }]),
    )
    const documents = Object.fromEntries(
      names.map((name, index) => [name, DOCUMENTS[index % 2 ? 'orders' : 'catalog']]),
    )
    const { auth } = openPlatform({
      baseUrl: shop.baseUrl,
      developersUrl: shop.developers,
      mailer: memoryMailer(),
      apis,
    })
    await auth.ready()
    const url = await serve(express().use('/developers', developerConsole(auth, { documents })))
    for (const path of ['/developers/', '/developers/register']) {
      const { page, text } = await pageAt(url + path)
      const files = [...page.querySelectorAll('link[rel=stylesheet], script[src]')]
      const addresses = files.map(
        (file) => new URL((file.getAttribute('href') ?? file.getAttribute('src'))!, url + path),
      )
      const texts = [text, ...(await Promise.all(addresses.map(async (address) => (await fetch(address)).text())))]
      expect(
        texts.reduce((sum, each) => sum + gzipSync(each).length, 0),
        path,
      ).toBeLessThan(10_000)
    }
  })

  it('links to references, registration and machine-readable documents, and every link answers 200', async () => {
    const { page } = await pageAt(shop.developers)
    const links = [...page.querySelectorAll<HTMLAnchorElement>('a')].map(({ href }) => href)
    expect(links.map((link) => link.replace(shop.baseUrl, ''))).toEqual([
      '/developers/',
      '/developers/',
      '/developers/applications',
      '/developers/register',
      '/developers/register',
      '/developers/apis/orders',
      '/developers/apis/orders/openapi.json',
      '/developers/apis/orders/openapi.yaml',
      '/developers/apis/orders.md',
      '/orders/.well-known/oauth-authorization-server',
      '/orders/.well-known/oauth-protected-resource',
      '/developers/apis/orders/samples',
      '/developers/apis/catalog',
      '/developers/apis/catalog/openapi.json',
      '/developers/apis/catalog/openapi.yaml',
      '/developers/apis/catalog.md',
      '/developers/apis/catalog/samples',
      '/.well-known/jwks.json',
      '/developers/llms.txt',
    ])
    for (const link of links) expect((await fetch(link)).status, link).toBe(200)
  })

  it('says at oauth2 APIs that the public id of the application may be the client_id', async () => {
    const { page } = await pageAt(shop.developers)
    const describes = (api: string) =>
      page.querySelector(`#api-${api} dl`)!.textContent.includes('application id (app_…)')
    expect([describes('orders'), describes('catalog')]).toEqual([true, false])
  })

  it('has one look for its pages and those of registration', async () => {
    const { page } = await pageAt(shop.developers)
    const { href } = page.querySelector<HTMLLinkElement>('link[rel=stylesheet]')!
    const registration = await pageAt(`${shop.developers}/register`)
    expect(await (await fetch(href)).text()).toContain(shortenStyle(LOOK_CSS))
    expect(registration.page.querySelector('style')?.textContent).toContain(shortenStyle(LOOK_CSS))
  })

  it("lets pages of every origin read an API's document, and no page of the console", async () => {
    const readAllowedOrigin = async (path: string) =>
      (await fetch(`${shop.developers}${path}`)).headers.get('Access-Control-Allow-Origin')
    expect(await readAllowedOrigin('/apis/orders/openapi.json')).toBe('*')
    for (const path of ['/', '/apis/orders', '/register']) expect(await readAllowedOrigin(path), path).toBeNull()
  })

  it.each(['', '/apis/orders', '/register', '/register/claim'])(
    'loads nothing from another origin, and has a CSP without anything that it does not need: %s',
    async (path) => {
      const { page, text, response } = await pageAt(shop.developers + path)
      const loaded = [
        ...page.querySelectorAll<HTMLElement & { src?: string; href?: string }>(
          'script, link:not([rel=alternate]), img',
        ),
      ]
      for (const { src, href } of loaded) {
        const address = src || href
        if (!address) continue
        expect(address).toMatch(new RegExp(`^${shop.developers}/assets/[\\w.-]+\\.[0-9a-f]{16}\\.(?:css|js|svg)$`))
        expect((await fetch(address)).status).toBe(200)
      }
      expect(text).not.toMatch(/ style=| on\w+=/)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; ")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("base-uri 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:\/\/(?!localhost)/)
      for (const inline of page.querySelectorAll('script:not([src]), style')) {
        const hash = createHash('sha256')
          .update(inline.textContent ?? '')
          .digest('base64')
        expect(policy).toContain(`'sha256-${hash}'`)
      }
      expect(response.headers.get('cache-control')).toBe('no-store')
      // Without it browsers send the form with `Origin: null`.
      expect(response.headers.get('referrer-policy')).toBe(path === '/register' ? 'same-origin' : 'no-referrer')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  it('allows a reference to call its API and no other origin, and to show its images', async () => {
    const { response } = await pageAt(`${shop.developers}/apis/orders`)
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain(`; connect-src 'self' ${shop.baseUrl}; `)
    expect(policy).toContain(`; img-src 'self' blob:; `)
    const index = await pageAt(shop.developers)
    expect(index.response.headers.get('content-security-policy')).toContain(`; img-src 'self'; connect-src 'none'; `)
  })

  it('lists the operations before the script has loaded', async () => {
    const { page } = await pageAt(`${shop.developers}/apis/orders`)
    expect(page.querySelector('h1')?.textContent).toBe('Orders')
    const operations = [...page.querySelectorAll('section.operation h3')].map((each) => wordsOf(each))
    expect(operations).toContain('GET /items/{id} Read an order')
    const groups = [...page.querySelectorAll('#sidebar li a[data-count]')]
    expect(
      groups.map((each) => [wordsOf(each), page.querySelector(each.getAttribute('href')!)?.localName]),
    ).toContainEqual(['Your orders 5', 'section'])
    // The theme's.
    expect(page.querySelectorAll('script:not([defer])')).toHaveLength(1)
  })

  it('serves assets compressed, cacheable for a year, under URLs that contain a hash of their content', async () => {
    const { page } = await pageAt(`${shop.developers}/apis/orders`)
    const { src } = page.querySelector<HTMLScriptElement>('script[src*="/reference."]')!
    const sent = await raw(src, { 'Accept-Encoding': 'br, gzip' })
    expect(sent.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    // The words of calls come with the script that makes calls.
    expect(sent.body.length).toBeLessThan(8300)
    expect(gunzipSync(sent.body).toString()).not.toContain(germanCalls.contactOperator)
    const hash = createHash('sha256').update(sent.body).digest('hex').slice(0, 16)
    expect(src).toContain(`/assets/reference.${hash}.js`)
    for (const encoding of ['identity', 'gzip;q=0', '*;q=0.1, gzip; q=0.0']) {
      const plain = await raw(src, { 'Accept-Encoding': encoding })
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.body.equals(gunzipSync(sent.body))).toBe(true)
    }
    expect((await raw(src, {}, 'HEAD')).body).toHaveLength(0)
    expect((await raw(src.replace(hash, '0123456789abcdef'))).status).toBe(404)
  })

  it('redirects from a reference with a trailing slash to the one without', async () => {
    for (const path of ['/apis/orders/', '/apis/orders/?from=mail']) {
      const { response } = await pageAt(shop.developers + path)
      expect([response.status, response.url]).toEqual([
        200,
        shop.developers + path.replace('/?', '?').replace(/\/$/, ''),
      ])
      expect((await raw(shop.developers + path)).headers.location).toMatch(/^\.\.\/orders(?:\?|$)/)
    }
  })

  it('sends an OpenAPI document again only if it has changed', async () => {
    const url = `${shop.developers}/apis/orders/openapi.json`
    const { etag, ...headers } = (await raw(url, { 'Accept-Encoding': 'gzip' })).headers
    expect(headers['cache-control']).toBe('no-cache')
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    expect((await raw(url)).headers.etag).toBe(etag)
    for (const known of [etag!, `"other", ${etag}`, etag!.slice(2), '*']) {
      const unchanged = await raw(url, { 'If-None-Match': known })
      expect(unchanged, known).toMatchObject({ status: 304, headers: { etag, vary: 'Accept-Encoding' } })
      expect(unchanged.body).toHaveLength(0)
    }
    expect((await raw(url, { 'If-None-Match': '"other"' })).status).toBe(200)
    expect((await raw(`${shop.developers}/apis/catalog/openapi.json`, { 'If-None-Match': etag! })).status).toBe(200)
  })

  it('passes unknown paths on to the host', async () => {
    for (const path of [
      '/nothing',
      '/apis',
      '/apis/',
      '/apis/unknown',
      '/apis/unknown/',
      '/assets/',
      '/registered',
      '/../orders',
    ])
      expect((await fetch(shop.developers + path)).status, path).toBe(404)
    expect((await fetch(shop.developers, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${shop.developers}/apis/orders`, { method: 'PUT' })).status).toBe(404)
    expect((await fetch(`${shop.developers}/register`, { method: 'PUT' })).status).toBe(404)
  })
})

describe.each(Object.entries(EXPRESSES))('on %s', (_version, expressOf) => {
  const { auth } = openPlatform({ baseUrl: 'http://localhost', apis: { orders: { scheme: 'oauth2' } } })

  it.each(['/developers', '/v1/developers', '/dev:console'])(
    'works with and without a trailing slash: %s',
    async (path) => {
      const base = await serve(expressOf().use(path, developerConsole(auth)))
      for (const address of [`${path}?from=mail`, `${path}/?from=mail`]) {
        const { response, page } = await pageAt(base + address)
        expect(response.status).toBe(200)
        expect(response.url).toBe(`${base}${path}/?from=mail`)
        const { href } = page.querySelector<HTMLLinkElement>('link[rel=stylesheet]')!
        expect((await fetch(href)).status).toBe(200)
      }
      const redirect = await raw(base + path)
      expect([redirect.status, redirect.headers.location]).toEqual([307, `./${path.split('/').at(-1)}/`])
    },
  )

  it('works at the root', async () => {
    const base = await serve(expressOf().use(developerConsole(auth)))
    expect((await raw(`${base}/`)).status).toBe(200)
    expect((await raw(base + '/')).headers.location).toBeUndefined()
  })

  it('never redirects to another origin', async () => {
    const base = await serve(expressOf().use(/^.*/, developerConsole(auth)))
    for (const path of ['//evil.example', '/\\evil.example', '/x//evil.example']) {
      const { headers } = await raw(base, {}, 'GET', path)
      if (headers.location !== undefined) expect(new URL(headers.location, `${base}/x/`).origin).toBe(base)
    }
  })
})

it('keeps its own CSP behind helmet', async () => {
  const shop = await useShop({ before: (app) => void app.use(helmet()) })
  for (const path of ['/', '/apis/orders', '/register']) {
    const policy = (await fetch(shop.developers + path)).headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
  }
})

it('can be created several times in one process, each with its own documents', async () => {
  const apis = { orders: { scheme: 'oauth2', scopes: APIS.orders.scopes }, catalog: { scheme: 'apiKey' } } as const
  const { auth } = openPlatform({ baseUrl: 'http://localhost', apis })
  const app = express()
    .use('/one', developerConsole(auth, { title: 'One', documents: { orders: DOCUMENTS.orders } }))
    .use('/two', developerConsole(auth, { title: 'Two', documents: { catalog: DOCUMENTS.catalog } }))
  const base = await serve(app)
  const statuses = ['/one/apis/orders', '/one/apis/catalog', '/two/apis/orders', '/two/apis/catalog'].map(
    async (path) => (await fetch(base + path)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 404, 404, 200])
  expect((await pageAt(`${base}/two`)).page.title).toBe('Two')
})

it.each<readonly [string, object, object, string]>([
  [
    'an open operation before the others',
    {},
    { '/open': { get: { security: [], responses: {} } }, '/items': { get: { responses: {} } } },
    '/items',
  ],
  [
    'one where a credential is optional',
    { security: [{ oauth2: [] }] },
    { '/maybe': { get: { security: [{}, { oauth2: [] }], responses: {} } }, '/items': { get: { responses: {} } } },
    '/items',
  ],
  [
    'a document whose operations are open unless they say otherwise',
    { security: [] },
    { '/open': { get: { responses: {} } }, '/items': { get: { security: [{ oauth2: [] }], responses: {} } } },
    '/items',
  ],
  [
    'guarded operations that need values only',
    {},
    { '/open': { get: { security: [], responses: {} } }, '/items/{id}': { get: { responses: {} } } },
    '/RESOURCE_PATH',
  ],
  ['open operations only', { security: [] }, { '/open': { get: { responses: {} } } }, '/open'],
])('the first sample is a call that a wrong credential cannot make, with %s', async (_what, members, paths, path) => {
  const orders = { openapi: '3.1.0', info: { title: 'Orders', version: '1.0.0' }, ...members, paths }
  const shop = await useShop({ console: { documents: { orders } } })
  const { text } = await pageAt(shop.developers)
  // A call that needs values is not shown where it would be copied as it is.
  expect(text.includes(`${shop.baseUrl}/orders${path}`)).toBe(path !== '/RESOURCE_PATH')
  const samples = await pageAt(`${shop.developers}/apis/orders/samples`)
  for (const { textContent } of samples.page.querySelectorAll('.samples pre'))
    expect(textContent).toContain(`/orders${path}`)
})

it('lists an API without a document, and links to no reference', async () => {
  const shop = await useShop({ console: { documents: {} } })
  const { page, text } = await pageAt(shop.developers)
  const links = [...page.querySelectorAll('a[href^="apis/"]')].map((link) => link.getAttribute('href'))
  expect(links).toEqual(['apis/orders/samples', 'apis/catalog/samples'])
  expect(text).toContain(`${shop.baseUrl}/catalog/RESOURCE_PATH`)
})

it.each([
  ['the option says so', { console: { registration: false } }],
  ['there is no mailer', { options: { mailer: undefined } }],
])('says nothing of registration where %s', async (_why, options) => {
  const shop = await useShop(options)
  expect((await pageAt(shop.developers)).text).not.toContain('egister an application')
  expect((await pageAt(`${shop.developers}/apis/orders`)).text).not.toContain('egister an application')
  expect((await fetch(`${shop.developers}/register`)).status).toBe(404)
})

it('works with every valid API name, and escapes titles', async () => {
  const apis = {
    register: { scheme: 'apiKey', title: '<b>"Till" & Co</b>', description: '<script>alert(1)</script>' },
    assets: { scheme: 'apiKey' },
    copied: { scheme: 'oauth2', scopes: { '<i>': '<i>&amp;' } },
    'v1.2~x': { scheme: 'apiKey' },
  } as const
  const { auth } = openPlatform({ baseUrl: `http://localhost/it's`, apis })
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { '/<b>': { get: { summary: '</ul><b>' } } },
  }
  const documents = Object.fromEntries(Object.keys(apis).map((name) => [name, document]))
  const base = await serve(express().use('/d', developerConsole(auth, { title: '</title><b>', documents })))
  const { page } = await pageAt(`${base}/d`)
  expect(page.querySelectorAll('b, i, main script')).toHaveLength(0)
  expect(page.querySelector('.api h2')?.textContent).toBe('<b>"Till" & Co</b>')
  expect(page.querySelectorAll('nav li')).toHaveLength(4)
  expect(new Set([...page.querySelectorAll('[id]')].map(({ id }) => id)).size).toBe(
    page.querySelectorAll('[id]').length,
  )
  expect(page.querySelector('figure pre')?.textContent).toContain('http://localhost/it%27s/register/%3Cb%3E')
  for (const name of Object.keys(apis)) {
    const reference = await pageAt(`${base}/d/apis/${name}`)
    expect(reference.response.status).toBe(200)
    expect(reference.page.querySelectorAll('b, i')).toHaveLength(0)
  }
})

function wordsOf(element: Element): string {
  return (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}

interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The raw answer: redirects are not followed, the body is not decompressed, the path is not normalized. */
function raw(url: string, headers: Record<string, string> = {}, method = 'GET', path?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    request(url, { headers, method, ...(path !== undefined && { path }) }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
}
