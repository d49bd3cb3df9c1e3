import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openShop } from '../shop.js'

let shop: Awaited<ReturnType<typeof openShop>>
let credentials: { clientId: string; clientSecret?: string }
beforeAll(async () => {
  shop = await openShop()
  ;({ credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] }))
})
afterAll(() => shop.close())

async function get(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(new URL(path, `${shop.developers}/`))
  return { response, text: await response.text() }
}

describe('each form of a reference for programs', () => {
  it.each([
    ['llms.txt', 'text/plain; charset=utf-8'],
    ['apis/orders.md', 'text/markdown; charset=utf-8'],
    ['apis/orders/openapi.json', 'application/json; charset=utf-8'],
    ['apis/orders/openapi.yaml', 'application/yaml'],
    ['apis/orders/postman.json', 'application/json; charset=utf-8'],
    ['apis/orders/bruno.zip', 'application/zip'],
  ])('may be read by pages of every origin, and is sent again only if it has changed: %s', async (path, type) => {
    const { response } = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const etag = response.headers.get('etag')!
    const again = await fetch(response.url, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
  })

  it('is the same document as YAML', async () => {
    const [json, yaml] = await Promise.all([get('apis/orders/openapi.json'), get('apis/orders/openapi.yaml')])
    expect(parse(yaml.text)).toEqual(JSON.parse(json.text))
  })

  it('is linked from the page of the reference and from the index', async () => {
    for (const [page, folder] of [
      ['apis/orders', ''],
      ['', 'apis/'],
    ] as const) {
      // prettier-ignore
      const { document } = new JSDOM((await get(page)).text).window
      for (const end of ['/openapi.json', '/openapi.yaml', '/postman.json', '/bruno.zip', '.md'])
        expect(document.querySelector(`a[href="${folder}orders${end}"]`), end).not.toBeNull()
    }
  })
})

describe('a Postman collection', () => {
  it('has authentication with variables, and an example of each request', async () => {
    const { response, text } = await get('apis/orders/postman.json')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders.postman_collection.json"')
    const collection = JSON.parse(text) as Collection
    const readEntries = (entries: readonly Entry[] = []) => Object.fromEntries(entries.map(({ key, value }) => [key, value])) // prettier-ignore
    expect(collection.info).toMatchObject({
      name: 'Orders',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    })
    expect(readEntries(collection.variable)).toEqual({
      baseUrl: `${shop.baseUrl}/orders`,
      tokenUrl: `${shop.baseUrl}/orders/token`,
      clientId: '',
      clientSecret: '',
      accessToken: '',
    })
    expect(collection.auth.type).toBe('oauth2')
    expect(readEntries(collection.auth.oauth2)).toMatchObject({
      grant_type: 'client_credentials',
      accessTokenUrl: '{{tokenUrl}}',
      clientId: '{{clientId}}',
      clientSecret: '{{clientSecret}}',
    })
    const [folder] = collection.item as [Collection['item'][0]]
    expect(folder.name).toBe('Orders')
    expect(folder.item.map(({ request }) => `${request.method} ${request.url.raw}`)).toEqual([
      'GET {{baseUrl}}/items',
      'POST {{baseUrl}}/items',
      'GET {{baseUrl}}/items/:id',
      'PUT {{baseUrl}}/items/:id',
      'DELETE {{baseUrl}}/items/:id',
    ])
    expect(folder.item[0]!.request.url.query[0]).toMatchObject({ key: 'limit', value: '20', disabled: true })
    expect(JSON.parse(folder.item[1]!.request.body.raw)).toMatchObject({ product: 'TEA-SENCHA-100', quantity: 2 })
    expect(folder.item[2]!.request.url.variable).toMatchObject([{ key: 'id', value: 'ID' }])
    const catalog = JSON.parse((await get('apis/catalog/postman.json')).text) as Collection
    expect(readEntries(catalog.auth.apikey)).toEqual({ key: 'Shop-Key', value: '{{apiKey}}', in: 'header' })
  })
})

describe('a Bruno collection', () => {
  it('is a ZIP archive with authentication, an environment and an example of each request', async () => {
    const { response } = await get('apis/orders/bruno.zip')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders-bruno.zip"')
    const archive = Buffer.from(await (await fetch(response.url)).arrayBuffer())
    const files = new Map([...readZip(archive)].map(([path, text]) => [path, parse(text) as unknown]))
    expect([...files.keys()]).toEqual([
      'orders/opencollection.yml',
      'orders/environments/Default.yml',
      'orders/orders/folder.yml',
      ...['list-your-orders', 'place-an-order', 'read-an-order', 'change-an-order', 'cancel-an-order'].map((name) => `orders/orders/${name}.yml`), // prettier-ignore
    ])
    const credentials = { clientId: '{{clientId}}', clientSecret: '{{clientSecret}}' }
    expect(files.get('orders/opencollection.yml')).toMatchObject({
      request: { auth: { type: 'oauth2', flow: 'client_credentials', credentials } },
    })
    const variables = [
      { name: 'baseUrl', value: `${shop.baseUrl}/orders` },
      { name: 'tokenUrl', value: `${shop.baseUrl}/orders/token` },
      { name: 'clientId', value: '' },
      { name: 'clientSecret', secret: true },
    ]
    expect(files.get('orders/environments/Default.yml')).toEqual({ name: 'Default', variables })
    expect(files.get('orders/orders/place-an-order.yml')).toMatchObject({
      http: { method: 'POST', url: '{{baseUrl}}/items', auth: 'inherit', body: { type: 'json' } },
    })
  })
})

describe('llms.txt', () => {
  it('leads from the index to a call that works, with nothing else', async () => {
    const index = new JSDOM((await get('')).text, { url: `${shop.developers}/` }).window.document
    const list = await get(index.querySelector<HTMLLinkElement>('link[rel=alternate][type="text/plain"]')!.href)
    expect(list.text).toMatch(/^# Tea shop developers\n\n> [^\n]+\n\n/)
    const target = /^- \[Orders\]\((.+)\): /m.exec(list.text)![1]!
    const reference = await get(new URL(target, list.response.url).href)
    const commands = [...reference.text.matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, command]) => command!)
    const [requestToken, listOrders, placeOrder] = commands as [string, string, string]
    const environment = { CLIENT_ID: credentials.clientId, CLIENT_SECRET: credentials.clientSecret! }
    const call = async (command: string): Promise<unknown> =>
      JSON.parse(await runShell(`${requestToken}\n${command}`, environment))
    expect(await call(listOrders)).toHaveProperty('items')
    expect(await call(placeOrder)).toMatchObject({ product: 'TEA-SENCHA-100' })
    const catalog = await get('apis/catalog.md')
    const [listProducts = ''] = [...catalog.text.matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, command]) => command)
    expect(JSON.parse(await runShell(listProducts, { API_KEY: credentials.clientId }))).toHaveProperty('items')
  })

  it('lists links that answer', async () => {
    const { text, response } = await get('llms.txt')
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => new URL(link!, response.url).href)
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) expect((await fetch(link)).status, link).toBe(200)
  })
})

