import { JSDOM, VirtualConsole, type DOMWindow } from 'jsdom'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { IssuedCredentials } from '../../../src/index.js'
import { useShop, type Shop } from './shop.js'

// The whole flow in jsdom, so that it is tested on machines without a browser: pages, scripts and requests are real.
// browser.integration.test.ts tests what needs a real browser.

// Selectors take jsdom several milliseconds.
const PATIENCE = { timeout: 60_000, interval: 50 }

const shop = await useShop()
const { application, credentials: made } = await shop.auth.applications.create({
  name: 'Till',
  apis: ['orders', 'catalog'],
})
const credentials = { clientId: made.clientId, clientSecret: made.clientSecret! }
const windows: DOMWindow[] = []

afterEach(() => windows.splice(0).forEach((window) => window.close()))

describe('a reference', () => {
  it('requests an access token with key and secret, and sends it with each call', async () => {
    const page = await open('orders')
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.state(`Authorized as ${credentials.clientId.slice(0, 12)}…`)
    await page.one('dialog [role=status]', 'Authorized. Calls carry the access token until you leave the console.')
    expect(await page.call('listOrders')).toContain('200 OK')
    expect(await page.call('placeOrder')).toContain('201 Created')
    expect(page.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /orders/token',
      'GET /orders/items',
      'POST /orders/items',
    ])
    const [token, ...calls] = page.sent
    expect(token?.headers.get('authorization')).toMatch(/^Basic /)
    expect(token?.body).toBe('grant_type=client_credentials')
    for (const { headers } of calls) expect(headers.get('authorization')).toMatch(/^Bearer ey/)
    for (const { credentials } of page.sent) expect(credentials).toBe('omit')
    // Nothing is stored.
    const { localStorage, sessionStorage, document, location } = page.window
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0])
    expect(document.cookie + location.search).toBe('')
    expect(location.hash).toBe('#placeOrder')
    await (await open('orders')).state('Not authorized')
  })

  it('has one main button, which authorizes and sends where a call needs credentials, until there are some', async () => {
    const page = await open('orders')
    await page.click('#listOrders .toggle')
    const first = await page.one('#listOrders .first', 'Authorize and send')
    const known = await page.one('#listOrders .known')
    const send = await page.one('#listOrders .execute', 'Send')
    expect([first.hidden, known.hidden, send.classList.contains('quiet')]).toEqual([false, true, true])
    first.click()
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.one('#listOrders .outcome', '200 OK')
    expect(page.sent.map(({ path }) => path)).toEqual(['/orders/token', '/orders/items'])
    expect([first.hidden, known.hidden, send.classList.contains('quiet')]).toEqual([true, false, false])
    expect(known.textContent).toMatch(/^Authorized as epa_key_....… Change$/)
    expect(page.window.document.activeElement).toBe(send)
  })

  it('says which scope an access token lacks', async () => {
    const apis = { orders: { scopes: ['orders:read'] } } as const
    const { credentials: reader } = await shop.auth.applications.create({ name: 'Reader', apis })
    const page = await openAuthorized(reader)
    expect(await page.call('placeOrder')).toContain('403 Forbidden')
    await page.one('#placeOrder .advice', 'The access token lacks the scope orders:write. Ask for it')
  })

  it('names the fields that must be filled in, and sends nothing', async () => {
    const page = await open('orders')
    await page.start('readOrder')
    await page.one('#readOrder .problem', 'This is required.')
    const field = await page.one('#readOrder-path-id')
    expect([field.getAttribute('aria-invalid'), page.window.document.activeElement]).toEqual(['true', field])
    expect(field.getAttribute('aria-describedby')).toContain('readOrder-path-id-problem')
    page.type(field, '..')
    expect(field.hasAttribute('aria-invalid')).toBe(false)
    await page.start('readOrder')
    await page.one('#readOrder .problem', 'A part of a path cannot be . or .. alone.')
    expect(page.sent).toEqual([])
  })

  it('writes samples with what was entered, with the credentials only after Show credentials, and forgets these', async () => {
    const page = await openAuthorized()
    await page.click('#readOrder .toggle')
    page.type(await page.one('#readOrder-path-id'), 'ord 1')
    const sample = await page.one('#readOrder [role=tabpanel]', '/orders/items/ord%201')
    expect(sample.textContent).toContain('$CLIENT_SECRET')
    expect(sample.textContent).not.toContain(credentials.clientSecret)
    await page.click('#readOrder .reveal')
    expect(sample.textContent).toContain(credentials.clientSecret)
    await page.click('.authorize')
    await page.click('dialog button', 'Forget the credentials')
    expect(sample.textContent).not.toContain(credentials.clientSecret)
    await page.state('Not authorized')
    await page.click('dialog button', 'Cancel')
    expect(await page.call('listOrders')).toContain('401 Unauthorized')
    expect(page.sent.at(-1)?.headers.get('authorization')).toBeNull()
  })
})

