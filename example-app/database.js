// @ts-check
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { ordersTable } from './orders-table.js'
import { productsTable } from './products-table.js'
import { SettingsError } from './settings.js'

/**
 * Where everything is kept: the shop's own tables, and beside them the platform's.
 * @typedef {object} Database
 * @property {import('express-platform-auth').Store} store
 * @property {import('./orders.js').Orders} orders
 * @property {import('./catalog.js').Products} products
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} url the path of a SQLite file, which is made where there is none
 * @returns {Promise<Database>}
 */
export async function openDatabase(url) {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? []
  if (scheme) throw new SettingsError(`DATABASE_URL begins with ${scheme}://. Give it the path of a SQLite file.`)
  const database = await openSqlite(url)
  return {
    // One connection for all: two copies of SQLite in one process must never open the same file.
    store: sqliteStore(database),
    orders: ordersTable(database),
    products: productsTable(database),
    close: async () => database.close(),
  }
}

/**
 * Node has its own SQLite from version 24 on; before, @photostructure/sqlite offers the same.
 * @param {string} path
 * @returns {Promise<import('express-platform-auth/stores/sqlite').SqliteDatabase>}
 */
async function openSqlite(path) {
  const { DatabaseSync } = await import(
    Number.parseInt(process.versions.node) >= 24 ? 'node:sqlite' : '@photostructure/sqlite'
  )
  mkdirSync(dirname(path), { recursive: true })
  // Milliseconds that it waits while another process writes.
  return new DatabaseSync(path, { timeout: 5000 })
}
