/** The reference's part of make.mjs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The page of an operation of the API `orders` after an authorized call. @param {import('playwright-core').Page} page @param {{ baseUrl: string, folder: string }} options */
export async function showReference(page, { baseUrl, folder }) {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  await placeOrder(baseUrl, { clientId, clientSecret })
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
  await operation.locator('.answer .outcome.good').waitFor()
}

/** So that the list is not empty. @param {string} baseUrl @param {{ clientId: string, clientSecret: string }} credentials */
async function placeOrder(baseUrl, { clientId, clientSecret }) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const answer = await fetch(`${baseUrl}/orders/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = await answer.json()
  await fetch(`${baseUrl}/orders/items`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ product: 'TEA-SENCHA-100', quantity: 2 }),
  })
}
