import type { Sql } from '../connection.js'

/**
 * Gives credentials an id, a name, restrictions and reminders, and applications metadata and an external id. `id` and `name`
 * have no default, so that processes of the previous version cannot write credentials: they would drop restrictions. For the
 * same reason the table is made again, because SQLite adds no such column. The constraints keep those processes from deleting
 * an application without its metadata.
 */
export function namedCredentials(sql: Sql, onProgress: (progress: string) => void): void {
  sql.exec(CREATE)
  copyCredentials(sql, onProgress)
  sql.exec(FINISH)
}

/** Rows that are copied at once. A file with fewer of them is migrated in about a second. */
const CHUNK_ROWS = 100_000

function copyCredentials(sql: Sql, onProgress: (progress: string) => void): void {
  const { total } = sql.get<{ total: number }>('SELECT count(*) AS total FROM platform_auth_credentials_before')!
  for (let copied = 0, rows = 1; rows > 0; copied += rows) {
    rows = sql.run(COPY_CHUNK, CHUNK_ROWS)
    if (rows > 0 && total > CHUNK_ROWS) onProgress(`Migrating the store: ${copied + rows} of ${total} credentials.`)
  }
}

const CREATE = `
  ALTER TABLE platform_auth_credentials RENAME TO platform_auth_credentials_before;
  DROP INDEX platform_auth_credentials_by_application;
  CREATE TABLE platform_auth_credentials (
    hash TEXT PRIMARY KEY,
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    kind TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    apis TEXT,
    reminded_days INTEGER
  ) WITHOUT ROWID;
`

/** In the order of the primary key, in which rows are appended without searching. */
const COPY_CHUNK = `
  INSERT INTO platform_auth_credentials
      (hash, application_seq, kind, position, id, name, prefix, created_at, expires_at, last_used_at)
    SELECT hash, application_seq, kind, position, 'cred_' || lower(hex(randomblob(11))), 'default', prefix, created_at,
      expires_at, last_used_at
    FROM platform_auth_credentials_before
    WHERE hash > ifnull((SELECT max(hash) FROM platform_auth_credentials), '') ORDER BY hash LIMIT ?`

const FINISH = `
  DROP TABLE platform_auth_credentials_before;
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);
  CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials (expires_at, application_seq, reminded_days)
    WHERE expires_at IS NOT NULL;

  ALTER TABLE platform_auth_applications ADD COLUMN metadata TEXT CHECK (metadata IS NULL OR status <> 'deleted');
  ALTER TABLE platform_auth_applications ADD COLUMN external_id TEXT CHECK (external_id IS NULL OR status <> 'deleted');
  CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications (external_id)
    WHERE external_id IS NOT NULL;

  ALTER TABLE platform_auth_emails ADD COLUMN credential_id TEXT;
`
