import { ConfigurationError } from '../../contracts/errors.js'
import type { ApplicationRecord } from '../../contracts/application-record.js'
import type { EmailChange } from '../../contracts/queued-email.js'
import type { NewAuditRecord } from '../../contracts/store-records.js'
import type { SchemaMigration, StoreWith } from '../../contracts/store.js'
import {
  findApplication,
  findApplicationByKey,
  listApplications,
  listExpiring,
  writeApplication,
} from './applications.js'
import { deleteAudit, listAudit } from './audit.js'
import { createPostgresConnections, type Sql } from './connection.js'
import { noteCredentialUse } from './credentials.js'
import { diagnose } from './diagnose.js'
import { createQuotaCalls } from './quotas.js'
import { addReported, listReported } from './reported.js'
import {
  changeEmails,
  findEmail,
  findEmailByClaimLink,
  isEmailDue,
  leaseEmail,
  listEmails,
  writeEmail,
} from './emails.js'
import { createFeedReader, publish } from './feed.js'
import { createPostgresListener } from './listener.js'
import { addApplications, countImportedHashes, replaceCredentialHash } from './imports.js'
import { migrate } from './migrate.js'
import { MIGRATIONS } from './migrations/index.js'
import { establishSecret, findSecret, replaceSecret } from './secrets.js'
import type { PostgresPool } from './pool.js'
import { addGrant } from './rights.js'
import { isAccessTokenRevoked, listRevokedAccessTokens, revokeAccessToken } from './revoked-access-tokens.js'
import { addSignIn, addSignOut, countSignInGuess, findSignInByLink, listSignOuts, removeSignIn } from './sign-ins.js'
import { addSigningKey, listSigningKeys, removeSigningKey, resealSigningKey } from './signing-keys.js'
import {
  addRefusals,
  addUsage,
  deleteExpiredUsage,
  deleteRefusals,
  hasExpiredUsage,
  listRefusals,
  listUsage,
} from './usage.js'

export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from './pool.js'

/** Options of `postgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of the package `pg`. It stays the host's: close the platform first, then end the pool. Set its
   * `connectionTimeoutMillis`; without it the pool never gives up a connection attempt.
   */
  readonly pool: PostgresPool
  /**
   * Whether to learn of other processes' changes by LISTEN, which holds one connection of the pool. Default: true. With
   * false the store polls every 75 ms, and uses nothing that PgBouncer in transaction mode does not support.
   */
  readonly listen?: boolean | undefined
}

