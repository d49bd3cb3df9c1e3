import type { PostgresConnections, Sql } from './connection.js'
import { refuseNewer, refuseOlder } from '../sql/schema.js'

/** Makes the tables in the current schema, or brings them up to date. */
export async function migrate({ sql, transaction }: PostgresConnections, may: boolean): Promise<void> {
  // A look first, so that a start need not wait for another process's.
  const version = await schemaVersionOf(sql)
  if (!may) refuseOlder(version, MIGRATIONS.length)
  if (version !== MIGRATIONS.length) await transaction(bringUpToDate, Infinity)
}

async function bringUpToDate(sql: Sql): Promise<void> {
  // As long as another process's migrations take.
  await sql.run('SET LOCAL statement_timeout = 0')
  await sql.get('SELECT pg_advisory_xact_lock($1::bigint)', MIGRATING)
  const version = await schemaVersionOf(sql)
  refuseNewer(version, MIGRATIONS.length)
  for (const migration of MIGRATIONS.slice(version)) await sql.run(migration)
  const text = `
    INSERT INTO platform_auth_meta (key, value) VALUES ('schema_version', $1)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  await sql.run(text, String(MIGRATIONS.length))
}

/** An advisory lock of the database; nothing but chance keeps others from using the same number. */
const MIGRATING = 6_023_885_187_240

async function schemaVersionOf(sql: Sql): Promise<number> {
  // As every statement finds the tables, by the search path. Not to_regclass(): it may go by what this connection's cache
  // knew before the lock.
  const text = `SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'platform_auth_meta' AND pg_table_is_visible(oid)`
  if (!(await sql.get(text))) return 0
  const row = await sql.get<{ value: string }>(`SELECT value FROM platform_auth_meta WHERE key = 'schema_version'`)
  return Number(row?.value ?? 0)
}

/**
 * The tables, one step per schema version; a published step never changes, the next one is added below it. All names
 * begin with `platform_auth_`, because the schema may be the host's own. What is only ever compared as a whole has the
 * collation C, so that a new version of the system's collations can't damage its indexes.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE platform_auth_meta (
    key text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
  );

  CREATE TABLE platform_auth_applications (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    contact text,
    status text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    tokens_revoked_at bigint NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status, seq);

  -- The application's status stands here too, so that one index answers "which suspended ones may use this API?".
  CREATE TABLE platform_auth_grants (
    application_seq bigint NOT NULL REFERENCES platform_auth_applications,
    api text COLLATE "C" NOT NULL,
    position int NOT NULL,
    scopes text NOT NULL,
    status text COLLATE "C" NOT NULL,
    PRIMARY KEY (application_seq, api)
  );
  CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants (api, status, application_seq);

  CREATE TABLE platform_auth_credentials (
    hash text COLLATE "C" PRIMARY KEY,
    application_seq bigint NOT NULL REFERENCES platform_auth_applications,
    kind text COLLATE "C" NOT NULL,
    position int NOT NULL,
    prefix text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint
  );
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);

  CREATE TABLE platform_auth_signing_keys (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kid text COLLATE "C" NOT NULL UNIQUE,
    algorithm text NOT NULL,
    public_jwk text NOT NULL,
    sealed_private_jwk text NOT NULL,
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL,
    former_verifies_for bigint NOT NULL
  );

  CREATE TABLE platform_auth_letters (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    application_id text COLLATE "C" NOT NULL,
    purpose text NOT NULL,
    state text COLLATE "C" NOT NULL,
    overlap bigint NOT NULL,
    attempts bigint NOT NULL,
    attempted text NOT NULL,
    claims text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    problem text,
    version bigint NOT NULL
  );
  CREATE INDEX platform_auth_letters_by_application ON platform_auth_letters (application_id, due_at);
  CREATE INDEX platform_auth_letters_by_state ON platform_auth_letters (state, due_at, seq);
  CREATE INDEX platform_auth_letters_by_due_at ON platform_auth_letters (due_at, seq);

  -- The hashes that stand in a letter's claims, so that an index leads from one to the letter.
  CREATE TABLE platform_auth_letter_claims (
    hash text COLLATE "C" NOT NULL,
    letter_seq bigint NOT NULL REFERENCES platform_auth_letters ON DELETE CASCADE,
    PRIMARY KEY (hash, letter_seq)
  );
  CREATE INDEX platform_auth_letter_claims_by_letter ON platform_auth_letter_claims (letter_seq);

  CREATE TABLE platform_auth_revoked_access_tokens (
    id text COLLATE "C" PRIMARY KEY,
    expires_at bigint NOT NULL
  );
  CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens (expires_at);

  CREATE TABLE platform_auth_audit (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    type text NOT NULL,
    actor text,
    application_id text COLLATE "C",
    details text NOT NULL
  );
  CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit (application_id, seq);

  CREATE TABLE platform_auth_changes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    id text,
    expires_at bigint
  );
  `,
  `
  ALTER TABLE platform_auth_letters RENAME TO platform_auth_emails;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempts TO attempt_count;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempted TO attempted_hashes;
  ALTER TABLE platform_auth_emails RENAME COLUMN claims TO claim_links;
  ALTER TABLE platform_auth_letter_claims RENAME TO platform_auth_email_claim_links;
  ALTER TABLE platform_auth_email_claim_links RENAME COLUMN letter_seq TO email_seq;
  ALTER INDEX platform_auth_letters_by_application RENAME TO platform_auth_emails_by_application;
  ALTER INDEX platform_auth_letters_by_state RENAME TO platform_auth_emails_by_state;
  ALTER INDEX platform_auth_letters_by_due_at RENAME TO platform_auth_emails_by_due_at;
  ALTER INDEX platform_auth_letter_claims_by_letter RENAME TO platform_auth_email_claim_links_by_email;
  `,
]
