/**
 * `npm run images -- --pages FOLDER`: screenshots of every page, 1280 and 390 pixels wide, light and dark, to look at one by one.
 * They are not committed. A new page is a line in PAGES; the portal's
 * pages are found by their links.
 */
import { join } from 'node:path'
import { showOperator } from './operator.mjs'
import { showPortal } from './portal.mjs'
import { showReference } from './reference.mjs'

/** @typedef {{ baseUrl: string, folder: string }} Site `folder`: the example app's data */

/** Each page by name, and how it is opened. @type {Record<string, (page: import('playwright-core').Page, site: Site) => Promise<unknown>>} */
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
  thanks: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/register/thanks`),
  claim: (page, { baseUrl }) => page.goto(`${baseUrl}/developers/register/claim`),
  'claim-refused': async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/developers/register/claim#refused`)
    await page.locator('#show').click()
    await page.locator('#problem').waitFor()
  },
  'sign-in': (page, { baseUrl }) => page.goto(`${baseUrl}/developers/applications`),
  'operator-today': (page, site) => showOperator(page, site, ''),
  'operator-applications': (page, site) => showOperator(page, site, '/applications'),
  'operator-application': (page, site) => showOperator(page, site, '/applications/ID'),
  'operator-suspend': (page, site) => showOperator(page, site, '/applications/ID/suspend'),
  'operator-usage': (page, site) => showOperator(page, site, '/usage'),
  'operator-emails': (page, site) => showOperator(page, site, '/emails'),
  'operator-keys': (page, site) => showOperator(page, site, '/keys'),
  'operator-audit': (page, site) => showOperator(page, site, '/audit'),
  portal: (page, site) => showPortal(page, site),
}

/** @param {import('playwright-core').Browser} browser @param {Site & { target: string }} options */
export async function savePages(browser, { target, ...site }) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({ colorScheme })
    /** @param {string} name @param {(page: import('playwright-core').Page, site: Site) => Promise<unknown>} show */
    const save = async (name, show) => {
      // Otherwise only the fragment might change.
      await page.goto('about:blank')
      await page.setViewportSize({ width: 1280, height: 860 })
      await show(page, site)
      await page.waitForLoadState('load')
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 860 })
        await page.screenshot({ path: join(target, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
    }
    for (const [name, show] of Object.entries(PAGES)) await save(name, show)
    // The last page is the contact's application, which links to the page of each action.
    const application = new URL(page.url()).pathname
    const links = await page
      .locator(`main a[href^="${application}/"]`)
      .evaluateAll((found) => found.map(({ href }) => href))
    for (const link of new Set(links)) await save(namePortalPage(link, application), () => page.goto(link))
    await save('portal-applications', () => page.goto(`${site.baseUrl}${join(application, '..')}`))
    await page.close()
  }
}

/** The path below the application, with `_` for names of the application's own. @param {string} link @param {string} application */
function namePortalPage(link, application) {
  const path = new URL(link).pathname.slice(application.length)
  return `portal${path.replace(/\/(credentials|apis|colleagues)\/[^/]+(?=\/)/, '/$1').replaceAll('/', '-')}`
}
