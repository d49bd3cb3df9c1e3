/**
 * `npm run images -- --pages FOLDER`: screenshots of every page, 1280 and 390 pixels wide, light and dark, to look at one by one.
 * They are not committed. A new page is a line in PAGES; the portal's
 * pages are found by their links.
 */
import { join } from 'node:path'
import { openBusyPlatform } from './busy-platform.mjs'
import { saveHovered } from './hovered.mjs'
import { showOperator } from './operator.mjs'
import { addUsage, openPortal, showPortal, watchMail } from './portal.mjs'
import { showReference } from './reference.mjs'
import { openStates } from './states.mjs'

/** @typedef {{ baseUrl: string, folder: string }} Site `folder`: the example app's data */

/** @typedef {Record<string, (page: import('playwright-core').Page, site: Site) => Promise<unknown>>} Pages */

/** First states: nothing was called yet. @type {Pages} */
const FIRST = {
  'sign-in': (page, { baseUrl }) => page.goto(`${baseUrl}/developers/applications`),
  'operator-today-first': (page, site) => showOperator(page, site, ''),
  'operator-application-first': (page, site) => showOperator(page, site, '/applications/ID'),
  'portal-first': (page, site) => openPortal(page, site),
}

/** Each page by name, and how it is opened. @type {Pages} */
const PAGES = {
  console: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/`),
  samples: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders/samples`),
  guide: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/guides/01-first-order`),
  changelog: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/changelog`),
  reference: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders`),
  operation: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders/operations/placeOrder`),
  answer: (page, site) => showReference(page, site),
  schemas: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders/schemas`),
  schema: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders/schemas/Order`),
  'unknown-operation': (page, { baseUrl }) => page.goto(`${baseUrl}/developers/apis/orders#renamed`),
  register: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/register`),
  claim: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/register/claim`),
  'claim-refused': async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/developers/register/claim#refused`)
    await page.locator('#show').click()
    await page.locator('#refused').waitFor()
  },
  'operator-today': (page, site) => showOperator(page, site, ''),
  'operator-applications': (page, site) => showOperator(page, site, '/applications'),
  'operator-application': (page, site) => showOperator(page, site, '/applications/ID'),
  'operator-suspend': (page, site) => showOperator(page, site, '/applications/ID/suspend'),
  'operator-usage': (page, site) => showOperator(page, site, '/usage'),
  'operator-nothing-found': (page, site) => showOperator(page, site, '/applications?q=nobody'),
  'operator-report-only': (page, site) => showOperator(page, site, '/reportOnly'),
  'operator-preview': (page, site) => showOperator(page, site, '/preview'),
  'operator-emails': (page, site) => showOperator(page, site, '/emails'),
  'operator-keys': (page, site) => showOperator(page, site, '/keys'),
  'operator-audit': (page, site) => showOperator(page, site, '/audit'),
  decision: (page, site) => showDecision(page, site),
  'operator-today-waiting': (page, site) => showOperator(page, site, ''),
  'decision-denied': async (page, site) => {
    await showDecision(page, site)
    await page.getByLabel('Reason').fill('We only work with registered bakeries.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
  },
  portal: (page, site) => showPortal(page, site),
}

/** A registration that waits for an operator, by the link in the e-mail. @param {import('playwright-core').Page} page @param {Site} site */
async function showDecision(page, { baseUrl, folder }) {
  const find = await watchMail(folder)
  await page.goto(`${baseUrl}/developers/register`)
  await page.getByLabel('Name of your application').fill('Bakery till')
  await page.getByLabel('E-mail address').fill('lena@bakery.example')
  await page.getByLabel('Orders').check()
  await page.getByLabel('Catalogue').check()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await page.goto('about:blank')
  await page.goto(await find(/http\S+\/decide#[\w.-]+/))
  await page.getByRole('heading', { name: /Bakery till/ }).waitFor()
}

/** @param {import('playwright-core').Browser} browser @param {Site & { target: string }} options */
export async function savePages(browser, { target, ...site }) {
  const page = await browser.newPage()
  /** @param {string} name */
  const save = async (name) => {
    await page.waitForLoadState('load')
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 860 })
        await page.screenshot({ path: join(target, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
    }
  }
  /** @param {Pages} pages */
  const saveAll = async (pages) => {
    for (const [name, show] of Object.entries(pages)) {
      // Otherwise only the fragment might change.
      await page.goto('about:blank')
      await page.setViewportSize({ width: 1280, height: 860 })
      await show(page, site)
      await save(name)
    }
  }
  await saveAll(FIRST)
  await addUsage(site.folder)
  await saveAll(PAGES)
  // The last page is the contact's application, which links to the page of each action.
  const application = new URL(page.url()).pathname
  const links = await page
    .locator(`main a[href^="${application}/"]`)
    .evaluateAll((found) => found.map(({ href }) => href))
  await saveAll(
    Object.fromEntries([...new Set(links)].map((link) => [namePortalPage(link, application), () => page.goto(link)])),
  )
  await saveAll({ 'portal-applications': () => page.goto(`${site.baseUrl}${join(application, '..')}`) })
  await saveHovered(page, { ...site, target })
  const states = await openStates()
  try {
    await saveAll(states.pages)
  } finally {
    await states.close()
  }
  const busy = await openBusyPlatform()
  await saveAll(
    Object.fromEntries(
      Object.entries(busy.pages).map(([name, path]) => [`operator-busy-${name}`, () => page.goto(busy.url + path)]),
    ),
  )
  await busy.close()
  await page.close()
}

/** The path below the application, with `_` for names of the application's own. @param {string} link @param {string} application */
function namePortalPage(link, application) {
  const path = new URL(link).pathname.slice(application.length)
  return `portal${path.replace(/\/(credentials|apis|colleagues)\/[^/]+(?=\/)/, '/$1').replaceAll('/', '-')}`
}
