import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { waitUntil } from '../support/wait-until.js'
import { openLink } from '../features/portal/portal-app.js'
import { ACTIONS } from '../../src/tools/operator/actions.js'
import { createBrowser } from '../features/portal/browser.js'
import {
  ALL,
  BIDI,
  CONTACT,
  nameKind,
  NAMES,
  openHostileHost,
  STARTS,
  TEXTS,
  VERY_LONG,
  type HostileHost,
  WAITING,
} from './hostile-host.js'

let host: HostileHost
let cookie: string
const files = new Map<string, string>()
const forms = new Map<string, { readonly action: string; readonly fields: URLSearchParams; readonly texts: string[] }>()
const seen = new Set<string>()

beforeAll(async () => {
  host = await openHostileHost()
  const browser = createBrowser(host.app)
  await openLink(browser, await host.auth.portal.link({ contact: CONTACT }))
  cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
})
afterAll(() => host?.close())

/** One window for all pages: a new one takes longer than a page. */
const dom = new JSDOM()

/** Without styles, which take most of the time: they end where the first text in them would end them. */
function parse(text: string, path = '/'): Document {
  dom.reconfigure({ url: host.baseUrl + path })
  return new dom.window.DOMParser().parseFromString(text.replaceAll(/<style[^>]*>[^]*?<\/style>/g, ''), 'text/html')
}

/** What a browser would do for somebody else: his elements, attributes, scripts and links, and text whose order is not what it seems. */
function findHarm(text: string, document = parse(text)): string[] {
  const harm = [...document.querySelectorAll('hostile-tag, [hostile], script[src^="x"]')].map(({ outerHTML }) =>
    outerHTML.slice(0, 200),
  )
  for (const { attributes, tagName, textContent } of document.querySelectorAll('*')) {
    if (tagName === 'SCRIPT' && textContent.includes('alert(1)') && !isData(textContent)) harm.push(textContent)
    for (const { name, value } of attributes) {
      const isLink = ['href', 'src', 'action', 'formaction', 'srcset'].includes(name)
      if (name.startsWith('on')) harm.push(`${name}=${value}`)
      if (
        isLink &&
        !/^(?:[/#?.]|https?:\/\/(?:localhost|shop\.example)|mailto:|data:image\/|[\w-]+(?:[/?#.]|$))/.test(value)
      )
        harm.push(`${name}=${value}`)
    }
  }
  // HTML drops one line break at the beginning: with another, no text area is empty, and none can be required.
  for (const { name, value } of document.querySelectorAll('textarea'))
    if (value.startsWith('\n')) harm.push(`${name} begins with a line break`)
  return /[\u202E\u202C\u2066]/u.test(text)
    ? [...harm, `order: ${JSON.stringify(text.slice(text.search(/[\u202E\u202C\u2066]/u) - 60).slice(0, 90))}`]
    : harm
}

/** A search index, a sample: data that ends at no text in it. */
function isData(script: string): boolean {
  try {
    JSON.parse(script)
    return true
  } catch {
    return false
  }
}

async function load(path: string, body?: URLSearchParams): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(host.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: {
      Cookie: cookie,
      'Sec-Fetch-Site': 'same-origin',
      Accept: 'text/html',
      ...(body && { Origin: host.baseUrl }),
    },
    ...(body && { body }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** Links to pages of kinds that were not seen, and forms that take a text. */
function follow(document: Document): string[] {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[method=post]')) {
    const texts = [...form.elements].filter((element) =>
      element.matches(
        'textarea, input:not([type]), input[type=text], input[type=email], input[type=url], input[type=number]',
      ),
    )
    const action = form.action.replace(host.baseUrl, '')
    const fields = new URLSearchParams([...new dom.window.FormData(form)] as [string, string][])
    const names = texts
      .map((element) => element.getAttribute('name') ?? '')
      .filter((name) => name !== '' && !fields.get(name)?.startsWith('app_'))
    if (names.length > 0 && !forms.has(nameKind(action))) forms.set(nameKind(action), { action, fields, texts: names })
  }
  return [...document.querySelectorAll('a')]
    .filter(({ href }) => href.startsWith(`${host.baseUrl}/`))
    .map(({ pathname, search }) => pathname + search)
}

it('no page is changed by what anybody has written', { timeout: 120_000 }, async () => {
  const open = [...STARTS]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (seen.has(nameKind(path))) continue
    seen.add(nameKind(path))
    const { status, text, headers } = await load(path)
    expect([path, status < 500]).toEqual([path, true])
    if (headers.get('content-type')?.startsWith('text/csv')) files.set(nameKind(path), text)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    const document = parse(text, path)
    expect([path, findHarm(text, document)]).toEqual([path, []])
    open.push(...follow(document))
  }
  const opened = new Set([...seen].map((path) => path.replace(/.*\/|\?.*/g, '')))
  expect(Object.keys(ACTIONS).filter((name) => !opened.has(name))).toEqual([])
  expect(forms.size).toBeGreaterThan(25)
  // All of them are shown somewhere, as text.
  const { text } = await load('/operator/applications')
  const shown = parse(text).body.textContent
  for (const name of NAMES) expect(shown).toContain(name)
})

it('no form is, whether it is refused or not', { timeout: 120_000 }, async () => {
  // In `npm test` the first one, and one of the others.
  const all = [`${ALL}\r\nBcc: evil@example.com`, VERY_LONG, TEXTS.ends]
  for (const [at, [kind, { action, fields, texts }]] of [...forms].entries())
    for (const entered of all.filter((_, nth) => IS_LONG_LANE || nth === 0 || nth === at % 3)) {
      const body = new URLSearchParams(fields)
      for (const name of texts) body.set(name, entered)
      const { status, text } = await load(action, body)
      expect([kind, status < 500, findHarm(text)]).toEqual([kind, true, []])
    }
})

it('no file has a cell that a spreadsheet would run', () => {
  for (const [path, text] of files) {
    const cells = [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell)
    expect([
      path,
      cells.length > 5,
      cells.filter((cell) => /^[\s;,]*[=+\-@|]/.test(cell) && !/^-?\d+$/.test(cell)),
    ]).toEqual([path, true, []])
  }
  expect([...files.keys()].length).toBeGreaterThan(3)
})

it('no e-mail is, and none has a header that a name made', async () => {
  const { baseUrl, mailer, auth } = host
  await waitUntil(() => mailer.emails.some(({ text }) => text.includes('/decide#')))
  // A form has denied the one that waited.
  const { application } = await auth.registration.register({ ...WAITING, apis: { orders: {}, invoices: {} } })
  await auth.applications.deny(application.id, { reason: `${TEXTS.element}\r\nBcc: evil@example.com ${BIDI}` })
  const decide = /\/decide#(\S+)/.exec(mailer.emails.find(({ text }) => text.includes('/decide#'))!.text)![1]!
  expect(findHarm((await load('/developers/register/decide', new URLSearchParams({ link: decide }))).text)).toEqual([])
  await waitUntil(() => mailer.emails.length > NAMES.length)
  for (const { to, subject, html = '', text } of mailer.emails) {
    expect([to, subject].filter((line) => /[\r\n\p{Bidi_Control}]/u.test(line))).toEqual([])
    expect([subject, findHarm(html).filter((each) => !each.includes(baseUrl))]).toEqual([subject, []])
    expect([subject, /[\u202E\u2066]/.test(text)]).toEqual([subject, false])
  }
})
