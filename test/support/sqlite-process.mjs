/**
 * What the store's tests do in other processes, which they stop, kill and outnumber:
 * `node sqlite-process.mjs <file> <what> ...`. A line on stdout is what has been acknowledged.
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [file = '', what = '', ...rest] = process.argv.slice(2)
/** @type {Record<string, (...rest: string[]) => Promise<void>>} */
const deeds = { start, count, write, hold }
await deeds[what]?.(...rest)

/** Opens the store, brings a pepper, and says which one is kept. */
async function start() {
  const store = sqliteStore(file)
  await store.open()
  say(await store.establishPepper(`pepper of ${process.pid}`))
  await store.close()
}

/** Adds one to the number in an application's name, so many times. @param {string} id @param {string} times */
async function count(id, times) {
  const store = sqliteStore(file)
  await store.open()
  for (let done = 0; done < Number(times);) {
    const record = await store.findApplication(id)
    if (!record) throw new Error(`no application ${id}`)
    const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
    if (await store.saveApplication(next, entry(id))) done += 1
  }
  await store.close()
}

/** Saves applications and revokes access tokens until it is killed, and says each. @param {string} name */
async function write(name) {
  const store = sqliteStore(file)
  await store.open()
  say('open')
  for (let i = 0; ; i++) {
    const id = `${name}-${i}`
    await store.saveApplication(application(id, 1), entry(id))
    say(`saved ${id} 1`)
    if (i % 3 === 0) {
      await store.saveApplication(application(id, 2), entry(id))
      say(`saved ${id} 2`)
    }
    if (i % 4 === 0) {
      await store.revokeAccessToken({ id, expiresAt: Date.now() + 3_600_000 }, Date.now())
      say(`revoked ${id}`)
    }
  }
}

/** Keeps a write transaction open for so many milliseconds. @param {string} milliseconds */
async function hold(milliseconds) {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  say('holding')
  await sleep(Number(milliseconds))
  database.exec('COMMIT')
  database.close()
}

/** @param {string} id @param {number} version @returns {import('../../src/contracts/store.js').ApplicationRecord} */
function application(id, version) {
  const credential = { prefix: 'epa_key_abcd', createdAt: 1, expiresAt: undefined, lastUsedAt: undefined }
  return {
    id,
    name: `version ${version}`,
    contact: undefined,
    status: 'active',
    apis: { orders: { scopes: ['read'] } },
    keys: [{ ...credential, hash: `key of ${id} ${version}` }],
    secrets: [{ ...credential, hash: `secret of ${id} ${version}` }],
    createdAt: 1,
    tokensRevokedAt: 0,
    version,
  }
}

/** @param {string} applicationId @returns {import('../../src/contracts/store.js').NewAuditRecord} */
function entry(applicationId) {
  return { at: 1, type: 'application.updated', by: undefined, applicationId, details: {} }
}

/** At once: what is said has been done, whatever happens next. @param {string} line */
function say(line) {
  writeSync(1, `${line}\n`)
}
