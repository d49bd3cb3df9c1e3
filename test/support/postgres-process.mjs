/**
 * Uses a PostgreSQL store in a process of its own: `node postgres-process.mjs <url> <schema> <command> ...`. Every line on
 * stdout acknowledges something that has been done.
 */
import { writeSync } from 'node:fs'
import { Pool } from 'pg'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { NEXT_POSTGRES_MIGRATION } from './next-migration.mjs'

const [url, schema, command = ''] = process.argv.slice(2)
const pool = new Pool({
  connectionString: url,
  options: `-c search_path=${schema}`,
  application_name: 'postgres-process',
  allowExitOnIdle: true,
})
const store = postgresStore({ pool })
/** @type {Record<string, () => Promise<void>>} */
const commands = { migrate, watch }
await commands[command]?.()

/** Connects, prints a line, opens the store of a version with one migration more, and prints what `open()` resolved, as JSON. */
async function migrate() {
  const { MIGRATIONS } = await import('../../dist/modules/stores/postgres/migrations/index.js')
  const modules = await import('../../dist/modules/stores/postgres/index.js')
  ;/** @type {unknown[]} */ (MIGRATIONS).push(NEXT_POSTGRES_MIGRATION)
  await pool.query('SELECT 1')
  print('opening')
  print(JSON.stringify((await modules.postgresStore({ pool }).open()) ?? null))
}

/** Watches the change feed and closes nothing. */
async function watch() {
  await store.open()
  await new Promise((resolve) => store.watch?.(() => resolve(undefined)))
  print('watching')
}

/** Synchronous, so that a line is printed even if the process is killed right after. @param {string} line */
function print(line) {
  writeSync(1, `${line}\n`)
}
