// @ts-check
import { createPlatformAuth } from 'express-platform-auth'

/**
 * The shop's platform: one API for orders, by access token, and one for the catalogue, by key.
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
    // What sends credentials to those who register, and where they read on.
    mailer,
    developersUrl: `${baseUrl}/developers`,
    apis: {
      orders: {
        scheme: 'oauth2',
        title: 'Orders',
        description: 'Place orders, follow them, change and cancel them.',
        // A newcomer gets key and secret at once. Left out, an API by access token is 'manual': you look at each
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

/** With the names of the APIs and their scopes in its type, so that a typing error in a guard is found while typing. */
/** @typedef {ReturnType<typeof createPlatform>} Platform */
