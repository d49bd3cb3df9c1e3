import express from 'express'
import { expect, it } from 'vitest'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryStore, type PlatformEvent } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { fakeClock, memoryMailer } from '../../../src/tools/testing/index.js'
import { usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { usePortalApp, visit } from '../portal/pages-app.js'

const NOON = Date.parse('2026-11-25T12:00:00Z')

it('One of several processes tells of 80 and of 100 % of a quota, by an event and an e-mail', async () => {
  const store = memoryStore()
  const mailer = memoryMailer()
  const clock = fakeClock(NOON)
  const events: PlatformEvent[] = []
  const processes = await Promise.all(
    ['one', 'other'].map(async () => {
      const free = plans({ free: { requests: [{ limit: 10, per: 'month' }] } }, { notify: true })
      const { auth } = usePlatform({ store, now: clock.now, mailer, plans: free })
      await auth.ready()
      auth.events.on('quota.reached', (event) => void events.push(event))
      const app = express().get('/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
      return { auth, app }
    }),
  )
  const { auth } = processes[0]!
  const given = { name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] } as const
  const { application, credentials } = await auth.applications.create(given)
  await auth.plans.set(application.id, 'free')
  await expect.poll(() => processes[1]!.auth.applications.get(application.id)).toMatchObject({ plan: 'free' })
  const statuses: number[] = []
  for (let i = 0; i < 14; i++) {
    const { status } = await request(processes[i % 2]!.app)
      .get('/items')
      .set('X-Api-Key', credentials.clientId)
    statuses.push(status)
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(statuses.at(-1)).toBe(429)
  await auth.plans.usage(application.id)
  await expect.poll(() => mailer.emails.length).toBe(2)
  expect(events.map(({ applicationId, reason }) => [applicationId, reason])).toEqual([
    [application.id, '80 % of a month'],
    [application.id, '100 % of a month'],
  ])
  expect(mailer.emails.map(({ to }) => to)).toEqual(['dev@shop.example', 'dev@shop.example'])
  expect(mailer.emails[0]!.text).toContain('has used 80 % of the 10 requests that it has for this month')
  expect(mailer.emails[1]!.subject).toContain('is used up')
})

it('The portal shows what is used of the plan, what is left, and until when', async () => {
  const given = {
    free: {
      requests: [
        { limit: 5, window: 1 },
        { limit: 1000, per: 'day' },
        { limit: 2, per: 'month', soft: true },
      ],
    },
    small: { requests: [{ limit: 3, per: 'day' }] },
  } as const
  const app = await usePortalApp({ plans: plans(given), now: () => NOON })
  const shop = { name: 'Shop', contact: 'anna@shop.example', apis: ['catalog'] } as const
  const { application, credentials } = await app.auth.applications.create(shop)
  const anna = await visit(app, 'anna@shop.example')
  expect((await anna.open(application.id)).text).not.toContain('Plan')
  await app.auth.plans.set(application.id, 'free')
  for (let i = 0; i < 3; i++) await fetch(`${app.baseUrl}/catalog`, { headers: { 'X-Api-Key': credentials.clientId } })
  const { text, html } = await anna.open(application.id)
  expect(text).toMatch(
    /Plan free What it allows[^:]*UTC\. Today 3 \/ 1,000 997 left until 26 Nov 2026, 00:00 UTC This month 3 \/ 2 The quota is used up until 1 Dec 2026, 00:00 UTC \. Further requests are still answered. At most 5 requests in 1 second/,
  )
  expect(html).toMatch(/class="meter"\s+role="meter"\s+aria-label="Today"[^>]*aria-valuenow="0"/)
  expect(html).toMatch(/class="meter bad"\s+role="meter"\s+aria-label="This month"[^>]*aria-valuenow="100"/)
  expect(text).toContain('Quota left 0 of 2 this month')
  expect(html).toContain('class="plot"')
  expect(html).not.toContain('class="notice bad"')
  await app.auth.plans.set(application.id, 'small')
  expect((await anna.open(application.id)).html).toMatch(
    /class="notice bad">\s*<div class="row">\s*<p>The quota is used up: requests are/,
  )
  expect((await anna.open('')).text).toContain('Quota used up until 26 Nov 2026, 00:00 UTC')
})

it('The portal shows an application whose plan this process does not have: its contacts can still end a key', async () => {
  const store = memoryStore()
  const app = await usePortalApp({ store, plans: plans({ free: { requests: [] } }), now: () => NOON })
  const contact = 'anna@shop.example'
  const { application } = await app.auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
  const admin = await openAdmin(store)
  await admin.plans!.set(application.id, 'retired')
  const page = await (await visit(app, contact)).open(application.id)
  expect(page.html).toMatch(/credentials\/cred_\w+\/end/)
  expect(page.text).not.toContain('Plan')
  await expect(app.auth.plans.usage(application.id)).rejects.toThrow('has the plan "retired"')
})
