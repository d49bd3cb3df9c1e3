// @ts-check
import { createPlatformAuth } from 'express-platform-auth'
import { customerTerms } from './customers.js'

/**
 * Creates the shop's platform: the API `orders` with access tokens, and the API `catalog` with API keys.
 * @param {{
 *   baseUrl: string
 *   store: import('express-platform-auth').Store
 *   secret: string
 *   mailer?: import('express-platform-auth').Mailer | undefined
 *   operators?: readonly string[] | undefined
 * }} options
 */
export function createPlatform({ baseUrl, store, secret, mailer, operators }) {
  return createPlatformAuth({
    baseUrl,
    store,
    secret,
    // Sends credentials after a registration. E-mails link to the developers' pages.
    mailer,
    developersUrl: `${baseUrl}/developers`,
    // Who gets an e-mail with a link to approve or deny a registration.
    operators,
    // Each application keeps its customer's number as `externalId`, and the customer's discount as `metadata`.
    applicationMetadata: customerTerms,
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
  })
}

/** Its type has the names of APIs and scopes, so that the compiler finds a wrong one in a guard. */
/** @typedef {ReturnType<typeof createPlatform>} Platform */
