import { expect, it, onTestFinished } from 'vitest'
import { emails } from '../../../src/features/emails/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { createPlatformAuth, memoryStore } from '../../../src/index.js'
import { renderRelativeTime } from '../../../src/shared/web/times.js'
import { TEXTS } from '../../../src/features/portal/texts/languages.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { EXPRESSES } from '../../support/platform.js'
import { createBrowser, ROOT } from './browser.js'
import { usePortalApp, visit } from './pages-app.js'
import { openLink } from './portal-app.js'

const app = await usePortalApp()

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
  // What is next: the first call, with how to get its access token, and nothing about refusals.
  expect(page).toMatch(/grant_type=client_credentials[^]*Bearer \$ACCESS_TOKEN/)
  expect(page).toContain('<span class="string">&#34;Authorization: Bearer $ACCESS_TOKEN&#34;</span>')
  expect(page).not.toContain('id="refusals"')
})

it('leads to the registration from the sign-in and from the list, where the platform has one', async () => {
  const contact = 'register@example.com'
  const mailer = memoryMailer()
  const developersUrl = 'https://example.com/developers'
  const alone = { baseUrl: 'https://example.com', developersUrl, apis: { catalog: { scheme: 'apiKey' } } } as const
  for (const further of [[], [registration()]]) {
    const auth = createPlatformAuth({
      ...alone,
      store: memoryStore(),
      features: [emails({ mailer }), portal(), ...further],
    })
    onTestFinished(() => auth.close())
    await auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
    const visitor = createBrowser(EXPRESSES['Express 5']().use(ROOT, auth.portal!.router))
    const signIn = await visitor.get(ROOT)
    await openLink(visitor, await auth.portal!.link({ contact }))
    const links = [signIn, visitor.page].map(({ text }) => text)
    for (const html of links) expect(html.includes(`href="${developersUrl}/register"`)).toBe(further.length > 0)
  }
})

it('has the calls, the refused ones and the last use of each application in the list, and four numbers on its page', async () => {
  const store = memoryStore()
  const counted = await usePortalApp({ store })
  const contact = 'numbers@example.com'
  const { application } = await counted.auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
  const day = new Date().toISOString().slice(0, 10)
  const entry = { day, applicationId: application.id, api: 'catalog' }
  await store.usage.add({ id: 'seed', at: Date.now() }, [
    { ...entry, outcome: 'allowed', count: 1900 },
    { ...entry, outcome: 'invalid_api_key', count: 100 },
  ])
  const visitor = await visit(counted, contact)
  expect((await visitor.open('')).text).toMatch(/Calls in 30 days Refused in 30 days Last use Shop .* 2,000 100 Never/)
  const { text } = await visitor.open(application.id)
  expect(text).toMatch(
    /Calls in 30 days 2,000 Refused in 30 days 100 5% of calls Quota left Unlimited Expires next Never/,
  )
  expect(text).toContain('No refusals in the last 7 days')
})

it('says of a pending application what it waits for, and shows no numbers', async () => {
  const contact = 'waits@example.com'
  const { application } = await app.auth.registration.register({ name: 'Kiosk', contact, apis: ['invoices'] })
  const visitor = await visit(app, contact)
  const { text } = await visitor.open(application.id)
  expect(text).toContain('it waits for our approval')
  expect(text).not.toMatch(
    /Quota left|Access granted|the e-mail with its first|curl|No calls|No refusals|No credentials|Delete/,
  )
  const form = await visitor.open(`${application.id}/delete`)
  expect(form.text).toContain('Withdraw the registration')
  expect(form.text).not.toContain('Delete')
  expect((await visitor.submit(form, { name: 'Kiosk' })).fragment).toBe('withdrawn')
  expect(await app.auth.applications.get(application.id)).toMatchObject({ name: '', status: 'deleted' })
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
