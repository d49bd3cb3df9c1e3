import type { ApplicationRecord, NewAuditRecord, EmailChange, Store } from '../../contracts/store.js'
import { findApplication, findApplicationByKey, listApplications } from './applications.js'
import { noteCredentialUse, writeApplication } from './applications.js'
import { listAudit, writeAudit } from './audit.js'
import { connectTo } from './connection.js'
import type { Sql, SqliteConnection } from './connection.js'
import { openSqliteFile } from './driver.js'
import type { SqliteDatabase } from './driver.js'
import { feedReader, publish } from './feed.js'
import { changeEmails, findEmailByClaimLink, isEmailDue, leaseEmail, listEmails, writeEmail } from './emails.js'
import { establishPepper, findPepper, resealPepper } from './pepper.js'
import { isAccessTokenRevoked, listRevokedAccessTokens, revokeAccessToken } from './revoked-access-tokens.js'
import { migrate } from './schema.js'
import { addSigningKey, listSigningKeys, removeSigningKey, resealSigningKey } from './signing-keys.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.js'

/**
 * A store in a SQLite file, which several processes of one machine may share. Given a path, it opens the file, and makes
 * it with mode 0600 where there is none. Given a database, it uses that connection, which it sets to
 * `journal_mode = WAL` and `synchronous = FULL`, and leaves it open.
 *
 * A process must not open this file with another copy of SQLite as well (such as better-sqlite3's): the one that closes
 * it drops the other's locks. Hand the database in, or give the platform a file of its own.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'https://api.example.com',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   store: sqliteStore('platform-auth.sqlite'),
 *   secret: process.env.PLATFORM_AUTH_SECRET,
 * })
 * ```
 */
export function sqliteStore(pathOrDatabase: string | SqliteDatabase): Store {
  const changesSince = feedReader()
  let opening: Promise<SqliteConnection> | undefined
  let closing: Promise<void> | undefined

  async function open({ migrate: may = true } = {}): Promise<void> {
    if (closing) throw new Error('The SQLite store is closed.')
    opening ??= connect(pathOrDatabase, may).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    await opening
  }

  async function close(): Promise<void> {
    const connection = await opening?.catch(() => undefined)
    connection?.close()
  }

  async function opened(): Promise<SqliteConnection> {
    if (!opening) throw new Error('The SQLite store is not open: await store.open() first.')
    return opening
  }

  async function read<T>(work: (sql: Sql) => T): Promise<T> {
    return (await opened()).single(work)
  }

  async function write<T>(work: (sql: Sql) => T): Promise<T> {
    return (await opened()).transaction(work)
  }

  return {
    kind: 'sqlite',
    // A look costs a tenth of a millisecond of processor time.
    pollInterval: 50,
    open,
    close: () => (closing ??= close()),

    establishPepper: async (sealed) => (await read(findPepper)) ?? write((sql) => establishPepper(sql, sealed)),
    resealPepper: (former, sealed) => write((sql) => resealPepper(sql, former, sealed)),

    listSigningKeys: () => read(listSigningKeys),
    addSigningKey: (key, newest, audit) => write((sql) => addSigningKey(sql, key, newest, audit)),
    resealSigningKey: (kid, former, sealed) => write((sql) => resealSigningKey(sql, kid, former, sealed)),
    removeSigningKey: (kid, audit) => write((sql) => removeSigningKey(sql, kid, audit)),

    findApplication: (id) => read((sql) => findApplication(sql, id)),
    findApplicationByKey: (hash) => read((sql) => findApplicationByKey(sql, hash)),
    listApplications: (query) => read((sql) => listApplications(sql, query)),
    saveApplication: (record, audit, email) => write((sql) => saveApplication(sql, record, audit, email)),
    noteCredentialUse: (uses) => write((sql) => noteCredentialUse(sql, uses)),

    leaseEmail: async (now, until) =>
      (await read((sql) => isEmailDue(sql, now))) ? write((sql) => leaseEmail(sql, now, until)) : undefined,
    saveEmail: (email) => write((sql) => writeEmail(sql, email)),
    findEmailByClaimLink: (hash) => read((sql) => findEmailByClaimLink(sql, hash)),
    listEmails: (query) => read((sql) => listEmails(sql, query)),

    revokeAccessToken: (token, now) => write((sql) => revokeAccessToken(sql, token, now)),
    listRevokedAccessTokens: (now, limit) => read((sql) => listRevokedAccessTokens(sql, now, limit)),
    isAccessTokenRevoked: (id) => read((sql) => isAccessTokenRevoked(sql, id)),

    listAudit: (query) => read((sql) => listAudit(sql, query)),
    changesSince: (cursor) => read((sql) => changesSince(sql, cursor)),
  }
}

async function connect(pathOrDatabase: string | SqliteDatabase, mayMigrate: boolean): Promise<SqliteConnection> {
  const owned = typeof pathOrDatabase === 'string'
  const connection = connectTo(owned ? await openSqliteFile(pathOrDatabase) : pathOrDatabase, { owned })
  try {
    await connection.single(makeDurable)
    await migrate(connection, mayMigrate)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The `synchronous` at which a commit survives a power cut. */
const FULL = 2

function makeDurable(sql: Sql): void {
  const mode = sql.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode
  if (mode !== 'wal' && mode !== 'memory') {
    throw new Error(`SQLite keeps journal_mode "${mode}" for this database: it must lie on a local disk, writable.`)
  }
  const level = sql.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous ?? 0
  if (level < FULL) sql.exec(`PRAGMA synchronous = ${FULL}`)
}

/** All of it in one transaction, which what returns false undoes. */
function saveApplication(
  sql: Sql,
  record: ApplicationRecord,
  audit: NewAuditRecord | undefined,
  email: EmailChange | undefined,
): boolean {
  if (!writeApplication(sql, record)) return false
  if (email !== undefined && !changeEmails(sql, record.id, email)) return false
  if (audit) writeAudit(sql, audit)
  publish(sql, { kind: 'application', id: record.id })
  return true
}
