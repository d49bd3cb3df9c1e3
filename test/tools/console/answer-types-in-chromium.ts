import type { Express } from 'express'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openShop, type Shop } from './shop.js'

const SCRIPT = 'document.documentElement.setAttribute("data-ran", location.origin)'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${SCRIPT}</script></svg>`
const HTML = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${SCRIPT}</script></body></html>`

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pictures', version: '1' },
  paths: {
    '/picture': {
      get: { operationId: 'picture', security: [], responses: { 200: { description: 'A picture.' } } },
    },
  },
}

/** What an answer's type lets a browser do with its body, in the browser of other tests. */
export function describeAnswerTypes(getBrowser: () => Browser): void {
  let context: BrowserContext
  let page: Page
  let tab: Page
  let answer: { type: string; body: string }
  let shop: Shop

  beforeAll(async () => {
    context = await getBrowser().newContext()
    page = await context.newPage()
    tab = await context.newPage()
    shop = await openShop({
      console: { documents: { orders: DOCUMENT as never } },
      before: (app: Express) =>
        app.get('/orders/picture', (_req, res) => {
          res.setHeader('Content-Type', answer.type)
          res.end(answer.body)
        }),
    })
    await page.goto(`${shop.developers}/apis/orders/operations/picture`)
  })
  afterAll(async () => {
    await context?.close()
    await shop?.close()
  })

  it.each([
    ['image/svg+xml', SVG],
    ['Image/SVG+XML; charset=utf-8', SVG],
    ['image/svg+xml ;x="image/png"', SVG],
    ['image/svg', SVG],
    ['image/xml', SVG],
    ['text/html', HTML],
    ['application/xhtml+xml', HTML],
    ['text/xml', HTML],
    ['application/xml', SVG],
    ['image/png', HTML],
    ['application/pdf', '%PDF-1.4'],
    ['', HTML],
  ])(
    'runs nothing in the origin of the console when an answer of type "%s" is opened by its address',
    async (type, body) => {
      answer = { type, body }
      const link = page.locator('a.download').first()
      const former = (await link.count()) === 0 ? null : await link.getAttribute('href')
      await page.locator('.execute:not([disabled])').first().click()
      await link.waitFor()
      await expect.poll(() => link.getAttribute('href', { timeout: 1000 }).catch(() => former)).not.toBe(former)
      const addresses = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('[href^="blob:"], [src^="blob:"]')].map(
          (each) => each.getAttribute('href') ?? each.getAttribute('src')!,
        ),
      )
      expect(addresses.length).toBeGreaterThan(0)
      for (const address of addresses) {
        const served = await page.evaluate(
          async (at) => (await fetch(at).catch(() => undefined))?.headers.get('Content-Type'),
          address,
        )
        expect(served ?? 'application/octet-stream').toMatch(/^(?:application\/octet-stream|image\/png)$/)
        // A download is no navigation.
        await tab.goto(address).catch(() => undefined)
        expect(await tab.evaluate(() => document.documentElement.getAttribute('data-ran'))).toBeNull()
        await tab.goto('about:blank')
      }
    },
  )
}
