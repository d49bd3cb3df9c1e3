import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharePage, type UsePage } from '../console/chromium.js'
import { findViolations } from '../console/reference-driver.js'
import { listen } from '../console/shop.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { createReported, HOSTILE, openOperator, type OperatorApp } from './operator-app.js'

/** Each colour scheme and each width; in the long lane each combination. */
const VIEWS = (['light', 'dark'] as const)
  .flatMap((scheme) => ([1280, 390, 320] as const).map((width) => ({ scheme, width })))
  .filter(({ scheme, width }) => IS_LONG_LANE || (scheme === 'light') === (width !== 390))

/** Tests of the operator's pages in the browser of other tests. */
export function describeOperator(getBrowser: () => Browser, useScriptlessPage: UsePage): void {
  let host: OperatorApp
  let root: string
  let usePage: UsePage
  let close: () => Promise<void>
  let id: string

  beforeAll(async () => {
    host = await openOperator({ operator: () => 'alice@example.com' })
    const server = createServer(host.app)
    root = `http://localhost:${await listen(server)}/staff/operator`
    const { applications, registration, portal } = host.auth
    const created = await applications.create({
      name: 'Warehouse',
      contact: 'dev@example.com',
      apis: { orders: {}, catalog: {} },
    })
    id = created.application.id
    await host.auth.plans.set(id, 'free')
    await portal.invite(id, 'guest@example.com')
    await applications.update(id, { metadata: { [HOSTILE]: HOSTILE.repeat(4) }, networks: ['203.0.113.0/24'] })
    await registration.register({ name: 'Waiting', contact: 'w@example.com', apis: { orders: {} } })
    const at = host.clock.now()
    const day = new Date(at).toISOString().slice(0, 10)
    await host.store.usage.add({ id: 'seed', at }, [
      { day, applicationId: id, api: 'orders', outcome: 'allowed', count: 1204 },
      { day, applicationId: id, api: 'orders', outcome: 'invalid_token', count: 210 },
      { day, applicationId: id, api: 'orders', route: 'GET /orders', outcome: 'allowed', count: 1204 },
    ])
    await host.store.usage.addReported({ id: 'seed', at }, [createReported(id, at)])
    await host.store.quotas.add({ id: 'seed', at }, [{ day, applicationId: id, count: 950 }])
    const context = await getBrowser().newContext()
    usePage = await sharePage(context)
    close = async () => {
      await context.close()
      server.closeAllConnections()
      server.close()
      await host.auth.close()
    }
  })
  afterAll(() => close?.())

  it('approves a registration from Today with the keyboard alone', async () => {
    const page = usePage()
    await page.goto(root)
    await activate(page, 'Review Waiting')
    await activate(page, 'Approve')
    await page.getByRole('heading', { name: 'Approve' }).waitFor()
    await page.getByLabel('orders:write').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Done: Approve').waitFor()
    const { items } = await host.auth.applications.list({ name: 'Waiting' })
    expect(items[0]!.apis).toEqual({ orders: { scopes: ['orders:read'] } })
  })

  it('rotates a secret without scripts: shown once, and a reload does nothing', async () => {
    const page = useScriptlessPage()
    await page.goto(`${root}/applications/${id}`)
    await page.getByRole('link', { name: 'Rotate secret default' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('heading', { name: 'New credentials' }).waitFor()
    expect(await page.locator('main').innerText()).toMatch(/epa_sec_\w{49}/)
    await page.reload()
    await page.getByRole('heading', { name: 'Nothing was done' }).waitFor()
  })

  it('opens the menu of what is seldom needed by keyboard, without scripts, inside the page', async () => {
    const page = useScriptlessPage()
    await page.setViewportSize({ width: 320, height: 900 })
    await page.goto(`${root}/applications/${id}`)
    const ending = page.getByRole('link', { name: 'End credential' }).first()
    expect(await ending.isVisible()).toBe(false)
    await page.locator('summary[aria-label="More actions default"]').first().focus()
    await page.keyboard.press('Enter')
    const { x, width } = (await ending.boundingBox())!
    expect([x >= 0, x + width <= 320]).toEqual([true, true])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'End credential' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  it('shows the form by Back and reload after it was refused, without asking to send it again', async () => {
    const page = usePage()
    await page.goto(`${root}/applications/${id}/edit`)
    const networks = page.getByLabel('Allowed networks')
    const send = async (value: string) => {
      await networks.fill(value)
      await page.getByRole('button', { name: 'Save changes' }).click()
    }
    await send('nowhere')
    await page.getByText('“Allowed networks” was not accepted').waitFor()
    expect(await networks.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
    expect([await networks.inputValue(), await networks.getAttribute('aria-invalid')]).toEqual(['nowhere', 'true'])
    await page.reload()
    expect(await networks.inputValue()).toBe('203.0.113.0/24')
    await send('nowhere')
    await send('203.0.113.0/24 198.51.100.0/24')
    await page.getByText('Done: Change settings').waitFor()
    await page.goBack()
    // Chromium fills in again what was typed.
    expect(await networks.inputValue()).toMatch(/^203\.0\.113\.0\/24\s198/)
  })

  const PAGES = [
    '',
    '/applications',
    '/applications/ID',
    '/applications/ID/suspend',
    '/applications/ID/edit',
    '/do/create',
    '/usage',
    '/keys',
    '/audit',
    '/emails',
    '/preview',
    '/reportOnly',
    '/applications/ID/resourceServer',
  ]
  it.each(PAGES)('has no accessibility violations: %s', async (path) => {
    const page = usePage()
    await page.goto(root + path.replace('ID', id))
    for (const [at, { scheme, width }] of VIEWS.entries()) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width} pixels`).toBeLessThanOrEqual(
        width,
      )
      // Nothing has another colour there than in the first view.
      if (width === 320 && !IS_LONG_LANE) continue
      const rules = at === 0 || IS_LONG_LANE ? 'all' : 'colours'
      expect(await findViolations(page, { rules }), `${scheme}, ${width} pixels`).toEqual([])
    }
  })
}

async function activate(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).first().focus()
  await page.keyboard.press('Enter')
}
