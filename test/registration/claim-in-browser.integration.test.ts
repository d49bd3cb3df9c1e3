import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { memoryMailer } from '../../src/testing/index.js'
import { launchChromium, sharePage, type UsePage } from '../console/chromium.js'
import { findViolations } from '../console/reference-driver.js'
import { openRegistrationSite, type RegistrationSite } from './registration-site.js'

const mailer = memoryMailer()
let browser: Browser
let usePage: UsePage
let site: string
let registration: RegistrationSite

beforeAll(async () => {
  registration = await openRegistrationSite({ mailer, delivery: 'claim-link', rateLimits: { registration: false } })
  site = registration.site
  browser = await launchChromium()
  usePage = await sharePage(await browser.newContext())
})
afterAll(async () => {
  await browser?.close()
  await registration?.close()
})

/** The link of a new registration's e-mail. */
async function register(): Promise<string> {
  const sent = mailer.emails.length
  const { applications, registration: calls } = registration.platform.auth
  const { application } = await calls.register({ name: 'Shop', contact: 'dev@shop.example', apis: ['orders'] })
  await applications.approve(application.id)
  await vi.waitFor(() => expect(mailer.emails.length).toBe(sent + 1), 60_000)
  return /http\S+\/claim#[\w-]{43}/.exec(mailer.emails[sent]!.text)![0]
}

it('R12: is used by keyboard alone, says aloud what happened, and never has the token in the address or the history', async () => {
  const page = usePage()
  const clean = `${site}/developers/register/claim`
  await page.goto(`${site}/developers/register/thanks`)
  await page.goto(await register())
  await expect.poll(() => page.url()).toBe(clean)
  await page.getByRole('button', { name: 'Show my credentials' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Here are your credentials').waitFor()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status')
  expect(await page.locator('#credentials').textContent()).toMatch(/epa_key_\w{34}.*epa_sec_\w{49}/)

  // Another link in the same tab keeps what is shown, and is shown below it.
  const other = await register()
  await page.evaluate((hash) => void (location.hash = hash), new URL(other).hash)
  await expect.poll(() => page.url()).toBe(clean)
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await expect.poll(() => page.locator('#credentials code').count()).toBe(4)

  // Neither back, forward nor a reload shows a token, or asks for credentials again.
  const seen = [page.url()]
  for (const step of ['back', 'back', 'forward', 'reload'] as const) {
    await (step === 'back' ? page.goBack() : step === 'forward' ? page.goForward() : page.reload())
    seen.push(page.url())
  }
  expect(seen.filter((url) => url.includes('#'))).toEqual([])
  expect(await page.content()).not.toMatch(/epa_(?:key|sec)_\w/)
})

it('R10: says that a link was used, keeps the keyboard where it was, and takes the next link', async () => {
  const page = usePage()
  const link = await register()
  await page.goto(link)
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await page.getByText('Here are your credentials').waitFor()
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await page.getByRole('alert').getByText('has been used').waitFor()
  const next = await register()
  await page.evaluate((hash) => void (location.hash = hash), new URL(next).hash)
  await page.getByRole('alert').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await page.getByText('Here are your credentials').waitFor()
})

it('R9: breaks no accessibility rule and no layout, 390 pixels wide, light and dark', async () => {
  const page = usePage()
  await page.setViewportSize({ width: 390, height: 860 })
  const check = async () => {
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await findViolations(page, { rules: 'colours' })).toEqual([])
    await page.emulateMedia({ colorScheme: null })
  }
  await page.goto(`${site}/developers/register/claim#unknown`)
  await check()
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await page.getByRole('alert').waitFor()
  await check()
  await page.evaluate((hash) => void (location.hash = hash), new URL(await register()).hash)
  await page.getByRole('button', { name: 'Show my credentials' }).click()
  await page.getByText('Here are your credentials').waitFor()
  await check()
})
