CREATE TABLE platform_auth_applications (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  id text COLLATE "C" NOT NULL,
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
  agreed text,
  unconfirmed boolean NOT NULL DEFAULT false,
  waiting_since bigint,
  version bigint NOT NULL,
  UNIQUE (id),
  PRIMARY KEY (seq)
);
CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications USING btree (lower((contact COLLATE "C"))) WHERE (contact IS NOT NULL);
CREATE INDEX platform_auth_applications_by_decided ON platform_auth_applications USING btree (seq) WHERE ((status = 'deleted'::text) AND (decided IS NOT NULL));
CREATE INDEX platform_auth_applications_by_end ON platform_auth_applications USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications USING btree (external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX platform_auth_applications_by_name ON platform_auth_applications USING btree (lower((name COLLATE "C")), seq);
CREATE INDEX platform_auth_applications_by_plan ON platform_auth_applications USING btree (plan, seq) WHERE (plan IS NOT NULL);
CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications USING btree (status, seq);
CREATE INDEX platform_auth_applications_by_wait ON platform_auth_applications USING btree (waiting_since, seq) WHERE (waiting_since IS NOT NULL);
CREATE INDEX platform_auth_applications_with_plan ON platform_auth_applications USING btree (seq) WHERE (plan IS NOT NULL);

CREATE TABLE platform_auth_assertions (
  application_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (application_id, hash)
);
CREATE INDEX platform_auth_assertions_by_expiry ON platform_auth_assertions USING btree (expires_at);

CREATE TABLE platform_auth_audit (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at bigint NOT NULL,
  type text NOT NULL,
  actor text,
  application_id text COLLATE "C",
  details text NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX platform_auth_audit_by_actor ON platform_auth_audit USING btree (actor, seq) WHERE (actor IS NOT NULL);
CREATE INDEX platform_auth_audit_by_actor_and_time ON platform_auth_audit USING btree (actor, at, seq) WHERE (actor IS NOT NULL);
CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit USING btree (application_id, seq);
CREATE INDEX platform_auth_audit_by_time ON platform_auth_audit USING btree (at, seq);
CREATE INDEX platform_auth_audit_by_type ON platform_auth_audit USING btree (type, seq);
CREATE INDEX platform_auth_audit_by_type_and_time ON platform_auth_audit USING btree (type, at, seq);

CREATE TABLE platform_auth_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  id text,
  expires_at bigint,
  nonce text COLLATE "C" NOT NULL DEFAULT replace((gen_random_uuid())::text, '-'::text, ''::text),
  PRIMARY KEY (seq)
);

CREATE TABLE platform_auth_contacts (
  application_seq bigint NOT NULL,
  position integer NOT NULL,
  address text NOT NULL,
  contact text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_seq, "position"),
  FOREIGN KEY (application_seq) REFERENCES platform_auth_applications(seq)
);
CREATE INDEX platform_auth_contacts_by_contact ON platform_auth_contacts USING btree (contact, application_seq);

CREATE TABLE platform_auth_credentials (
  hash text COLLATE "C" NOT NULL,
  application_seq bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  apis text,
  networks text,
  imported boolean NOT NULL DEFAULT false,
  reminded_days integer,
  key_set text,
  PRIMARY KEY (hash),
  FOREIGN KEY (application_seq) REFERENCES platform_auth_applications(seq)
);
CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials USING btree (application_seq);
CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials USING btree (expires_at, application_seq, reminded_days) WHERE (expires_at IS NOT NULL);
CREATE INDEX platform_auth_credentials_by_prefix ON platform_auth_credentials USING btree (prefix, application_seq);

CREATE TABLE platform_auth_email_claim_links (
  hash text COLLATE "C" NOT NULL,
  email_seq bigint NOT NULL,
  PRIMARY KEY (hash, email_seq),
  FOREIGN KEY (email_seq) REFERENCES platform_auth_emails(seq) ON DELETE CASCADE
);
CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links USING btree (email_seq);

CREATE TABLE platform_auth_emails (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  id text COLLATE "C" NOT NULL,
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
  version bigint NOT NULL,
  UNIQUE (id),
  PRIMARY KEY (seq)
);
CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails USING btree (application_id, due_at);
CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails USING btree (due_at, seq);
CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails USING btree (state, due_at, seq);

