// @ts-check
import { SettingsError } from '../settings.js'

/**
 * The database of the shop's tables and of the platform's.
 * @typedef {object} Database
 * @property {import('express-platform-auth').Store} store
 * @property {import('../apis/orders.js').Orders} orders
 * @property {import('../apis/catalog.js').Products} products
 * @property {() => Promise<void>} close
 */

/**
 * Opens PostgreSQL or SQLite, and loads only the driver that it needs.
 * @param {string} url of a PostgreSQL database, or the path of a SQLite file
 * @returns {Promise<Database>}
 */
export async function openDatabase(url) {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? []
  if (/^postgres(?:ql)?$/i.test(scheme)) return (await import('./postgres-database.js')).openPostgres(url)
  if (scheme === '') return (await import('./sqlite-database.js')).openSqlite(url)
  throw new SettingsError(
    `DATABASE_URL begins with ${scheme}://. Give it the address of a PostgreSQL database, or the path of a SQLite file.`,
  )
}
