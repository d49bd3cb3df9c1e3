import { StoreUnusableError } from '../store.js'
import type { AuditEntry, AuditQuery, AuditRecord, RevokedAccessToken, SigningKeyRecord, Store } from '../store.js'
import { auditFrom, MIGRATIONS, revokedAccessTokenFrom, signingKeyFrom } from './schema.js'
import type { AuditRow, RevokedAccessTokenRow, SigningKeyRow } from './schema.js'
import { findApplication, findApplicationByKey, listApplications, writeApplication } from './sqlite-applications.js'
import { connectTo } from './sqlite-connection.js'
import type { Sql, SqliteConnection } from './sqlite-connection.js'
import { openSqliteFile } from './sqlite-driver.js'
import type { SqliteDatabase } from './sqlite-driver.js'
import { feedReader, publish } from './sqlite-feed.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-driver.js'

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

  async function open(): Promise<void> {
    if (closing) throw new Error('The SQLite store is closed.')
    opening ??= connect(pathOrDatabase).catch((error: unknown) => {
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
    pollInterval: 100,
    open,
    close: () => (closing ??= close()),
    establishPepper: (sealed) => write((sql) => establishPepper(sql, sealed)),
    listSigningKeys: () => read(listSigningKeys),
    addSigningKey: (key, newest, audit) => write((sql) => addSigningKey(sql, key, newest, audit)),
    removeSigningKey: (kid, audit) => write((sql) => removeSigningKey(sql, kid, audit)),
    findApplication: (id) => read((sql) => findApplication(sql, id)),
    findApplicationByKey: (hash) => read((sql) => findApplicationByKey(sql, hash)),
    listApplications: (query) => read((sql) => listApplications(sql, query)),
    saveApplication: (record, audit) =>
      write((sql) => {
        if (!writeApplication(sql, record)) return false
        writeAudit(sql, audit)
        publish(sql, { kind: 'application', id: record.id })
        return true
      }),
    revokeAccessToken: (token, now) => write((sql) => revokeAccessToken(sql, token, now)),
    listRevokedAccessTokens: (now, limit) => read((sql) => listRevokedAccessTokens(sql, now, limit)),
    isAccessTokenRevoked: (id) => read((sql) => isAccessTokenRevoked(sql, id)),
    listAudit: (query) => read((sql) => listAudit(sql, query)),
    changesSince: (cursor) => read((sql) => changesSince(sql, cursor)),
  }
}

async function connect(pathOrDatabase: string | SqliteDatabase): Promise<SqliteConnection> {
  const owned = typeof pathOrDatabase === 'string'
  const connection = connectTo(owned ? await openSqliteFile(pathOrDatabase) : pathOrDatabase, { owned })
  try {
    await connection.single(makeDurable)
    // A look first, so that a start need not wait for another process's write.
    if ((await connection.single(schemaVersionOf)) !== MIGRATIONS.length) await connection.transaction(migrate)
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

/** Not `user_version`: that belongs to the host, whose file it may be. */
function schemaVersionOf(sql: Sql): number {
  const meta = sql.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'platform_auth_meta'`)
  if (!meta) return 0
  return Number(valueOf(sql, 'schema_version') ?? 0)
}

function migrate(sql: Sql): void {
  const version = schemaVersionOf(sql)
  if (version > MIGRATIONS.length) {
    throw new StoreUnusableError(
      'schema_too_new',
      `The database has schema ${version}, and this version of express-platform-auth knows up to ${MIGRATIONS.length}. A newer version wrote it: use that one here too.`,
    )
  }
  for (const migration of MIGRATIONS.slice(version)) sql.exec(migration)
  const text = `
    INSERT INTO platform_auth_meta (key, value) VALUES ('schema_version', ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  sql.run(text, String(MIGRATIONS.length))
}

function valueOf(sql: Sql, key: string): string | undefined {
  return sql.get<{ value: string }>('SELECT value FROM platform_auth_meta WHERE key = ?', key)?.value
}

function establishPepper(sql: Sql, sealed: string): string {
  sql.run(`INSERT INTO platform_auth_meta (key, value) VALUES ('pepper', ?) ON CONFLICT (key) DO NOTHING`, sealed)
  return valueOf(sql, 'pepper') ?? sealed
}

function listSigningKeys(sql: Sql): readonly SigningKeyRecord[] {
  return sql.all<SigningKeyRow>('SELECT * FROM platform_auth_signing_keys ORDER BY seq').map(signingKeyFrom)
}

function addSigningKey(sql: Sql, key: SigningKeyRecord, newest: string | undefined, audit: AuditEntry): boolean {
  const last = sql.get<{ kid: string }>('SELECT kid FROM platform_auth_signing_keys ORDER BY seq DESC LIMIT 1')
  if (last?.kid !== newest) return false
  const { kid, algorithm, publicJwk, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor } = key
  const text = `
    INSERT INTO platform_auth_signing_keys
      (kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from, former_verifies_for)
    VALUES (?, ?, ?, ?, ?, ?, ?)`
  const publicText = JSON.stringify(publicJwk)
  sql.run(text, kid, algorithm, publicText, sealedPrivateJwk, createdAt, signsFrom, formerVerifiesFor)
  writeAudit(sql, audit)
  publish(sql, { kind: 'signingKeys' })
  return true
}

function removeSigningKey(sql: Sql, kid: string, audit: AuditEntry): boolean {
  if (sql.run('DELETE FROM platform_auth_signing_keys WHERE kid = ?', kid) === 0) return false
  writeAudit(sql, audit)
  publish(sql, { kind: 'signingKeys' })
  return true
}

/** How many expired rows one call clears away: more than it adds, and not so many that it takes long. */
const CLEARED_AT_ONCE = 100

function revokeAccessToken(sql: Sql, { id, expiresAt }: RevokedAccessToken, now: number): void {
  const text =
    'INSERT INTO platform_auth_revoked_access_tokens (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'
  if (sql.run(text, id, expiresAt) === 1) publish(sql, { kind: 'accessTokenRevoked', id, expiresAt })
  const clear = `
    DELETE FROM platform_auth_revoked_access_tokens WHERE id IN (
      SELECT id FROM platform_auth_revoked_access_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
  sql.run(clear, now, CLEARED_AT_ONCE)
}

function listRevokedAccessTokens(sql: Sql, now: number, limit: number): readonly RevokedAccessToken[] {
  const text = `
    SELECT id, expires_at FROM platform_auth_revoked_access_tokens WHERE expires_at > ? ORDER BY expires_at LIMIT ?`
  return sql.all<RevokedAccessTokenRow>(text, now, limit).map(revokedAccessTokenFrom)
}

function isAccessTokenRevoked(sql: Sql, id: string): boolean {
  return sql.get('SELECT 1 FROM platform_auth_revoked_access_tokens WHERE id = ?', id) !== undefined
}

function writeAudit(sql: Sql, { at, type, by, applicationId, details }: AuditEntry): void {
  const text = 'INSERT INTO platform_auth_audit (at, type, actor, application_id, details) VALUES (?, ?, ?, ?, ?)'
  sql.run(text, at, type, by, applicationId, JSON.stringify(details))
}

function listAudit(sql: Sql, { after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
  // What is no number becomes NULL, after which nothing comes.
  const start = after === undefined ? 0 : Number.parseInt(after, 10)
  const ofOne = applicationId === undefined ? '' : 'application_id = ? AND'
  const text = `SELECT * FROM platform_auth_audit WHERE ${ofOne} seq > ? ORDER BY seq LIMIT ?`
  const values = applicationId === undefined ? [start, limit] : [applicationId, start, limit]
  return sql.all<AuditRow>(text, ...values).map(auditFrom)
}
