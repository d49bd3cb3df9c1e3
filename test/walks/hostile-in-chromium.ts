import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLink } from '../features/portal/portal-app.js'
import { createBrowser } from '../features/portal/browser.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { sharePage, type UsePage } from '../tools/console/chromium.js'
import { CONTACT, nameKind, openHostileHost, STARTS, TEXTS, type HostileHost } from './hostile-host.js'

/** The pages of hostile-texts.integration.test.ts in the browser of other tests: every tenth kind of page, in the long lane each. */
export function describeHostileTexts(getBrowser: () => Browser): void {
  let host: HostileHost
  let usePage: UsePage
  let close: () => Promise<void>

  beforeAll(async () => {
    host = await openHostileHost()
    const visitor = createBrowser(host.app)
    await openLink(visitor, await host.auth.portal.link({ contact: CONTACT }))
    const context = await getBrowser().newContext({ viewport: { width: 390, height: 844 } })
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: host.baseUrl })))
    usePage = await sharePage(context)
    close = async () => {
      await context.close()
      await host.close()
    }
  })
  afterAll(() => close?.())

  it('shows whatever anybody has written on a phone: no dialog, no error, nothing beside the screen', async () => {
    const page = usePage()
    await page.setViewportSize({ width: 390, height: 844 })
    const { items } = await host.auth.applications.list({ name: TEXTS.long })
    // Which application is seen of each kind of page is decided by its id: of this one, a name that cannot be broken is in every form.
    const open: string[] = [...STARTS, `/operator/applications/${items[0]!.id}/delete`]
    const seen = new Set<string>()
    const wide: string[] = []
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      if (seen.has(nameKind(path))) continue
      seen.add(nameKind(path))
      if (/\.(?:csv|md|json|yaml|txt)\b|\.well-known/.test(path)) continue
      if (!IS_LONG_LANE && seen.size > STARTS.length + 1 && seen.size % 10 !== 0) continue
      await page.goto(host.baseUrl + path)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (width > 390) wide.push(`${path}: ${width}`)
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a')].filter((a) => a.origin === location.origin).map((a) => a.pathname + a.search)`,
      )
      open.push(...links)
    }
    expect(wide).toEqual([])
    expect(seen.size).toBeGreaterThan(IS_LONG_LANE ? 100 : 40)
  })
}
