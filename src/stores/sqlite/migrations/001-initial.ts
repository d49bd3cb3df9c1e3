export const initial = `
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

  -- The application's status is repeated here, so that one index finds the suspended applications of an API.
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

  -- The hashes in a letter's claims, so that an index finds the letter of a claim.
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
`
