import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Application } from '../../src/index.js'
import { ACTIONS, type Action } from '../../src/tools/operator/actions.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { sharePage, type UsePage } from '../tools/console/chromium.js'
import { findViolations } from '../tools/console/reference-driver.js'
import { listen } from '../tools/console/shop.js'
import { openOperator, type OperatorApp } from '../tools/operator/operator-app.js'

/** In the long lane each form at each width in both schemes. */
const VIEWS = (['light', 'dark'] as const)
  .flatMap((scheme) => ([390, 320, 1280] as const).map((width) => ({ scheme, width })))
  .slice(0, IS_LONG_LANE ? undefined : 1)

/** The form of each action of the operator's pages, and the same after it was refused, in the browser of other tests. */
export function describeOperatorForms(getBrowser: () => Browser): void {
  let host: OperatorApp
  let root: string
  let usePage: UsePage
  let close: () => Promise<void>
  let applications: readonly Application[]

  beforeAll(async () => {
    host = await openOperator({ operator: () => 'alice@example.com' })
    const server = createServer(host.app)
    root = `http://localhost:${await listen(server)}/staff/operator`
    const { auth, core } = host
    const create = async (name: string) =>
      (await auth.applications.create({ name, contact: `${name}@example.com`, apis: { orders: {}, catalog: {} } }))
        .application.id
    const [active, suspended] = [await create('active'), await create('suspended')]
    await auth.applications.addContact(active, 'second@example.com')
    await auth.applications.addKeySet(active, { name: 'hsm', jwksUri: 'https://partner.example/jwks.json' })
    await auth.portal.invite(active, 'third@example.com')
    const request = { api: 'invoices', scopes: [], by: 'contact:active@example.com' }
    await core.find('registration')!.requestAccess(() => undefined, active, request)
    await auth.applications.suspend(suspended)
    await auth.registration.register({ name: 'Waiting', contact: 'waiting@example.com', apis: { orders: {} } })
    applications = (await auth.applications.list()).items
    const context = await getBrowser().newContext()
    usePage = await sharePage(context)
    close = async () => {
      await context.close()
      server.closeAllConnections()
      server.close()
      await auth.close()
    }
  })
  afterAll(() => close?.())

  /** The form of an action, about an application whose state it fits. */
  async function findForm(name: string, { place, fits }: Action): Promise<string> {
    if (!fits)
      return place === 'signingKey'
        ? `/do/${name}?kid=${(await host.auth.signingKeys.list()).items[0]!.kid}`
        : `/do/${name}`
    const has = ({ invitations, accessRequests, secrets: those }: Application): boolean => {
      if (place === 'invitation') return invitations.length > 0
      if (place === 'request') return accessRequests.length > 0
      return place !== 'keySet' || those.some(({ keySet }) => keySet)
    }
    const { id, keys, secrets } = applications.findLast((each) => fits(each) && has(each))!
    const about: Partial<Record<Action['place'], string>> = {
      credential: `?credential=${keys[0]?.id}`,
      key: `?credential=${keys[0]?.id}`,
      secret: `?credential=${secrets.find(({ keySet }) => !keySet)?.id}`,
      keySet: `?credential=${secrets.find(({ keySet }) => keySet)?.id}`,
      contact: '?at=0',
      invitation: '?at=0',
      api: '?api=orders',
      otherApi: '?api=weather',
      request: '?api=invoices',
    }
    return `/applications/${id}/${name}${about[place] ?? ''}`
  }

  it.each(Object.entries(ACTIONS))('has no accessibility violations, refused or not: %s', async (name, action) => {
    const page = usePage()
    const path = await findForm(name, action)
    const check = async (state: string): Promise<void> => {
      for (const [at, { scheme, width }] of VIEWS.entries()) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.setViewportSize({ width, height: 900 })
        const shown = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect([state, shown <= width], `${shown} at ${width} pixels`).toEqual([state, true])
        const rules = at === 0 ? 'all' : 'colours'
        expect([state, scheme, width, await findViolations(page, { rules, selector: 'main' })]).toEqual([
          state,
          scheme,
          width,
          [],
        ])
      }
    }
    await page.goto(root + path)
    const form = page.locator('main form')
    expect(await form.count(), path).toBe(1)
    if (IS_LONG_LANE) await check('as it is')
    const isAnything = await form.evaluate(`(form) => {
      const fields = [...form.elements].filter((each) => each.type !== 'hidden' && each.name)
      for (const each of fields) {
        if (each.type === 'checkbox') each.checked = false
        else if (each.tagName === 'SELECT') each.options[each.selectedIndex].value = 'x'
        else each.value = each.type === 'number' ? '-1' : each.type === 'date' ? '1990-01-01' : 'x'.repeat(600)
      }
      form.noValidate = true
      return fields.some((each) => each.type !== 'checkbox')
    }`)
    if (!isAnything) return
    await form.locator('button').click()
    await page.locator('.problem, .wrong').first().waitFor()
    await check('refused')
  })
}
