// @ts-check
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { Pool } from 'pg'
import { createOrdersTable, ordersInPostgres } from './postgres-orders.js'
import { createProductsTable, productsInPostgres } from './postgres-products.js'
import { SettingsError } from '../settings.js'

/**
 * @param {string} url
 * @returns {Promise<import('./database.js').Database>}
 */
export async function openPostgres(url) {
  if (!URL.canParse(url)) {
    throw new SettingsError(
      'DATABASE_URL is not a URL. Write DATABASE_URL=postgres://user:password@host:5432/database.',
    )
  }
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A pool emits `error` for idle connections that it has lost, and replaces them.
  pool.on('error', ({ message }) => console.error(`PostgreSQL: ${message}`))
  try {
    await createTables(pool)
  } catch (error) {
    await pool.end()
    const { message, code } = /** @type {Error & { code?: string }} */ (error)
    throw new SettingsError(`DATABASE_URL: PostgreSQL at ${new URL(url).host} can't be used: ${message || code}`, {
      cause: error,
    })
  }
  return {
    store: postgresStore({ pool }),
    orders: ordersInPostgres(pool),
    products: productsInPostgres(pool),
    close: () => pool.end(),
  }
}

/** Creates all tables or none. The lock lets one process at a time do so. @param {Pool} pool */
async function createTables(pool) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('shop tables'))`)
    await createOrdersTable(client)
    await createProductsTable(client)
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    // Closes the connection, which ends the transaction.
    client.release(true)
    throw error
  }
}
