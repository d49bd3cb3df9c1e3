// @ts-check
import express from 'express'
import { readCustomer } from './customers.js'
import { readObject, readPage, readText, readWholeNumber } from '../http/input.js'
import { notFound } from '../http/request-error.js'

/**
 * Creates the routes of the API `orders`. Each needs an access token with its scope. A customer sees only its own
 * orders.
 * @param {import('../platform.js').Platform} auth
 * @param {Orders} orders
 * @param {string} baseUrl
 */
export function ordersRoutes(auth, orders, baseUrl) {
  const mayRead = auth.requireBearer('orders', { scopes: ['orders:read'] })
  const mayWrite = auth.requireBearer('orders', { scopes: ['orders:write'] })
  // After the guard, so that the bodies of refused requests are not read.
  const json = express.json()
  const router = express.Router()

  // The console's curl commands call the API's base URL to try an access token.
  router.get('/orders', auth.requireBearer('orders'), (_req, res) => {
    res.json({ welcome: 'Your access token works.', links: { items: `${baseUrl}/orders/items` } })
  })

  router.get('/orders/items', mayRead, async (req, res) => {
    const page = readPage(req.query)
    const items = await orders.list(readCustomer(req), page)
    res.json({ items, next: items.length === page.limit ? items.at(-1)?.id : undefined })
  })

  router.post('/orders/items', mayWrite, json, async (req, res) => {
    const order = await orders.add(readCustomer(req), readOrder(req.body))
    res.status(201).location(`items/${order.id}`).json(order)
  })

  router.get('/orders/items/:id', mayRead, async (req, res) => {
    res.json((await orders.find(readCustomer(req), readId(req))) ?? notFound('order'))
  })

  router.put('/orders/items/:id', mayWrite, json, async (req, res) => {
    res.json((await orders.replace(readCustomer(req), readId(req), readOrder(req.body))) ?? notFound('order'))
  })

  router.delete('/orders/items/:id', mayWrite, async (req, res) => {
    if (!(await orders.remove(readCustomer(req), readId(req)))) notFound('order')
    res.status(204).end()
  })

  return router
}

/** @param {express.Request<{ id: string }>} req */
function readId({ params: { id } }) {
  // PostgreSQL refuses text with NUL, in searches too.
  return id.includes('\0') ? notFound('order') : id
}

/** @param {unknown} body @returns {OrderFields} */
function readOrder(body) {
  const fields = readObject(body)
  return {
    product: readText(fields, 'product', { max: 40 }),
    quantity: readWholeNumber(fields, 'quantity', { min: 1, max: 1000 }),
    note: readText(fields, 'note', { max: 500, otherwise: '' }),
  }
}

/**
 * @typedef {object} OrderFields what a caller sends
 * @property {string} product its sku in the catalogue
 * @property {number} quantity
 * @property {string} note
 *
 * @typedef {OrderFields & { id: string, createdAt: string, updatedAt: string }} Order
 */

/**
 * Stores orders. Every call sees only the orders of one customer.
 * @typedef {object} Orders
 * @property {(owner: string, page: import('../http/input.js').Page) => Promise<Order[]>} list oldest first
 * @property {(owner: string, fields: OrderFields) => Promise<Order>} add
 * @property {(owner: string, id: string) => Promise<Order | undefined>} find
 * @property {(owner: string, id: string, fields: OrderFields) => Promise<Order | undefined>} replace
 * @property {(owner: string, id: string) => Promise<boolean>} remove whether it existed
 */
