/**
 * Takes one journey through records for each name that `Object.prototype` is polluted with, on one store: `node
 * record-pollution-process.mjs <{ store, address, names, values } as JSON>`. Sends over IPC what differed from the journey without pollution: an
 * answer while it lasted or after it, or what was stored.
 */
import { once } from 'node:events'
import { request } from 'node:http'
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Pool } from 'pg'
import { createPlatformAuth, memoryStore } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { plans } from 'express-platform-auth/plans'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

/** @type {{ store: 'memory' | 'SQLite' | 'PostgreSQL', address: string, names: string[], values: number }} */
const { store: kind, address, names, values } = JSON.parse(process.argv[2] ?? '{}')
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(publicKey)), kid: 'attacker', alg: 'ES256' }

/** What a program that merges JSON without care could be made to inherit. */
const VALUES = [
  { keys: [jwk], orders: { scopes: ['orders:read', 'orders:write'], limit: 9, window: 9 } },
  ['orders', 'catalog', '10.0.0.0/8'],
  'orders',
  9e12,
  true,
]
const NOW = Date.parse('2026-05-04T10:00:00Z')
const CONTACT = 'contact:dev@example.com'

function openStore() {
  if (kind === 'memory') return memoryStore()
  return kind === 'SQLite' ? sqliteStore(address) : postgresStore({ pool: new Pool({ connectionString: address }) })
}

const store = openStore()
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const auth = createPlatformAuth({
  baseUrl: 'http://localhost',
  developersUrl: 'http://localhost/developers',
  secret: 'a secret of 32 characters or more',
  apis: {
    orders: {
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read', 'orders:write': 'Write' },
      clientAuthentication: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      introspection: ['externalId'],
      registration: 'automatic',
    },
    catalog: { scheme: 'apiKey' },
    weather: { scheme: 'apiKey', registration: 'automatic' },
  },
  store,
  logger: quiet,
  rateLimits: { failedAuthentication: false },
  features: [
    emails({ mailer: { send: () => new Promise(() => {}) } }),
    registration({ operators: ['ops@example.com'] }),
    portal(),
    usage(),
    plans({ gold: { requests: [{ limit: 1000, per: 'day' }] } }),
  ],
  now: () => NOW,
})
const app = express()
app.use(auth.router)
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end('passed'))
await auth.ready()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

/** @param {string} path @param {Record<string, string> | undefined} form @param {Record<string, string>} headers */
function send(path, form, headers = {}) {
  const body = form && new URLSearchParams(form).toString()
  const given = { ...headers, ...(body && { 'content-type': 'application/x-www-form-urlencoded' }) }
  const own = Object.assign(Object.create(null), given)
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const options = { port, host: '127.0.0.1', path, method: body ? 'POST' : 'GET', headers: own, agent: false }
  return new Promise((resolve, reject) => {
    request(Object.assign(Object.create(null), options), (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (piece) => void (text += piece))
      res.on('end', () => resolve(`${res.statusCode} ${text}`))
    })
      .on('error', reject)
      .end(body)
  })
}

/** @param {string} id */
function signAssertion(id) {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'attacker' })
    .setIssuer(id)
    .setSubject(id)
    .setAudience('http://localhost/orders')
    .setIssuedAt(NOW / 1000)
    .setExpirationTime(NOW / 1000 + 60)
    .setJti(`${Math.random()}`)
    .sign(privateKey)
}

/**
 * Does each step while the prototype has the member, and again what only asks when it has none. Returns the results, and what is stored.
 *
 * @param {Readonly<Record<string, unknown>>} polluted
 */
