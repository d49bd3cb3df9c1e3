import { JSDOM, VirtualConsole, type DOMWindow } from 'jsdom'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openShop } from './shop.js'

// The whole flow in a browser without a screen, so that it is proved wherever the tests run: the pages, Swagger UI and
// our scripts are the real ones, and so are the requests. What only a real browser knows is in browser.test.ts.

// Swagger UI takes its time here, the more so where other tests run beside it.
vi.setConfig({ testTimeout: 60_000 })
const PATIENCE = { timeout: 30_000, interval: 20 }

let shop: Awaited<ReturnType<typeof openShop>>
let credentials: { clientId: string; clientSecret: string; id: string }
const windows: DOMWindow[] = []

beforeAll(async () => {
  shop = await openShop()
  const { application, credentials: made } = await shop.auth.applications.create({
    name: 'Till',
    apis: ['orders', 'catalog'],
  })
  credentials = { clientId: made.clientId, clientSecret: made.clientSecret!, id: application.id }
})
afterEach(() => windows.splice(0).forEach((window) => window.close()))
afterAll(() => shop.close())

describe('a reference', () => {
  it('gets an access token with key and secret, and adds it to each call', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized. Calls carry the access token until you leave this page.')
    expect(await page.call('get', '/items')).toBe('200')
    expect(await page.call('post', '/items')).toBe('201')
    expect(page.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /orders/token',
      'GET /orders/items?limit=20',
      'POST /orders/items',
    ])
    const [token, ...calls] = page.sent
    expect(token?.headers.get('authorization')).toMatch(/^Basic /)
    expect(token?.body).toBe('grant_type=client_credentials')
    for (const { headers } of calls) expect(headers.get('authorization')).toMatch(/^Bearer ey/)
    for (const { credentials } of page.sent) expect(credentials).toBe('omit')
  })

  it('adds the key alone where that is what the API wants', async () => {
    const page = await open('catalog')
    await page.authorize(` ${credentials.clientId} `)
    await page.has('Authorized. Calls carry the key until you leave this page.')
    expect(await page.call('get', '/items')).toBe('200')
    expect(page.sent).toHaveLength(1)
    expect(page.sent[0]?.headers.get('x-api-key')).toBe(credentials.clientId)
  })

  it('shows in the dialog what the server says to a wrong secret', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, 'wrong')
    expect((await page.one('dialog [role=alert]')).textContent).toBe('Client authentication failed')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
    expect(page.all('dialog [role=alert]')).toEqual([])
  })

  it('shows which scopes an operation needs', async () => {
    const apis = { orders: { scopes: ['orders:read'] } } as const
    const { credentials: made } = await shop.auth.applications.create({ name: 'Reader', apis })
    const page = await open('orders')
    await page.authorize(made.clientId, made.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('post', '/items')).toBe('403')
    expect((await page.one('.opblock-post .scopes')).textContent).toBe('Scope orders:write')
  })

  it('forgets, when told to', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.click('dialog button', 'Forget it')
    await page.has('Calls need key and secret of your application.')
    await page.click('dialog button', 'Close')
    expect(await page.call('get', '/items')).toBe('401')
    expect(page.sent.at(-1)?.headers.get('authorization')).toBeNull()
  })

  it('keeps nothing when it is left', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
    const { localStorage, sessionStorage, document, location } = page.window
    expect([localStorage.length, sessionStorage.length, document.cookie, location.search + location.hash]).toEqual([
      0,
      0,
      '',
      '',
    ])
    const again = await open('orders')
    await again.has('Calls need key and secret of your application.')
    expect(await again.call('get', '/items')).toBe('401')
  })
})

describe('an access token that has expired', () => {
  let briefly: typeof shop
  beforeAll(async () => {
    // Two seconds early it is renewed; so these are renewed at once.
    briefly = await openShop({ options: { accessTokenLifetime: 2 } })
  })
  afterAll(() => briefly.close())

  it('is renewed', async () => {
    const { credentials: made } = await briefly.auth.applications.create({ name: 'Till', apis: ['orders'] })
    const page = await open('orders', briefly)
    await page.authorize(made.clientId, made.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('get', '/items')).toBe('200')
    const [first, second, call] = page.sent
    expect([first?.path, second?.path]).toEqual(['/orders/token', '/orders/token'])
    expect(call?.headers.get('authorization')).toMatch(/^Bearer ey/)
    // The command to copy has the new one as well.
    expect((await page.one('.curl')).textContent).toContain(call?.headers.get('authorization'))
  })

  it('is asked for again in plain words where there is no new one', async () => {
    const { application, credentials: made } = await briefly.auth.applications.create({
      name: 'Till',
      apis: ['orders'],
    })
    const page = await open('orders', briefly)
    await page.authorize(made.clientId, made.clientSecret)
    await page.has('Authorized.')
    await briefly.auth.applications.suspend(application.id)
    await page.click('dialog button', 'Close')
    await page.start('get', '/items')
    const words =
      'The access token expired, and there was no new one: Client authentication failed. Please authorize again.'
    expect((await page.one('dialog [role=alert]')).textContent).toBe(words)
    expect(page.sent.filter(({ path }) => path.startsWith('/orders/items'))).toEqual([])
    await page.has('Calls need key and secret of your application.')
  })

  it('or was revoked, is asked for again in the server’s words', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('get', '/items')).toBe('200')
    await shop.auth.applications.revokeTokens(credentials.id)
    expect(await page.call('post', '/items')).toBe('401')
    const { textContent } = await page.one('dialog [role=alert]')
    expect(textContent).toMatch(/^The access token is no longer accepted: .+ Please authorize again\.$/)
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
  })
})