it('says that the address names no operation, and finds a status, a word with a typing error and, below operations, a schema', async () => {
  const page = await open('orders', shop, shop.developers, '#renamed')
  expect((await page.one('.unknown')).textContent).toContain('“renamed” is not in this reference.')
  const search = (await page.one('.search')) as HTMLInputElement
  await page.click('.unknown button', 'Search this reference')
  expect(page.window.document.activeElement).toBe(search)
  page.type(search, 'zebra')
  await page.one('.count', 'No matches.')
  expect((await page.one('.groups')).hidden).toBe(false)
  await page.click('.clear', 'Clear the search')
  expect([page.window.document.activeElement, search.value]).toEqual([search, ''])
  expect(page.all('.clear')).toEqual([])
  page.type(search, 'place')
  await page.one('[role=option]', 'Place an order')
  await page.one('.count', '1 match')
  search.dispatchEvent(new page.window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  await page.one('#placeOrder .execute', 'Send')
  expect(page.window.location.hash).toBe('#placeOrder')
  expect(page.all('#sidebar [aria-current]').map(({ dataset }) => dataset['key'])).toEqual(['placeOrder'])
  const find = async (text: string, found: string): Promise<void> => {
    page.type(search, text)
    await page.one('[role=option]', found)
  }
  await find('404', 'Change an order')
  await find('cancl', 'Cancel an order')
  await find('order', 'Schema')
  const isSchema = page.all('[role=option]').map(({ textContent }) => textContent.startsWith('Schema'))
  expect(isSchema).toEqual([false, false, false, false, false, true, true, true])
  await find('OrderPage', 'Schema')
  expect(page.all('[role=option] mark').map(({ textContent }) => textContent)).toEqual(['OrderPage'])
  page.window.document.querySelectorAll<HTMLElement>('[role=option]').forEach((option) => {
    if (option.textContent === 'SchemaOrderPage') option.click()
  })
  await page.one('h2', 'OrderPage')
  expect(page.window.location.pathname).toBe('/developers/apis/orders/schemas/OrderPage')
})

it('finds on the page of an operation what the reference lists, and leads to the page of what is chosen', async () => {
  const page = await open('orders/operations/placeOrder')
  const search = await page.one('.search')
  search.focus()
  page.type(search, 'cancel')
  await page.one('[role=option]', 'Cancel an order')
  search.dispatchEvent(new page.window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  await page.one('h2', 'Cancel an order')
  expect(page.window.location.pathname).toBe('/developers/apis/orders/operations/cancelOrder')
  expect(
    page.all('#sidebar [aria-current]').map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim()),
  ).toEqual(['DELETE /items/{id} Cancel an order'])
})

it('uses one authorization for all APIs, and shows a page again as it was left', async () => {
  const page = await openAuthorized()
  await page.click('dialog button', 'Close')
  await page.click('#readOrder .toggle')
  page.type(await page.one('#readOrder-path-id'), 'typed')
  await page.click('.home')
  await page.click('h2 a', 'Catalogue')
  await page.one('h1', 'Catalogue')
  await page.state('saved, not checked yet')
  expect(await page.call('listProducts')).toContain('200 OK')
  expect(page.window.document.title).toContain('Catalogue')
  page.window.history.go(-2)
  expect(((await page.one('#readOrder-path-id')) as HTMLInputElement).value).toBe('typed')
  await page.state('Authorized as ')
})

describe('an access token that has expired', () => {
  // Access tokens are renewed two seconds before they expire, so these are renewed at once.
  const openBriefly = () => useShop({ options: { tokens: { lifetime: 2 } } })

  it('is renewed before the next call', async () => {
    const briefly = await openBriefly()
    const { credentials: till } = await briefly.auth.applications.create({ name: 'Till', apis: ['orders'] })
    const page = await openAuthorized(till, briefly)
    expect(await page.call('listOrders')).toContain('200 OK')
    const [first, second, call] = page.sent
    expect([first?.path, second?.path]).toEqual(['/orders/token', '/orders/token'])
    expect(call?.headers.get('authorization')).toMatch(/^Bearer ey/)
  })

  it('makes the dialog ask for credentials again if no new one is issued', async () => {
    const briefly = await openBriefly()
    const till = await briefly.auth.applications.create({ name: 'Till', apis: ['orders'] })
    const page = await openAuthorized(till.credentials, briefly)
    await briefly.auth.applications.suspend(till.application.id)
    await page.click('dialog button', 'Close')
    await page.start('listOrders')
    await page.one('dialog [role=alert]', 'There is no access token: This application is suspended.')
    await page.one('dialog [role=alert]', 'Contact the operator of this platform.')
    expect(page.sent.filter(({ path }) => path.startsWith('/orders/items'))).toEqual([])
    await page.state('Not authorized')
  })

  it('or was revoked makes the dialog ask again, and say why', async () => {
    const page = await openAuthorized()
    await page.click('dialog button', 'Close')
    expect(await page.call('listOrders')).toContain('200 OK')
    await shop.auth.applications.revokeTokens(application.id)
    await page.start('placeOrder')
    expect((await page.one('dialog [role=alert] p')).textContent).toBe(
      'The API refuses the access token: it expired or was revoked, or the application is suspended or may no longer use this API. Please authorize again.',
    )
    await page.authorize(credentials.clientId, credentials.clientSecret)
    await page.state('Authorized as ')
  })
})

it('names the CORS origin to allow if the API is on another origin', async () => {
  const page = await open('orders', shop, shop.developers.replace('localhost', '127.0.0.1'))
  await page.authorize(credentials.clientId, credentials.clientSecret)
  const { textContent } = await page.one('dialog [role=alert] p')
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
  await vi.waitFor(() => expect(buttons[0]!.textContent).toBe('Copied'), PATIENCE)
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
    // jsdom reports what it lacks, such as navigation.
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => fillIn(window as unknown as typeof globalThis & DOMWindow, sent),
  })
  windows.push(dom.window)
  return dom
}

