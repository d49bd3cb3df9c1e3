const express = require('express')

exports.apis = /** @type {const} */ ({
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } },
  catalog: { scheme: 'apiKey' },
})

/** @param {import('express-platform-auth').PlatformAuth<typeof exports.apis>} auth */
exports.createApp = function createApp(auth) {
  const app = express()
  app.use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), (_req, res) => res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => res.json([]))
  return app
}
