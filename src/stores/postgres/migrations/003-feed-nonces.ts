/** Gives each change a random value. Processes of the previous version insert rows without naming the column. */
export const feedNonces = `
  ALTER TABLE platform_auth_changes
    ADD COLUMN nonce text COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');
`
