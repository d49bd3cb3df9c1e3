CREATE TABLE platform_auth_applications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    contact TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    tokens_revoked_at INTEGER NOT NULL,
    metadata TEXT,
    external_id TEXT,
    language TEXT,
    invitations TEXT,
    access_requests TEXT,
    withheld TEXT,
    decided TEXT,
    ends_at INTEGER,
    plan TEXT,
    -- Limits, networks and terms of the application, as JSON.
    agreed TEXT,
    unconfirmed INTEGER NOT NULL DEFAULT FALSE,
    -- Since when it waits for an operator, for its registration or for access.
    waiting_since INTEGER,
    version INTEGER NOT NULL
  );

CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications (lower(contact))
    WHERE contact IS NOT NULL;

CREATE INDEX platform_auth_applications_by_decided ON platform_auth_applications (seq)
    WHERE status = 'deleted' AND decided IS NOT NULL;

CREATE INDEX platform_auth_applications_by_end ON platform_auth_applications (ends_at) WHERE ends_at IS NOT NULL;

CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications (external_id)
    WHERE external_id IS NOT NULL;

CREATE INDEX platform_auth_applications_by_name ON platform_auth_applications (lower(name));

CREATE INDEX platform_auth_applications_by_plan ON platform_auth_applications (plan) WHERE plan IS NOT NULL;

CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status);

CREATE INDEX platform_auth_applications_by_wait ON platform_auth_applications (waiting_since) WHERE waiting_since IS NOT NULL;

CREATE INDEX platform_auth_applications_with_plan ON platform_auth_applications (seq) WHERE plan IS NOT NULL;

CREATE TABLE platform_auth_assertions (
    application_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (application_id, hash)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_assertions_by_expiry ON platform_auth_assertions (expires_at);

CREATE TABLE platform_auth_audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    actor TEXT,
    application_id TEXT,
    details TEXT NOT NULL
  );

CREATE INDEX platform_auth_audit_by_actor ON platform_auth_audit (actor) WHERE actor IS NOT NULL;

CREATE INDEX platform_auth_audit_by_actor_and_time ON platform_auth_audit (actor, at) WHERE actor IS NOT NULL;

CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit (application_id);

CREATE INDEX platform_auth_audit_by_time ON platform_auth_audit (at);

CREATE INDEX platform_auth_audit_by_type ON platform_auth_audit (type);

CREATE INDEX platform_auth_audit_by_type_and_time ON platform_auth_audit (type, at);

CREATE TABLE platform_auth_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT,
    expires_at INTEGER,
    nonce TEXT NOT NULL DEFAULT (lower(hex(randomblob(12))))
  );

CREATE TABLE platform_auth_contacts (
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    position INTEGER NOT NULL,
    address TEXT NOT NULL,
    contact TEXT NOT NULL,
    PRIMARY KEY (application_seq, position)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_contacts_by_contact ON platform_auth_contacts (contact, application_seq);

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
    networks TEXT,
    imported INTEGER NOT NULL DEFAULT FALSE,
    reminded_days INTEGER,
    -- The public keys of a client, or their address, as JSON.
    key_set TEXT
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);

CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials (expires_at, application_seq, reminded_days)
    WHERE expires_at IS NOT NULL;

CREATE INDEX platform_auth_credentials_by_prefix ON platform_auth_credentials (prefix, application_seq);

CREATE TABLE platform_auth_email_claim_links (
    hash TEXT NOT NULL,
    email_seq INTEGER NOT NULL REFERENCES platform_auth_emails (seq),
    PRIMARY KEY (hash, email_seq)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links (email_seq);

CREATE TABLE platform_auth_emails (
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

CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails (application_id, due_at);

CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails (due_at);

CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails (state, due_at);

CREATE TABLE platform_auth_ended_keys (
    hash TEXT NOT NULL,
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    last_seq INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (hash, application_seq)
  ) WITHOUT ROWID;

CREATE TABLE platform_auth_grants (
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    api TEXT NOT NULL,
    position INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (application_seq, api)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants (api, status, application_seq);

CREATE TABLE platform_auth_last_uses (
    application_seq INTEGER PRIMARY KEY REFERENCES platform_auth_applications (seq),
    used_at INTEGER NOT NULL
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_last_uses_by_time ON platform_auth_last_uses (used_at, application_seq);

CREATE TABLE platform_auth_meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;

CREATE TABLE platform_auth_processes (id TEXT PRIMARY KEY, settings TEXT NOT NULL, seen_at INTEGER NOT NULL) WITHOUT ROWID;

CREATE INDEX platform_auth_processes_by_time ON platform_auth_processes (seen_at);

CREATE TABLE platform_auth_quotas (
    application_id TEXT NOT NULL,
    -- A day, or the month of such days: 2026-11.
    day TEXT NOT NULL,
    count INTEGER NOT NULL,
    -- That of the application, repeated here, so that one index finds who has used most of a plan.
    plan TEXT,
    PRIMARY KEY (application_id, day)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_quotas_by_day ON platform_auth_quotas (day);

CREATE INDEX platform_auth_quotas_by_use ON platform_auth_quotas (plan, day, count, application_id) WHERE plan IS NOT NULL;

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

CREATE TABLE platform_auth_reported (
    application_id TEXT NOT NULL,
    api TEXT NOT NULL,
    route TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (application_id, api, route, reason)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_reported_by_time ON platform_auth_reported (last_at);

CREATE TABLE platform_auth_revoked_access_tokens (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;

CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens (expires_at);

CREATE TABLE platform_auth_sign_ins (
    id TEXT PRIMARY KEY,
    contact TEXT,
    link_hash TEXT UNIQUE,
    code_hash TEXT,
    guesses INTEGER NOT NULL,
    application_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_sign_ins_by_contact ON platform_auth_sign_ins (contact);

CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins (expires_at);

CREATE TABLE platform_auth_sign_outs (
    subject TEXT PRIMARY KEY,
    nonce TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs (expires_at);

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

CREATE TABLE platform_auth_usage (
    day TEXT NOT NULL,
    application_id TEXT NOT NULL,
    api TEXT NOT NULL,
    outcome TEXT NOT NULL,
    route TEXT NOT NULL DEFAULT '',
    count INTEGER NOT NULL,
    PRIMARY KEY (application_id, route, day, api, outcome)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_usage_by_api ON platform_auth_usage (api, day);

CREATE INDEX platform_auth_usage_by_day ON platform_auth_usage (day);

CREATE TABLE platform_auth_usage_batches (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

CREATE INDEX platform_auth_usage_batches_by_time ON platform_auth_usage_batches (at);

CREATE TABLE platform_auth_usage_sums (
    application_id TEXT NOT NULL,
    period TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    PRIMARY KEY (application_id, period)
  ) WITHOUT ROWID;

CREATE INDEX platform_auth_usage_sums_by_allowed ON platform_auth_usage_sums (period, allowed, application_id);

CREATE INDEX platform_auth_usage_sums_by_refused ON platform_auth_usage_sums (period, refused, application_id);
