/**
 * What the store's tests do in other processes: `node postgres-process.mjs <url> <schema> <what> ...`. A line on stdout is
 * what has been done.
 */
import { writeSync } from 'node:fs'
import { Pool } from 'pg'
import { postgresStore } from 'express-platform-auth/stores/postgres'

const [url, schema, what = '', ...rest] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, options: `-c search_path=${schema}`, allowExitOnIdle: true })
const store = postgresStore({ pool })
await store.open()
/** @type {Record<string, (...rest: string[]) => Promise<void>>} */
const deeds = { start, count, watch }
await deeds[what]?.(...rest)

/** Brings a pepper, and says which one is kept. */
async function start() {
  say(await store.establishPepper(`pepper of ${process.pid}`))
}

/** Adds one to the number in an application's name, so many times. @param {string} id @param {string} times */
async function count(id, times) {
  for (let done = 0; done < Number(times);) {
    const record = await store.findApplication(id)
    if (!record) throw new Error(`no application ${id}`)
    const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
    if (
      await store.saveApplication(next, {
        at: 1,
        type: 'application.updated',
        by: undefined,
        applicationId: id,
        details: {},
      })
    )
      done += 1
  }
}

/** Watches, and closes nothing. */
async function watch() {
  await new Promise((resolve) => store.watch?.(() => resolve(undefined)))
  say('watching')
}

/** At once: what is said has been done, whatever happens next. @param {string} line */
function say(line) {
  writeSync(1, `${line}\n`)
}
