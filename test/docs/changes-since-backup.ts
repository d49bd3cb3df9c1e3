import type { Application, IssuedCredentials } from '../../src/index.js'
import { ROOT, createBrowser } from '../features/portal/browser.js'
import { openLink } from '../features/portal/portal-app.js'
import type { Server } from './full-site.js'

/** An application, and what its developers and others held when the backup was made. */
export interface Partner {
  readonly id: string
  readonly contact: string
  readonly credentials: Partial<IssuedCredentials>
  readonly accessToken: string
  /** Of a session at the portal. */
  readonly cookies: ReadonlyMap<string, string>
}

type Act = (server: Server, partner: Partner) => Promise<unknown>

/** A change since the backup; `before` is what it needs of the time before. */
export interface Change {
  readonly name: string
  readonly before?: Act
  readonly change: Act
}

const by = 'alice'
const DAY = 86_400_000
const keyOf = async ({ auth }: Server, id: string, name = 'default') =>
  (await auth.applications.get(id))!.keys.find((key) => key.name === name)!

/** One per partner: an operator's decisions, what partners did, and what the platform did. */
export const CHANGES: readonly Change[] = [
  { name: 'suspended', change: ({ auth }, { id }) => auth.applications.suspend(id, { by, revokeTokens: true }) },
  {
    name: 'resumed',
    before: ({ auth }, { id }) => auth.applications.suspend(id, { by }),
    change: ({ auth }, { id }) => auth.applications.resume(id, { by }),
  },
  { name: 'deleted', change: ({ auth }, { id }) => auth.applications.delete(id, { by }) },
  { name: 'tokens revoked', change: ({ auth }, { id }) => auth.applications.revokeTokens(id, { by }) },
  {
    name: 'access token revoked by the application',
    change: ({ caller }, { credentials, accessToken }) => caller.revoke('orders', credentials, accessToken).expect(200),
  },
  { name: 'key rotated', change: ({ auth }, { id }) => auth.applications.rotateKey(id, { overlap: 0, by }) },
  {
    name: 'key rotated with an overlap',
    change: ({ auth }, { id }) => auth.applications.rotateKey(id, { overlap: 86_400, by }),
  },
  {
    name: 'secret rotated',
    change: ({ auth }, { id }) => auth.applications.rotateSecret(id, { overlap: 0, revokeTokens: true, by }),
  },
  {
    name: 'named key ended',
    before: ({ auth }, { id }) => auth.applications.addKey(id, { name: 'Server 2', by }),
    async change(server, { id }) {
      await server.auth.applications.endCredential(id, (await keyOf(server, id, 'Server 2')).id, { by })
    },
  },
  {
    name: 'networks of a key',
    async change(server, { id }) {
      await server.auth.applications.updateCredential(id, (await keyOf(server, id)).id, {
        networks: ['192.0.2.0/24'],
        by,
      })
    },
  },
  {
    name: 'end of a key',
    async change(server, { id }) {
      const expiresAt = new Date(Math.ceil(Date.now() / DAY + 3) * DAY)
      await server.auth.applications.updateCredential(id, (await keyOf(server, id)).id, { expiresAt, by })
    },
  },
  { name: 'API taken away', change: ({ auth }, { id }) => auth.applications.disallow(id, 'catalog', { by }) },
  {
    name: 'scope taken away',
    change: ({ auth }, { id }) => auth.applications.allow(id, 'orders', { scopes: ['orders:read'], by }),
  },
  { name: 'API granted', change: ({ auth }, { id }) => auth.applications.allow(id, 'weather', { by }) },
  {
    name: 'networks',
    change: ({ auth }, { id }) => auth.applications.update(id, { networks: ['192.0.2.0/24', '2001:db8::/32'], by }),
  },
  {
    name: 'contact removed',
    before: ({ auth }, { id }) => auth.applications.addContact(id, 'second@partner.example', { by }),
    change: ({ auth }, { id }) => auth.applications.removeContact(id, 'second@partner.example', { by }),
  },
  {
    name: 'contact added',
    change: ({ auth }, { id }) => auth.applications.addContact(id, 'third@partner.example', { by }),
  },
  {
    name: 'first contact changed',
    change: ({ auth }, { id }) => auth.applications.update(id, { contact: 'new@partner.example', by }),
  },
  {
    name: 'invitation cancelled',
    before: ({ auth }, { id }) => auth.portal.invite(id, 'later-guest@partner.example', { by }),
    change: ({ auth }, { id }) => auth.applications.cancelInvitation(id, 'later-guest@partner.example', { by }),
  },
  { name: 'signed out', change: ({ auth }, { contact }) => auth.portal.signOut(contact) },
  {
    name: 'e-mail cancelled',
    before: ({ auth }, { id }) => auth.applications.rotateKey(id, { deliver: 'email', overlap: 3600, by }),
    change: ({ auth }, { id }) => auth.emails.cancel(id, { by }),
  },
  { name: 'plan changed', change: ({ auth }, { id }) => auth.plans.set(id, 'pro', { by }) },
  {
    name: 'plan removed',
    before: ({ auth }, { id }) => auth.plans.set(id, 'free', { by }),
    change: ({ auth }, { id }) => auth.plans.set(id, null, { by }),
  },
  {
    name: 'metadata',
    change: ({ auth }, { id }) => auth.applications.update(id, { metadata: { note: `"it's" $(odd)` }, by }),
  },
  { name: 'external id', change: ({ auth }, { id }) => auth.applications.update(id, { externalId: 'C 17', by }) },
  {
    name: 'name and language',
    change: ({ auth }, { id }) => auth.applications.update(id, { name: "Partner's `new`", language: 'fr', by }),
  },
  {
    name: 'limits',
    before: ({ auth }, { id }) =>
      auth.applications.update(id, { rateLimits: { orders: { limit: 7, window: 60 } }, by }),
    change: ({ auth }, { id }) =>
      auth.applications.update(id, { rateLimits: { catalog: { limit: 900, window: 60 } }, by }),
  },
]

