// @ts-check
import { createPlatformAuth } from 'express-platform-auth'

/**
 * The shop's platform: one API for orders, by access token, and one for the catalogue, by key.
 * @param {{ baseUrl: string, store: import('express-platform-auth').Store, secret: string }} options
 */
export function createPlatform({ baseUrl, store, secret }) {
  return createPlatformAuth({
    baseUrl,
    store,
    secret,
    apis: {
      orders: {
        scheme: 'oauth2',
        title: 'Orders',
        description: 'Place orders, follow them, change and cancel them.',
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
