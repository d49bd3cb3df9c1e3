// @ts-check
import { createOrderId } from '../apis/order-id.js'

/** @typedef {import('../apis/orders.js').Order} Order */

/**
 * Stores orders in SQLite.
 * @param {import('express-platform-auth/stores/sqlite').SqliteDatabase} database
 * @returns {import('../apis/orders.js').Orders}
 */
export function ordersTable(database) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS shop_orders (
      id TEXT PRIMARY KEY,
      application_id TEXT NOT NULL,
      product TEXT NOT NULL,
      quantity INTEGER NOT NULL,
      note TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS shop_orders_of_application ON shop_orders (application_id, id);
  `)
  const columns = 'id, product, quantity, note, created_at AS createdAt, updated_at AS updatedAt'
  const select = database.prepare(
    `SELECT ${columns} FROM shop_orders WHERE application_id = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const insert = database.prepare(
    `INSERT INTO shop_orders (id, application_id, product, quantity, note, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
  )
  const selectOne = database.prepare(`SELECT ${columns} FROM shop_orders WHERE application_id = ? AND id = ?`)
  const update = database.prepare(
    `UPDATE shop_orders SET product = ?, quantity = ?, note = ?, updated_at = ?
     WHERE application_id = ? AND id = ? RETURNING ${columns}`,
  )
  const deleteOne = database.prepare('DELETE FROM shop_orders WHERE application_id = ? AND id = ?')

  return {
    async list(owner, { after, limit }) {
      return /** @type {Order[]} */ (select.all(owner, after, limit))
    },
    async add(owner, { product, quantity, note }) {
      const now = new Date()
      return /** @type {Order} */ (
        insert.get(createOrderId(now), owner, product, quantity, note, now.toISOString(), now.toISOString())
      )
    },
    async find(owner, id) {
      return /** @type {Order | undefined} */ (selectOne.get(owner, id))
    },
    async replace(owner, id, { product, quantity, note }) {
      const now = new Date().toISOString()
      return /** @type {Order | undefined} */ (update.get(product, quantity, note, now, owner, id))
    },
    async remove(owner, id) {
      return deleteOne.run(owner, id).changes > 0
    },
  }
}
