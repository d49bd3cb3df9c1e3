/** The operator's part of make.mjs: the staff's pages of the example app. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const STAFF_PASSWORD = 'images of the docs'

/** Opens a page, after a sign-in if there was none. ID stands for the demo application. @param {import('playwright-core').Page} page @param {{ baseUrl: string, folder: string }} site @param {string} path */
export async function showOperator(page, { baseUrl, folder }, path) {
  const { applicationId } = JSON.parse(await readFile(join(folder, 'demo-credentials.json'), 'utf8'))
  await page.goto(`${baseUrl}/operator`)
  const password = page.getByLabel('Password')
  if ((await password.count()) > 0) {
    await password.fill(STAFF_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
  }
  await page.goto(`${baseUrl}/operator${path.replace('ID', applicationId)}`)
}
