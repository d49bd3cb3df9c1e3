import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { sharePage, type UsePage } from '../../tools/console/chromium.js'
import { readCatalogWithEveryState, serveEveryState } from '../../tools/console/every-state.js'
import {
  authorizeAndClose,
  call,
  openAuthorization,
  openOperation,
  openReference,
  operationOf,
} from '../../tools/console/reference-driver.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { DOCUMENTS, openShop } from '../../tools/console/shop.js'
import { openRegistrationSite } from '../../features/registration/registration-site.js'
import { findSmallTargets } from './small-targets.js'

const CONTACT = 'anna@example.com'
const OPERATOR = 'op@tea.example'
const WIDTHS = IS_LONG_LANE ? [390, 320] : [320]

/** Every control of every page is large enough for a finger on a phone, in the browser of other tests. */
export function describeTargets(getBrowser: () => Browser): void {
  let shop: Awaited<ReturnType<typeof openShop>>
  let context: BrowserContext
  let usePage: UsePage
  let application: string
  let credentials: Record<'Key' | 'Secret', string>

  beforeAll(async () => {
    const store = memoryStore()
    shop = await openShop({
      options: {
        store,
        brand: { name: 'Corner Tea & Coffee', supportUrl: 'mailto:help@tea.example' },
        operators: [OPERATOR],
      },
      console: {
        documents: { ...DOCUMENTS, catalog: await readCatalogWithEveryState() },
        guides: 'example-app/guides/*.md',
        changelog: 'example-app/CHANGELOG.md',
      },
    })
    serveEveryState(shop)
    const apis = { orders: { scopes: ['orders:read'] }, catalog: {} } as const
    const created = await shop.auth.applications.create({ name: 'Warehouse', contact: CONTACT, apis })
    credentials = { Key: created.credentials.clientId, Secret: created.credentials.clientSecret! }
    const { id } = created.application
    application = `applications/${id}`
    await shop.auth.portal.invite(id, 'carl@example.com', { by: 'test' })
    const day = new Date().toISOString().slice(0, 10)
    await store.usage.add({ id: 'seed', at: Date.now() }, [
      { day, applicationId: id, api: 'orders', outcome: 'allowed', count: 12 },
    ])
    context = await getBrowser().newContext({ viewport: { width: WIDTHS[0]!, height: 900 } })
    usePage = await sharePage(context)
  })
  afterAll(async () => {
    await context?.close()
    await shop?.close()
  })

  /** Resolves the controls that are too small, with the width of the page; and the page itself, if it is too wide. */
  async function measure(page: Page): Promise<string[]> {
    const found: string[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const { offenders, pageWidth } = await findSmallTargets(page)
      if (pageWidth > width) offenders.push(`the page is ${pageWidth} wide`)
      found.push(...offenders.map((each) => `${width}: ${each}`))
    }
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
    return found
  }

  const open = (path: string) => (page: Page) => page.goto(`${shop.developers}/${path}`)
  const reference = (path: string) => (page: Page) => openReference(page, `${shop.developers}/apis/${path}`)

  const STATES: readonly (readonly [name: string, show: (page: Page) => Promise<unknown>])[] = [
    ['the index', open('')],
    [
      'the menu of the header',
      async (page) => {
        await reference('orders')(page)
        await page.locator('header .more > summary').click()
        await page.locator('header .authorize').waitFor()
      },
    ],
    ['the page of samples', open('apis/orders/samples')],
    ['a guide', open('guides/01-first-order')],
    ['the changelog', open('changelog')],
    ['a reference', reference('orders')],
    [
      'operations with each kind of control, and their answers',
      async (page) => {
        await reference('catalog')(page)
        await authorizeAndClose(page, credentials)
        for (const each of ['addPicture', 'removeTeas', 'findTeas', 'addTea']) await openOperation(page, each)
        await call(page, 'readPicture')
        await call(page, 'addTea')
        await operationOf(page, 'findTeas').locator('.execute').click()
        await page.locator('.call .problem').first().waitFor()
        await page.locator('main details').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')))
      },
    ],
    ['an operation as a page', reference('orders/operations/placeOrder')],
    [
      'an answer to a call without credentials',
      async (page) => {
        await reference('orders/operations/placeOrder')(page)
        await page.locator('.execute').click()
        await page.locator('.advice').waitFor()
      },
    ],
    ['an unknown operation', reference('orders#renamed')],
    [
      'the dialog, and after it has authorized',
      async (page) => {
        await reference('orders')(page)
        await openAuthorization(page)
        expect(await measure(page)).toEqual([])
        await page.locator('#credentials-key').fill(credentials.Key)
        await page.locator('#credentials-secret').fill(credentials.Secret)
        await page.locator('dialog.credentials .button').first().click()
        await page.locator('dialog.credentials [role=status]').waitFor()
      },
    ],
    [
      'the operations as a sheet, and its search',
      async (page) => {
        await reference('orders')(page)
        await page.locator('header .menu').click()
        await page.locator('dialog.sheet summary').first().click()
        expect(await measure(page)).toEqual([])
        await page.locator('dialog.sheet .search').fill('order')
        await page.locator('[role=option]').first().waitFor()
      },
    ],
    ['the schemas', open('apis/orders/schemas')],
    ['a schema', open('apis/orders/schemas/Order')],
    ['the registration', open('register')],
    [
      'a registration that was refused',
      async (page) => {
        await open('register')(page)
        await page.locator('form').evaluate((form: HTMLFormElement) => (form.noValidate = true))
        await page.locator('main button').last().click()
        await page.getByRole('alert').waitFor()
      },
    ],
    ['the page of thanks', open('register/thanks')],
    ['the page of a claim link', open('register/claim')],
    [
      'a claim link that is refused',
      async (page) => {
        await open('register/claim#refused')(page)
        await page.locator('#show').click()
        await page.locator('#refused').waitFor()
      },
    ],
    ['the decision of an operator, without its link', open('register/decide')],
    [
      'the decision of an operator, and the decision that was made',
      async (page) => {
        const mailer = memoryMailer()
        const { platform, close } = await openRegistrationSite({ mailer, operators: [OPERATOR] })
        onTestFinished(close)
        await platform.auth.registration.register({
          name: 'Corner Shop',
          contact: CONTACT,
          apis: ['orders', 'catalog'],
        })
        const findAsked = () => mailer.emails.find(({ to }) => to === OPERATOR)
        await expect.poll(findAsked).toBeDefined()
        const { text } = findAsked()!
        await page.goto(/http\S+\/decide#\S+/.exec(text)![0])
        await page.locator('dl.facts').waitFor()
        expect(await measure(page)).toEqual([])
        await page.locator('main button').first().click()
        await page.locator('main form').waitFor({ state: 'detached' })
      },
    ],
    ['the sign-in', open('applications')],
    [
      'the code of a sign-in',
      async (page) => {
        await open('applications')(page)
        await page.locator('main input[type=email]').fill(CONTACT)
        await page.locator('main button').first().click()
        await page.locator('main input[name=code]').waitFor()
      },
    ],
  ]

  it.each(STATES)('every control has 44 pixels: %s', async (_, show) => {
    const page = usePage()
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
    await show(page)
    expect(await measure(page)).toEqual([])
  })

  it('every control has 44 pixels: the portal, with the page of each action', { timeout: 120_000 }, async () => {
    const page = usePage()
    const found: [path: string, offenders: string[]][] = []
    const add = async (): Promise<void> => {
      const offenders = await measure(page)
      if (offenders.length > 0) found.push([new URL(page.url()).pathname, offenders])
    }
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
    await page.goto(await shop.auth.portal.link({ contact: CONTACT }))
    await add()
    await page.locator('main button').click()
    await page.locator('.applications').waitFor()
    await add()
    await open(application)(page)
    for (const each of await page.locator('main summary').all()) await each.click()
    await add()
    const { pathname } = new URL(page.url())
    const links = await page
      .locator(`main a[href^="${pathname}/"]`)
      .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href))
    expect(links.length).toBeGreaterThan(8)
    for (const link of new Set(links)) {
      await page.goto(link)
      await add()
    }
    await page.goto(links.find((each) => each.endsWith('/rotate'))!)
    await page.locator('main button').first().click()
    await page.locator('.copyable').first().waitFor()
    await add()
    expect(found).toEqual([])
  })
}
