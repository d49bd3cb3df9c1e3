/**
 * A platform with a month behind it, for pictures of the operator's pages: 25 applications of every status, quotas that run out,
 * credentials that end, e-mails that do not arrive, and a change of nearly every kind.
 */
import { once } from 'node:events'
import express from 'express'
import { createPlatformAuth, memoryStore } from '../../dist/esm/index.js'
import { emails } from '../../dist/esm/features/emails/index.js'
import { plans } from '../../dist/esm/features/plans/index.js'
import { portal } from '../../dist/esm/features/portal/index.js'
import { registration } from '../../dist/esm/features/registration/index.js'
import { usage } from '../../dist/esm/features/usage/index.js'
import { operatorPages } from '../../dist/esm/tools/operator/index.js'
import { fakeClock } from '../../dist/esm/tools/testing/index.js'

const DAY = 86_400
const NAMES =
  'Harbour freight|Lantern books|Nordlicht Energie|Pixel & Plume|Corner bakery|Vélo Lyon|Atlas maps|Mango market|Quiet hours|Red kite travel|Orchard ERP|Tidal analytics|Blue door hotels|Kiosk 24|Foxglove health|Summit gear|Paper lane|Casa Verde|Otter insurance|Ginkgo|Northwind traders and their logistics partners in Scandinavia and the Baltics|Ferry times|Magpie pay|Old town cinema|Ember'

/** Starts it, and returns the address of the operator's pages, the ids by name, and how it is closed. */
export async function openBusyPlatform() {
  const clock = fakeClock(Date.now() - 40 * DAY * 1000)
  const store = memoryStore()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    developersUrl: 'https://api.example.com/developers',
    secret: 'a secret of 32 characters or more',
    brand: { name: 'Example APIs' },
    store,
    now: clock.now,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    apis: {
      orders: { scheme: 'oauth2', title: 'Orders', scopes: { 'orders:read': 'Read', 'orders:write': 'Write' } },
      catalog: { scheme: 'apiKey', title: 'Catalogue' },
      invoices: { scheme: 'oauth2', title: 'Invoices', scopes: { 'invoices:read': 'Read' } },
      weather: { scheme: 'apiKey', title: 'Weather', registration: 'manual' },
    },
    features: [
      emails({
        mailer: {
          async send({ to }) {
            if (to.endsWith('.invalid')) throw Object.assign(new Error('Mailbox not found'), { responseCode: 450 })
          },
        },
      }),
      registration({ operators: ['ops@example.com'] }),
      portal(),
      plans({
        free: { requests: [{ limit: 1000, per: 'month' }] },
        gold: { requests: [{ limit: 50_000, per: 'day' }] },
      }),
      usage(),
    ],
  })
  await auth.ready()
  const app = express().use('/', operatorPages(auth, { operator: () => 'maria@example.com', signOut: '/sign-out' }))
  const server = app.listen(0)
  await once(server, 'listening')
  const ids = await addApplications(auth, clock)
  await addCounts(store, clock, ids)
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://localhost:${port}`,
    ids,
    pages: listPages(
      ids,
      (await auth.applications.get(ids[0] ?? ''))?.secrets.find((/** @type {any} */ { keySet }) => !keySet)?.id ?? '',
    ),
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

/** The pages in the states that the example app does not reach. @param {readonly string[]} ids @param {string} secret the id of one @returns {Record<string, string>} */
function listPages(ids, secret) {
  const [one = '', suspended = '', pending = ''] = [0, 3, ids.length - 1].map((at) => `/applications/${ids[at]}`)
  return {
    today: '/',
    applications: '/applications',
    filtered: '/applications?quota=above&status=active',
    application: one,
    suspended,
    pending,
    approve: `${pending}/approve`,
    suspend: `${one}/suspend`,
    delete: `${one}/delete`,
    settings: `${one}/edit`,
    scopes: `${one}/allow?api=orders`,
    rotate: `${one}/rotateSecret?credential=${secret}`,
    create: '/do/create',
    usage: '/usage',
    emails: '/emails',
    keys: '/keys',
    audit: '/audit',
    'report-only': '/reportOnly',
    'not-found': '/nothing',
    refused: '/applications?status=none',
  }
}

