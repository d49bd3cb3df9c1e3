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
    version bigint NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status, seq);

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

  -- The hashes in a letter's claims, so that an index finds the letter of a claim.
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
`
