/**
 * States of the pages of partners that the example app does not have: a platform of its own, in memory, with plans, operators, and an
 * application in each state. For `npm run images -- --pages FOLDER`.
 */
import { once } from 'node:events'
import express from 'express'
import { createPlatformAuth, memoryStore } from '../../dist/esm/index.js'
import { emails } from '../../dist/esm/features/emails/index.js'
import { plans } from '../../dist/esm/features/plans/index.js'
import { portal } from '../../dist/esm/features/portal/index.js'
import { registration } from '../../dist/esm/features/registration/index.js'
import { usage } from '../../dist/esm/features/usage/index.js'
import { developerConsole } from '../../dist/esm/tools/console/index.js'
import { memoryMailer } from '../../dist/esm/tools/testing/index.js'
import { countMonth, listMonth } from './portal.mjs'

/** @typedef {import('playwright-core').Page} Page */

const CONTACT = 'lena@bakery.example'
const ALONE = 'new@bakery.example'
const APIS = /** @type {const} */ ({
  orders: {
    scheme: 'oauth2',
    title: 'Orders',
    description: 'Place orders, follow them, change and cancel them.',
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Place, change and cancel orders' },
  },
  catalog: { scheme: 'apiKey', title: 'Catalogue', description: 'What the shop sells.' },
  invoices: { scheme: 'oauth2', title: 'Invoices', scopes: { 'invoices:read': 'Read invoices' } },
})

/** What a plan counts of the calls of a month, by day: those that were answered, newest first. */
const ANSWERED = listMonth('').filter(({ outcome }) => outcome === 'allowed')
const DAYS = [...new Set(ANSWERED.map(({ day }) => day))].map((day) => ({
  day,
  count: ANSWERED.reduce((sum, each) => sum + (each.day === day ? each.count : 0), 0),
}))
const USED_TODAY = DAYS[0]?.count ?? 0
const THIS_MONTH = DAYS.filter(({ day }) => day.slice(0, 7) === DAYS[0]?.day.slice(0, 7))
const OF_MONTH = THIS_MONTH.reduce((sum, { count }) => sum + count, 0)