/** @param {any} auth @param {any} clock @returns {Promise<readonly string[]>} */
async function addApplications(auth, clock) {
  const { applications } = auth
  const ids = []
  for (const [at, name] of NAMES.split('|').entries()) {
    const host = name
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .slice(0, 24)
      .replace(/-$/, '')
    const { application } = await applications.create({
      name,
      contact: `dev@${host}.${at === 14 ? 'invalid' : 'example'}`,
      apis: {
        orders: { scopes: at % 3 === 0 ? ['orders:read', 'orders:write'] : ['orders:read'] },
        ...(at % 2 === 0 && { catalog: {} }),
      },
      by: at % 2 === 0 ? 'operator:maria@example.com' : 'crm-sync',
    })
    ids.push(application.id)
    await auth.plans.set(application.id, at % 5 === 4 ? 'gold' : 'free', { by: 'operator:maria@example.com' })
    clock.advance(DAY)
  }
  const by = 'operator:maria@example.com'
  const id = (/** @type {number} */ at) => ids[at]
  await applications.suspend(id(3), { reason: 'Unpaid invoices since August.', by })
  await applications.suspend(id(17), { by: 'operator:tom@example.com' })
  await applications.delete(id(23), { by })
  clock.advance(11 * DAY)
  await applications.updateCredential(id(9), (await applications.get(id(9))).keys[0].id, {
    expiresAt: new Date(clock.now() + 13 * DAY * 1000),
    by: 'contact:dev@red-kite-travel.example',
  })
  await applications.addKey(id(12), {
    name: 'nightly import',
    expiresAt: new Date(clock.now() + 7 * DAY * 1000),
    by: 'contact:dev@blue-door-hotels.example',
  })
  await applications.addSecret(id(0), {
    name: 'warehouse Hamburg',
    networks: ['203.0.113.0/24'],
    expiresAt: new Date(clock.now() + 9 * DAY * 1000),
    by: 'contact:dev@harbour-freight.example',
  })
  await applications.addKeySet(id(0), { name: 'hsm', jwksUri: 'https://harbour-freight.example/jwks.json', by })
  await applications.addContact(id(0), 'a-rather-long-address-of-operations@harbour-freight.example', { by })
  await auth.portal.invite(id(0), 'guest@harbour-freight.example', { by: 'contact:dev@harbour-freight.example' })
  await applications.update(id(0), {
    externalId: 'C-20417',
    networks: ['203.0.113.0/24', '2001:db8::/32'],
    metadata: { discountPercent: 10, region: 'north', tags: ['freight', 'b2b'] },
    by,
  })
  await applications.update(id(0), { rateLimits: { orders: { limit: 500, window: 60 } }, by })
  await applications.allow(id(0), 'invoices', { scopes: ['invoices:read'], by })
  await applications.disallow(id(1), 'catalog', { by }).catch(() => undefined)
  await applications.disallow(id(2), 'catalog', { by })
  await applications.revokeTokens(id(5), { by })
  await applications.rotateKey(id(14), { deliver: 'email', by })
  await applications.rotateSecret(id(14), { deliver: 'email', by })
  await auth.signingKeys.rotate({ by })
  clock.advance(3 * DAY)
  await auth.registration.register({
    name: 'Bakery till',
    contact: 'lena@bakery.example',
    apis: { weather: {}, catalog: {} },
  })
  clock.advance(20 * 3600)
  const { application } = await auth.registration.register({
    name: 'Sailing club',
    contact: 'crew@sailing.example',
    apis: { orders: {}, weather: {} },
  })
  clock.advance(3 * 3600)
  await auth.portal.signOut('dev@ember.example').catch(() => undefined)
  clock.advance(3000)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  return [...ids, application.id]
}

/** @param {any} store @param {any} clock @param {readonly string[]} ids */
async function addCounts(store, clock, ids) {
  const at = clock.now()
  const day = (/** @type {number} */ back) => new Date(at - back * DAY * 1000).toISOString().slice(0, 10)
  const counts = ids.slice(0, 25).flatMap((applicationId, each) =>
    Array.from({ length: 30 }, (_, back) => [
      {
        day: day(back),
        applicationId,
        api: 'orders',
        outcome: 'allowed',
        count: Math.round((40 + each * 37) * (1 + 0.3 * Math.sin(back + each))),
      },
      { day: day(back), applicationId, api: 'orders', outcome: 'token', count: 5 + each },
      {
        day: day(back),
        applicationId,
        api: 'orders',
        outcome: 'invalid_token',
        count: each === 6 && back === 0 ? 318 : each % 4,
      },
      {
        day: day(back),
        applicationId,
        api: 'orders',
        outcome: 'insufficient_scope',
        count: back > 0 ? 0 : each === 11 ? 41 : each === 0 ? 13 : 0,
      },
      {
        day: day(back),
        applicationId,
        api: 'orders',
        route: each % 2 === 0 ? 'GET /orders/:id' : 'POST /orders',
        outcome: 'allowed',
        count: 30 + each,
      },
    ]).flat(),
  )
  // Who is suspended makes no calls from that day on.
  const suspended = [ids[3], ids[17]]
  const made = counts.filter((count) => !suspended.includes(count.applicationId) || count.day < day(15))
  await store.usage.add({ id: 'busy', at }, made)
  const refusal = {
    applicationId: ids[0],
    api: 'orders',
    error: 'invalid_token',
    reason: 'expired_token',
    requestId: undefined,
    address: '203.0.113.7',
  }
  await store.usage.addRefusals(
    { id: 'busy', at },
    Array.from({ length: 12 }, (_, back) => ({
      ...refusal,
      at: at - (12 - back) * 9e6,
      details: { route: 'GET /orders/:id', expiredAt: at - (12 - back) * 9e6 - 300_000 },
    })),
    50,
  )
  await store.usage.addRefusals(
    { id: 'busy2', at },
    [
      {
        ...refusal,
        error: 'insufficient_scope',
        reason: 'insufficient_scope',
        at: at - 7200_000,
        details: { route: 'POST /orders', required: ['orders:write'] },
      },
    ],
    50,
  )
  const reported = {
    applicationId: ids[4],
    api: 'catalog',
    route: 'GET /products',
    reason: 'invalid_api_key',
    count: 71,
    firstAt: at - 20 * DAY * 1000,
    lastAt: at - 3600_000,
  }
  await store.usage.addReported({ id: 'busy4', at }, [
    reported,
    { ...reported, applicationId: undefined, route: 'GET /products/:id', reason: 'missing_api_key', count: 1204 },
  ])
  await store.quotas.add({ id: 'busy3', at }, [
    { day: day(0), applicationId: ids[0], count: 853 },
    { day: day(0), applicationId: ids[7], count: 1000 },
    { day: day(0), applicationId: ids[9], count: 47_900 },
    { day: day(0), applicationId: ids[10], count: 420 },
  ])
  const used = []
  for (const [each, id] of ids.entries()) {
    const { keys, secrets } = await store.findApplication(id)
    used.push(
      ...[...keys, ...secrets].map(({ hash }) => ({
        hash,
        at: each === 3 || each === 17 ? at - 15 * DAY * 1000 : at - (each * each * 1700 + 40) * 1000,
      })),
    )
  }
  await store.noteCredentialUse(used)
}
