/**
 * Uses a PostgreSQL store in a process of its own: `node postgres-process.mjs <url> <schema> <command> ...`. Every line on
 * stdout acknowledges something that has been done.
 */
import { writeSync } from 'node:fs'
import { Pool } from 'pg'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { NEXT_POSTGRES_MIGRATION } from './next-migration.mjs'

const [url, schema, command = '', ...args] = process.argv.slice(2)
const pool = new Pool({
  connectionString: url,
  options: `-c search_path=${schema}`,
  application_name: 'postgres-process',
  allowExitOnIdle: true,
})
const store = postgresStore({ pool })
/** @type {Record<string, (...args: string[]) => Promise<void>>} */
const commands = { start, migrate, count, watch }
await commands[command]?.(...args)

/** Opens the store and stores a pepper if there is none; prints the stored one. */
async function start() {
  await store.open()
  print(await store.establishSecret('pepper', `pepper of ${process.pid}`))
}

/** Connects, prints a line, opens the store of a version with one migration more, and prints what `open()` resolved, as JSON. */
async function migrate() {
  const { MIGRATIONS } = await import('../../dist/modules/stores/postgres/migrations/index.js')
  const modules = await import('../../dist/modules/stores/postgres/index.js')
  ;/** @type {unknown[]} */ (MIGRATIONS).push(NEXT_POSTGRES_MIGRATION)
  await pool.query('SELECT 1')
  print('opening')
  print(JSON.stringify((await modules.postgresStore({ pool }).open()) ?? null))
}

/** Increments the number in an application's name so many times. @param {string} id @param {string} times */
async function count(id, times) {
  await store.open()
  for (let done = 0; done < Number(times);) {
    const record = await store.findApplication(id)
    if (!record) throw new Error(`no application ${id}`)
    const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
    const audit = /** @type {const} */ ({
      at: 1,
      type: 'application.updated',
      by: undefined,
      applicationId: id,
      details: {},
    })
    if (await store.saveApplication(next, audit)) done += 1
  }
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