it('says what is missing where the API is on another origin', async () => {
  const page = await open('orders', shop, shop.developers.replace('localhost', '127.0.0.1'))
  await page.authorize(credentials.clientId, credentials.clientSecret)
  const { textContent } = await page.one('dialog [role=alert]')
  expect(textContent).toContain(`${shop.baseUrl} does not answer, or does not let this page call it.`)
  expect(textContent).toContain(`must allow the origin http://127.0.0.1:`)
})

it('copies commands', async () => {
  const dom = await load(shop.developers)
  const copied: string[] = []
  Object.defineProperty(dom.window.navigator, 'clipboard', {
    value: { writeText: async (text: string) => void copied.push(text) },
  })
  const buttons = [...dom.window.document.querySelectorAll<HTMLButtonElement>('.copy')]
  await vi.waitFor(() => expect(buttons.some(({ hidden }) => hidden)).toBe(false), PATIENCE)
  buttons[0]!.click()
  await vi.waitFor(() => expect(buttons[0]!.textContent).toBe('Copied'))
  expect(copied).toEqual([`${shop.baseUrl}/orders`])
  expect(dom.window.document.querySelector('[role=status]')?.textContent).toBe('Copied')
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly credentials: string
  readonly body: string
}

async function load(url: string, sent: Sent[] = []): Promise<JSDOM> {
  const dom = await JSDOM.fromURL(url, {
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    // Its CSS parser knows no layers, and says so.
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => fillIn(window as unknown as typeof globalThis & DOMWindow, sent),
  })
  windows.push(dom.window)
  return dom
}

/** What browsers have and jsdom has not: requests, the colour scheme, dialogs. */
function fillIn(window: typeof globalThis & DOMWindow, sent: Sent[]): void {
  const { Headers, Request, Response, TextEncoder, TextDecoder, URLSearchParams } = globalThis
  Object.assign(window, { Headers, Request, Response, TextEncoder, TextDecoder, URLSearchParams, structuredClone })
  window.fetch = async (input, init) => {
    const request = new Request(new URL(input as string, window.location.href), init)
    const { pathname, search, origin } = new URL(request.url)
    if (!pathname.endsWith('/openapi.json')) {
      const { method, headers, credentials } = request
      sent.push({ method, path: pathname + search, headers, credentials, body: await request.clone().text() })
    }
    if (origin !== window.location.origin) throw new TypeError('Failed to fetch')
    return fetch(request)
  }
  window.matchMedia = () => ({ matches: false, addEventListener() {} }) as unknown as MediaQueryList
  Object.assign(window.HTMLElement.prototype, {
    showModal(this: HTMLElement) {
      this.setAttribute('open', '')
    },
    close(this: HTMLElement) {
      if (!this.hasAttribute('open')) return
      this.removeAttribute('open')
      this.dispatchEvent(new window.Event('close'))
    },
  })
}

/** A reference, as a person uses it. */
async function open(api: string, { developers }: { readonly developers: string } = shop, at: string = developers) {
  const sent: Sent[] = []
  const { window } = await load(`${at}/apis/${api}`, sent)
  const { document } = window

  const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)]
  const one = (selector: string, text = ''): Promise<HTMLElement> =>
    vi.waitFor(() => {
      const found = all(selector).find(({ textContent }) => textContent?.includes(text))
      if (found) return found
      throw new Error(`There is no ${selector} with “${text}”.`)
    }, PATIENCE)
  const click = async (selector: string, text = ''): Promise<void> => (await one(selector, text)).click()

  function type(input: HTMLElement, text: string): void {
    // React looks at the property that it has replaced.
    Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')!.set!.call(input, text)
    input.dispatchEvent(new window.Event('input', { bubbles: true }))
  }

  async function authorize(key: string, secret?: string): Promise<void> {
    if (all('dialog').length === 0) await click('.btn.authorize')
    type(await one('dialog #key'), key)
    if (secret !== undefined) type(await one('dialog #secret'), secret)
    await click('dialog button', 'Authorize')
  }

  async function start(method: string, path: string): Promise<string> {
    const summaries = (): HTMLElement | undefined =>
      all(`.opblock-${method}`).find((each) => each.querySelector('[data-path]')?.getAttribute('data-path') === path)
    const block = await vi.waitFor(
      () => summaries() ?? Promise.reject(new Error(`There is no ${method} ${path}.`)),
      10_000,
    )
    block.querySelector<HTMLElement>('.opblock-summary-control')!.click()
    await one(`#${block.id} .execute`)
    // Swagger UI resolves an operation some time after it has shown it.
    await vi.waitFor(() => expect(block.querySelector('.opblock-loading-animation')).toBeNull(), PATIENCE)
    await click(`#${block.id} .execute`)
    return block.id
  }

  return {
    window,
    sent,
    all,
    one,
    click,
    authorize,
    start,
    /** Resolves once the page has these words. */
    has: (words: string) => one('#reference', words),
    /** Opens an operation, executes it, and resolves the status that is shown. */
    async call(method: string, path: string): Promise<string> {
      const id = await start(method, path)
      return (await one(`#${id} .live-responses-table tbody .response-col_status`)).textContent.trim()
    },
  }
}
