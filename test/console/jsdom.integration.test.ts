import { JSDOM, VirtualConsole, type DOMWindow } from 'jsdom'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openShop } from './shop.js'

// The whole flow in jsdom, so that it is tested on machines without a browser: pages, Swagger UI, our scripts and the
// requests are real. browser.integration.test.ts tests what needs a real browser.

// Swagger UI is slow in jsdom, more so beside other tests.
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
  it('requests an access token with key and secret, and sends it with each call', async () => {
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

  it('sends the key with each call of a key API', async () => {
    const page = await open('catalog')
    await page.authorize(` ${credentials.clientId} `)
    await page.has('Key saved, not checked yet. Calls carry the key until you leave this page.')
    expect(await page.call('get', '/items')).toBe('200')
    await page.has('Authorized. Calls carry the key until you leave this page.')
    expect(page.sent).toHaveLength(1)
    expect(page.sent[0]?.headers.get('shop-key')).toBe(credentials.clientId)
  })

  it('shows the server’s error description for a wrong secret in the dialog', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, 'wrong')
    expect((await page.one('dialog [role=alert]')).textContent).toBe('Client authentication failed')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
    expect(page.all('dialog [role=alert]')).toEqual([])
  })

  it('shows the scopes that an operation requires', async () => {
    const apis = { orders: { scopes: ['orders:read'] } } as const
    const { credentials: made } = await shop.auth.applications.create({ name: 'Reader', apis })
    const page = await open('orders')
    await page.authorize(made.clientId, made.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('post', '/items')).toBe('403')
    expect((await page.one('.opblock-post .scopes')).textContent).toBe('Scope orders:write')
  })

  it('forgets the credentials on "Forget the credentials"', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.click('dialog button', 'Forget the credentials')
    await page.has('Calls need key and secret of your application.')
    await page.click('dialog button', 'Close')
    expect(await page.call('get', '/items')).toBe('401')
    expect(page.sent.at(-1)?.headers.get('authorization')).toBeNull()
  })

  it('stores nothing, and has no credentials after a reload', async () => {
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
    // Access tokens are renewed two seconds before they expire, so these are renewed at once.
    briefly = await openShop({ options: { accessTokenLifetime: 2 } })
  })
  afterAll(() => briefly.close())

  it('is renewed before the next call', async () => {
    const { credentials: made } = await briefly.auth.applications.create({ name: 'Till', apis: ['orders'] })
    const page = await open('orders', briefly)
    await page.authorize(made.clientId, made.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('get', '/items')).toBe('200')
    const [first, second, call] = page.sent
    expect([first?.path, second?.path]).toEqual(['/orders/token', '/orders/token'])
    expect(call?.headers.get('authorization')).toMatch(/^Bearer ey/)
    // The curl command contains the new one too.
    expect((await page.one('.curl')).textContent).toContain(call?.headers.get('authorization'))
  })

  it('makes the dialog ask for credentials again if no new one is issued', async () => {
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
      'The access token expired, and a new one could not be obtained: Client authentication failed. Please authorize again.'
    expect((await page.one('dialog [role=alert]')).textContent).toBe(words)
    expect(page.sent.filter(({ path }) => path.startsWith('/orders/items'))).toEqual([])
    await page.has('Calls need key and secret of your application.')
  })

  it('or was revoked makes the dialog ask again, and say why', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
    expect(await page.call('get', '/items')).toBe('200')
    await shop.auth.applications.revokeTokens(credentials.id)
    expect(await page.call('post', '/items')).toBe('401')
    expect((await page.one('dialog [role=alert]')).textContent).toBe(
      'The API refuses the access token: it expired or was revoked, or the application is suspended or may no longer use this API. Please authorize again.',
    )
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.has('Authorized.')
  })
})

it('names the CORS origin to allow if the API is on another origin', async () => {
  const page = await open('orders', shop, shop.developers.replace('localhost', '127.0.0.1'))
  await page.authorize(credentials.clientId, credentials.clientSecret)
  const { textContent } = await page.one('dialog [role=alert]')
  expect(textContent).toContain(`${shop.baseUrl} does not answer, or does not allow this page to call it.`)
  expect(textContent).toContain(`must allow the origin http://127.0.0.1:`)
})

it('copies commands to the clipboard', async () => {
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
    // jsdom's CSS parser does not know cascade layers and reports an error.
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => fillIn(window as unknown as typeof globalThis & DOMWindow, sent),
  })
  windows.push(dom.window)
  return dom
}

/** Adds what jsdom lacks: fetch, matchMedia, dialogs. */
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

/** Operates a reference page as a person would. */
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
    // React has replaced the property `value`; the prototype's setter triggers its change event.
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
    /** Resolves once the page contains the text. */
    has: (words: string) => one('#reference', words),
    /** Opens an operation, executes it, and resolves the status shown. */
    async call(method: string, path: string): Promise<string> {
      const id = await start(method, path)
      const selector = `#${id} .live-responses-table tbody .response-col_status`
      return (await one(selector)).textContent.trim()
    },
  }
}
