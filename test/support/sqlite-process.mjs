/**
 * Uses a SQLite store in a process of its own, which a test can stop or kill: `node sqlite-process.mjs <file> <command> ...`.
 * Every line on stdout acknowledges something that has been done.
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { NEXT_SQLITE_MIGRATION } from './next-migration.mjs'

const [file = '', command = '', ...args] = process.argv.slice(2)
/** @type {Record<string, (...args: string[]) => Promise<void>>} */
const commands = { start, migrate, count, write, hold }
await commands[command]?.(...args)

/** Opens the store and stores a pepper if there is none; prints the stored one. */
async function start() {
  const store = sqliteStore(file)
  await store.open()
  print(await store.establishSecret('pepper', `pepper of ${process.pid}`))
  await store.close()
}

/** Prints a line, opens the store of a version with one migration more, and prints what `open()` resolved, as JSON. */
async function migrate() {
  const { MIGRATIONS } = await import('../../dist/modules/stores/sqlite/migrations/index.js')
  const modules = await import('../../dist/modules/stores/sqlite/index.js')
  ;/** @type {unknown[]} */ (MIGRATIONS).push(NEXT_SQLITE_MIGRATION)
  const store = modules.sqliteStore(file)
  print('opening')
  print(JSON.stringify((await store.open()) ?? null))
  await store.close()
}

/** Increments the number in an application's name so many times. @param {string} id @param {string} times */
async function count(id, times) {
  const store = sqliteStore(file)
  await store.open()
  for (let done = 0; done < Number(times);) {
    const record = await store.findApplication(id)
    if (!record) throw new Error(`no application ${id}`)
    const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
    if (await store.saveApplication(next, audit(id))) done += 1
  }
  await store.close()
}

/** Saves applications and revokes access tokens until it is killed; prints each of them. @param {string} name */
async function write(name) {
  const store = sqliteStore(file)
  await store.open()
  print('open')
  for (let i = 0; ; i++) {
    const id = `${name}-${i}`
    await store.saveApplication(application(id, 1), audit(id))
    print(`saved ${id} 1`)
    if (i % 3 === 0) {
      await store.saveApplication(application(id, 2), audit(id))
      print(`saved ${id} 2`)
    }
    if (i % 4 === 0) {
      await store.revokeAccessToken({ id, expiresAt: Date.now() + 3_600_000 }, Date.now())
      print(`revoked ${id}`)
    }
  }
}

/** Holds a write transaction open. @param {string} milliseconds */
async function hold(milliseconds) {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  print('holding')
  await sleep(Number(milliseconds))
  database.exec('COMMIT')
  database.close()
}

/** @param {string} id @param {number} version @returns {import('../../src/shared/contracts/application-record.js').ApplicationRecord} */
function application(id, version) {
  const credential = {
    id: 'cred_1',
    name: 'default',
    prefix: 'epa_key_abcd',
    createdAt: 1,
    expiresAt: undefined,
    lastUsedAt: undefined,
    apis: undefined,
    networks: undefined,
    isImported: false,
    remindedDays: undefined,
    keySet: undefined,
  }
  return {
    id,
    name: `version ${version}`,
    contact: undefined,
    isUnconfirmed: false,
    isHeld: false,
    otherContacts: [],
    invitations: [],
    language: undefined,
    accessRequests: [],
    withheld: undefined,
    resourceServer: undefined,
    decided: [],
    status: 'active',
    apis: { orders: { scopes: ['read'] } },
    keys: [{ ...credential, hash: `key of ${id} ${version}` }],
    secrets: [{ ...credential, hash: `secret of ${id} ${version}` }],
    metadata: undefined,
    externalId: undefined,
    rateLimits: undefined,
    networks: undefined,
    plan: undefined,
    acceptedTerms: undefined,
    endsAt: undefined,
    lastUsedAt: undefined,
    createdAt: 1,
    tokensRevokedAt: 0,
    uncounted: 0,
    version,
  }
}

/** @param {string} applicationId @returns {import('../../src/shared/contracts/events.js').NewAuditRecord} */
function audit(applicationId) {
  return { at: 1, type: 'application.updated', by: undefined, applicationId, details: {} }
}

/** Synchronous, so that a line is printed even if the process is killed right after. @param {string} line */
function print(line) {
  writeSync(1, `${line}\n`)
}
