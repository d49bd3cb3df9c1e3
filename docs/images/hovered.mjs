/**
 * What a page looks like in use, for `npm run images -- --pages FOLDER`: menus that are open, and what is under the pointer or has the
 * focus of the keyboard. Each state is reached anew in each width, because its menu may be another one there.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @typedef {import('playwright-core').Page} Page */

/** The focus is that of the keyboard only after a key. @param {Page} page @param {string} selector */
async function focus(page, selector) {
  await page.keyboard.press('Tab')
  await page.locator(selector).first().focus()
}

/** On phones tabs and state are in the menu. @param {Page} page */
async function openMenu(page) {
  const menu = page.locator('.more > summary')
  if (await menu.isVisible()) await menu.click()
}

/** By name: the path below the console, and what is done there. @type {Record<string, [string, (page: Page) => Promise<unknown>]>} */
const STATES = {
  menu: ['applications/ID', openMenu],
  'menu-console': ['', openMenu],
  'hover-guide': ['', (page) => page.locator('.contents a').first().hover()],
  'hover-samples': ['', (page) => page.locator('.calls .links a').first().hover()],
  'focus-samples': ['apis/orders/samples', (page) => focus(page, '.programs details:nth-child(2) summary')],
  'focus-copy': ['apis/orders/samples', (page) => focus(page, '.api .copy')],
  download: ['apis/orders', (page) => page.locator('.downloads summary').click()],
  'hover-operation': ['apis/orders', (page) => page.locator('.toggle').nth(1).hover()],
  'focus-operation': ['apis/orders', (page) => focus(page, '.toggle')],
  search: ['apis/orders', (page) => search(page, 'order')],
  'search-nothing': ['apis/orders', (page) => search(page, 'zebra')],
  'search-marked': ['apis/orders', (page) => search(page, 'order').then(() => page.keyboard.press('ArrowDown'))],
  authorize: [
    'apis/orders/operations/placeOrder',
    async (page) => {
      await openMenu(page)
      await page.locator('.authorize').click()
    },
  ],
  'focus-send': ['apis/orders/operations/placeOrder', (page) => focus(page, '.execute')],
  'focus-body': ['apis/orders/operations/placeOrder', (page) => focus(page, '.call textarea')],
  'hover-response': ['apis/orders/operations/placeOrder', (page) => page.locator('.response > summary').nth(1).hover()],
  'hover-schema': ['apis/orders/schemas', (page) => page.locator('.schemas a').first().hover()],
  'focus-choice': ['register', (page) => focus(page, '.choice input')],
  'hover-choice': ['register', (page) => page.locator('.choice').first().hover()],
  'hover-application': ['applications', (page) => page.locator('tbody tr').first().hover()],
  'focus-application': ['applications', (page) => focus(page, 'tbody a')],
  'hover-plot': ['applications/ID', (page) => page.locator('.plot label').nth(8).hover()],
  'focus-plot': ['applications/ID', (page) => focus(page, '.plot input')],
  'usage-table': ['applications/ID', (page) => page.locator('.usage summary').first().click()],
  'hover-action': ['applications/ID', (page) => page.locator('#danger .action.danger').first().hover()],
  'focus-action': ['applications/ID', (page) => focus(page, '#credentials .action')],
  'focus-contents': ['applications/ID', (page) => focus(page, '.contents a')],
  'focus-danger': ['applications/ID/delete', (page) => focus(page, 'main form button')],
}

/** @param {Page} page @param {string} words */
async function search(page, words) {
  const menu = page.locator('.menu')
  if (await menu.isVisible()) await menu.click()
  await page.locator('#sidebar .search').pressSequentially(words)
  await page.locator('#sidebar .count').waitFor()
}

/** On a page that is signed in. @param {Page} page @param {{ baseUrl: string, folder: string, target: string }} options */
export async function saveHovered(page, { baseUrl, folder, target }) {
  const { applicationId } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  for (const [name, [path, act]] of Object.entries(STATES))
    for (const colorScheme of /** @type {const} */ (['light', 'dark']))
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 860 })
        await page.goto(`${baseUrl}/developers/${path.replace('ID', applicationId)}`)
        await act(page)
        await page.screenshot({ path: join(target, `use-${name}-${width}-${colorScheme}.png`) })
        await page.mouse.move(0, 0)
      }
}
