import { expect, it } from 'vitest'
import { OPERATOR, walk } from '../../docs/images/walk.mjs'
import { STAFF_PASSWORD } from '../../docs/images/operator.mjs'
import { useExampleApps } from '../support/example-app.js'
import { launchChromium } from '../tools/console/chromium.js'
import { findViolations } from '../tools/console/reference-driver.js'

const apps = useExampleApps()

it('a partner on a phone registers, calls and rotates a key; an operator decides, and sees who is refused', async () => {
  const { baseUrl } = await apps.start({ OPERATORS: OPERATOR, STAFF_PASSWORD })
  const browser = await launchChromium()
  const seen: string[] = []
  try {
    await walk(browser, {
      baseUrl,
      async save(page, name) {
        seen.push(name)
        const width = page.viewportSize()!.width
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect([name, scrolled]).toEqual([name, Math.min(width, scrolled)])
        expect([name, await findViolations(page)]).toEqual([name, []])
      },
    })
  } finally {
    await browser.close()
  }
  expect(seen).toEqual(['register', 'today', 'approve', 'call', 'portal', 'application', 'suspend'])
}, 300_000)
