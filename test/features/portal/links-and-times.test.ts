import { afterAll, beforeAll, expect, it } from 'vitest'
import { renderRelativeTime } from '../../../src/features/portal/pages/times.js'
import { TEXTS } from '../../../src/features/portal/texts/languages.js'
import { openPortalApp, visit, type PortalApp } from './pages-app.js'

let app: PortalApp
beforeAll(async () => {
  app = await openPortalApp()
})
afterAll(() => app.close())

it('links the name of each API to its reference in the console, and draws no plot of nothing', async () => {
  const contact = 'links@example.com'
  const { application } = await app.auth.applications.create({
    name: 'Shop',
    contact,
    apis: { orders: { scopes: ['orders:read'] }, catalog: {} },
  })
  const visitor = await visit(app, contact)
  const { html: page } = await visitor.open(application.id)
  expect(page).toContain(`<a href="${app.baseUrl}/developers#api-orders">`)
  expect(page).toContain(`<a href="${app.baseUrl}/developers#api-catalog">`)
  expect(page).not.toContain('class="plot"')
})

it.each([
  [7 * 86_400_000 - 1000, 'in 7 days'],
  [86_400_000 - 1000, 'in 24 hours'],
  [3 * 3_600_000 - 1000, 'in 3 hours'],
  [-86_400_000 * 1.9, 'yesterday'],
])('rounds %d milliseconds to "%s"', (distance, words) => {
  const now = Date.UTC(2026, 10, 1)
  expect(renderRelativeTime(now + distance, now, TEXTS.en).markup).toContain(`>${words}<`)
})
