/** A migration that follows those of the package, with which tests prove how stores are migrated. */

const CHANGES = `
  CREATE TABLE platform_auth_regions (name TEXT PRIMARY KEY);
  ALTER TABLE platform_auth_applications ADD COLUMN region TEXT;
  CREATE INDEX platform_auth_applications_by_region ON platform_auth_applications (region, name, contact);
  CREATE INDEX platform_auth_emails_by_problem ON platform_auth_emails (problem, id, claim_links);
`

/** @param {{ exec(text: string): void }} sql @param {(progress: string) => void} onProgress */
export function NEXT_SQLITE_MIGRATION(sql, onProgress) {
  onProgress('Migrating the store: regions.')
  sql.exec(CHANGES)
}

export const NEXT_POSTGRES_MIGRATION = CHANGES