CREATE TABLE platform_auth_ended_keys (
  hash text COLLATE "C" NOT NULL,
  application_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  ended_at bigint NOT NULL,
  PRIMARY KEY (hash, application_seq),
  FOREIGN KEY (application_seq) REFERENCES platform_auth_applications(seq)
);

CREATE TABLE platform_auth_grants (
  application_seq bigint NOT NULL,
  api text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  scopes text NOT NULL,
  status text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_seq, api),
  FOREIGN KEY (application_seq) REFERENCES platform_auth_applications(seq)
);
CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants USING btree (api, status, application_seq);

CREATE TABLE platform_auth_last_uses (
  application_seq bigint NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (application_seq),
  FOREIGN KEY (application_seq) REFERENCES platform_auth_applications(seq)
);
CREATE INDEX platform_auth_last_uses_by_time ON platform_auth_last_uses USING btree (used_at, application_seq);

CREATE TABLE platform_auth_meta (
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (key)
);

CREATE TABLE platform_auth_processes (
  id text COLLATE "C" NOT NULL,
  settings text NOT NULL,
  seen_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX platform_auth_processes_by_time ON platform_auth_processes USING btree (seen_at);

CREATE TABLE platform_auth_quotas (
  application_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  plan text COLLATE "C",
  PRIMARY KEY (application_id, day)
);
CREATE INDEX platform_auth_quotas_by_day ON platform_auth_quotas USING btree (day);
CREATE INDEX platform_auth_quotas_by_use ON platform_auth_quotas USING btree (plan, day, count, application_id) WHERE (plan IS NOT NULL);

CREATE TABLE platform_auth_refusals (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  api text NOT NULL,
  error text NOT NULL,
  reason text,
  request_id text,
  address text,
  details text,
  PRIMARY KEY (seq)
);
CREATE INDEX platform_auth_refusals_by_application ON platform_auth_refusals USING btree (application_id, seq);
CREATE INDEX platform_auth_refusals_by_time ON platform_auth_refusals USING btree (at);

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
CREATE INDEX platform_auth_reported_by_time ON platform_auth_reported USING btree (last_at);

CREATE TABLE platform_auth_revoked_access_tokens (
  id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens USING btree (expires_at);

CREATE TABLE platform_auth_sign_ins (
  id text COLLATE "C" NOT NULL,
  contact text COLLATE "C",
  link_hash text COLLATE "C",
  code_hash text COLLATE "C",
  guesses integer NOT NULL,
  application_id text COLLATE "C",
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  UNIQUE (link_hash),
  PRIMARY KEY (id)
);
CREATE INDEX platform_auth_sign_ins_by_contact ON platform_auth_sign_ins USING btree (contact);
CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins USING btree (expires_at);

CREATE TABLE platform_auth_sign_outs (
  subject text COLLATE "C" NOT NULL,
  nonce text NOT NULL,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (subject)
);
CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs USING btree (expires_at);

CREATE TABLE platform_auth_signing_keys (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kid text COLLATE "C" NOT NULL,
  algorithm text NOT NULL,
  public_jwk text NOT NULL,
  sealed_private_jwk text NOT NULL,
  created_at bigint NOT NULL,
  signs_from bigint NOT NULL,
  former_verifies_for bigint NOT NULL,
  UNIQUE (kid),
  PRIMARY KEY (seq)
);

CREATE TABLE platform_auth_usage (
  day text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  api text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  route text COLLATE "C" NOT NULL DEFAULT ''::text,
  count bigint NOT NULL,
  PRIMARY KEY (application_id, route, day, api, outcome)
);
CREATE INDEX platform_auth_usage_by_api ON platform_auth_usage USING btree (api, day);
CREATE INDEX platform_auth_usage_by_day ON platform_auth_usage USING btree (day);

CREATE TABLE platform_auth_usage_batches (
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX platform_auth_usage_batches_by_time ON platform_auth_usage_batches USING btree (at);

CREATE TABLE platform_auth_usage_sums (
  application_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  allowed bigint NOT NULL,
  tokens bigint NOT NULL,
  refused bigint NOT NULL,
  PRIMARY KEY (application_id, period)
);
CREATE INDEX platform_auth_usage_sums_by_allowed ON platform_auth_usage_sums USING btree (period, allowed, application_id);
CREATE INDEX platform_auth_usage_sums_by_refused ON platform_auth_usage_sums USING btree (period, refused, application_id);
