import { refuseNewer, refuseOlder } from '../sql/schema.js'
import type { Sql, SqliteConnection } from './connection.js'

/** Makes the tables, or brings them up to date, if it may. */
export async function migrate({ single, transaction }: SqliteConnection, may: boolean): Promise<void> {
  // A look first, so that a start need not wait for another process's write.
  const version = await single(schemaVersionOf)
  if (!may) refuseOlder(version, MIGRATIONS.length)
  if (version !== MIGRATIONS.length) await transaction(bringUpToDate)
}

function bringUpToDate(sql: Sql): void {
  const version = schemaVersionOf(sql)
  refuseNewer(version, MIGRATIONS.length)
  for (const migration of MIGRATIONS.slice(version)) sql.exec(migration)
  const text = `
    INSERT INTO platform_auth_meta (key, value) VALUES ('schema_version', ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  sql.run(text, String(MIGRATIONS.length))
}

/** Not `user_version`: that belongs to the host, whose file it may be. */
function schemaVersionOf(sql: Sql): number {
  const meta = sql.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'platform_auth_meta'`)
  if (!meta) return 0
  const row = sql.get<{ value: string }>(`SELECT value FROM platform_auth_meta WHERE key = 'schema_version'`)
  return Number(row?.value ?? 0)
}

/**
 * The tables, one step per schema version; a published step never changes, the next one is added below it. All names
 * begin with `platform_auth_`, because the file may be the host's own.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE IF NOT EXISTS platform_auth_meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE platform_auth_applications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    contact TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    tokens_revoked_at INTEGER NOT NULL,
    version INTEGER NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status);

  -- The application's status stands here too, so that one index answers "which suspended ones may use this API?".
  CREATE TABLE platform_auth_grants (
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    api TEXT NOT NULL,
    position INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (application_seq, api)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants (api, status, application_seq);

  CREATE TABLE platform_auth_credentials (
    hash TEXT PRIMARY KEY,
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    kind TEXT NOT NULL,
    position INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);

  CREATE TABLE platform_auth_signing_keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kid TEXT NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_jwk TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    signs_from INTEGER NOT NULL,
    former_verifies_for INTEGER NOT NULL
  );

  CREATE TABLE platform_auth_letters (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    application_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    state TEXT NOT NULL,
    overlap INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    attempted TEXT NOT NULL,
    claims TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    leased_until INTEGER NOT NULL,
    problem TEXT,
    version INTEGER NOT NULL
  );
  CREATE INDEX platform_auth_letters_by_application ON platform_auth_letters (application_id, due_at);
  CREATE INDEX platform_auth_letters_by_state ON platform_auth_letters (state, due_at);
  CREATE INDEX platform_auth_letters_by_due_at ON platform_auth_letters (due_at);

  -- The hashes that stand in a letter's claims, so that an index leads from one to the letter.
  CREATE TABLE platform_auth_letter_claims (
    hash TEXT NOT NULL,
    letter_seq INTEGER NOT NULL REFERENCES platform_auth_letters (seq),
    PRIMARY KEY (hash, letter_seq)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_letter_claims_by_letter ON platform_auth_letter_claims (letter_seq);

  CREATE TABLE platform_auth_revoked_access_tokens (
    id TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens (expires_at);

  CREATE TABLE platform_auth_audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    actor TEXT,
    application_id TEXT,
    details TEXT NOT NULL
  );
  CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit (application_id);

  CREATE TABLE platform_auth_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT,
    expires_at INTEGER
  );
  `,
  `
  ALTER TABLE platform_auth_letters RENAME TO platform_auth_emails;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempts TO attempt_count;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempted TO attempted_hashes;
  ALTER TABLE platform_auth_emails RENAME COLUMN claims TO claim_links;
  ALTER TABLE platform_auth_letter_claims RENAME TO platform_auth_email_claim_links;
  ALTER TABLE platform_auth_email_claim_links RENAME COLUMN letter_seq TO email_seq;
  DROP INDEX platform_auth_letters_by_application;
  CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails (application_id, due_at);
  DROP INDEX platform_auth_letters_by_state;
  CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails (state, due_at);
  DROP INDEX platform_auth_letters_by_due_at;
  CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails (due_at);
  DROP INDEX platform_auth_letter_claims_by_letter;
  CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links (email_seq);
  `,
]
