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
 * }} options
 */
export function createPlatform({ baseUrl, store, secret, mailer }) {
  return createPlatformAuth({
    baseUrl,
    store,
    secret,
    // Sends credentials after a registration. E-mails link to the developers' pages.
    mailer,
    developersUrl: `${baseUrl}/developers`,
    // Each application keeps its customer's number as `externalId`, and the customer's discount as `metadata`.
    applicationMetadata: customerTerms,
    apis: {
      orders: {
        scheme: 'oauth2',
        title: 'Orders',
        description: 'Place orders, follow them, change and cancel them.',
        // Credentials are sent at once. The default of an API with access tokens is 'manual': you look at each
        // registration, and auth.applications.approve(id) sends its e-mail.
        registration: 'automatic',
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
