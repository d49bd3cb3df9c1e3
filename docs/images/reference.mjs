/** The reference's part of make.mjs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The page of an operation of the API `orders` after an authorized call. @param {import('playwright-core').Page} page @param {{ baseUrl: string, folder: string }} options */
export async function showReference(page, { baseUrl, folder }) {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  await page.goto(`${baseUrl}/developers/apis/orders/operations/listOrders`)
  await page.locator('header .authorize').click()
  const dialog = page.locator('dialog.credentials')
  await dialog.getByLabel('Key').fill(clientId)
  await dialog.getByLabel('Secret').fill(clientSecret)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('header').getByText('Authorized as').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const operation = page.locator('#listOrders')
  await operation.locator('.execute').click()
  await operation.locator('.answer .good').waitFor()
}
