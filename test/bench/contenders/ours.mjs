import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createPlatformAuth, memoryStore } from '../../../dist/esm/index.js'
import { plans } from '../../../dist/esm/features/plans/index.js'
import { usage } from '../../../dist/esm/features/usage/index.js'
import { sqliteStore } from '../../../dist/esm/stores/sqlite/index.js'
import { credentialSource } from '../../../dist/esm/tools/remote/index.js'
import { guardedApp, newApp } from '../app.mjs'
import { clientLines } from '../clients.mjs'
import { claimsOf, garbageToken, newKeyPair, SCOPES, signerOf } from '../tokens.mjs'
import { credentialsOf, PLATFORM, privateSigningKey, WITHOUT_LIMIT } from '../platform.mjs'

/**
 * The package, mounted as in its README: `guard` is `bearer`, `apiKey`, `none` for a platform that services ask, or left out for the token endpoint. Applications are
 * created by `auth.applications.create()`; access tokens are signed with the platform's key.
 */
export async function start(options) {
  const {
    store: kind = 'memory',
    algorithm = 'ES256',
    applications = 1000,
    tokens = 0,
    forgeries = 1000,
    guard,
    windows,
    counted,
    defaults,
    folder,
  } = options
  const file = join(mkdtempSync(join(folder, 'ours-')), 'platform.sqlite')
  const store = kind === 'sqlite' ? sqliteStore(file) : memoryStore()
  const auth = createPlatformAuth({
    ...PLATFORM,
    ...(defaults ? {} : WITHOUT_LIMIT),
    ...(windows && withPlan(windows)),
    ...(counted && { features: [usage({ routes: true })] }),
    store,
    tokens: { algorithm },
  })
  await auth.ready()

  const made = await registered(auth, applications, windows ? { scopes: ['catalog:read', 'catalog:write'] } : {})
  if (windows) for (const { id } of made) await auth.plans.set(id, 'plan')
  const key = await privateSigningKey(store)
  const credentials = await credentialsOf(store)
  return {
    app: appOf(auth, guard),
    auth,
    lines: {
      ...clientLines(made.map(({ clientId, clientSecret }) => ({ id: clientId, secret: clientSecret }))),
      ...tokenLines(made, key, tokens, forgeries),
      ...keyLines(made, credentials),
    },
  }
}

function appOf(auth, guard) {
  if (guard === 'bearer') return guardedApp(auth.requireBearer('orders', { scopes: ['orders:read'] }))
  if (guard === 'apiKey') return guardedApp(auth.requireApiKey('catalog'))
  if (guard === 'plan') return guardedApp(auth.requireApiKey('catalog', { scopes: ['catalog:read'] }))
  if (guard === 'none') return newApp().use(auth.router, credentialSource(auth, { requests: false }))
  auth.events.on('token.issued', countEvent)
  auth.events.on('token.refused', countEvent)
  return newApp().use(auth.router)
}

let events = 0
function countEvent() {
  events += 1
}

/** A key API with scopes, and a plan of so many limits, none of which is reached. */
function withPlan(windows) {
  const limits = [{ window: 1 }, { per: 'day' }, { per: 'month' }].slice(0, windows)
  const catalog = { scheme: 'apiKey', scopes: { 'catalog:read': 'Read', 'catalog:write': 'Change' } }
  return {
    apis: { ...PLATFORM.apis, catalog },
    features: [plans({ plan: { requests: limits.map((each) => ({ limit: 1_000_000_000, ...each })) } })],
  }
}

async function registered(auth, count, catalog) {
  const all = []
  for (let i = 0; i < count; i++) {
    const apis = { orders: { scopes: SCOPES }, catalog }
    const { application, credentials } = await auth.applications.create({ name: `Application ${i}`, apis })
    all.push({ id: application.id, ...credentials })
  }
  return all
}

function tokenLines(made, key, count, forgeries) {
  if (count === 0) return {}
  const foreign = newKeyPair(key.kid)
  const sign = signerOf(key.jwk, key)
  const signForeign = signerOf(foreign.privateJwk, { kid: key.kid, alg: 'ES256' })
  const signUnknown = signerOf(foreign.privateJwk, { kid: 'unknown', alg: 'ES256' })
  const several = (length, make) => Array.from({ length }, (_, i) => make(made[i % made.length].id))
  const past = { issuedAt: Date.now() - 86_400_000, lifetime: 3600 }
  return {
    tokens: several(count, (id) => sign(claimsOf(id))),
    garbage: several(1000, garbageToken),
    expired: [sign(claimsOf(made[0].id, past))],
    foreign: several(forgeries, (id) => signForeign(claimsOf(id))),
    unknownKid: several(1000, (id) => signUnknown(claimsOf(id))),
  }
}

function keyLines(made, credentials) {
  return {
    keys: made.map(({ clientId }) => clientId),
    unknownKeys: made.map(() => credentials.mint('key', 0).plain),
    malformedKeys: made.map(({ clientId }) => `${clientId.slice(0, -1)}-`),
  }
}