/** Adds what jsdom lacks: fetch, matchMedia, dialogs, object URLs. */
function fillIn(window: typeof globalThis & DOMWindow, sent: Sent[]): void {
  const names = 'AbortController Blob FormData Headers Request Response TextDecoder TextEncoder URLSearchParams'
  for (const name of names.split(' ')) Object.assign(window, { [name]: globalThis[name as 'Blob'] })
  Object.assign(window.URL, { createObjectURL: () => 'blob:answer', revokeObjectURL() {} })
  window.scrollTo = () => undefined
  window.fetch = async (input, init) => {
    const request = new Request(new URL(input as string, window.location.href), init)
    const { pathname, search, origin } = new URL(request.url)
    const isApi = !pathname.startsWith('/developers')
    if (isApi) {
      const { method, headers, credentials } = request
      sent.push({ method, path: pathname + search, headers, credentials, body: await request.clone().text() })
    }
    if (origin !== window.location.origin) throw new TypeError('Failed to fetch')
    return fetch(request)
  }
  window.matchMedia = () => ({ matches: false, addEventListener() {} }) as unknown as MediaQueryList
  Object.defineProperty(window.HTMLDialogElement.prototype, 'open', {
    configurable: true,
    get(this: HTMLElement) {
      return this.hasAttribute('open')
    },
  })
  Object.assign(window.HTMLDialogElement.prototype, {
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

/** The reference of an oauth2 API, with key and secret. */
async function openAuthorized({ clientId, clientSecret }: IssuedCredentials = credentials, at: Shop = shop) {
  const page = await open('orders', at)
  await page.authorize(clientId, clientSecret)
  await page.state('Authorized as ')
  return page
}

/** Operates a reference page as a person would. */
async function open(
  api: string,
  { developers }: { readonly developers: string } = shop,
  at: string = developers,
  hash = '',
) {
  const sent: Sent[] = []
  const { window } = await load(`${at}/apis/${api}${hash}`, sent)
  const { document } = window

  const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)]
  const one = (selector: string, text = ''): Promise<HTMLElement> =>
    vi.waitFor(() => {
      const found = all(selector).find(({ textContent }) => textContent?.includes(text))
      if (found) return found
      throw new Error(`There is no ${selector} with “${text}”.`)
    }, PATIENCE)
  const click = async (selector: string, text = ''): Promise<void> => (await one(selector, text)).click()
  await one('html.scripted')

  function type(input: HTMLElement, text: string): void {
    ;(input as HTMLInputElement).value = text
    input.dispatchEvent(new window.Event('input', { bubbles: true }))
  }

  async function authorize(key: string, secret?: string): Promise<void> {
    if (all('dialog').length === 0) await click('.authorize')
    type(await one('#credentials-key'), key)
    if (secret !== undefined) type(await one('#credentials-secret'), secret)
    await click('dialog button', 'Authorize')
  }

  /** Opens an operation and sends its call. */
  async function start(key: string): Promise<void> {
    const toggle = await one(`#${key} .toggle`)
    if (toggle.getAttribute('aria-expanded') !== 'true') toggle.click()
    await click(`#${key} .execute:not([disabled])`)
  }

  return {
    window,
    sent,
    all,
    one,
    click,
    type,
    authorize,
    start,
    /** Resolves once the bar says so. */
    state: (words: string) => one('.state', words),
    /** Sends the call of an operation, and resolves the outcome shown. */
    async call(key: string): Promise<string> {
      await start(key)
      // Without :has(), which takes jsdom much longer.
      return (await one(`#${key} .outcome strong`)).closest('.outcome')!.textContent
    },
  }
}
