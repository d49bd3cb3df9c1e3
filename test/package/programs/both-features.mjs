// An app that imports the package and whose features, tools and store are required: another copy of everything that they share.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import express from 'express'
import * as imported from 'express-platform-auth'

const require = createRequire(import.meta.url)
const required = require('express-platform-auth')
const { emails } = require('express-platform-auth/emails')
const { imports } = require('express-platform-auth/imports')
const { portal } = require('express-platform-auth/portal')
const { registration } = require('express-platform-auth/registration')
const { usage } = require('express-platform-auth/usage')
const { developerConsole } = require('express-platform-auth/console')
const { guardsFromDocument } = require('express-platform-auth/document-guards')
const { openAdmin } = require('express-platform-auth/admin')

const app = express()
const server = createServer(app).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const baseUrl = `http://127.0.0.1:${server.address().port}`
const sent = []
const store = required.memoryStore()
const auth = imported.createPlatformAuth({
  baseUrl,
  developersUrl: `${baseUrl}/developers`,
  apis: {
    orders: { scheme: 'oauth2', registration: 'automatic' },
    catalog: { scheme: 'apiKey' },
    archive: { scheme: 'apiKey', registration: 'closed' },
  },
  store,
  secret: 'a secret of 32 characters or more',
  features: [
    emails({ mailer: { send: async ({ text }) => void sent.push(text) }, delivery: 'claim-link' }),
    registration({ limits: { registration: { limit: 1, window: 60 } } }),
    portal(),
    usage(),
    imports(),
  ],
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
})
const document = { openapi: '3.1.0', info: { title: 'Orders', version: '1' }, paths: { '/items': { get: {} } } }
app.use(auth.router)
app.use('/developers/register', auth.registration.router, auth.emails.router)
app.use('/developers/applications', auth.portal.router)
app.use('/developers', developerConsole(auth))
app.use('/orders', guardsFromDocument(auth, 'orders', document), (req, res) => {
  res.json({ name: imported.authOf(req).application.name })
})

async function call(path, { json, headers, ...init } = {}) {
  const type = json && { 'Content-Type': 'application/json' }
  const body = json ? { method: 'POST', body: JSON.stringify(json) } : {}
  const answer = await fetch(baseUrl + path, { ...body, ...init, headers: { ...type, ...headers } })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

const acme = { name: 'Acme', contact: 'dev@acme.example', apis: ['orders'] }
const registered = await call('/developers/register', { json: acme })
while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
const [, token] = /claim#([\w-]{43})/.exec(sent[0])
// The e-mail counts as sent a moment after the mailer has it; until then its link does not work.
let claimed = { status: 0 }
while (claimed.status !== 200) {
  claimed = await call('/developers/register/claim', { json: { token } })
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const form = {
  grant_type: 'client_credentials',
  client_id: claimed.body.client_id,
  client_secret: claimed.body.client_secret,
}
const issued = await call('/orders/token', { method: 'POST', body: new URLSearchParams(form) })
const authorization = `Bearer ${issued.body.access_token}`
const refusal = async (promise) =>
  promise.then(
    () => 'resolved',
    (error) => [error instanceof imported.ApplicationError, error.code],
  )
const plain = '4174348a-9222-4e81-b33e-5d72d2fd7f1e'
const old = { externalId: 'c-1', name: 'Old', apis: ['catalog'], keys: [{ plain }] }
const answers = {
  registered: registered.status,
  wrongLink: (await call('/developers/register/claim', { json: { token: 'wrong' } })).status,
  issued: issued.status,
  guarded: await call('/orders/items', { headers: { authorization } }),
  undocumented: (await call('/orders/others', { headers: { authorization } })).status,
  refused: (await call('/orders/items', { headers: { authorization: 'Bearer x.y.z' } })).status,
  // What is wrong with a registration, and a limit, are found by the other copy than the one that answers.
  wrong: (await call('/developers/register', { json: { ...acme, apis: ['nothing'] } })).status,
  closed: (await call('/developers/register', { json: { ...acme, apis: ['archive'] } })).status,
  limited: (await call('/developers/register', { json: acme })).status,
  console: (await call('/developers/')).status,
  signIn: (await call('/developers/applications')).status,
  link: new URL(await auth.portal.link({ contact: acme.contact })).pathname,
  rejects: await Promise.all([
    refusal(auth.registration.register({ ...acme, apis: ['archive'] })),
    refusal(auth.registration.requestAccess('app_unknown', { api: 'orders' })),
    refusal(auth.portal.link({ contact: 'nobody@acme.example' })),
  ]),
  imported: await auth.imports.run([old], { confirm: true }),
  importedKey: (await auth.verifyApiKey('catalog', old.keys[0].plain)).application.name,
}
await auth.close()
// Counts are stored when the platform is closed, and an operator's process reads them.
const admin = await openAdmin(store)
answers.usage = (await admin.usage.list()).items.map(({ api, allowed }) => [api, allowed])
await admin.close()
server.close()
server.closeAllConnections()
console.log(JSON.stringify(answers))