export async function createPartner({ auth, app, caller }: Server, index: number): Promise<Partner> {
  // The mail server takes no e-mails to this one, so that they wait in the queue.
  const contact = `${CHANGES[index]?.name === 'e-mail cancelled' ? 'later' : 'dev'}-${index}@partner.example`
  const { application, credentials } = await auth.applications.create({
    name: `Partner ${index}`,
    contact,
    apis: ['orders', 'catalog'],
    by,
  })
  const accessToken = await caller.accessToken('orders', credentials)
  const browser = createBrowser(app)
  await openLink(browser, await auth.portal.link({ contact }))
  return { id: application.id, contact, credentials, accessToken, cookies: browser.cookies }
}

/** What guards, endpoints, the portal and lists answer about a partner, with what was held before the backup. */
export async function observe(server: Server, partner: Partner): Promise<object> {
  const { auth, app, caller, store } = server
  const { id, credentials, accessToken, cookies } = partner
  const [catalog, orders, token] = await Promise.all([
    caller.key('/catalog/items', credentials.clientId!),
    caller.bearer('/orders/items', accessToken),
    caller.token('orders', credentials),
  ])
  const browser = createBrowser(app)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  const page = await browser.get(`${ROOT}/${id}`)
  const application = await auth.applications.get(id)
  const emails = await store.emails.list({ applicationId: id, state: undefined, limit: 100 })
  return {
    ...(application && describe(application)),
    emails: emails.map(({ purpose }) => purpose),
    catalog: catalog.status,
    orders: orders.status,
    token: token.status,
    portal: page.text.includes('Sign out'),
  }
}

const SHOWN = ['name', 'status', 'apis', 'contacts', 'networks', 'plan', 'metadata', 'externalId', 'language'] as const

/** What lists show of an application, without ids of credentials, which are made anew. */
function describe(application: Application) {
  const { rateLimits, invitations, keys, secrets } = application
  const credentials = [...keys, ...secrets].map((each) => [
    each.name,
    each.networks,
    each.expiresAt && Math.round(each.expiresAt.getTime() / 60_000),
  ])
  return {
    ...Object.fromEntries(SHOWN.map((name) => [name, application[name]])),
    rateLimits,
    invitations: invitations.map(({ address }) => address),
    credentials: credentials.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  }
}
