// One small platform over real HTTP, from whichever copy of the package and of Express it is given.
const { createServer } = require('node:http')

module.exports = async function exercise({ express, createPlatformAuth, authOf, store, secret }) {
  const app = express()
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}`

  const auth = createPlatformAuth({
    baseUrl,
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } },
      catalog: { scheme: 'apiKey' },
    },
    store,
    secret,
    // The refusal below is logged, as it should be; nothing else may be.
    logger: { ...console, warn: (line) => void (line.startsWith('orders: 401') || console.warn(line)) },
  })
  const whoAmI = (req, res) => res.json({ name: authOf(req).application.name, id: req.params.id })
  app.use(auth.router)
  app.get('/orders/items/:id', auth.requireBearer('orders', { scopes: ['orders:read'] }), whoAmI)
  app.get('/catalog/items/:id', auth.requireApiKey('catalog'), whoAmI)

  try {
    const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const form = {
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }
    const issued = await fetch(`${baseUrl}/orders/token`, { method: 'POST', body: new URLSearchParams(form) })
    const token = await issued.json()
    const call = async (path, headers) => {
      const answer = await fetch(baseUrl + path, { headers })
      return [answer.status, await answer.json()]
    }
    return {
      token: [issued.status, token.token_type, token.scope],
      guarded: await call('/orders/items/7', { authorization: `Bearer ${token.access_token}` }),
      keyed: await call('/catalog/items/8', { 'x-api-key': credentials.clientId }),
      refused: (await call('/orders/items/9', { authorization: 'Bearer x.y.z' }))[0],
    }
  } finally {
    await auth.close()
    server.close()
    server.closeAllConnections()
  }
}
