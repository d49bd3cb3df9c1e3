import { StoreIncompatibleError } from '../../contracts/errors.js'
import type { SchemaMigration } from '../../contracts/store.js'

/** Throws for a database whose schema is older than `latest`, where migrating is not allowed. */
export function refuseOlderSchema(version: number, latest: number): void {
  if (version >= latest) return
  if (version === 0) {
    throw new StoreIncompatibleError('schema_too_old', {
      problem: 'The database has no tables of express-platform-auth',
      fix: 'Start a server on it: the server creates them.',
    })
  }
  throw new StoreIncompatibleError('schema_too_old', {
    problem: `The database has schema ${version}, and this version of express-platform-auth needs ${latest}`,
    fix: 'Start a server of this version: the server migrates the database.',
  })
}

/** Throws for a database whose schema is newer than `latest`, the newest that this version knows. */
export function refuseNewerSchema(version: number, latest: number): void {
  if (version <= latest) return
  throw new StoreIncompatibleError('schema_too_new', {
    problem: `The database has schema ${version}, and this version of express-platform-auth knows schemas up to ${latest}`,
    fix: 'A newer version migrated the database: use that version here too.',
  })
}

/** What `open()` resolves. Creating the tables (`from` 0) is no migration, and neither is finding `latest`. */
export function describeMigration(from: number, to: number, copy?: string): SchemaMigration | undefined {
  return from === 0 || from === to ? undefined : { from, to, copy }
}