/** Starts the platform. Its pages by name, as in pages.mjs; each is opened on a page of its own session. */
export async function openStates() {
  const app = express()
  const server = app.listen(0)
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const baseUrl = `http://localhost:${port}`
  const developersUrl = `${baseUrl}/developers`
  const store = memoryStore()
  const mailer = memoryMailer()
  const auth = createPlatformAuth({
    baseUrl,
    developersUrl,
    store,
    secret: 'only for the pictures of these pages',
    brand: { name: 'Tea and coffee developers', supportUrl: 'mailto:help@example.com' },
    apis: APIS,
    features: [
      emails({ mailer, delivery: 'claim-link' }),
      registration({ operators: ['operator@example.com'], terms: { url: `${baseUrl}/terms`, version: '2026-11' } }),
      portal(),
      usage(),
      plans({
        standard: {
          requests: [
            { limit: 10, window: 1 },
            { limit: Math.ceil(OF_MONTH / 850) * 1000, per: 'month' },
          ],
        },
        trial: { requests: [{ limit: USED_TODAY, per: 'day' }] },
        large: { requests: [{ limit: 500_000, per: 'month' }] },
      }),
    ],
  })
  app.use(auth.router).use('/developers', developerConsole(auth, { title: 'Tea and coffee developers' }))
  await auth.ready()
  const seeded = await seed(auth, store)
  const applications = `${developersUrl}/applications`

  /** @param {Page} page @param {string} path @param {string} [contact] */
  async function open(page, path, contact = CONTACT) {
    await page.context().clearCookies()
    await page.goto(await auth.portal.link({ contact }))
    await page.locator('main button').click()
    await page.waitForURL((url) => !url.pathname.includes('sign-in'))
    if (path !== '') await page.goto(`${applications}/${path}`)
  }
  /** Sends a form as it is, or with that in a field. @param {Page} page @param {string} [name] @param {string} [value] */
  async function send(page, name, value = '') {
    await page.evaluate(() =>
      document.querySelectorAll('main form').forEach((form) => form.setAttribute('novalidate', '')),
    )
    if (name !== undefined) await page.locator(`main [name=${name}]`).fill(value)
    await page.locator('main form button').last().click()
    await page.waitForLoadState()
  }
  /** @param {Page} page @param {string} path */
  async function openSignedOut(page, path) {
    await page.context().clearCookies()
    await page.goto(developersUrl + path)
  }
  /** A registration that waits, by the link in the operator's e-mail. @param {Page} page @param {boolean} [isDecided] */
  async function openDecision(page, isDecided = false) {
    const name = isDecided ? 'Corner shop' : 'Flower shop'
    await auth.registration.register({ name, contact: ALONE, apis: ['orders', 'catalog'], terms: '2026-11' })
    const link = /http\S+\/decide#[\w.-]+/.exec(await waitForText(mailer, name, '/decide#'))?.[0] ?? ''
    await page.context().clearCookies()
    await page.goto(link)
    await page.getByRole('heading', { name }).waitFor()
    if (!isDecided) return
    await page.getByLabel('Reason').fill('We only work with registered bakeries.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Nothing left' }).waitFor()
  }
  /** @type {Record<string, (page: Page) => Promise<unknown>>} */
  const pages = {
    'state-sign-in': (page) => openSignedOut(page, '/applications'),
    'state-sign-in-refused': async (page) => {
      await openSignedOut(page, '/applications')
      await send(page, 'contact', 'lena')
    },
    // Without an application nobody is signed in: this is the state without any.
    'state-none-left': async (page) => {
      const { application } = await auth.applications.create({
        name: 'Trial',
        contact: 'last@bakery.example',
        apis: { catalog: {} },
      })
      await open(page, `${application.id}/delete`, 'last@bakery.example')
      await send(page, 'name', 'Trial')
    },
    'state-code': async (page) => {
      await openSignedOut(page, '/applications')
      await send(page, 'contact', CONTACT)
    },
    'state-code-refused': async (page) => {
      await openSignedOut(page, '/applications')
      await send(page, 'contact', CONTACT)
      await send(page, 'code', 'BCDF-GHJK')
    },
    'state-link': (page) => openSignedOut(page, '/applications/sign-in#token'),
    'state-link-refused': async (page) => {
      await openSignedOut(page, '/applications/sign-in#token')
      await send(page)
    },
    'state-invitation': (page) => openSignedOut(page, '/applications/invitation#token'),
    'state-invitation-refused': async (page) => {
      await openSignedOut(page, '/applications/invitation#token')
      await page.locator('main form button').first().click()
    },
    'state-register-refused': async (page) => {
      await openSignedOut(page, '/register')
      await send(page, 'contact', 'lena@bakery')
    },
    'state-register-german': async (page) => {
      await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' })
      await openSignedOut(page, '/register')
      await page.setExtraHTTPHeaders({})
    },
    'state-many': (page) => open(page, ''),
    'state-quota-85': (page) => open(page, seeded.near),
    'state-quota-100': (page) => open(page, seeded.reached),
    'state-expires': (page) => open(page, seeded.expiring),
    'state-suspended': (page) => open(page, seeded.suspended),
    'state-pending': (page) => open(page, seeded.pending),
    'state-waiting': (page) => open(page, seeded.waiting),
    'state-german': async (page) => {
      await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' })
      await open(page, seeded.german)
      await page.setExtraHTTPHeaders({})
    },
    'state-request': (page) => open(page, `${seeded.near}/apis/invoices/request`),
    'state-request-refused': async (page) => {
      await open(page, `${seeded.near}/apis/invoices/request`)
      await page.getByRole('checkbox').uncheck()
      await send(page)
    },
    'state-terms': (page) => open(page, `${seeded.near}/terms`),
    'state-new-key-refused': async (page) => {
      await open(page, `${seeded.near}/credentials/new-key`)
      await send(page, 'name', 'till')
    },
    'state-delete-refused': async (page) => {
      await open(page, `${seeded.near}/delete`)
      await send(page, 'name', 'Another one')
    },
    'state-issued': async (page) => {
      await open(page, `${seeded.expiring}/credentials/new-secret`)
      await send(page, 'name', `till ${Date.now() % 10_000}`)
    },
    'state-stale': async (page) => {
      await open(page, `${seeded.near}/credentials/new-key`)
      await auth.applications.update(seeded.near, { externalId: `C-${Date.now()}`, by: 'images' })
      await send(page, 'name', 'bread scales')
    },
    'state-not-found': (page) => open(page, 'app_unknown'),
    'state-claim-refused': async (page) => {
      await openSignedOut(page, '/register/claim#refused')
      await page.locator('#show').click()
      await page.locator('#refused').waitFor()
    },
    'state-thanks': async (page) => {
      await openSignedOut(page, '/register')
      await page.getByLabel('Name of your application').fill('Cake stand')
      await page.getByLabel('Catalogue').check()
      await page.locator('#terms').check()
      await send(page, 'contact', ALONE)
    },
    'state-approved': async (page) => {
      await openDecision(page)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: 'Approved' }).waitFor()
    },
    'state-decided': (page) => openDecision(page, true),
    'state-claimed': async (page) => {
      await page.context().clearCookies()
      await auth.registration.register({ name: 'Bread scales', contact: ALONE, apis: ['catalog'], terms: '2026-11' })
      await page.goto(/http\S+\/claim#\S+/.exec(await waitForText(mailer, '/claim#'))?.[0] ?? '')
      await page.locator('#show').click()
      await page.locator('#credentials figure').first().waitFor()
    },
  }
  return {
    pages,
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

/** The newest e-mail with that text. @param {ReturnType<typeof memoryMailer>} mailer @param {string[]} parts */
async function waitForText(mailer, ...parts) {
  for (const start = Date.now(); Date.now() - start < 20_000;) {
    const found = mailer.emails.findLast(({ text }) => parts.every((part) => text.includes(part)))
    if (found) return found.text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No e-mail with ${parts.join(' and ')} arrived within 20 seconds.`)
}

/** @param {any} auth @param {import('express-platform-auth').Store} store */
async function seed(auth, store) {
  /** @param {string} name @param {object} [more] */
  const create = async (name, more = {}) => {
    const apis = { orders: { scopes: ['orders:read'] }, catalog: {} }
    const made = await auth.applications.create({ name, contact: CONTACT, apis, by: 'images', ...more })
    const record = await store.findApplication(made.application.id)
    const acceptedTerms = { version: '2026-11', url: 'https://example.com/terms', at: Date.now() }
    if (record && name !== 'Bakery till')
      await store.saveApplication({ ...record, version: 2, acceptedTerms }, undefined)
    return made.application.id
  }
  /** @param {string} id */
  const useAll = async (id) => {
    const { keys = [], secrets = [] } = (await store.findApplication(id)) ?? {}
    const at = (/** @type {number} */ index) => Date.now() - 120_000 - index * 10_800_000
    await store.noteCredentialUse([...keys, ...secrets].map(({ hash }, index) => ({ hash, at: at(index) })))
  }
  /** @param {string} name @param {string} plan */
  const createUsed = async (name, plan) => {
    const id = await create(name)
    await auth.plans.set(id, plan, { by: 'images' })
    await countMonth(store, id)
    const used = THIS_MONTH.slice(0, plan === 'trial' ? 1 : 31).map((each) => ({ ...each, applicationId: id }))
    await store.quotas?.add({ id: `quota of ${id}`, at: Date.now() }, used)
    await useAll(id)
    return id
  }
  const near = await createUsed('Bakery till', 'standard')
  await auth.applications.addKey(near, { name: 'till', by: 'images' })
  await auth.applications.addContact(near, 'jo@bakery.example', { by: 'images' })
  await auth.portal.invite(near, 'kim@bakery.example', { by: 'images' })
  const reached = await createUsed('Stock of flour', 'trial')
  const expiring = await create('Delivery vans')
  await countMonth(store, expiring)
  await useAll(expiring)
  const inDays = (/** @type {number} */ days) => new Date(Date.now() + days * 86_400_000)
  await auth.applications.addKey(expiring, { name: 'vans', expiresAt: inDays(3), by: 'images' })
  await auth.applications.addSecret(expiring, { name: 'staging', expiresAt: inDays(80), by: 'images' })
  const suspended = await create('Old web shop')
  await auth.applications.suspend(suspended, { by: 'images' })
  const asked = await auth.registration.register({
    name: 'Café orders',
    contact: CONTACT,
    apis: ['orders'],
    terms: '2026-11',
  })
  const waiting = await create('Invoice copier', { apis: { catalog: {} } })
  await auth.registration.requestAccess(waiting, { api: 'orders', scopes: ['orders:write'], by: 'images' })
  const german = await createUsed('Kaffeemaschinen-Überwachung', 'large')
  for (let at = 1; at <= 6; at++) await create(`Branch ${at}`)
  return { near, reached, expiring, suspended, pending: asked.application.id, waiting, german }
}
