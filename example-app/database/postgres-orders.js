// @ts-check
import { createOrderId } from '../apis/order-id.js'

/** @typedef {import('../apis/orders.js').Order} Order */

/** @param {import('pg').ClientBase} client */
export async function createOrdersTable(client) {
  await client.query(`
    CREATE TABLE IF NOT EXISTS shop_orders (
      id TEXT COLLATE "C" PRIMARY KEY,
      application_id TEXT NOT NULL,
      product TEXT NOT NULL,
      quantity INTEGER NOT NULL,
      note TEXT NOT NULL,
      created_at TIMESTAMPTZ NOT NULL,
      updated_at TIMESTAMPTZ NOT NULL
    );
    CREATE INDEX IF NOT EXISTS shop_orders_of_application ON shop_orders (application_id, id);
  `)
}

/**
 * Stores orders in PostgreSQL.
 * @param {import('pg').Pool} pool
 * @returns {import('../apis/orders.js').Orders}
 */
export function ordersInPostgres(pool) {
  const columns = 'id, product, quantity, note, created_at, updated_at'

  /** @param {string} sql @param {unknown[]} values */
  async function query(sql, values) {
    const { rows } = await pool.query(sql, values)
    return rows.map(toOrder)
  }

  return {
    list(owner, { after, limit }) {
      return query(`SELECT ${columns} FROM shop_orders WHERE application_id = $1 AND id > $2 ORDER BY id LIMIT $3`, [
        owner,
        after,
        limit,
      ])
    },
    async add(owner, { product, quantity, note }) {
      const now = new Date()
      const [order] = await query(
        `INSERT INTO shop_orders (id, application_id, product, quantity, note, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING ${columns}`,
        [createOrderId(now), owner, product, quantity, note, now],
      )
      return /** @type {Order} */ (order)
    },
    async find(owner, id) {
      const [order] = await query(`SELECT ${columns} FROM shop_orders WHERE application_id = $1 AND id = $2`, [
        owner,
        id,
      ])
      return order
    },
    async replace(owner, id, { product, quantity, note }) {
      const [order] = await query(
        `UPDATE shop_orders SET product = $3, quantity = $4, note = $5, updated_at = $6
         WHERE application_id = $1 AND id = $2 RETURNING ${columns}`,
        [owner, id, product, quantity, note, new Date()],
      )
      return order
    },
    async remove(owner, id) {
      const { rowCount } = await pool.query('DELETE FROM shop_orders WHERE application_id = $1 AND id = $2', [
        owner,
        id,
      ])
      return rowCount === 1
    },
  }
}

/** @param {any} row @returns {Order} */
function toOrder({ id, product, quantity, note, created_at, updated_at }) {
  return { id, product, quantity, note, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString() }
}
