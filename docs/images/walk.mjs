/**
 * The walks of docs/walk.md on the running example app, with operators: a partner on a phone, from the registration to a new key, and
 * an operator's first day meanwhile. `npm run images` takes the pictures; the browser's tests walk too.
 */
import { STAFF_PASSWORD } from './operator.mjs'

/** @typedef {import('playwright-core').Page} Page */

export const OPERATOR = 'operator@example.com'
const PARTNER = 'lena@bakery.example'

/**
 * @param {import('playwright-core').Browser} browser
 * @param {{ baseUrl: string, save: (page: Page, name: string) => Promise<unknown> }} options
 */
export async function walk(browser, { baseUrl, save }) {
  const phone = await browser.newContext({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true })
  const desk = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const [partner, operator] = [await phone.newPage(), await desk.newPage()]
  try {
    await register(partner, baseUrl, save)
    await decide(operator, baseUrl, save)
    const credentials = await callFirst(partner, baseUrl, save)
    await writeTooSoon(baseUrl, credentials)
    await rotate(partner, baseUrl, save)
    await watch(operator, baseUrl, save)
  } finally {
    await phone.close()
    await desk.close()
  }
}

/** @typedef {(page: Page, name: string) => Promise<unknown>} Save */

/** @param {Page} page @param {string} baseUrl @param {Save} save */
async function register(page, baseUrl, save) {
  await page.goto(`${baseUrl}/developers/`)
  await page.getByRole('link', { name: 'Register an application' }).first().tap()
  await page.getByLabel('Name of your application').fill('Bakery till')
  await page.getByLabel('E-mail address').fill(PARTNER)
  await page.getByLabel('Orders').check()
  await page.getByLabel('Catalogue').check()
  await save(page, 'register')
  await page.getByRole('button', { name: 'Register' }).tap()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
}

/** What waits, and a yes with fewer scopes than asked for. @param {Page} page @param {string} baseUrl @param {Save} save */
async function decide(page, baseUrl, save) {
  await page.goto(`${baseUrl}/operator`)
  await page.getByLabel('Password').fill(STAFF_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
  await save(page, 'today')
  await page
    .getByRole('link', { name: /Bakery till/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Approve' }).first().click()
  await page.getByLabel('orders:write').uncheck()
  await page
    .getByLabel('Message to the contact')
    .fill('Reading is enough to begin with. Ask for writing when your till is ready.')
  await save(page, 'approve')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Done: Approve').waitFor()
}

/** @param {Page} page @param {string} baseUrl @param {Save} save */
async function callFirst(page, baseUrl, save) {
  const clientId = await readMail(page, baseUrl, /epa_key_\w+/)
  const clientSecret = await readMail(page, baseUrl, /epa_sec_\w+/)
  await page.goto(`${baseUrl}/developers/apis/orders/operations/listOrders`)
  await page.locator('html.scripted').waitFor()
  await page.locator('header .more > summary').tap()
  await page.locator('header .authorize').tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Key').fill(clientId)
  await dialog.getByLabel('Secret').fill(clientSecret)
  await dialog.getByRole('button', { name: 'Authorize' }).tap()
  await dialog.getByRole('status').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).tap()
  await page.getByRole('button', { name: 'Send' }).tap()
  const answer = page.locator('.answer .good')
  await answer.waitFor()
  await answer.scrollIntoViewIfNeeded()
  await save(page, 'call')
  return { clientId, clientSecret }
}

/** @param {Page} page @param {string} baseUrl @param {Save} save */
async function rotate(page, baseUrl, save) {
  await page.goto(`${baseUrl}/developers/applications`)
  await page.getByLabel('E-mail address').fill(PARTNER)
  await page.locator('main button').tap()
  const link = await readMail(page, baseUrl, /http[^\s"#]+\/sign-in#[\w-]+/)
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).tap()
  await page.getByRole('link', { name: 'Bakery till' }).first().tap()
  await page.getByRole('heading', { name: 'Bakery till' }).waitFor()
  await save(page, 'portal')
  await page
    .getByRole('link', { name: /Rotate/ })
    .first()
    .tap()
  await page.locator('select').selectOption('0')
  await page.locator('main form button').first().tap()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
}

/** The till writes already, without the scope. @param {string} baseUrl @param {{ clientId: string, clientSecret: string }} credentials */
async function writeTooSoon(baseUrl, { clientId, clientSecret }) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const answer = await fetch(`${baseUrl}/orders/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = await answer.json()
  for (let call = 0; call < 12; call++)
    await fetch(`${baseUrl}/orders/items`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
}

/** Who gets errors and why, and whom a suspension would hit. @param {Page} page @param {string} baseUrl @param {Save} save */
async function watch(page, baseUrl, save) {
  const refused = page.getByText('insufficient_scope').first()
  for (const start = Date.now(); ; await page.waitForTimeout(500)) {
    await page.goto(`${baseUrl}/operator/applications?q=Bakery`)
    await page.getByRole('link', { name: 'Bakery till' }).click()
    if (await refused.isVisible()) break
    if (Date.now() - start > 60_000) throw new Error('No refusal was counted within a minute.')
  }
  await save(page, 'application')
  await page.getByRole('link', { name: 'Suspend' }).click()
  await page.getByText(/made \d+ calls? in the last 7 days/).waitFor()
  await save(page, 'suspend')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Audit' }).first().click()
  await page.locator('main').getByText(OPERATOR).first().waitFor()
}

/** What is found in the mailbox of the example app, where the newest e-mail is the first. @param {Page} page @param {string} baseUrl @param {RegExp} pattern */
async function readMail(page, baseUrl, pattern) {
  for (const start = Date.now(); Date.now() - start < 60_000; await page.waitForTimeout(300)) {
    const list = await (await fetch(`${baseUrl}/mailbox`)).text()
    for (const [, path = ''] of list.matchAll(/href="([^"]*\/mailbox\/[^"./]+)"/g)) {
      const [found] = pattern.exec(await (await fetch(new URL(path, baseUrl))).text()) ?? []
      if (found !== undefined) return found
    }
  }
  throw new Error(`No e-mail has ${pattern}.`)
}
