import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { formatTokenAssignment } from '../../../src/shared/samples/curl.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import type { UsePage } from '../../tools/console/chromium.js'
import { findViolations } from '../../tools/console/reference-driver.js'
import { openRegistrationSite, type RegistrationSite } from './registration-site.js'

/** The page that shows credentials behind a claim link, in the page of other tests. */
export function describeClaimPage(usePage: UsePage): void {
  const mailer = memoryMailer()
  let site: string
  let registration: RegistrationSite

  beforeAll(async () => {
    registration = await openRegistrationSite({ mailer, delivery: 'claim-link', rateLimits: { registration: false } })
    site = registration.site
  })
  afterAll(() => registration?.close())

  /** The link of a new registration's e-mail. */
  async function register(language?: 'de'): Promise<string> {
    const sent = mailer.emails.length
    const { applications, registration: calls } = registration.platform.auth
    const { application } = await calls.register({
      name: 'Shop',
      contact: 'dev@shop.example',
      apis: ['orders'],
      language,
    })
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
    await page.getByText('Here are the credentials').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status')
    expect(await page.locator('#credentials').textContent()).toMatch(/epa_key_\w{34}.*epa_sec_\w{49}/s)

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

  it('R12: has what a developer needs next: copies, a file, commands that work, and the API in the console, in the language of the application', async () => {
    const page = usePage()
    await page.goto(await register('de'))
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByText('Hier sind die Zugangsdaten').waitFor()
    expect(await page.locator('#claim > :not([lang="de"]):not(:has(> [lang="de"])):visible').count()).toBe(0)
    const [key = '', secret = ''] = await page.locator('#credentials code').allInnerTexts()
    expect(await page.locator('#done').innerText()).toContain('Sie laufen nicht ab.')

    const copy = page.getByRole('button', { name: 'Kopieren: Secret' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await copy.click()
    await page.locator('#credentials').getByRole('status').getByText('Kopiert', { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Als .env herunterladen' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^app_\w+\.env$/)
    const { resource, tokenEndpoint } = registration.platform.auth.apis.find(({ name }) => name === 'orders')!
    expect(await readFile(await download.path(), 'utf8')).toBe(
      `CLIENT_ID=${key}\nCLIENT_SECRET=${secret}\nORDERS_URL=${resource}\nORDERS_TOKEN_URL=${tokenEndpoint}\n`,
    )
    const [getToken, call] = await page.locator('#next pre').allInnerTexts()
    expect(getToken).toBe(formatTokenAssignment({ tokenEndpoint: tokenEndpoint!, credentials: { key, secret } }))
    expect(call).toContain(resource)
    const link = page.getByRole('link', { name: 'orders: Referenz und Beispiele' })
    expect(await link.getAttribute('href')).toBe(`${site}/developers#api-orders`)
    expect(await findViolations(page)).toEqual([])
  })

  it('R10: says that a link was used, keeps the keyboard where it was, and takes the next link', async () => {
    const page = usePage()
    const link = await register()
    await page.goto(link)
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByText('Here are the credentials').waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByRole('alert').getByText('has been used').waitFor()
    const next = await register()
    await page.evaluate((hash) => void (location.hash = hash), new URL(next).hash)
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByText('Here are the credentials').waitFor()
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
    await page.getByText('Here are the credentials').waitFor()
    await check()
  })
}
