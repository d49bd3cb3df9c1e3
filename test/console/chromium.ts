import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
// Without these flags, the browser looks for updates and waits for a network that tests must not need.
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] // prettier-ignore

export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no ${CHROMIUM}. Debian's is installed by: apt-get install -y chromium. Or set CHROMIUM.`)
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET })
}

/** A new page, and what it does wrong: requests that leave this host, errors, dialogs, violations of its CSP. */
export async function openPage(
  context: BrowserContext,
  allowed = /status of 40/,
): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('request', (each) => {
    if (!/^(?:http:\/\/localhost:|data:|blob:)/.test(each.url())) errors.push(`request: ${each.url()}`)
  })
  page.on('console', (each) => {
    if (each.type() === 'error' && !allowed.test(each.text())) errors.push(each.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`))
  return { page, errors }
}
