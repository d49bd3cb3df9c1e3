import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { type EmailMessage } from '../../../src/features/emails/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import type { UsePage } from '../../tools/console/chromium.js'
import { openPortalApp, type PortalApp } from './pages-app.js'

const CONTACT = 'anna@example.com'
const COLLEAGUE = 'carl@example.com'
const OPERATOR = 'apis@example.com'
/** How often each link is opened in each way. */
const TIMES = IS_LONG_LANE ? 2 : 1

/** Mail scanners that open every link of every e-mail, in the page of other tests. */
export function describeMailScanners(usePage: UsePage): void {
  const store = memoryStore()
  let shop: PortalApp
  let developers: string

  beforeAll(async () => {
    shop = await openPortalApp({ store, delivery: 'claim-link', operators: [OPERATOR], now: Date.now })
    shop.app.use('/developers/register', shop.auth.registration.router, shop.auth.emails.router)
    developers = `${shop.baseUrl}/developers`
  })
  afterAll(async () => {
    await shop?.close()
  })

  /** A link that signs in, an invitation, links that approve and deny, and one that shows credentials. */
  async function sendEveryLink(page: Page): Promise<void> {
    const { applications, portal, registration } = shop.auth
    const { application } = await applications.create({ name: 'Shop', contact: CONTACT, apis: ['catalog'] })
    await portal.invite(application.id, COLLEAGUE)
    await registration.register({ name: 'Claimed', contact: 'claims@example.com', apis: ['orders'] })
    await registration.register({ name: 'Approved', contact: 'approved@example.com', apis: ['invoices'] })
    await registration.register({ name: 'Denied', contact: 'denied@example.com', apis: ['invoices'] })
    await page.goto(`${developers}/applications`)
    await page.getByLabel('E-mail address').fill(CONTACT)
    await page.getByRole('button', { name: 'Send sign-in link' }).click()
    await page.getByLabel('Code from the e-mail').waitFor()
    await forget(page)
    await expect
      .poll(() => shop.mailer.emails.map(({ to }) => to).toSorted())
      .toEqual(['anna@', 'apis@', 'apis@', 'carl@', 'claims@'].map((name) => `${name}example.com`))
  }

  /** So that the next visit is that of somebody else. A context for each would take a second of processor time. */
  async function forget(page: Page): Promise<void> {
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.context().clearCookies()
    // Otherwise, a link to the same page with another fragment would not load it.
    await page.goto('about:blank')
  }

  /** All that is stored: records with the hashes of links, queued e-mails, and what was done. */
  async function readStored(): Promise<unknown> {
    const { items } = await shop.auth.applications.list()
    const records = await Promise.all(items.map(({ id }) => store.findApplication(id)))
    const everything = { applicationId: undefined, limit: 1000 }
    const emails = await store.emails.list({ ...everything, state: undefined })
    return structuredClone([records, emails, await store.listAudit({ ...everything, after: undefined })])
  }

  const findLink = (to: string, part: string): string =>
    listLinks().find((link) => link.to === to && link.url.includes(part))!.url

  function listLinks(): { readonly to: string; readonly url: string }[] {
    return shop.mailer.emails.flatMap((email) => readLinks(email).map((url) => ({ to: email.to, url })))
  }

  it(
    'change nothing, with and without scripts, and each link works for its reader afterwards',
    { timeout: 180_000 },
    async () => {
      const page = usePage()
      await sendEveryLink(page)
      const links = [...new Set(listLinks().map(({ url }) => url))].filter((url) => url.startsWith(shop.baseUrl))
      const secret = links.filter(hasSecret).map((url) => url.replace(/#.*?(\.deny)?$/, '#SECRET$1'))
      expect(secret.toSorted()).toEqual([
        `${developers}/applications/invitation#SECRET`,
        `${developers}/applications/sign-in#SECRET`,
        `${developers}/register/claim#SECRET`,
        ...Array.from({ length: 2 }, () => `${developers}/register/decide#SECRET`),
        ...Array.from({ length: 2 }, () => `${developers}/register/decide#SECRET.deny`),
      ])
      const before = await readStored()
      for (const link of links) {
        await openWithoutScripts(link)
        if (hasSecret(link)) await openInBrowser(page, link)
      }
      expect(await readStored()).toEqual(before)
      expect(shop.mailer.emails).toHaveLength(5)
      await useEveryLink(page)
    },
  )

  /** In its fragment; that of a link to the samples of an API is the API's name. */
  const hasSecret = (link: string): boolean => link.includes('#') && !link.includes('#api-')

  /** Also as scanners do that escape the fragment, or move it to the query. */
  async function openWithoutScripts(link: string): Promise<void> {
    for (const url of [link, link.replace('#', '%23'), link.replace('#', '?token=')]) {
      for (const method of Array.from({ length: TIMES }, () => ['HEAD', 'GET']).flat()) {
        const { status, body } = await fetch(url, { method })
        await body?.cancel()
        expect(status, `${method} ${url}`).toBeLessThan(500)
      }
    }
  }

  /** Runs the page's scripts, scrolls and waits, and clicks nothing. */
  async function openInBrowser(page: Page, link: string): Promise<void> {
    for (let times = 0; times < TIMES; times++) {
      await page.goto(link)
      await page.mouse.wheel(0, 5000)
      await page.waitForLoadState('networkidle')
      await forget(page)
    }
  }

  async function useEveryLink(page: Page): Promise<void> {
    const decide = (button: string) => async (page: Page) => {
      if (button === 'Deny') await page.getByLabel('Reason').fill('No contract.')
      await page.getByRole('button', { name: button }).click()
    }
    const press = (button: string) => async (page: Page) => page.getByRole('button', { name: button }).click()
    const uses = [
      [findLink(CONTACT, '/sign-in#'), press('Sign in'), 'My applications'],
      [findLink(COLLEAGUE, '/invitation#'), press('Accept'), 'You are a contact now'],
      [listDecisions()[0]!, decide('Approve'), 'Approved'],
      [listDecisions().at(-1)!, decide('Deny'), 'Denied'],
      [findLink('claims@example.com', '/claim#'), press('Show'), 'epa_sec_'],
    ] as const
    for (const [link, use, shown] of uses) {
      await page.goto(link)
      await use(page)
      await page.getByText(shown).first().waitFor()
      await forget(page)
    }
  }

  const listDecisions = (): string[] =>
    listLinks()
      .filter(({ to, url }) => to === OPERATOR && url.includes('/decide#'))
      .map(({ url }) => url)
}

/** Of the text and of the HTML. */
function readLinks({ text, html }: EmailMessage): string[] {
  const inHtml = [...(html ?? '').matchAll(/(?:href|src)="(http[^"]*)"/g)].map(([, url]) =>
    url!.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  )
  const inText = [...text.matchAll(/https?:\/\/[^\s<>")]+/g)].map(([url]) => url.replace(/[.,:;]$/, ''))
  return [...inText, ...inHtml]
}
