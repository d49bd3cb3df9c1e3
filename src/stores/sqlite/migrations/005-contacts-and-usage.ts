import type { Sql } from '../connection.js'

/**
 * Contacts, invitations, requests for APIs, languages, usage, refusals and sign-ins. The constraints keep processes of the
 * previous version from changing the first of several contacts, and from deleting an application without what they do not
 * know. The e-mails that they do not know are in a table of their own: they would send new credentials instead.
 */
export function contactsAndUsage(sql: Sql, onProgress: (progress: string) => void): void {
  const { total } = sql.get<{ total: number }>('SELECT count(*) AS total FROM platform_auth_applications')!
  for (const [part, text] of CHANGES.entries()) {
    if (total > MANY_APPLICATIONS) {
      onProgress(`Migrating the store: part ${part + 1} of ${CHANGES.length} for ${total} applications.`)
    }
    sql.exec(text)
  }
}

/** Fewer of them are migrated in about a second. */
const MANY_APPLICATIONS = 100_000

/** SQLite reads every application for each constraint that is added, and for the index. */
const CHANGES = [
  `ALTER TABLE platform_auth_applications ADD COLUMN contact_before_others TEXT CHECK (contact_before_others IS NULL
    OR (status <> 'deleted' AND contact IS NOT NULL AND contact = contact_before_others))`,
  "ALTER TABLE platform_auth_applications ADD COLUMN invitations TEXT CHECK (invitations IS NULL OR status <> 'deleted')",
  `ALTER TABLE platform_auth_applications ADD COLUMN access_requests TEXT
    CHECK (access_requests IS NULL OR status <> 'deleted')`,
  `CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications (lower(contact))
    WHERE contact IS NOT NULL`,
  `ALTER TABLE platform_auth_applications ADD COLUMN language TEXT;

  -- The contacts after the first.
  CREATE TABLE platform_auth_contacts (
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    position INTEGER NOT NULL,
    address TEXT NOT NULL,
    mailbox TEXT NOT NULL,
    PRIMARY KEY (application_seq, position)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_contacts_by_mailbox ON platform_auth_contacts (mailbox, application_seq);

  ALTER TABLE platform_auth_emails ADD COLUMN recipient TEXT;
  ALTER TABLE platform_auth_emails ADD COLUMN details TEXT;

  CREATE TABLE platform_auth_notices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    application_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    recipient TEXT,
    details TEXT,
    credential_id TEXT,
    state TEXT NOT NULL,
    overlap INTEGER NOT NULL,
    attempt_count INTEGER NOT NULL,
    attempted_hashes TEXT NOT NULL,
    claim_links TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    leased_until INTEGER NOT NULL,
    problem TEXT,
    version INTEGER NOT NULL
  );
  CREATE INDEX platform_auth_notices_by_application ON platform_auth_notices (application_id, due_at);
  CREATE INDEX platform_auth_notices_by_state ON platform_auth_notices (state, due_at);
  CREATE INDEX platform_auth_notices_by_due_at ON platform_auth_notices (due_at);

  CREATE TABLE platform_auth_usage (
    day TEXT NOT NULL,
    application_id TEXT NOT NULL,
    api TEXT NOT NULL,
    outcome TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (application_id, day, api, outcome)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_usage_by_day ON platform_auth_usage (day);

  -- The batches of counts and refusals that were added, so that none is added twice.
  CREATE TABLE platform_auth_usage_batches (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_usage_batches_by_time ON platform_auth_usage_batches (at);

  CREATE TABLE platform_auth_refusals (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    api TEXT NOT NULL,
    error TEXT NOT NULL,
    reason TEXT,
    request_id TEXT,
    address TEXT,
    details TEXT
  );
  CREATE INDEX platform_auth_refusals_by_application ON platform_auth_refusals (application_id, seq);
  CREATE INDEX platform_auth_refusals_by_time ON platform_auth_refusals (at);

  CREATE TABLE platform_auth_sign_ins (
    id TEXT PRIMARY KEY,
    mailbox TEXT,
    link_hash TEXT UNIQUE,
    code_hash TEXT,
    guesses INTEGER NOT NULL,
    application_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_sign_ins_by_mailbox ON platform_auth_sign_ins (mailbox);
  CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins (expires_at);

  CREATE TABLE platform_auth_sign_outs (
    subject TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs (expires_at)`,
]
