import { ConfigurationError } from '../../contracts/errors.js'
import type { ApplicationRecord, NewAuditRecord, EmailChange, Store } from '../../contracts/store.js'
import { findApplication, findApplicationByKey, listApplications, writeApplication } from './applications.js'
import { listAudit } from './audit.js'
import { connectionsOf } from './connection.js'
import type { Sql } from './connection.js'
import { noteCredentialUse } from './credentials.js'
import { changesSince, publish } from './feed.js'
import { changeEmails, findEmailByClaimLink, isEmailDue, leaseEmail, listEmails } from './emails.js'
import { writeEmail } from './emails.js'
import { postgresListener } from './listener.js'
import { establishPepper, findPepper, resealPepper } from './pepper.js'
import type { PostgresPool } from './pool.js'
import { isAccessTokenRevoked, listRevokedAccessTokens, revokeAccessToken } from './revoked-access-tokens.js'
import { migrate } from './schema.js'
import { addSigningKey, listSigningKeys, removeSigningKey, resealSigningKey } from './signing-keys.js'

export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from './pool.js'

/** What `postgresStore()` takes. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of the package `pg`. It stays the host's: close the platform first, then end the pool. Give it
   * `connectionTimeoutMillis`, without which it never gives up a connection that does not come about.
   */
  readonly pool: PostgresPool
  /**
   * Whether to hear of other processes' changes by LISTEN, which holds one connection of the pool; true if left out. False
   * asks every 75 ms instead, and uses nothing that a pooler such as PgBouncer in transaction mode can't do.
   */
  readonly listen?: boolean | undefined
}

/**
 * A store in PostgreSQL, which any number of processes may share. Its tables are those named `platform_auth_*` on the
 * search path of the pool's connections; what is missing is made in the first schema of it.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { postgresStore } from 'express-platform-auth/stores/postgres'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'https://api.example.com',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   store: postgresStore({
 *     pool: new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 }),
 *   }),
 *   secret: process.env.PLATFORM_AUTH_SECRET,
 * })
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  const { pool, listen } = checked(options)
  const { sql, transaction } = connectionsOf(pool, { prepare: listen })
  const listener = listen ? postgresListener(pool) : undefined
  let opening: Promise<void> | undefined
  let closed = false

  async function open({ migrate: may = true } = {}): Promise<void> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    surviveLostConnections(pool)
    opening ??= migrate({ sql, transaction }, may).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    await opening
  }

  async function close(): Promise<void> {
    closed = true
    listener?.close()
  }

  async function opened(): Promise<void> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    if (!opening) throw new Error('The PostgreSQL store is not open: await store.open() first.')
    await opening
  }

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await opened()
    return work(sql)
  }

  async function write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await opened()
    return transaction(work)
  }

  return {
    kind: 'postgres',
    // While it listens, only for the case that its connection is lost without anybody noticing.
    get pollInterval() {
      return listener?.isListening() ? 500 : 75
    },
    open,
    close,

    establishPepper: async (sealed) => (await read(findPepper)) ?? write((tx) => establishPepper(tx, sealed)),
    resealPepper: (former, sealed) => write((tx) => resealPepper(tx, former, sealed)),

    listSigningKeys: () => read(listSigningKeys),
    addSigningKey: (key, newest, audit) => write((tx) => addSigningKey(tx, key, newest, audit)),
    resealSigningKey: (kid, former, sealed) => write((tx) => resealSigningKey(tx, kid, former, sealed)),
    removeSigningKey: (kid, audit) => write((tx) => removeSigningKey(tx, kid, audit)),

    findApplication: (id) => read((one) => findApplication(one, id)),
    findApplicationByKey: (hash) => read((one) => findApplicationByKey(one, hash)),
    listApplications: (query) => read((one) => listApplications(one, query)),
    saveApplication: (record, audit, email) => write((tx) => saveApplication(tx, record, audit, email)),
    noteCredentialUse: (uses) => write((tx) => noteCredentialUse(tx, uses)),

    leaseEmail: async (now, until) =>
      (await read((one) => isEmailDue(one, now))) ? write((tx) => leaseEmail(tx, now, until)) : undefined,
    saveEmail: (email) => write((tx) => writeEmail(tx, email)),
    findEmailByClaimLink: (hash) => read((one) => findEmailByClaimLink(one, hash)),
    listEmails: (query) => read((one) => listEmails(one, query)),

    revokeAccessToken: (token, now) => write((tx) => revokeAccessToken(tx, token, now)),
    listRevokedAccessTokens: (now, limit) => read((one) => listRevokedAccessTokens(one, now, limit)),
    isAccessTokenRevoked: (id) => read((one) => isAccessTokenRevoked(one, id)),

    listAudit: (query) => read((one) => listAudit(one, query)),
    changesSince: (cursor) => read((one) => changesSince(one, cursor)),
    ...(listener && { watch: listener.watch }),
  }
}

function checked({ pool, listen = true }: PostgresStoreOptions): { pool: PostgresPool; listen: boolean } {
  if (typeof pool?.connect !== 'function') {
    throw new ConfigurationError({
      problem: 'postgresStore() was given no pool of the package pg',
      fix: "Write postgresStore({ pool: new pg.Pool({ connectionString: '...' }) }).",
    })
  }
  if (listen && pool.options?.max === 1) {
    throw new ConfigurationError({
      problem: "postgresStore()'s LISTEN holds one connection of its pool, which has no other (max: 1)",
      fix: 'Give the pool more connections, or the store listen: false.',
    })
  }
  return { pool, listen }
}

/** All of it in one transaction, which what resolves false undoes. */
async function saveApplication(
  sql: Sql,
  record: ApplicationRecord,
  audit: NewAuditRecord | undefined,
  email: EmailChange | undefined,
): Promise<boolean> {
  if (!(await writeApplication(sql, record))) return false
  if (email !== undefined && !(await changeEmails(sql, record.id, email))) return false
  await publish(sql, { kind: 'application', id: record.id }, audit)
  return true
}

const survivors = new WeakSet<PostgresPool>()

/**
 * A pool tells of the idle connections it has lost, and replaces them; where nobody listens, that ends the process. For
 * good, because it tells of those that were being closed too.
 */
function surviveLostConnections(pool: PostgresPool): void {
  if (!survivors.has(pool)) pool.on('error', () => undefined)
  survivors.add(pool)
}
