import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { memoryStore, type Application } from '../../../src/index.js'
import { sharePage, type UsePage } from '../../tools/console/chromium.js'
import { findViolations } from '../../tools/console/reference-driver.js'
import { openShop } from '../../tools/console/shop.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

const CONTACT = 'anna@example.com'
/** Each colour scheme and each width; in the long lane each combination. */
const VIEWS = (
  [
    ['light', 1280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1280],
  ] as const
).slice(0, IS_LONG_LANE ? 4 : 2)

type State = readonly [name: string, show: (page: Page) => Promise<unknown>]

/** Tests of the portal's pages in the browser of other tests. */
export function describePortal(getBrowser: () => Browser, useScriptlessPage: UsePage): void {
  let shop: Awaited<ReturnType<typeof openShop>>
  let context: BrowserContext
  let usePage: UsePage
  let root: string

  beforeAll(async () => {
    const store = memoryStore()
    shop = await openShop({ options: { store } })
    root = `${shop.developers}/applications`
    const { id } = await createApplication('Warehouse')
    await seedUsage(store, id)
    await shop.auth.portal.invite(id, 'carl@example.com', { by: 'test' })
    context = await getBrowser().newContext()
    usePage = await sharePage(context)
    const page = context.pages()[0]!
    await page.goto(await shop.auth.portal.link({ contact: CONTACT }))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'My applications' }).waitFor()
  })
  afterAll(async () => {
    await context?.close()
    await shop?.close()
  })

  async function createApplication(name: string): Promise<Application> {
    const apis = { orders: { scopes: ['orders:read'] }, catalog: {} } as const
    const { application } = await shop.auth.applications.create({ name, contact: CONTACT, apis })
    return application
  }

  it('adds a key and copies it with the keyboard alone (P33)', async () => {
    await createApplication('Keyboard')
    const page = usePage()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(root)
    await activate(page, 'Keyboard')
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
    await activate(page, 'Add a key')
    await page.getByRole('heading', { name: 'Add a key' }).waitFor()
    await tabTo(page, 'name')
    await page.keyboard.type('till')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    await activate(page, 'Copy: Key “till”')
    await page.getByRole('status').getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^epa_key_\w{34}$/)
    await activate(page, 'Done, I have stored it')
    await page.getByRole('heading', { name: 'till' }).waitFor()
  })

  it('sends a form once, however often its button is clicked (P35)', async () => {
    const { id } = await createApplication('Double click')
    const page = usePage()
    await page.goto(`${root}/${id}/credentials/new-key`)
    await page.getByLabel('Name').fill('till')
    await page.getByRole('button', { name: 'Add a key' }).dblclick()
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    await page.reload()
    // The page of a form is loaded again, and nothing is sent.
    await page.getByRole('heading', { name: 'Add a key', level: 1 }).waitFor()
    expect((await shop.auth.applications.get(id))!.keys).toHaveLength(2)
  })

  it('shows a plot for each API, whose bars tell their counts, and a closed table below it (P31)', async () => {
    const page = usePage()
    await page.goto(root)
    await page.getByRole('link', { name: 'Warehouse' }).click()
    expect(await page.locator('.plot svg').count()).toBe(2)
    expect(await page.locator('details table').first().isVisible()).toBe(false)
    const counts = page.locator('.plot').first().locator('label')
    expect(await counts.count()).toBe(30)
    expect((await counts.allTextContents()).some((text) => text.endsWith(': 120 allowed, 3 refused'))).toBe(true)
    // The last day has the focus first, and arrow keys go to the others; one day's values are shown at a time.
    const shown = () =>
      counts.evaluateAll((all) =>
        all
          .map((each) => getComputedStyle(each.lastElementChild!).opacity)
          .flatMap((each, at) => (each === '1' ? [at] : [])),
      )
    expect(await shown()).toEqual([29])
    await page.locator('.plot input').first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await shown()).toEqual([1])
    await counts.nth(7).hover()
    expect(await shown()).toEqual([7])
    const [allowed, refused] = await page.evaluate(() =>
      ['allowed', 'refused'].map((name) => document.querySelector(`.plot path.${name}`)!.getBoundingClientRect()),
    )
    expect(refused!.bottom).toBeCloseTo(allowed!.top, 1)
    expect(allowed!.height / refused!.height).toBeCloseTo(40, 0)
  })

  it('keeps the part that is read in sight in the bar of contents where it scrolls', async () => {
    const { id } = await createApplication('Contents')
    const page = usePage()
    await page.setViewportSize({ width: 280, height: 800 })
    await page.goto(`${root}/${id}#danger`)
    const current = page.locator('.contents a[href="#danger"]')
    await expect
      .poll(() => current.evaluate((link) => link.getBoundingClientRect().right), { timeout: 20_000 })
      .toBeLessThan(280)
  })

  it('works without JavaScript: tables, a rotation, its file, and a reload (P33, P35, P39)', async () => {
    const page = useScriptlessPage()
    await page.context().addCookies(await context.cookies())
    onTestFinished(() => page.context().clearCookies())
    await page.goto(root)
    await page.getByRole('link', { name: 'Warehouse' }).click()
    expect(await page.locator('.plot').first().isVisible()).toBe(true)
    await page.getByText('As a table').first().click()
    expect(await page.locator('details table').first().isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Rotate the secret default' }).click()
    await page.getByLabel('Keep the old secret working for').selectOption('1 hour')
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    const secret = /epa_sec_\w{49}/.exec(await page.locator('main').innerText())![0]
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as .env' }).click()
    const file = await (await download).createReadStream()
    expect((await file.setEncoding('utf8').toArray()).join('')).toContain(`CLIENT_SECRET=${secret}\n`)
    await page.getByRole('link', { name: 'Done, I have stored it' }).click()
    await page.getByText('Replaced: works until').waitFor()
    await page.getByRole('link', { name: 'Rename the key default' }).click()
    await page.getByLabel('Name').fill('renamed')
    await page.getByRole('button', { name: 'Rename' }).click()
    expect(await page.locator('.flash:visible').innerText()).toBe('The credential has its new name.')
  })

  const open = (path: string) => async (page: Page) => page.goto(`${root}/${await readPath(path)}`)
  const send = (path: string, button: string) => async (page: Page) => {
    await open(path)(page)
    await page.getByRole('button', { name: button }).click()
  }

  /** Replaces ID and KEY. */
  async function readPath(path: string): Promise<string> {
    const { items } = await shop.auth.applications.list()
    const { id, keys } = items.find(({ name }) => name === 'Warehouse')!
    return path.replace('ID', id).replace('KEY', keys[0]!.id)
  }

  const STATES: readonly State[] = [
    ['the list', open('')],
    ['an application', open('ID')],
    [
      'an open table',
      async (page) => {
        await open('ID')(page)
        await page.locator('main summary').first().click()
      },
    ],
    ['a choice of scopes', open('ID/apis/orders/request')],
    [
      'a form that was refused',
      async (page) => {
        await open('ID/credentials/new-secret')(page)
        await page.getByLabel('Name').fill('default')
        await page.getByRole('button', { name: 'Add a secret' }).click()
        await page.locator('#name-problem').waitFor()
      },
    ],
    ['a new credential', send('ID/credentials/KEY/rotate', 'Rotate the key')],
  ]
  /** They have the same parts in other words. */
  const SIMILAR_STATES: readonly State[] = [
    ['a form', open('ID/credentials/KEY/rotate')],
    ['a destructive action', open('ID/credentials/KEY/end')],
    ['a deletion', open('ID/delete')],
    [
      'a form that was sent again',
      async (page) => {
        await send('ID/credentials/KEY/rotate', 'Rotate the key')(page)
        await page.reload()
      },
    ],
    [
      'a suspended application',
      async (page) => {
        const { id } = await createApplication('Suspended')
        await shop.auth.applications.suspend(id)
        await page.goto(`${root}/${id}`)
      },
    ],
    ['not found', open('app_0')],
  ]

  it.each(IS_LONG_LANE ? [...STATES, ...SIMILAR_STATES] : STATES)(
    'has no accessibility violations: %s',
    async (_, show) => {
      const page = usePage()
      await show(page)
      for (const [at, [colorScheme, width]] of VIEWS.entries()) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width} pixels`).toBeLessThanOrEqual(
          width,
        )
        const rules = at === 0 || IS_LONG_LANE ? 'all' : 'colours'
        expect(await findViolations(page, { rules }), `${colorScheme}, ${width} pixels`).toEqual([])
      }
    },
  )
}

/** Moves the focus with Tab to what has that name or id. */
async function tabTo(page: Page, name: string): Promise<void> {
  const readFocused = `(document.activeElement.getAttribute('aria-label') ?? (document.activeElement.id || document.activeElement.textContent)).trim()`
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(readFocused)) === name) return
  }
  throw new Error(`Tab does not reach "${name}".`)
}

async function activate(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Requests of the first of 30 days, and of the last one. */
async function seedUsage(store: ReturnType<typeof memoryStore>, applicationId: string): Promise<void> {
  const counts = [0, 29].flatMap((back) => {
    const day = new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
    return ['orders', 'catalog'].flatMap((api) => [
      { day, applicationId, api, outcome: 'allowed', count: 120 },
      { day, applicationId, api, outcome: 'too_many_requests', count: 3 },
    ])
  })
  await store.usage.add({ id: 'seed', at: Date.now() }, counts)
}
