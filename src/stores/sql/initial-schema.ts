/** What the two databases write differently in the tables of the first release. */
export interface SchemaWords {
  /** The type of a number that the database counts up. */
  readonly serial: string
  /** The type of a text that is only compared as a whole. */
  readonly key: string
  readonly integer: string
  readonly flag: string
  /** Makes a random text. */
  readonly nonce: string
  readonly collated: string
  /** Orders the rows of an index entry, where the database does not by itself. */
  readonly order: string
  /** Follows a table without such a number. */
  readonly keyed: string
  readonly cascade: string
}

export function formatInitialSchema(words: SchemaWords): string {
  return TABLES.replaceAll(/\{(\w+)\}/g, (_, word: keyof SchemaWords) => words[word])
}

const TABLES = `
  CREATE TABLE platform_auth_meta (
    key {key} PRIMARY KEY,
    value TEXT NOT NULL
  ){keyed};
  CREATE TABLE platform_auth_applications (
    seq {serial},
    id {key} NOT NULL UNIQUE,
    name TEXT NOT NULL,
    contact TEXT,
    status {key} NOT NULL,
    created_at {integer} NOT NULL,
    tokens_revoked_at {integer} NOT NULL,
    metadata TEXT,
    external_id {key},
    language {key},
    invitations TEXT,
    access_requests TEXT,
    withheld TEXT,
    decided TEXT,
    ends_at {integer},
    plan {key},
    -- Limits, networks and terms of the application, as JSON.
    agreed TEXT,
    unconfirmed {flag},
    -- Since when it waits for an operator, for its registration or for access.
    waiting_since {integer},
    version {integer} NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status{order});
  -- Deleted applications that still say what became of their requests.
  CREATE INDEX platform_auth_applications_by_decided ON platform_auth_applications (seq)
    WHERE status = 'deleted' AND decided IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications (lower(contact{collated}))
    WHERE contact IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_name ON platform_auth_applications (lower(name{collated}){order});
  CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications (external_id)
    WHERE external_id IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_end ON platform_auth_applications (ends_at) WHERE ends_at IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_wait ON platform_auth_applications (waiting_since{order}) WHERE waiting_since IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_plan ON platform_auth_applications (plan{order}) WHERE plan IS NOT NULL;
  -- The first application that has any plan.
  CREATE INDEX platform_auth_applications_with_plan ON platform_auth_applications (seq) WHERE plan IS NOT NULL;

  -- The contacts after the first.
  CREATE TABLE platform_auth_contacts (
    application_seq {integer} NOT NULL REFERENCES platform_auth_applications (seq),
    position INTEGER NOT NULL,
    address TEXT NOT NULL,
    contact {key} NOT NULL,
    PRIMARY KEY (application_seq, position)
  ){keyed};
  CREATE INDEX platform_auth_contacts_by_contact ON platform_auth_contacts (contact, application_seq);

  -- The application's status is repeated here, so that one index finds the suspended applications of an API.
  CREATE TABLE platform_auth_grants (
    application_seq {integer} NOT NULL REFERENCES platform_auth_applications (seq),
    api {key} NOT NULL,
    position INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    status {key} NOT NULL,
    PRIMARY KEY (application_seq, api)
  ){keyed};
  CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants (api, status, application_seq);

  CREATE TABLE platform_auth_credentials (
    hash {key} PRIMARY KEY,
    application_seq {integer} NOT NULL REFERENCES platform_auth_applications (seq),
    kind {key} NOT NULL,
    position INTEGER NOT NULL,
    id {key} NOT NULL,
    name TEXT NOT NULL,
    prefix {key} NOT NULL,
    created_at {integer} NOT NULL,
    expires_at {integer},
    last_used_at {integer},
    apis TEXT,
    networks TEXT,
    imported {flag},
    reminded_days INTEGER,
    -- The public keys of a client, or their address, as JSON.
    key_set TEXT
  ){keyed};
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);
  CREATE INDEX platform_auth_credentials_by_prefix ON platform_auth_credentials (prefix, application_seq);
  CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials (expires_at, application_seq, reminded_days)
    WHERE expires_at IS NOT NULL;

  -- When any credential of an application was last used; 0: none was. A table of its own, because a use must neither lock nor copy more.
  CREATE TABLE platform_auth_last_uses (
    application_seq {integer} PRIMARY KEY REFERENCES platform_auth_applications (seq),
    used_at {integer} NOT NULL
  ){keyed};
  CREATE INDEX platform_auth_last_uses_by_time ON platform_auth_last_uses (used_at, application_seq);

  -- Imported keys that applications have no more, with the last application that had been added by then.
  CREATE TABLE platform_auth_ended_keys (
    hash {key} NOT NULL,
    application_seq {integer} NOT NULL REFERENCES platform_auth_applications (seq),
    last_seq {integer} NOT NULL,
    ended_at {integer} NOT NULL,
    PRIMARY KEY (hash, application_seq)
  ){keyed};

  CREATE TABLE platform_auth_signing_keys (
    seq {serial},
    kid {key} NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_jwk TEXT NOT NULL,
    created_at {integer} NOT NULL,
    signs_from {integer} NOT NULL,
    former_verifies_for {integer} NOT NULL
  );

  CREATE TABLE platform_auth_emails (
    seq {serial},
    id {key} NOT NULL UNIQUE,
    application_id {key} NOT NULL,
    purpose {key} NOT NULL,
    recipient TEXT,
    details TEXT,
    credential_id {key},
    state {key} NOT NULL,
    overlap {integer} NOT NULL,
    attempt_count {integer} NOT NULL,
    attempted_hashes TEXT NOT NULL,
    claim_links TEXT NOT NULL,
    created_at {integer} NOT NULL,
    due_at {integer} NOT NULL,
    leased_until {integer} NOT NULL,
    problem TEXT,
    version {integer} NOT NULL
  );
  CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails (application_id, due_at);
  CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails (state, due_at{order});
  CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails (due_at{order});

  -- The hashes in an e-mail's claim links, so that an index finds the e-mail of a link.
  CREATE TABLE platform_auth_email_claim_links (
    hash {key} NOT NULL,
    email_seq {integer} NOT NULL REFERENCES platform_auth_emails (seq){cascade},
    PRIMARY KEY (hash, email_seq)
  ){keyed};
  CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links (email_seq);

  CREATE TABLE platform_auth_revoked_access_tokens (id {key} PRIMARY KEY, expires_at {integer} NOT NULL){keyed};
  CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens (expires_at);

  CREATE TABLE platform_auth_audit (
    seq {serial},
    at {integer} NOT NULL,
    type TEXT NOT NULL,
    actor TEXT,
    application_id {key},
    details TEXT NOT NULL
  );
  CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit (application_id{order});
  CREATE INDEX platform_auth_audit_by_type ON platform_auth_audit (type{order});
  CREATE INDEX platform_auth_audit_by_actor ON platform_auth_audit (actor{order}) WHERE actor IS NOT NULL;
  CREATE INDEX platform_auth_audit_by_time ON platform_auth_audit (at{order});
  CREATE INDEX platform_auth_audit_by_type_and_time ON platform_auth_audit (type, at{order});
  CREATE INDEX platform_auth_audit_by_actor_and_time ON platform_auth_audit (actor, at{order}) WHERE actor IS NOT NULL;

  -- Each change has a random value, which tells the changes of a restored database from those before.
  CREATE TABLE platform_auth_changes (
    seq {serial},
    kind TEXT NOT NULL,
    id TEXT,
    expires_at {integer},
    nonce {key} NOT NULL DEFAULT {nonce}
  );

  CREATE TABLE platform_auth_usage (
    day {key} NOT NULL,
    application_id {key} NOT NULL,
    api {key} NOT NULL,
    outcome {key} NOT NULL,
    route {key} NOT NULL DEFAULT '',
    count {integer} NOT NULL,
    PRIMARY KEY (application_id, route, day, api, outcome)
  ){keyed};
  CREATE INDEX platform_auth_usage_by_day ON platform_auth_usage (day);
  CREATE INDEX platform_auth_usage_by_api ON platform_auth_usage (api, day);

  -- The sums of an application at all APIs, by day and by month (2026-11), so that an index finds who has most.
  CREATE TABLE platform_auth_usage_sums (
    application_id {key} NOT NULL,
    period {key} NOT NULL,
    allowed {integer} NOT NULL,
    tokens {integer} NOT NULL,
    refused {integer} NOT NULL,
    PRIMARY KEY (application_id, period)
  ){keyed};
  CREATE INDEX platform_auth_usage_sums_by_allowed ON platform_auth_usage_sums (period, allowed, application_id);
  CREATE INDEX platform_auth_usage_sums_by_refused ON platform_auth_usage_sums (period, refused, application_id);

  -- The batches of counts and refusals that were added, so that none is added twice.
  CREATE TABLE platform_auth_usage_batches (id {key} PRIMARY KEY, at {integer} NOT NULL){keyed};
  CREATE INDEX platform_auth_usage_batches_by_time ON platform_auth_usage_batches (at);

  -- The units that applications have used of their plans' quotas.
  CREATE TABLE platform_auth_quotas (
    application_id {key} NOT NULL,
    -- A day, or the month of such days: 2026-11.
    day {key} NOT NULL,
    count {integer} NOT NULL,
    -- That of the application, repeated here, so that one index finds who has used most of a plan.
    plan {key},
    PRIMARY KEY (application_id, day)
  ){keyed};
  CREATE INDEX platform_auth_quotas_by_day ON platform_auth_quotas (day);
  CREATE INDEX platform_auth_quotas_by_use ON platform_auth_quotas (plan, day, count, application_id) WHERE plan IS NOT NULL;

  CREATE TABLE platform_auth_refusals (
    seq {serial},
    application_id {key} NOT NULL,
    at {integer} NOT NULL,
    api TEXT NOT NULL,
    error TEXT NOT NULL,
    reason TEXT,
    request_id TEXT,
    address TEXT,
    details TEXT
  );
  CREATE INDEX platform_auth_refusals_by_application ON platform_auth_refusals (application_id, seq);
  CREATE INDEX platform_auth_refusals_by_time ON platform_auth_refusals (at);

  -- What report-only guards would have refused.
  CREATE TABLE platform_auth_reported (
    application_id {key} NOT NULL,
    api {key} NOT NULL,
    route {key} NOT NULL,
    reason {key} NOT NULL,
    count {integer} NOT NULL,
    first_at {integer} NOT NULL,
    last_at {integer} NOT NULL,
    PRIMARY KEY (application_id, api, route, reason)
  ){keyed};
  CREATE INDEX platform_auth_reported_by_time ON platform_auth_reported (last_at);
  CREATE TABLE platform_auth_sign_ins (
    id {key} PRIMARY KEY,
    contact {key},
    link_hash {key} UNIQUE,
    code_hash {key},
    guesses INTEGER NOT NULL,
    application_id {key},
    created_at {integer} NOT NULL,
    expires_at {integer} NOT NULL
  ){keyed};
  CREATE INDEX platform_auth_sign_ins_by_contact ON platform_auth_sign_ins (contact);
  CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins (expires_at);
  CREATE TABLE platform_auth_sign_outs (
    subject {key} PRIMARY KEY,
    nonce TEXT NOT NULL,
    at {integer} NOT NULL,
    expires_at {integer} NOT NULL
  ){keyed};
  CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs (expires_at);

  -- Assertions of clients that were used, until they would be refused for their age.
  CREATE TABLE platform_auth_assertions (
    application_id {key} NOT NULL,
    hash {key} NOT NULL,
    expires_at {integer} NOT NULL,
    PRIMARY KEY (application_id, hash)
  ){keyed};
  CREATE INDEX platform_auth_assertions_by_expiry ON platform_auth_assertions (expires_at);

  -- The processes that run, and the settings that they must have alike, as JSON.
  CREATE TABLE platform_auth_processes (id {key} PRIMARY KEY, settings TEXT NOT NULL, seen_at {integer} NOT NULL){keyed};
  CREATE INDEX platform_auth_processes_by_time ON platform_auth_processes (seen_at);
`
