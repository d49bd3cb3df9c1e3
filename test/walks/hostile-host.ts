import express from 'express'
import { createServer } from 'node:http'
import { plans } from '../../src/features/plans/index.js'
import { memoryStore } from '../../src/index.js'
import { developerConsole } from '../../src/tools/console/index.js'
import { operatorPages } from '../../src/tools/operator/index.js'
import { memoryMailer } from '../../src/tools/testing/index.js'
import { PLATFORM_PARTS } from '../../src/shared/contracts/platform-parts.js'
import type { Platform } from '../../src/tools/operator/visit.js'
import { openPlatform } from '../support/platform.js'
import { listen } from '../tools/console/shop.js'
import { waitUntil } from '../support/wait-until.js'

/** What people write into fields, and callers into requests. `hostile` is no attribute and `hostile-tag` no element of any page. */
export const TEXTS = {
  element: '<img src=x onerror=alert(1) hostile><hostile-tag>',
  ends: `"></title></style></textarea><script hostile>alert(1)</script><!--`,
  attribute: `' hostile='1' onfocus=alert(1) autofocus x="" hostile="1" y=`,
  link: 'javascript:alert(1)//https://evil.example/"onclick="alert(1)',
  formula: `=cmd|' /C calc'!A0`,
  templates: '${alert(1)} {{constructor.constructor("alert(1)")()}} <%= 1 %> &lt;hostile-tag&gt; %0d%0aX: y',
  emoji: '👩\u200D👩\u200D👧'.repeat(19),
  rightToLeft: 'متجر الشاي الأخضر والأسود في مدينة القاهرة القديمة',
  long: 'W'.repeat(100),
} as const
/** Marks that turn the order of characters round. Names may not have them. */
export const BIDI = '\u202Egnp.exe\u2066 \u200Fabc\u202C'
export const VERY_LONG = 'W'.repeat(10_000)
export const NAMES = Object.values(TEXTS)
export const ALL = `${NAMES.join(' ')} ${BIDI}`
/** The local parts that addresses may have. */
const LOCAL_PART = "x'hostile='1'/*{{}}*/|=cmd"
export const CONTACT = `${LOCAL_PART}@shop.example`
export const WAITING = { name: TEXTS.ends, contact: "second+o'hostile'1'@shop.example" }

/** Markdown makes a link of an address, as its author wants. */
const MARKDOWN = ALL.replace('https://evil.example/', '')

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: TEXTS.element,
    version: TEXTS.attribute,
    description: `${MARKDOWN}\n\n[x](javascript:alert(1)) ${VERY_LONG}`,
  },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        summary: TEXTS.ends,
        description: `${MARKDOWN} <a href="javascript:alert(1)" onclick=alert(1) hostile>x</a>`,
        tags: [TEXTS.element],
        parameters: [{ name: TEXTS.attribute, in: 'query', schema: { type: 'string', enum: NAMES } }],
        responses: { 200: { description: MARKDOWN } },
      },
    },
  },
}

