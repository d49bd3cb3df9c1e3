/** The tables of the first release. */
export const initial = `
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
    metadata text,
    external_id text COLLATE "C",
    language text COLLATE "C",
    invitations text,
    access_requests text,
    withheld text,
    decided text,
    ends_at bigint,
    plan text COLLATE "C",
    -- Limits, networks and terms of the application, as JSON.
    agreed text,
    unconfirmed boolean NOT NULL DEFAULT false,
    version bigint NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status, seq);
  -- Deleted applications that still say what became of their requests.
  CREATE INDEX platform_auth_applications_by_decided ON platform_auth_applications (seq)
    WHERE status = 'deleted' AND decided IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications (lower(contact COLLATE "C"))
    WHERE contact IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_name ON platform_auth_applications (lower(name COLLATE "C"), seq);
  CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications (external_id)
    WHERE external_id IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_end ON platform_auth_applications (ends_at) WHERE ends_at IS NOT NULL;
  CREATE INDEX platform_auth_applications_by_plan ON platform_auth_applications (plan, seq) WHERE plan IS NOT NULL;
  -- The first application that has any plan.
  CREATE INDEX platform_auth_applications_with_plan ON platform_auth_applications (seq) WHERE plan IS NOT NULL;

  -- The contacts after the first.
  CREATE TABLE platform_auth_contacts (
    application_seq bigint NOT NULL REFERENCES platform_auth_applications,
    position int NOT NULL,
    address text NOT NULL,
    contact text COLLATE "C" NOT NULL,
    PRIMARY KEY (application_seq, position)
  );
  CREATE INDEX platform_auth_contacts_by_contact ON platform_auth_contacts (contact, application_seq);

  -- The application's status is repeated here, so that one index finds the suspended applications of an API.
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
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint,
    apis text,
    networks text,
    imported boolean NOT NULL DEFAULT false,
    reminded_days int
  );
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);
  CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials (expires_at, application_seq, reminded_days)
    WHERE expires_at IS NOT NULL;

  -- Imported keys that applications have no more, with the last application that had been added by then.
  CREATE TABLE platform_auth_ended_keys (
    hash text COLLATE "C" NOT NULL,
    application_seq bigint NOT NULL REFERENCES platform_auth_applications,
    last_seq bigint NOT NULL,
    ended_at bigint NOT NULL,
    PRIMARY KEY (hash, application_seq)
  );

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

  CREATE TABLE platform_auth_emails (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    application_id text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    recipient text,
    details text,
    credential_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    overlap bigint NOT NULL,
    attempt_count bigint NOT NULL,
    attempted_hashes text NOT NULL,
    claim_links text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    problem text,
    version bigint NOT NULL
  );
  CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails (application_id, due_at);
  CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails (state, due_at, seq);
  CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails (due_at, seq);

  -- The hashes in an e-mail's claim links, so that an index finds the e-mail of a link.
  CREATE TABLE platform_auth_email_claim_links (
    hash text COLLATE "C" NOT NULL,
    email_seq bigint NOT NULL REFERENCES platform_auth_emails ON DELETE CASCADE,
    PRIMARY KEY (hash, email_seq)
  );
  CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links (email_seq);

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
  CREATE INDEX platform_auth_audit_by_type ON platform_auth_audit (type, seq);
  CREATE INDEX platform_auth_audit_by_actor ON platform_auth_audit (actor, seq) WHERE actor IS NOT NULL;
  CREATE INDEX platform_auth_audit_by_time ON platform_auth_audit (at);

  -- Each change has a random value, which tells the changes of a restored database from those before.
  CREATE TABLE platform_auth_changes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    id text,
    expires_at bigint,
    nonce text COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')
  );

  CREATE TABLE platform_auth_usage (
    day text COLLATE "C" NOT NULL,
    application_id text COLLATE "C" NOT NULL,
    api text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (application_id, day, api, outcome)
  );
  CREATE INDEX platform_auth_usage_by_day ON platform_auth_usage (day);

  -- The batches of counts and refusals that were added, so that none is added twice.
  CREATE TABLE platform_auth_usage_batches (
    id text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL
  );
  CREATE INDEX platform_auth_usage_batches_by_time ON platform_auth_usage_batches (at);

  -- The units that applications have used of their plans' quotas.
  CREATE TABLE platform_auth_quotas (
    application_id text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (application_id, day)
  );
  CREATE INDEX platform_auth_quotas_by_day ON platform_auth_quotas (day);

  CREATE TABLE platform_auth_refusals (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    api text NOT NULL,
    error text NOT NULL,
    reason text,
    request_id text,
    address text,
    details text
  );
  CREATE INDEX platform_auth_refusals_by_application ON platform_auth_refusals (application_id, seq);
  CREATE INDEX platform_auth_refusals_by_time ON platform_auth_refusals (at);

  -- What report-only guards would have refused.
  CREATE TABLE platform_auth_reported (
    application_id text COLLATE "C" NOT NULL,
    api text COLLATE "C" NOT NULL,
    route text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (application_id, api, route, reason)
  );
  CREATE INDEX platform_auth_reported_by_time ON platform_auth_reported (last_at);

  CREATE TABLE platform_auth_sign_ins (
    id text COLLATE "C" PRIMARY KEY,
    contact text COLLATE "C",
    link_hash text COLLATE "C" UNIQUE,
    code_hash text COLLATE "C",
    guesses int NOT NULL,
    application_id text COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX platform_auth_sign_ins_by_contact ON platform_auth_sign_ins (contact);
  CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins (expires_at);

  CREATE TABLE platform_auth_sign_outs (
    subject text COLLATE "C" PRIMARY KEY,
    nonce text NOT NULL,
    at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs (expires_at);
`