describe('a reference in Markdown', () => {
  it('has scopes, parameters, bodies, answers and schemas of each operation', async () => {
    const { text, response } = await get('apis/orders.md')
    for (const words of [
      `- Address: ${shop.baseUrl}/orders`,
      '- `orders:read`: Read orders',
      '### GET /items: List your orders',
      'Scopes: `orders:read`.',
      '- `limit` (query, integer, 1 to 100, default 20): At most that many orders.',
      '- `application/json`: NewOrder',
      '- 200: A page of orders. `application/json`: OrderPage',
      '### OrderPage\n\nobject\n\n- `items`: Order[], required\n- `next`: string. There may be more',
      '- `product`: string, 1 to 40 characters, required. The `sku` of a product of the catalogue.',
    ])
      expect(text).toContain(words)
    for (const [, link] of text.matchAll(/\]\(([^)#]+)\)/g))
      expect((await fetch(new URL(link!, response.url))).status, link).toBe(200)
  })
})

interface Entry {
  readonly key: string
  readonly value: string
}

interface Collection {
  readonly info: object
  readonly variable: readonly Entry[]
  readonly auth: { readonly type: string; readonly oauth2?: readonly Entry[]; readonly apikey?: readonly Entry[] }
  readonly item: readonly {
    readonly name: string
    readonly item: readonly {
      readonly request: {
        readonly method: string
        readonly url: { readonly raw: string; readonly query: readonly object[]; readonly variable: readonly object[] }
        readonly body: { readonly raw: string }
      }
    }[]
  }[]
}

async function runShell(command: string, environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment }
  return (await promisify(execFile)('sh', ['-c', command], { env })).stdout
}

/** The texts of an archive, by its directory. */
function* readZip(archive: Buffer): Generator<[path: string, text: string]> {
  const end = archive.length - 22
  let at = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const [size, nameLength, offset] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 42)] // prettier-ignore
    const path = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
    yield [path, inflateRawSync(archive.subarray(start, start + size)).toString()]
    at += 46 + nameLength
  }
}
