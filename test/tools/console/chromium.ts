import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

// vitest.config.ts finds it.
const { CHROMIUM = '' } = process.env
// Without these flags, the browser looks for updates and waits for a network that tests must not need.
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** Answers that refuse what a test sent. */
const REFUSALS = /status of 40/
/** Playwright's own. */
const VIEWPORT = { width: 1280, height: 720 }

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET })
}

/** A new page, and what it does wrong: requests that leave this host, errors, dialogs, violations of its CSP. */
export async function openPage(context: BrowserContext, allowed = REFUSALS): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage()
  const errors: string[] = []
  watch(page, errors, (text) => allowed.test(text))
  return { page, errors }
}

/**
 * The page of all tests of a file, as a new one would be: each new one costs about a second of processor time for its
 * process and its scripts. The test fails at its end if the page did something wrong; `allowed`: errors that are expected.
 */
export type UsePage = (allowed?: RegExp) => Page

export async function sharePage(context: BrowserContext): Promise<UsePage> {
  const page = await context.newPage()
  const errors: string[] = []
  let isAllowed = (_text: string): boolean => false
  watch(page, errors, (text) => isAllowed(text))
  return (allowed = REFUSALS) => {
    isAllowed = (text) => allowed.test(text)
    onTestFinished(async () => {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.emulateMedia({ colorScheme: null })
      await page.setViewportSize(VIEWPORT)
      expect(errors.splice(0)).toEqual([])
    })
    return page
  }
}

function watch(page: Page, errors: string[], isAllowed: (text: string) => boolean): void {
  page.on('request', (each) => {
    if (!/^(?:http:\/\/(?:localhost|127\.0\.0\.1):|data:|blob:|about:blank)/.test(each.url()))
      errors.push(`request: ${each.url()}`)
  })
  page.on('console', (each) => {
    if (each.type() === 'error' && !isAllowed(each.text())) errors.push(each.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`))
}