async function takeJourney(polluted) {
  /** @type {Record<string, string>} */
  const results = {}
  /** @template Result @param {string} name @param {() => Promise<Result>} work @returns {Promise<Result | undefined>} */
  const step = async (name, work) => {
    Object.assign(Object.prototype, polluted)
    try {
      const result = await work()
      clean()
      results[name] = hideChance(JSON.stringify(result))
      return result
    } catch (error) {
      clean()
      results[name] = hideChance(`throws ${String(error)}`)
      return undefined
    }
  }
  const clean = () => Object.keys(polluted).forEach((member) => Reflect.deleteProperty(Object.prototype, member))
  const { applications } = auth
  const contact = `dev@example.com`
  const apis = { orders: { scopes: ['orders:read'] }, catalog: {}, weather: {} }
  const created = await step('create', () => applications.create({ name: 'Shop', contact, apis }))
  if (!created) return results
  const { id, keys, secrets } = created.application
  const [firstKey = '', firstSecret = ''] = [keys[0]?.id, secrets[0]?.id]
  const { clientId, clientSecret = '' } = created.credentials
  await step('update', () => applications.update(id, { name: 'Shop 2' }))
  await step('addKey', () => applications.addKey(id, { name: 'second', apis: ['catalog'] }))
  await step('addKey by contact', () => applications.addKey(id, { name: 'third', apis: ['catalog'], by: CONTACT }))
  await step('addSecret', () => applications.addSecret(id, { name: 'second', apis: ['orders'] }))
  await step('rotateKey', () => applications.rotateKey(id, { credential: firstKey }))
  await step('rotateSecret by contact', () => applications.rotateSecret(id, { credential: firstSecret, by: CONTACT }))
  await step('allow', () => applications.allow(id, 'catalog', { rateLimit: { limit: 500, window: 1 } }))
  await step('disallow', () => applications.disallow(id, 'weather'))
  const keySet = await step('addKeySet', () => applications.addKeySet(id, { name: 'set', jwks: { keys: [jwk] } }))
  await step('endCredential', () => applications.endCredential(id, keySet?.credential.id ?? ''))
  const published = { name: 'address', jwksUri: 'https://partner.example/jwks.json' }
  const address = await step('addKeySet, address', () => applications.addKeySet(id, published))
  await step('reloadKeySet', () => applications.reloadKeySet(id, address?.credential.id ?? ''))
  await step('networks', () => applications.update(id, { networks: ['127.0.0.0/8'], metadata: { size: 1 } }))
  await step('networks by contact', () => applications.update(id, { networks: ['127.0.0.1/32'], by: CONTACT }))
  await step('addContact', () => applications.addContact(id, 'other@example.com'))
  await step('suspend', () => applications.suspend(id))
  await step('resume', () => applications.resume(id))
  await step('endCredential, address', () => applications.endCredential(id, address?.credential.id ?? ''))
  await step('get', () => applications.get(id))
  await step('list', async () => (await applications.list({ contact })).items.length > 0)
  const questions = {
    secret: () => send('/orders/token', grant({ client_id: clientId, client_secret: clientSecret })),
    key: () => send('/catalog/items', undefined, { 'X-Api-Key': clientId }),
    'assertion of another': () => send('/orders/token', grant({ client_assertion_type: ASSERTION, client_assertion })),
    'resource server': () =>
      send('/_resource-server/introspect', {
        client_id: clientId,
        client_secret: clientSecret,
        api: 'catalog',
        token: clientId,
      }),
  }
  let client_assertion = await signAssertion(id)
  for (const [name, ask] of Object.entries(questions)) await step(name, ask)
  const stored = await store.findApplication(id)
  const queued = await store.emails.list({ applicationId: id, state: undefined, limit: 100 })
  const audit = await store.listAudit({ applicationId: id, after: undefined, limit: 100 })
  Object.assign(results, {
    'the record': hideChance(JSON.stringify(stored)),
    'the e-mails': hideChance(JSON.stringify(queued)),
    'the audit log': hideChance(JSON.stringify(audit)),
  })
  client_assertion = await signAssertion(id)
  for (const [name, ask] of Object.entries(questions))
    results[`${name}, afterwards`] = hideChance(JSON.stringify(await ask()))
  await applications.delete(id)
  return results
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** @param {Record<string, string>} members */
function grant(members) {
  return { grant_type: 'client_credentials', ...members }
}

/** Hides what is another each time. @param {string | undefined} text */
function hideChance(text = '') {
  return (
    text
      .replaceAll(/(app|cred|email|epa_key|epa_sec|req|chg)_[\w-]+/g, '$1')
      .replaceAll(/"id":"[\w-]{8}"|"[\w-]{22}"|"[\w-]{43}"|eyJ[\w.-]+/g, '"RANDOM"')
      .replaceAll(/"(id|seq)":"?\d+"?/g, '"$1":0')
      // Noted some time after the use.
      .replaceAll(/"lastUsedAt":[^,}]+,?/g, '')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\\?"(jti|iat|exp)\\?":[^,}]+/g, '"$1":0')
  )
}

const expected = await takeJourney({})
const again = await takeJourney({})
/** @type {string[]} */
const problems = compare('nothing', again)
for (const name of names) {
  for (const value of VALUES.slice(0, values))
    problems.push(...compare(`${name}: ${JSON.stringify(value).slice(0, 40)}`, await takeJourney({ [name]: value })))
}
await new Promise((resolve) => process.send?.(problems, resolve))
process.exit()

/** @param {string} what @param {Record<string, string>} results */
function compare(what, results) {
  const different = Object.keys(expected).filter((step) => results[step] !== expected[step])
  return different
    .slice(0, 1)
    .map((step) => `${what}, ${different.join(', ')}: ${describe(expected[step], results[step])}`)
}

/** From where two texts differ. */
function describe(one = '', other = '') {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return `${one.slice(Math.max(0, at - 30), at + 60)} became ${other.slice(Math.max(0, at - 30), at + 120)}`
}
