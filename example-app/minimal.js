import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'

const auth = createPlatformAuth({
  baseUrl: 'http://localhost:3000',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } }, catalog: { scheme: 'apiKey' } },
})
const app = express().use(auth.router)
app.get('/orders/items', auth.requireBearer('orders'), (req, res) => res.json({ for: authOf(req).application.name }))
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => res.json(['tea', 'coffee']))
app.listen(3000)
console.log((await auth.applications.create({ name: 'Acme', apis: ['orders', 'catalog'] })).credentials)
