// @ts-check
import express from 'express'
import { readDiscount } from './customers.js'
import { readObject, readPage, readText, readWholeNumber } from '../http/input.js'
import { notFound, RequestError } from '../http/request-error.js'

/**
 * Creates the routes of the API `catalog`. Each needs an API key in X-Api-Key. All customers see the same products, each with
 * its own price.
 * @param {import('../platform.js').Platform} auth
 * @param {Products} products
 * @param {string} baseUrl
 */
export function catalogRoutes(auth, products, baseUrl) {
  const guard = auth.requireApiKey('catalog')
  const json = express.json()
  const router = express.Router()

  /** What the caller pays. @param {express.Request<any>} req @param {Product} product @returns {PricedProduct} */
  function addPrice(req, product) {
    const yourPriceInCents = Math.round((product.priceInCents * (100 - readDiscount(auth, req))) / 100)
    return { ...product, yourPriceInCents }
  }

  // The console's curl commands call the API's base URL to try an API key.
  router.get('/catalog', guard, (_req, res) => {
    res.json({
      welcome: 'Your key works.',
      links: { items: `${baseUrl}/catalog/items`, search: `${baseUrl}/catalog/items?search=green` },
    })
  })

  router.get('/catalog/items', guard, async (req, res) => {
    const page = readPage(req.query)
    const search = readText(req.query, 'search', { max: 100, otherwise: '' })
    const items = await products.list(search, page)
    res.json({
      items: items.map((item) => addPrice(req, item)),
      next: items.length === page.limit ? items.at(-1)?.sku : undefined,
    })
  })

  router.post('/catalog/items', guard, json, async (req, res) => {
    const { sku, fields } = readNewProduct(req.body)
    const product = await products.add(sku, fields)
    if (!product) throw new RequestError(409, 'conflict', `There is a product ${sku} already.`)
    res.status(201).location(`items/${sku}`).json(addPrice(req, product))
  })

  router.get('/catalog/items/:sku', guard, async (req, res) => {
    res.json(addPrice(req, (await products.find(readSku(req))) ?? notFound('product')))
  })

  router.put('/catalog/items/:sku', guard, json, async (req, res) => {
    res.json(addPrice(req, (await products.replace(readSku(req), readProduct(req.body))) ?? notFound('product')))
  })

  router.delete('/catalog/items/:sku', guard, async (req, res) => {
    if (!(await products.remove(readSku(req)))) notFound('product')
    res.status(204).end()
  })

  return router
}

/** @param {express.Request<{ sku: string }>} req */
function readSku({ params: { sku } }) {
  // PostgreSQL refuses text with NUL, in searches too.
  return sku.includes('\0') ? notFound('product') : sku
}

/** @param {unknown} body */
function readNewProduct(body) {
  const sku = readText(readObject(body), 'sku', { max: 40 })
  if (/^[A-Z0-9]+(-[A-Z0-9]+)*$/.test(sku)) return { sku, fields: readProduct(body) }
  throw new RequestError(400, 'invalid_request', 'sku must be capital letters and digits with hyphens between them.')
}

/** @param {unknown} body @returns {ProductFields} */
function readProduct(body) {
  const fields = readObject(body)
  return {
    name: readText(fields, 'name', { max: 100 }),
    category: readText(fields, 'category', { max: 40 }),
    description: readText(fields, 'description', { max: 1000, otherwise: '' }),
    priceInCents: readWholeNumber(fields, 'priceInCents', { min: 0, max: 1_000_000 }),
  }
}

/**
 * @typedef {object} ProductFields
 * @property {string} name
 * @property {string} category
 * @property {string} description
 * @property {number} priceInCents of a euro
 *
 * @typedef {{ sku: string } & ProductFields} Product
 *
 * @typedef {Product & { yourPriceInCents: number }} PricedProduct less the customer's discount
 */

/**
 * Stores products.
 * @typedef {object} Products
 * @property {(search: string, page: import('../http/input.js').Page) => Promise<Product[]>} list ordered by sku
 * @property {(sku: string, fields: ProductFields) => Promise<Product | undefined>} add undefined if the sku exists
 * @property {(sku: string) => Promise<Product | undefined>} find
 * @property {(sku: string, fields: ProductFields) => Promise<Product | undefined>} replace
 * @property {(sku: string) => Promise<boolean>} remove whether it existed
 */
