// @ts-check
import { PRODUCTS } from '../apis/products.js'

/** @typedef {import('../apis/catalog.js').Product} Product */

/**
 * Stores the catalogue in SQLite.
 * @param {import('express-platform-auth/stores/sqlite').SqliteDatabase} database
 * @returns {import('../apis/catalog.js').Products}
 */
export function productsTable(database) {
  createOnce(database)
  const columns = 'sku, name, category, description, price_in_cents AS priceInCents'
  const select = database.prepare(
    `SELECT ${columns} FROM shop_products
     WHERE instr(lower(sku || ' ' || name || ' ' || category || ' ' || description), lower(?)) > 0 AND sku > ?
     ORDER BY sku LIMIT ?`,
  )
  const insert = database.prepare(`${INSERT} ON CONFLICT DO NOTHING RETURNING ${columns}`)
  const selectOne = database.prepare(`SELECT ${columns} FROM shop_products WHERE sku = ?`)
  const update = database.prepare(
    `UPDATE shop_products SET name = ?, category = ?, description = ?, price_in_cents = ?
     WHERE sku = ? RETURNING ${columns}`,
  )
  const deleteOne = database.prepare('DELETE FROM shop_products WHERE sku = ?')

  return {
    async list(search, { after, limit }) {
      return /** @type {Product[]} */ (select.all(search, after, limit))
    },
    async add(sku, { name, category, description, priceInCents }) {
      return /** @type {Product | undefined} */ (insert.get(sku, name, category, description, priceInCents))
    },
    async find(sku) {
      return /** @type {Product | undefined} */ (selectOne.get(sku))
    },
    async replace(sku, { name, category, description, priceInCents }) {
      return /** @type {Product | undefined} */ (update.get(name, category, description, priceInCents, sku))
    },
    async remove(sku) {
      return deleteOne.run(sku).changes > 0
    },
  }
}

const INSERT = 'INSERT INTO shop_products (sku, name, category, description, price_in_cents) VALUES (?, ?, ?, ?, ?)'

/**
 * The table and what it ships with, in one transaction: products deleted later don't come back with the next start.
 * @param {import('express-platform-auth/stores/sqlite').SqliteDatabase} database
 */
function createOnce(database) {
  database.exec('BEGIN IMMEDIATE')
  if (!database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'shop_products'`).get()) {
    database.exec(`
      CREATE TABLE shop_products (
        sku TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        category TEXT NOT NULL,
        description TEXT NOT NULL,
        price_in_cents INTEGER NOT NULL
      ) STRICT
    `)
    const insert = database.prepare(INSERT)
    for (const { sku, name, category, description, priceInCents } of PRODUCTS) {
      insert.run(sku, name, category, description, priceInCents)
    }
  }
  database.exec('COMMIT')
}