/**
 * A store in PostgreSQL, which any number of processes may share. Its tables are named `platform_auth_*` and are found by
 * the search path of the pool's connections; missing tables are created in the first schema of that path.
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
export function postgresStore(options: PostgresStoreOptions): StoreWith {
  const { pool, listen } = checkOptions(options)
  const { sql, transaction } = createPostgresConnections(pool, { prepare: listen })
  const { clock, readChangesSince } = createFeedReader()
  const listener = listen ? createPostgresListener(pool) : undefined
  let opening: Promise<SchemaMigration | undefined> | undefined
  let closed = false

  async function open({ migrate: mayMigrate = true } = {}): Promise<SchemaMigration | undefined> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    ignoreLostConnections(pool)
    if (opening) return opening.then(() => undefined)
    opening = migrate({ sql, transaction }, { migrations: MIGRATIONS, mayMigrate }).catch(async (error: unknown) => {
      opening = undefined
      throw await addGrant(sql, error)
    })
    return opening
  }

  async function close(): Promise<void> {
    closed = true
    listener?.close()
  }

  async function requireOpen(): Promise<void> {
    if (closed) throw new Error('The PostgreSQL store is closed.')
    if (!opening) throw new Error('The PostgreSQL store is not open: await store.open() first.')
    await opening
  }

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await requireOpen()
    return work(sql)
  }

  async function write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await requireOpen()
    return transaction(work)
  }

  return {
    kind: 'postgres',
    // While a connection listens, polling only covers a loss of that connection that has not been noticed yet.
    get pollInterval() {
      return listener?.isListening() ? 500 : 75
    },
    clock,
    concurrentCalls: countConnections(pool) - (listen ? 1 : 0),
    open,
    close,

    diagnose: () => requireOpen().then(() => diagnose({ sql, transaction, pool, listen })),

    establishSecret: async (name, sealed) =>
      (await read((db) => findSecret(db, name))) ?? write((db) => establishSecret(db, name, sealed)),
    replaceSecret: (name, former, sealed, audit) => write((db) => replaceSecret(db, name, former, sealed, audit)),

    listSigningKeys: () => read(listSigningKeys),
    addSigningKey: (key, newest, audit) => write((db) => addSigningKey(db, key, newest, audit)),
    resealSigningKey: (kid, former, sealed) => write((db) => resealSigningKey(db, kid, former, sealed)),
    removeSigningKey: (kid, audit) => write((db) => removeSigningKey(db, kid, audit)),

    findApplication: (id) => read((db) => findApplication(db, id)),
    findApplicationByKey: (...hashes) => read((db) => findApplicationByKey(db, hashes)),
    listApplications: (query) => read((db) => listApplications(db, query)),
    saveApplication: (record, audit, ...emails) => write((db) => saveApplication(db, record, audit, emails)),
    noteCredentialUse: (uses, minimumAge) => write((db) => noteCredentialUse(db, uses, minimumAge)),

    revokeAccessToken: (token, now) => write((db) => revokeAccessToken(db, token, now)),
    listRevokedAccessTokens: (now, limit) => read((db) => listRevokedAccessTokens(db, now, limit)),
    isAccessTokenRevoked: (id) => read((db) => isAccessTokenRevoked(db, id)),

    listAudit: (query) => read((db) => listAudit(db, query)),
    deleteAudit: (before, limit) => write((db) => deleteAudit(db, before, limit)),

    emails: {
      lease: async (now, until) =>
        (await read((db) => isEmailDue(db, now))) ? write((db) => leaseEmail(db, now, until)) : undefined,
      save: (email) => write((db) => writeEmail(db, email)),
      find: (id) => read((db) => findEmail(db, id)),
      findByClaimLink: (hash) => read((db) => findEmailByClaimLink(db, hash)),
      list: (query) => read((db) => listEmails(db, query)),
      listExpiring: (query) => read((db) => listExpiring(db, query)),
    },

    usage: {
      add: (batch, counts) => write((db) => addUsage(db, batch, counts)),
      list: (query) => read((db) => listUsage(db, query)),
      addReported: (batch, counts) => write((db) => addReported(db, batch, counts)),
      listReported: (query) => read((db) => listReported(db, query)),
      addRefusals: (batch, refusals, kept) => write((db) => addRefusals(db, batch, refusals, kept)),
      listRefusals: (applicationId, after) => read((db) => listRefusals(db, applicationId, after)),
      deleteExpired: async (expired) =>
        (await read((db) => hasExpiredUsage(db, expired))) ? write((db) => deleteExpiredUsage(db, expired)) : 0,
    },

    quotas: createQuotaCalls({ read, write }),

    signIns: {
      add: (signIn) => write((db) => addSignIn(db, signIn)),
      findByLink: (linkHash) => read((db) => findSignInByLink(db, linkHash)),
      countGuess: (id) => write((db) => countSignInGuess(db, id)),
      remove: (id) => write((db) => removeSignIn(db, id)),
      addSignOut: (signOut) => write((db) => addSignOut(db, signOut)),
      listSignOuts: (subjects) => read((db) => listSignOuts(db, subjects)),
    },

    imports: {
      add: (applications, options) =>
        (options.write ? write : read)((db) => addApplications(db, applications, options)),
      replaceHash: (replacement) => write((db) => replaceCredentialHash(db, replacement)),
      countHashes: () => read(countImportedHashes),
    },

    changesSince: (cursor) => read((db) => readChangesSince(db, cursor)),
    ...(listener && { watch: listener.watch }),
  }
}

function isClient(pool: object): boolean {
  return 'connectionParameters' in pool && !('totalCount' in pool)
}

function checkOptions(options: PostgresStoreOptions | undefined): { pool: PostgresPool; listen: boolean } {
  const { pool, listen = true }: Partial<PostgresStoreOptions> = options ?? {}
  // A pg.Client connects too, but is one connection.
  if (typeof pool?.connect !== 'function' || isClient(pool)) {
    throw new ConfigurationError({
      problem: 'postgresStore() was given no pool of the package pg',
      fix: "Write postgresStore({ pool: new pg.Pool({ connectionString: '...' }) }). Of drizzle take db.$client; knex and Prisma have no such pool.",
    })
  }
  if (listen && countConnections(pool) === 1) {
    throw new ConfigurationError({
      problem: "postgresStore()'s LISTEN holds one connection of its pool, which has no other (max: 1)",
      fix: 'Give the pool more connections, or the store listen: false.',
    })
  }
  return { pool, listen }
}

/** The maximum number of connections; 10 is the default of `pg`. */
function countConnections({ options }: PostgresPool): number {
  return options?.max ?? 10
}

/** Must be called in a transaction, which is rolled back if this resolves false. */
async function saveApplication(
  sql: Sql,
  record: ApplicationRecord,
  audit: NewAuditRecord | undefined,
  emails: readonly EmailChange[],
): Promise<boolean> {
  if (!(await writeApplication(sql, record, audit?.at ?? Date.now()))) return false
  for (const change of emails) if (!(await changeEmails(sql, record.id, change))) return false
  if (record.status === 'deleted') await deleteRefusals(sql, record.id)
  await publish(sql, { kind: 'application', id: record.id }, audit)
  return true
}

const poolsWithListener = new WeakSet<PostgresPool>()

/**
 * A pool emits `error` for an idle connection that it has lost, and replaces it; without a listener that event ends the
 * process. The listener is never removed, because the pool also emits the event for connections that are being closed.
 */
function ignoreLostConnections(pool: PostgresPool): void {
  if (!poolsWithListener.has(pool)) pool.on('error', () => undefined)
  poolsWithListener.add(pool)
}
