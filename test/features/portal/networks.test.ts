import { expect, it } from 'vitest'
import { usePortalApp, visit, type PortalApp } from './pages-app.js'

const ANNA = 'anna@example.com'
const BERT = 'bert@example.com'
const OFFERED = { portal: { networks: true } } as const

async function addShop({ auth }: PortalApp) {
  const { application } = await auth.applications.create({ name: 'Shop', contact: ANNA, apis: ['catalog'] })
  return application.id
}

it('shows networks and limits that operators gave, and lets contacts change none unless the provider permits it', async () => {
  const app = await usePortalApp()
  const id = await addShop(app)
  const anna = await visit(app, ANNA)
  expect((await anna.open(id)).html).not.toContain('Networks')
  await app.auth.applications.update(id, {
    networks: ['203.0.113.0/24'],
    rateLimits: { '*': { limit: 5000, window: 60 } },
    by: 'alice',
  })
  const { html } = await anna.open(id)
  expect(html).toContain('203.0.113.0/24')
  expect(html).toContain('At most 5,000 requests in 60 seconds')
  expect(html).not.toContain('Change the networks')
  expect((await anna.open(`${id}/networks`)).status).toBe(404)
})

it('lets a contact change the networks, who is asked again before he shuts out his own address', async () => {
  const app = await usePortalApp(OFFERED)
  const id = await addShop(app)
  await app.auth.applications.addContact(id, BERT)
  const anna = await visit(app, ANNA)
  const send = async (fields: Record<string, string>) => anna.submit(await anna.open(`${id}/networks`), fields)
  const stored = async () => (await app.auth.applications.get(id))?.networks

  expect((await anna.open(`${id}/networks`)).html).toContain('Leave it empty for any network.')
  const asked = await send({ networks: '203.0.113.0/24\n2001:DB8::/32' })
  expect(asked.status).toBe(400)
  expect(asked.html).toMatch(/does not have your own address, (127\.0\.0\.1|::1)/)
  expect(asked.html).toContain('203.0.113.0/24\n2001:DB8::/32')
  expect(await stored()).toBeUndefined()
  const saved = await anna.submit(asked, { networks: '203.0.113.0/24\n2001:DB8::/32', anyway: 'yes' })
  expect(saved.html).toContain('The networks have been changed.')
  expect(await stored()).toEqual(['203.0.113.0/24', '2001:db8::/32'])

  for (const networks of ['203.0.113.1/24', 'everywhere', '<b>', '10.0.0.0/8 x'])
    expect((await send({ networks })).html, networks).toMatch(/aria-invalid="true"/)
  expect(
    (
      await send({
        networks: Array(101)
          .fill(0)
          .map((_, i) => `10.0.0.${i}`)
          .join('\n'),
        anyway: 'yes',
      })
    ).status,
  ).toBe(400)
  expect(await stored()).toEqual(['203.0.113.0/24', '2001:db8::/32'])
  await send({ networks: '127.0.0.0/8 ::1' })
  expect(await stored()).toEqual(['127.0.0.0/8', '::1/128'])
  await send({ networks: '' })
  expect(await stored()).toBeUndefined()

  app.clock.advance(11 * 60_000)
  await expect.poll(() => app.mailer.emails.some(({ to, text }) => to === BERT && /networks/.test(text))).toBe(true)
})

it("keeps a contact within an operator's list", async () => {
  const app = await usePortalApp(OFFERED)
  const id = await addShop(app)
  await app.auth.applications.update(id, { networks: ['127.0.0.0/8', '::1', '203.0.113.0/24'], by: 'alice' })
  const anna = await visit(app, ANNA)
  const send = async (networks: string) => anna.submit(await anna.open(`${id}/networks`), { networks, anyway: 'yes' })
  const { html } = await anna.open(`${id}/networks`)
  expect(html).toContain('127.0.0.0/8, ::1/128, 203.0.113.0/24')
  expect(html).not.toContain('for any network')
  for (const networks of ['', '0.0.0.0/0', '198.51.100.7', '203.0.112.0/23'])
    expect((await send(networks)).status).toBe(400)
  expect((await send('127.0.0.1 ::1')).status).toBe(200)
  expect((await app.auth.applications.get(id))?.networks).toEqual(['127.0.0.1/32', '::1/128'])
})
