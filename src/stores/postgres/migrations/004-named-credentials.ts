/**
 * Gives credentials an id, a name, restrictions and reminders, and applications metadata and an external id. `id` and `name`
 * lose their defaults, so that processes of the previous version cannot write credentials: they would drop restrictions. The
 * constraints keep those processes from deleting an application without its metadata.
 */
export const namedCredentials = `
  ALTER TABLE platform_auth_credentials
    ADD COLUMN id text COLLATE "C" NOT NULL DEFAULT 'cred_' || left(replace(gen_random_uuid()::text, '-', ''), 22),
    ADD COLUMN name text NOT NULL DEFAULT 'default',
    ADD COLUMN apis text,
    ADD COLUMN reminded_days int;
  ALTER TABLE platform_auth_credentials ALTER COLUMN id DROP DEFAULT, ALTER COLUMN name DROP DEFAULT;
  CREATE INDEX platform_auth_credentials_by_expiry ON platform_auth_credentials (expires_at, application_seq, reminded_days)
    WHERE expires_at IS NOT NULL;

  ALTER TABLE platform_auth_applications
    ADD COLUMN metadata text CHECK (metadata IS NULL OR status <> 'deleted'),
    ADD COLUMN external_id text COLLATE "C" CHECK (external_id IS NULL OR status <> 'deleted');
  CREATE UNIQUE INDEX platform_auth_applications_by_external_id ON platform_auth_applications (external_id)
    WHERE external_id IS NOT NULL;

  ALTER TABLE platform_auth_emails ADD COLUMN credential_id text COLLATE "C";
`
