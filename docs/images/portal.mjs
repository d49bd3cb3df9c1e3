/** The portal's part of make.mjs: the page of the demo application, with requests of 30 days. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { sqliteStore } from '../../dist/esm/stores/sqlite/index.js'

/** Adds what a month of requests would leave in the database of the example app. @param {string} folder */
export async function addUsage(folder) {
  const { applicationId } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  const store = sqliteStore(join(folder, 'example.sqlite'))
  await store.open()
  await countMonth(store, applicationId)
  const { keys = [], secrets = [] } = (await store.findApplication(applicationId)) ?? {}
  await store.noteCredentialUse([...keys, ...secrets].map(({ hash }) => ({ hash, at: Date.now() - 240_000 })))
  await store.close()
}

/** What an application calls in 30 days, newest first. @param {string} applicationId */
export function listMonth(applicationId) {
  return Array.from({ length: 30 }, (_, back) => {
    const date = new Date(Date.now() - back * 86_400_000)
    const day = date.toISOString().slice(0, 10)
    const isWeekend = date.getUTCDay() % 6 === 0
    const orders = Math.round((isWeekend ? 240 : 1100) * (1 + 0.25 * Math.sin(back * 1.7)))
    const catalog = Math.round((isWeekend ? 90 : 310) * (1 + 0.3 * Math.cos(back)))
    return [
      { day, applicationId, api: 'orders', outcome: 'allowed', count: orders },
      { day, applicationId, api: 'orders', outcome: 'token', count: 24 },
      { day, applicationId, api: 'orders', outcome: 'invalid_token', count: back === 8 ? 260 : 4 },
      { day, applicationId, api: 'catalog', outcome: 'allowed', count: catalog },
      { day, applicationId, api: 'catalog', outcome: 'too_many_requests', count: back % 9 === 8 ? 41 : 0 },
    ]
  }).flat()
}

/** @param {import('express-platform-auth').Store} store @param {string} applicationId */
export async function countMonth(store, applicationId) {
  await store.usage?.add({ id: applicationId, at: Date.now() }, listMonth(applicationId))
  await store.usage?.addRefusals(
    { id: `refusals of ${applicationId}`, at: Date.now() },
    listRefusals(applicationId),
    50,
  )
}

/** As many of the last days as are counted: a partner that uses an access token for longer than an hour. @param {string} applicationId */
function listRefusals(applicationId) {
  const refusal = {
    applicationId,
    api: 'orders',
    error: 'invalid_token',
    reason: 'expired_token',
    requestId: undefined,
  }
  return Array.from({ length: 28 }, (_, back) => {
    const at = Date.now() - back * 21_600_000 - 60_000
    const details = { route: 'GET /orders/items', expiredAt: at - 300_000 }
    return { ...refusal, address: '203.0.113.7', at, details }
  }).toReversed()
}

/** The page of the demo application, with its plots. @param {import('playwright-core').Page} page @param {{ baseUrl: string, folder: string }} site */
export async function showPortal(page, site) {
  await openPortal(page, site)
  await page.locator('.plot svg').first().waitFor()
  await page.setViewportSize({ width: 1280, height: 1560 })
}

/** @param {import('playwright-core').Page} page @param {{ baseUrl: string, folder: string }} site */
export async function openPortal(page, { baseUrl, folder }) {
  const { applicationId } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  const find = await watchMail(folder)
  await page.goto(`${baseUrl}/developers/applications`)
  const address = page.getByLabel('E-mail address')
  if ((await address.count()) > 0) {
    await address.fill('demo@example.com')
    await page.locator('main button').click()
    const link = await find(/http\S+\/sign-in#\S+/)
    // Otherwise only the fragment would change.
    await page.goto('about:blank')
    await page.goto(link)
    await page.locator('main button').click()
  }
  await page.goto(`${baseUrl}/developers/applications/${applicationId}`)
}

/** Finds what e-mails say that arrive from now on. @param {string} folder */
export async function watchMail(folder) {
  const mail = join(folder, 'mail')
  const known = await listFiles(mail)
  /** @param {RegExp} pattern */
  return async function find(pattern) {
    for (const start = Date.now(); Date.now() - start < 15_000;) {
      const files = (await listFiles(mail)).filter((name) => !known.includes(name))
      for (const file of files) {
        const { text = '' } = await PostalMime.parse(await readFile(join(mail, file)))
        const [found] = pattern.exec(text) ?? []
        if (found) return found
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`No e-mail with ${pattern} arrived within 15 seconds.`)
  }
}

/** The folder is made with the first e-mail, and a file gets its name when it is whole. @param {string} folder */
async function listFiles(folder) {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.eml'))
}
