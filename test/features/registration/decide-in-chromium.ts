import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import type { UsePage } from '../../tools/console/chromium.js'
import { findViolations } from '../../tools/console/reference-driver.js'
import { openRegistrationSite, type RegistrationSite } from './registration-site.js'

const OPERATOR = 'apis@example.com'

/** The page on which operators decide, in the pages of other tests. */
export function describeDecisions(usePage: UsePage, useScriptlessPage: UsePage): void {
  const mailer = memoryMailer()
  let site: string
  let registration: RegistrationSite

  beforeAll(async () => {
    registration = await openRegistrationSite({ mailer, operators: [OPERATOR] })
    site = registration.site
  })
  afterAll(() => registration?.close())

  /** A registration that waits, and the link in the operator's e-mail. */
  async function register(): Promise<{ id: string; link: string }> {
    const sent = mailer.emails.length
    const { application } = await registration.platform.auth.registration.register({
      name: 'Corner Shop',
      contact: 'dev@shop.example',
      apis: ['orders', 'catalog'],
    })
    const findAsked = () => mailer.emails.slice(sent).find(({ to }) => to === OPERATOR)
    await vi.waitFor(() => expect(findAsked()).toBeDefined(), 60_000)
    return { id: application.id, link: /http\S+\/decide#[\w-]+\.[\w-]{43}(?=\s)/.exec(findAsked()!.text)![0] }
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const statusOf = async (id: string) => (await registration.platform.auth.applications.get(id))?.status

  it('decides nothing for a mail scanner that follows the link and runs scripts', async () => {
    const { id, link } = await register()
    const requests: string[] = []
    const page = usePage()
    const record = (each: Request) => void requests.push(`${each.method()} ${each.url()} ${each.postData() ?? ''}`)
    page.on('request', record)
    onTestFinished(() => void page.off('request', record))
    await page.goto(link)
    await heading(page, 'Registration')
    await page.mouse.wheel(0, 2000)
    expect(page.url()).toBe(`${site}/developers/register/decide`)
    expect(requests.map((each) => each.replace(/link=.*/, 'link'))).toEqual([
      `GET ${site}/developers/register/decide `,
      `POST ${site}/developers/register/decide link`,
    ])
    expect(await statusOf(id)).toBe('pending')
    const { items } = await registration.platform.auth.audit.list({ applicationId: id })
    expect(items.map(({ type }) => type)).toEqual(['application.registered', 'application.delivered'])
  })

  it('approves by keyboard, and shows a link that was followed in the same tab', async () => {
    const { id, link } = await register()
    const page = usePage()
    await page.goto(`${site}/developers/register/decide`)
    await page.goto(link)
    await heading(page, 'Registration')
    await page.getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Approved')
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('active'), 60_000)
  })

  it('denies without scripts, and again after the application has changed: the link is pasted', async () => {
    const { id, link } = await register()
    const page = useScriptlessPage()
    await page.goto(`${link}.deny`)
    await page.getByLabel('Link from the e-mail').fill(`${link}.deny`)
    await page.getByRole('button', { name: 'Show the request' }).click()
    await registration.platform.auth.applications.update(id, { name: 'Renamed meanwhile' })
    await page.getByLabel('Reason').fill('No contract.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await heading(page, 'Registration of Renamed meanwhile')
    await page.getByRole('alert').getByText('Nothing was decided').waitFor()
    // The reason is still there.
    await page.getByRole('button', { name: 'Deny' }).click()
    await heading(page, 'Denied')
    expect(await statusOf(id)).toBe('deleted')
  })

  it('has no violation of accessibility rules in any state, 390 pixels wide', async () => {
    const page = usePage()
    await page.setViewportSize({ width: 390, height: 860 })
    const { id, link } = await register()
    await page.goto(`${site}/developers/register/decide#unknown`)
    await page.getByRole('alert').waitFor()
    await expectAccessible(page)
    await page.goto(`${link}.deny`)
    await heading(page, 'Registration')
    await page.getByLabel('Reason').fill('   ')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Write a reason').waitFor()
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page, 'colours')
    await registration.platform.auth.applications.update(id, { name: 'Renamed meanwhile' })
    await page.getByLabel('Reason').fill('No contract.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Nothing was decided').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Deny' }).click()
    await heading(page, 'Denied')
    await page.goto(link)
    await heading(page, 'Nothing left to decide')
    await expectAccessible(page)
  })

  /** Also without a horizontal scroll bar. */
  async function expectAccessible(page: Page, rules: 'all' | 'colours' = 'all'): Promise<void> {
    expect(await findViolations(page, { rules })).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
}
