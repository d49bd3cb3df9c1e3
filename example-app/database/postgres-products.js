// @ts-check
import { PRODUCTS } from '../apis/products.js'

/** @typedef {import('../apis/catalog.js').Product} Product */

const COLUMNS = 'sku, name, category, description, price_in_cents AS "priceInCents"'
const INSERT = `
  INSERT INTO shop_products (sku, name, category, description, price_in_cents) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`

/**
 * The table and what it ships with: products deleted later don't come back with the next start.
 * @param {import('pg').ClientBase} client
 */
export async function createProductsTable(client) {
  const { rows } = await client.query(`SELECT to_regclass('shop_products') IS NOT NULL AS there`)
  if (rows[0].there) return
  await client.query(`
    CREATE TABLE shop_products (
      sku TEXT COLLATE "C" PRIMARY KEY,
      name TEXT NOT NULL,
      category TEXT NOT NULL,
      description TEXT NOT NULL,
      price_in_cents INTEGER NOT NULL
    )
  `)
  for (const { sku, ...fields } of PRODUCTS) await client.query(INSERT, valuesOf(sku, fields))
}

/**
 * The catalogue in PostgreSQL.
 * @param {import('pg').Pool} pool
 * @returns {import('../apis/catalog.js').Products}
 */
export function productsInPostgres(pool) {
  /** @param {string} sql @param {unknown[]} values @returns {Promise<Product[]>} */
  async function query(sql, values) {
    return (await pool.query(sql, values)).rows
  }

  return {
    list(search, { after, limit }) {
      return query(
        `SELECT ${COLUMNS} FROM shop_products
         WHERE strpos(lower(concat_ws(' ', sku, name, category, description)), lower($1)) > 0 AND sku > $2
         ORDER BY sku LIMIT $3`,
        [search, after, limit],
      )
    },
    async add(sku, fields) {
      const [product] = await query(INSERT, valuesOf(sku, fields))
      return product
    },
    async find(sku) {
      const [product] = await query(`SELECT ${COLUMNS} FROM shop_products WHERE sku = $1`, [sku])
      return product
    },
    async replace(sku, fields) {
      const [product] = await query(
        `UPDATE shop_products SET name = $2, category = $3, description = $4, price_in_cents = $5
         WHERE sku = $1 RETURNING ${COLUMNS}`,
        valuesOf(sku, fields),
      )
      return product
    },
    async remove(sku) {
      return (await query(`DELETE FROM shop_products WHERE sku = $1 RETURNING ${COLUMNS}`, [sku])).length === 1
    },
  }
}

/** @param {string} sku @param {import('../apis/catalog.js').ProductFields} fields */
function valuesOf(sku, { name, category, description, priceInCents }) {
  return [sku, name, category, description, priceInCents]
}
