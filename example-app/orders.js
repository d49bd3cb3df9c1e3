// @ts-check
import express from 'express'
import { authOf } from 'express-platform-auth'
import { readObject, readPage, readText, readWholeNumber } from './input.js'
import { notFound } from './request-error.js'

/**
 * The routes of the API `orders`: each needs an access token with the scope that it names, and shows an application
 * its own orders only.
 * @param {import('./platform.js').Platform} auth
 * @param {Orders} orders
 * @param {string} baseUrl
 */
export function ordersRoutes(auth, orders, baseUrl) {
  const mayRead = auth.requireBearer('orders', { scopes: ['orders:read'] })
  const mayWrite = auth.requireBearer('orders', { scopes: ['orders:write'] })
  // Behind the guard: a stranger's body is not even read.
  const json = express.json()
  const router = express.Router()

  // Whoever tries an access token for the first time calls the API's own address.
  router.get('/orders', auth.requireBearer('orders'), (_req, res) => {
    res.json({ welcome: 'Your access token works.', links: { items: `${baseUrl}/orders/items` } })
  })

  router.get('/orders/items', mayRead, async (req, res) => {
    const page = readPage(req.query)
    const items = await orders.list(ownerOf(req), page)
    res.json({ items, next: items.length === page.limit ? items.at(-1)?.id : undefined })
  })

  router.post('/orders/items', mayWrite, json, async (req, res) => {
    const order = await orders.add(ownerOf(req), readOrder(req.body))
    res.status(201).location(`items/${order.id}`).json(order)
  })

  router.get('/orders/items/:id', mayRead, async (req, res) => {
    res.json((await orders.find(ownerOf(req), idOf(req))) ?? notFound('order'))
  })

  router.put('/orders/items/:id', mayWrite, json, async (req, res) => {
    res.json((await orders.replace(ownerOf(req), idOf(req), readOrder(req.body))) ?? notFound('order'))
  })

  router.delete('/orders/items/:id', mayWrite, async (req, res) => {
    if (!(await orders.remove(ownerOf(req), idOf(req)))) notFound('order')
    res.status(204).end()
  })

  return router
}

/** @param {express.Request} req */
function ownerOf(req) {
  return authOf(req).application.id
}

/** @param {express.Request<{ id: string }>} req */
function idOf({ params: { id } }) {
  // PostgreSQL has no texts with NUL, not even to look for.
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
 * @typedef {object} OrderFields what the caller says
 * @property {string} product its sku in the catalogue
 * @property {number} quantity
 * @property {string} note
 *
 * @typedef {OrderFields & { id: string, createdAt: string, updatedAt: string }} Order
 */

/**
 * Where orders are kept. Every call is about the orders of one application, and no other.
 * @typedef {object} Orders
 * @property {(owner: string, page: import('./input.js').Page) => Promise<Order[]>} list oldest first
 * @property {(owner: string, fields: OrderFields) => Promise<Order>} add
 * @property {(owner: string, id: string) => Promise<Order | undefined>} find
 * @property {(owner: string, id: string, fields: OrderFields) => Promise<Order | undefined>} replace
 * @property {(owner: string, id: string) => Promise<boolean>} remove whether it was there
 */