/** A platform with all its pages, of which every text is hostile: those of its owner, its partners, its operators and of requests. */
export async function openHostileHost() {
  const app = express()
  const server = createServer(app)
  // A page that takes longer to be parsed must not end the connection.
  server.keepAliveTimeout = 0
  const baseUrl = `http://localhost:${await listen(server)}`
  const mailer = memoryMailer()
  const store = memoryStore()
  const choices = NAMES.map((text) => ({ value: text, label: text }))
  const { auth, clock } = openPlatform({
    baseUrl,
    store,
    developersUrl: `${baseUrl}/developers`,
    brand: { name: TEXTS.element, supportUrl: `https://shop.example/?${encodeURI(TEXTS.ends)}` },
    mailer: {
      async send(message) {
        if (message.to.startsWith('second')) throw Object.assign(new Error(ALL), { responseCode: 450 })
        await mailer.send(message)
      },
    },
    operators: ["ops'hostile='1'@shop.example"],
    registration: {
      fields: {
        inputs: {
          company: { label: TEXTS.element, hint: TEXTS.ends },
          about: { label: TEXTS.long, type: 'textarea' as const, maxLength: 2000 },
          kind: { label: TEXTS.rightToLeft, type: 'select' as const, options: choices },
        },
      },
    },
    rateLimits: { registration: false, allRegistrations: false, signIn: false, failedAuthentication: false },
    plans: plans({ ['p'.repeat(64)]: { requests: [{ limit: 1000, per: 'month' }] } }),
    apis: {
      orders: {
        scheme: 'oauth2',
        title: TEXTS.element,
        description: ALL,
        scopes: { 'a:<img/src=x/onerror=alert(1)/hostile>': ALL, [`s:${'W'.repeat(200)}`]: TEXTS.ends },
        registration: 'automatic',
      },
      invoices: { scheme: 'oauth2', title: ALL, description: TEXTS.ends, registration: 'manual' },
      catalog: { scheme: 'apiKey', title: TEXTS.long, description: TEXTS.formula },
    },
  })
  app.use(auth.router)
  app.use('/developers/register', auth.registration.router, auth.emails.router)
  app.use('/developers/applications', auth.portal.router)
  app.use('/operator', operatorPages(auth, { operator: () => `${TEXTS.ends}${TEXTS.attribute}` }))
  app.use('/developers', developerConsole(auth, { title: TEXTS.ends, documents: { orders: DOCUMENT } }))
  await auth.ready()

  const { core } = (auth as Platform)[PLATFORM_PARTS]!
  const by = `operator:${TEXTS.element}`
  const at = clock.now()
  const day = new Date(at).toISOString().slice(0, 10)
  const ids: string[] = []
  for (const [index, name] of NAMES.entries()) {
    const { application } = await auth.applications.create({
      name,
      contact: CONTACT,
      externalId: index === 0 ? 'W'.repeat(255) : name.replaceAll('\u200D', ''),
      metadata: { [name]: { [name]: [name] }, bidi: BIDI, about: ALL, ...(index === 0 && { long: 'W'.repeat(1500) }) },
      apis: { orders: {}, catalog: {} },
      by,
    })
    const { id } = application
    ids.push(id)
    await auth.applications.rotateKey(id, { deliver: 'email', by })
    await auth.applications.addKey(id, { name: `${Array.from(name).slice(0, 60).join('')}-`, by })
    await auth.plans.set(id, 'p'.repeat(64))
    const counted = { day, applicationId: id, api: 'orders' }
    await store.usage.add({ id: `u${index}`, at }, [
      { ...counted, outcome: 'allowed', count: 950, route: `GET /${name}` },
      { ...counted, outcome: 'allowed', count: 950 },
      { ...counted, outcome: 'invalid_token', count: 340 },
    ])
    const refusal = { ...counted, error: 'invalid_token', reason: 'expired_token', address: '2001:db8::1' }
    const details = { route: `GET /${ALL}`.slice(0, 300) }
    await store.usage.addRefusals({ id: `f${index}`, at }, [{ ...refusal, requestId: name, at, details }], 50)
    const reported = { ...counted, route: `GET /${name}`, reason: 'insufficient_scope', count: 7 }
    await store.usage.addReported({ id: `r${index}`, at }, [{ ...reported, firstAt: at, lastAt: at }])
    await store.quotas.add({ id: `q${index}`, at }, [{ day, applicationId: id, count: 950 }])
  }
  const [first = '', second = '', third = ''] = ids
  const jwksUri = 'https://partner.example/?<img/src=x/onerror=alert(1)/hostile>'
  await auth.applications.addKeySet(first, { name: TEXTS.attribute, jwksUri, by })
  await auth.applications.addContact(first, WAITING.contact)
  await auth.portal.invite(first, "third-o'hostile@shop.example")
  await auth.applications.suspend(third, { by, reason: `${TEXTS.element}\n${TEXTS.ends}\n${BIDI}${'W'.repeat(300)}` })
  await core
    .find('registration')!
    .requestAccess(() => undefined, second, { api: 'invoices', scopes: [], by: `contact:${CONTACT}` })
  const { application: unreached } = await auth.applications.create({ ...WAITING, apis: ['catalog'], by })
  await auth.applications.rotateKey(unreached.id, { deliver: 'email', by })
  await waitUntil(async () => (await auth.emails.list({ applicationId: unreached.id })).items[0]?.problem !== undefined)
  await auth.registration.register({ ...WAITING, apis: { orders: {}, invoices: {} } })
  return {
    auth,
    mailer,
    baseUrl,
    app,
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

export type HostileHost = Awaited<ReturnType<typeof openHostileHost>>

/** Where all pages can be reached from. */
export const STARTS = [
  '/operator',
  '/developers/',
  '/developers/register',
  '/developers/applications',
  '/developers/register/decide',
  // Linked only where e-mails have failed.
  '/operator/do/retryAllEmails',
]

/** Pages of one kind have one name; the page of each application is of its own kind, because its state leads to others. */
export function nameKind(path: string): string {
  return path
    .replace(/app_\w+(?=\/)/, 'ID')
    .replaceAll(/(?:cred|key)_\w+/g, 'ID')
    .replace(/\?.*/, (query) => `?${[...new URLSearchParams(query).keys()].join('&')}`)
    .replace(/(\/colleagues|\/credentials|\/invitations)\/[^/]+/, '$1/X')
}
