import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UsePage } from './chromium.js'
import { findViolations } from './reference-driver.js'
import { openShop } from './shop.js'

/** Of each kind of page: index, guide, samples, registration, portal. */
const PAGES = [
  '',
  'guides/01-first-order',
  'apis/orders/samples',
  'register',
  'register/thanks',
  'register/claim',
  'register/decide',
  'applications',
]
const DARK = 'rgb(15, 19, 24)'
const LIGHT = 'rgb(255, 255, 255)'

/** The button for light and dark pages, and menus, in the pages of other tests. */
export function describeTheme(usePage: UsePage, useScriptlessPage: UsePage): void {
  let shop: Awaited<ReturnType<typeof openShop>>
  beforeAll(async () => {
    // A colour that can be read neither on light nor on dark pages.
    const brand = { name: 'Tea', color: '#8a8a2a', supportUrl: 'mailto:help@tea.example' }
    shop = await openShop({
      options: { brand, operators: ['op@tea.example'] },
      console: { guides: 'example-app/guides/*.md' },
    })
  })
  afterAll(() => shop?.close())

  async function show(page: Page, path: string): Promise<void> {
    await page.goto(new URL(path, `${shop.developers}/`).href)
  }

  it.each([
    ['light', LIGHT, 'dark', DARK],
    ['dark', DARK, 'light', LIGHT],
  ] as const)(
    'the button changes every page from the %s setting of the system, with enough contrast for an accent colour that has too little, and back',
    async (system, before, chosen, after) => {
      const page = await openPage(usePage, system)
      await show(page, '')
      const button = page.getByRole('button', { name: 'Switch between light and dark' })
      expect(await readBackground(page)).toBe(before)
      expect(await readStorage(page)).toEqual({ cookies: '' })
      await button.click()
      expect(await readBackground(page)).toBe(after)
      expect(await readStorage(page)).toEqual({ cookies: '', 'express-platform-auth.theme': chosen })
      for (const path of PAGES) {
        await show(page, path)
        expect(await readBackground(page), path).toBe(after)
        // The other rules do not depend on colours, and browser.integration.test.ts checks these pages.
        const isKnown = ['', 'register', 'register/claim'].includes(path)
        const rules = chosen === 'light' && !isKnown ? 'all' : 'colours'
        expect(await findViolations(page, { rules }), `${chosen} ${path}`).toEqual([])
      }
      await button.click()
      expect(await readBackground(page)).toBe(before)
      expect(await readStorage(page)).toEqual({ cookies: '' })
    },
  )

  it('closes a menu by Escape, which returns the focus to it, and by a click beside it', async () => {
    const page = await openPage(usePage, 'light')
    await page.setViewportSize({ width: 390, height: 800 })
    await show(page, 'register')
    const menu = page.locator('.more')
    const isOpen = (): Promise<boolean> => menu.evaluate((each) => (each as unknown as { open: boolean }).open)
    await menu.locator('summary').click()
    await menu.locator('a').first().focus()
    expect(await isOpen()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await isOpen()).toBe(false)
    expect(await page.evaluate<string>('document.activeElement.localName')).toBe('summary')
    await menu.locator('summary').click()
    expect(await isOpen()).toBe(true)
    await page.mouse.click(195, 700)
    expect(await isOpen()).toBe(false)
  })

  it('pages without scripts have no button', async () => {
    const page = useScriptlessPage()
    await show(page, '')
    expect(await page.locator('button.theme').isVisible()).toBe(false)
  })
}

/** The page in the system's setting. No error is expected. */
async function openPage(usePage: UsePage, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = usePage(/(?!)/)
  await page.emulateMedia({ colorScheme })
  return page
}

const readBackground = (page: Page): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('.bar')).backgroundColor`)
const readStorage = (page: Page): Promise<object> =>
  page.evaluate<object>('({ ...localStorage, ...sessionStorage, cookies: document.cookie })')
