/**
 * Contacts, invitations, requests for APIs, languages, usage, refusals and sign-ins. The constraints keep processes of the
 * previous version from changing the first of several contacts, and from deleting an application without what they do not
 * know. The e-mails that they do not know are in a table of their own: they would send new credentials instead.
 */
export const contactsAndUsage = `
  ALTER TABLE platform_auth_applications
    ADD COLUMN contact_before_others text CHECK (contact_before_others IS NULL
      OR (status <> 'deleted' AND contact IS NOT NULL AND contact = contact_before_others)),
    ADD COLUMN language text COLLATE "C",
    ADD COLUMN invitations text CHECK (invitations IS NULL OR status <> 'deleted'),
    ADD COLUMN access_requests text CHECK (access_requests IS NULL OR status <> 'deleted');
  CREATE INDEX platform_auth_applications_by_contact ON platform_auth_applications (lower(contact COLLATE "C"))
    WHERE contact IS NOT NULL;

  -- The contacts after the first.
  CREATE TABLE platform_auth_contacts (
    application_seq bigint NOT NULL REFERENCES platform_auth_applications,
    position int NOT NULL,
    address text NOT NULL,
    mailbox text COLLATE "C" NOT NULL,
    PRIMARY KEY (application_seq, position)
  );
  CREATE INDEX platform_auth_contacts_by_mailbox ON platform_auth_contacts (mailbox, application_seq);

  ALTER TABLE platform_auth_emails ADD COLUMN recipient text, ADD COLUMN details text;

  CREATE TABLE platform_auth_notices (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    application_id text COLLATE "C" NOT NULL,
    purpose text NOT NULL,
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
  CREATE INDEX platform_auth_notices_by_application ON platform_auth_notices (application_id, due_at);
  CREATE INDEX platform_auth_notices_by_state ON platform_auth_notices (state, due_at, seq);
  CREATE INDEX platform_auth_notices_by_due_at ON platform_auth_notices (due_at, seq);

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

  CREATE TABLE platform_auth_sign_ins (
    id text COLLATE "C" PRIMARY KEY,
    mailbox text COLLATE "C",
    link_hash text COLLATE "C" UNIQUE,
    code_hash text COLLATE "C",
    guesses int NOT NULL,
    application_id text COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX platform_auth_sign_ins_by_mailbox ON platform_auth_sign_ins (mailbox);
  CREATE INDEX platform_auth_sign_ins_by_expiry ON platform_auth_sign_ins (expires_at);

  CREATE TABLE platform_auth_sign_outs (
    subject text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX platform_auth_sign_outs_by_expiry ON platform_auth_sign_outs (expires_at);
`
