/** Takes the screenshots of docs/emails.md: the built-in e-mail of each purpose, as a narrow window shows it. */
import { join } from 'node:path'
import { createEmailWriter } from '../../dist/modules/features/emails/message.js'
import { deriveAccent } from '../../dist/modules/shared/web/accent.js'

const BASE_URL = 'https://api.example.com'
const DEVELOPERS_URL = 'https://example.com/developers'
const API = { description: undefined, scopes: {}, tokenEndpoint: undefined, keyHeaders: [] }

/** @type {ReadonlyMap<string, import('express-platform-auth').Api>} */
const APIS = new Map([
  [
    'orders',
    {
      ...API,
      name: 'orders',
      title: 'Orders',
      scheme: 'oauth2',
      tokenEndpoint: `${BASE_URL}/orders/token`,
      resource: `${BASE_URL}/orders`,
    },
  ],
  [
    'catalog',
    {
      ...API,
      name: 'catalog',
      title: 'Catalogue',
      scheme: 'apiKey',
      keyHeaders: ['X-Api-Key'],
      resource: `${BASE_URL}/catalog`,
    },
  ],
])

const clientId = 'epa_key_4pQ7vXbK2mNcR8tYwZ1aS5dF6gHj0LrTuE'
const clientSecret = 'epa_sec_9sLk3JhG7fDqPzXwEr5TyU1iOa8MnBvC2xZ4lKjH6gF0dSpQa'
const link = `${DEVELOPERS_URL}/page#token`
const application = {
  id: 'app_5c3f0a9e8b7d41c2a6f8e9d0b1c2a3f4',
  name: 'Acme warehouse',
  externalId: undefined,
  metadata: undefined,
  apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
}
const common = /** @type {const} */ ({ to: 'dev@acme.example', language: 'en', application })
const delivery = {
  ...common,
  link: undefined,
  name: 'default',
  usableAt: ['orders', 'catalog'],
  overlap: 86_400,
  replacesEarlier: false,
  expiresAt: {},
}
const expiresAt = new Date('2027-01-31T10:00:00Z')

/** @type {Readonly<Record<string, import('express-platform-auth/emails').EmailContent>>} */
const CONTENTS = {
  registration: { ...delivery, purpose: 'registration', credentials: { clientId, clientSecret }, hasPrevious: false },
  key: { ...delivery, purpose: 'key', usableAt: ['catalog'], credentials: { clientId }, hasPrevious: true },
  expiring: {
    ...common,
    purpose: 'expiring',
    credential: { kind: 'key', provesKey: false, name: 'default', prefix: 'epa_key_4pQ7', expiresAt },
    daysLeft: 14,
    replacementPrefix: undefined,
  },
  signIn: { to: common.to, language: 'en', purpose: 'signIn', link, code: 'BCDF-GHJK', minutes: 15 },
  invitation: { ...common, purpose: 'invitation', invitedBy: 'owner@acme.example', link },
  approvalRequest: {
    ...common,
    purpose: 'approvalRequest',
    request: 'registration',
    contact: common.to,
    requested: application.apis,
    address: '203.0.113.7',
    links: { approve: link, deny: link },
  },
}

/** @param {import('playwright-core').Browser} browser @param {string} folder */
export async function saveEmails(browser, folder) {
  const writeEmail = createEmailWriter({
    apis: APIS,
    baseUrl: BASE_URL,
    developersUrl: DEVELOPERS_URL,
    portalUrl: `${DEVELOPERS_URL}/applications`,
    brand: { name: 'Example Shop', logo: undefined, accent: deriveAccent('#7a1fa2'), supportUrl: undefined },
    composeEmail: undefined,
    logger: console,
  })
  for (const [name, content] of Object.entries(CONTENTS)) {
    const { html } = await writeEmail(content)
    const page = await browser.newPage({ viewport: { width: 440, height: 100 } })
    await page.setContent(html)
    await page.screenshot({ path: join(folder, `email-${name}.png`), fullPage: true })
    await page.close()
  }
}
