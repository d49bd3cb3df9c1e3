import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { JSDOM } from 'jsdom'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { useShop } from '../shop.js'

const shop = await useShop()
const { credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] })

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
      const { document } = new JSDOM((await get(page)).text).window
      for (const end of ['/openapi.json', '/openapi.yaml', '.md'])
        expect(document.querySelector(`a[href="${folder}orders${end}"]`), end).not.toBeNull()
    }
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

it('a reference in Markdown has scopes, parameters, bodies, answers and schemas of each operation', async () => {
  const { text, response } = await get('apis/orders.md')
  for (const words of [
    `- Address: ${shop.baseUrl}/orders`,
    '- `orders:read`: Read orders',
    '### GET /items: List your orders',
    'Scopes: `orders:read`.',
    '- `limit` (query, integer, 1 to 100, default 20): How many orders to return.',
    '- `application/json`: NewOrder',
    '- 200: A page of orders. `application/json`: OrderPage',
    '### OrderPage\n\nobject\n\n- `items`: list of Order, required\n- `next`: string. Pass it as `after`',
    '- `product`: string, 1 to 40 characters, required. The `sku` of a product of the catalogue.',
  ])
    expect(text).toContain(words)
  for (const [, link] of text.matchAll(/\]\(([^)#]+)\)/g))
    expect((await fetch(new URL(link!, response.url))).status, link).toBe(200)
})

async function runShell(command: string, environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment }
  return (await promisify(execFile)('sh', ['-c', command], { env })).stdout
}
