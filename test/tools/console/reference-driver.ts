import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { IS_LONG_LANE } from '../../support/long-lane.js'

const require = createRequire(import.meta.url)
// Half as long to send and to compile as what the package exports.
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const RULES = {
  all: [...WCAG, 'best-practice'],
  wcag: WCAG,
  colours: ['color-contrast', 'link-in-text-block'],
}

/** Opens a page of a reference, and waits until its script has enabled it. */
export async function openReference(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('html.scripted .operation, html.scripted .operation-content').first().waitFor()
}

/** Enters credentials in the dialog, by label; opens it first unless it is open. */
export async function authorize(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  const dialog = page.locator('dialog.credentials')
  if (!(await dialog.isVisible())) await openAuthorization(page)
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
}

/** On a phone the button is in the header's menu. */
export async function openAuthorization(page: Page): Promise<void> {
  const button = page.locator('header .authorize')
  if (!(await button.isVisible())) await page.locator('header .more > summary').click()
  await button.click()
}

/** Authorizes, and closes the dialog. */
export async function authorizeAndClose(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  await authorize(page, values)
  const dialog = page.locator('dialog.credentials')
  await dialog.getByRole('status').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
}

export function operationOf(page: Page, key: string): Locator {
  return page.locator(`section.operation[id="${key}"]`)
}

/** Opens an operation unless it is open; resolves its section when it has the form. */
export async function openOperation(page: Page, key: string): Promise<Locator> {
  const operation = operationOf(page, key)
  if (!(await operation.locator('.content').isVisible())) await operation.locator('.toggle').click()
  await operation.locator('form.call .execute:enabled').waitFor()
  return operation
}

/** Sends the call of an operation, with a value for each parameter of its path, and resolves the status that is shown. */
export async function call(page: Page, key: string, value = ''): Promise<string> {
  const operation = await openOperation(page, key)
  for (const control of await operation.locator('input[data-in="path"]').all()) await control.fill(value)
  await operation.locator('.execute').click()
  return readStatus(operation)
}

/** The status of the answer to a call that was sent. */
export async function readStatus(operation: Locator): Promise<string> {
  const outcome = operation.locator('.answer .outcome:is(.good, .bad) strong')
  return (await outcome.innerText()).slice(0, 3)
}

/** The body that an operation shows; undefined if it has none. */
export async function readAnswer(page: Page, key: string): Promise<string | undefined> {
  const body = operationOf(page, key).locator('.answer pre[aria-label="Body of the answer"]')
  return (await body.count()) > 0 ? body.innerText() : undefined
}

/**
 * The violations that axe-core finds: WCAG 2.2 AA and best practices. `selector`: only there. `rules`: by default all; for
 * a second colour scheme of the same page, those of colours.
 */
export async function findViolations(
  page: Page,
  { selector, rules = 'all' }: { readonly selector?: string; readonly rules?: keyof typeof RULES } = {},
): Promise<unknown> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  const context = selector === undefined ? 'document' : JSON.stringify(selector)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    // Without `preload`, axe does not fetch the style sheets again, which only the rule about orientations needs.
    `axe.run(${context}, { runOnly: ${JSON.stringify(RULES[rules])}, resultTypes: ['violations'], preload: ${IS_LONG_LANE} })`,
  )
  return violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html.slice(0, 200))])
}

/** What has the focus: its name or text; `BODY` if nothing has it. */
export async function readFocus(page: Page): Promise<string> {
  return page.evaluate(`{
    const { activeElement: each } = document
    each === document.body ? 'BODY' : (each.id || each.getAttribute('aria-label') || each.textContent.trim())
  }`)
}
