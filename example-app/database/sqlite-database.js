// @ts-check
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { ordersTable } from './orders-table.js'
import { productsTable } from './products-table.js'

/**
 * @param {string} path of a file, which is created if it does not exist
 * @returns {Promise<import('./database.js').Database>}
 */
export async function openSqlite(path) {
  const database = await connect(path)
  return {
    // One connection, because two copies of SQLite in one process must not open the same file.
    store: sqliteStore(database),
    orders: ordersTable(database),
    products: productsTable(database),
    close: async () => database.close(),
  }
}

/**
 * Node has SQLite from version 24 on. Before, @photostructure/sqlite has the same interface.
 * @param {string} path
 * @returns {Promise<import('express-platform-auth/stores/sqlite').SqliteDatabase>}
 */
async function connect(path) {
  const { DatabaseSync } = await import(
    Number.parseInt(process.versions.node) >= 24 ? 'node:sqlite' : '@photostructure/sqlite'
  )
  mkdirSync(dirname(path), { recursive: true })
  // How many milliseconds it waits while another process writes.
  return new DatabaseSync(path, { timeout: 5000 })
}
