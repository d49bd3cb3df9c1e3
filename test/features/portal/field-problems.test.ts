import { expect, it } from 'vitest'
import { createBrowser, ROOT, type Browser } from './browser.js'
import { usePortalApp, visit } from './pages-app.js'
import { openPortal } from './portal-app.js'

const ANNA = 'anna@example.com'
const APIS = { orders: { scopes: ['orders:read'] }, catalog: {} } as const

/** The attributes of the element with that id, and the text of what describes it. */
function readField(html: string, id: string): { invalid: boolean; described: string } {
  const [tag] = new RegExp(`<(?:input|select|fieldset)[^>]* ?id="${id}"[^>]*>`).exec(html) ?? ['']
  const [, ids = ''] = /aria-describedby="([^"]*)"/.exec(tag) ?? []
  const texts = ids
    .split(' ')
    .filter(Boolean)
    .map((each) => new RegExp(`id="${each}">([^<]*)<`).exec(html)![1])
  return { invalid: tag.includes('aria-invalid="true"'), described: texts.join(' ') }
}

/** The field that is wrong says why and has the focus, and nothing else says it again. */
function expectProblem(html: string, id: string, text: RegExp): void {
  expect(html).toMatch(/<title>Error: /)
  const { invalid, described } = readField(html, id)
  expect(invalid, id).toBe(true)
  expect(described).toMatch(text)
  expect(html.match(/<[^>]* autofocus/g)).toEqual([expect.stringContaining(` id="${id}"`)])
  expect(html).not.toContain('role="alert"')
}

it('P36: a mistake in a field of an action is shown at the field', async () => {
  const { auth } = await usePortalApp()
  const { application } = await auth.applications.create({ name: 'Shop', contact: ANNA, apis: APIS })
  const { id, keys } = application
  await auth.portal.invite(id, 'carl@example.com')
  const anna = await visit({ auth }, ANNA)
  const send = async (path: string, fields: Record<string, string | undefined>) => {
    const { status, html } = await anna.submit(await anna.open(`${id}/${path}`), fields)
    return { status, html }
  }
  const cases = [
    ['credentials/new-key', { name: '' }, 'name', /Enter a name/],
    ['credentials/new-key', { name: 'default' }, 'name', /in use/],
    ['credentials/new-key', { name: 'a\u200Bb' }, 'name', /has a character that cannot be seen \(U\+200B\)/],
    ['credentials/new-secret', { name: 'www.example.com' }, 'name', /nothing like a web address/],
    ['credentials/new-key', { name: 'till', expires: '7' }, 'expires', /Choose one of the values/],
    [`credentials/${keys[0]!.id}/rename`, { name: 'x'.repeat(101) }, 'name', /has 101 characters/],
    [`credentials/${keys[0]!.id}/rotate`, { overlap: '-1' }, 'overlap', /Choose one of the values/],
    ['apis/orders/request', { scopes: undefined }, 'scopes', /at least one scope/],
    ['colleagues/invite', { address: '' }, 'address', /Enter an e-mail address/],
    ['colleagues/invite', { address: 'not an address' }, 'address', /Enter one e-mail address/],
    ['colleagues/invite', { address: ANNA }, 'address', /is a contact already/],
    ['delete', { name: 'Another' }, 'name', /not the name of the application/],
  ] as const
  for (const [path, fields, field, text] of cases) {
    const { status, html } = await send(path, fields)
    expect(status, path).toBe(400)
    expectProblem(html, field, text)
  }
  const { status, html } = await send('colleagues/invite', { address: 'carl@example.com' })
  expect(status).toBe(429)
  expectProblem(html, 'address', /invited less than an hour ago/)
})

it('P61, P67: an address and a code that are refused are marked; what is not the mistake of a field marks none', async () => {
  const { app, auth } = openPortal()
  const browser: Browser = createBrowser(app)
  await browser.get()
  await browser.submit('/sign-in', { contact: 'not an address' })
  expectProblem(browser.page.text, 'contact', /Enter one e-mail address/)
  await browser.submit('/sign-in', { contact: ANNA })
  expect(browser.page.text).not.toContain('aria-invalid="true"')
  await browser.submit('/sign-in/code', { code: 'BBBB-BBBB' })
  expectProblem(browser.page.text, 'code', /The code is not right/)
  expect(browser.page.text).toMatch(new RegExp(`If <strong>${ANNA}</strong> .* 15 minutes`))
  await browser.get(`${ROOT}/sign-in`)
  await browser.submit('/sign-in/link', { token: 'x'.repeat(43) })
  expect(browser.page.text).toMatch(/role="alert"[^>]*>The link has been used/)
  expect(browser.page.text).not.toContain('aria-invalid="true"')
  await browser.post(`${ROOT}/sign-in`, { csrf: 'old', contact: ANNA })
  expect(browser.page.text).toMatch(/role="alert"[^>]*>You have been signed out/)
  expect(browser.page.text).not.toContain('aria-invalid="true"')
  await auth.close()
})
