// @ts-check
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { usage } from 'express-platform-auth/usage'
import { customerTerms } from './apis/customers.js'

/**
 * Creates the shop's platform: the API `orders` with access tokens, and the API `catalog` with API keys.
 * @param {{
 *   baseUrl: string
 *   store: import('express-platform-auth').Store
 *   secret: string
 *   mailer: import('express-platform-auth/emails').Mailer
 *   operators?: readonly string[] | undefined
 * }} options
 */
export function createPlatform({ baseUrl, store, secret, mailer, operators }) {
  return createPlatformAuth({
    baseUrl,
    store,
    secret,
    // E-mails link to these pages.
    developersUrl: `${baseUrl}/developers`,
    // Each application keeps its customer's number as `externalId`, and the customer's discount as `metadata`.
    metadata: customerTerms,
    apis: {
      orders: {
        scheme: 'oauth2',
        title: 'Orders',
        description: 'Place orders, follow them, change and cancel them.',
        // The default of an API with access tokens is 'manual': an operator looks at each registration, and approves it.
        // Without operators the shop sends credentials at once.
        registration: operators ? 'manual' : 'automatic',
        scopes: { 'orders:read': 'Read orders', 'orders:write': 'Place, change and cancel orders' },
      },
      catalog: {
        scheme: 'apiKey',
        title: 'Catalogue',
        description: 'What the shop sells.',
      },
    },
    features: [
      // Sends credentials after a registration.
      emails({ mailer }),
      // The operators get an e-mail with a link to approve or deny a registration.
      registration({ operators }),
      // The pages on which contacts manage their applications, with what they called.
      portal(),
      usage(),
    ],
  })
}

/** Its type has the names of APIs and scopes, so that the compiler finds a wrong one in a guard. */
/** @typedef {ReturnType<typeof createPlatform>} Platform */
