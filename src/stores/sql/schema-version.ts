import { StoreIncompatibleError } from '../../shared/contracts/errors.js'
import type { SchemaMigration } from '../../shared/contracts/store.js'
import { all, run, type Work } from './work.js'

const VERSION_KEY = 'schema'

/** Builds before the first release kept a version here. Their tables are not migrated: nobody published them. */
const UNRELEASED_KEY = 'schema_version'

/** The version of the schema, which `platform_auth_meta` has; 0 if there is none. Throws for a database of an unreleased build. */
export function* readVersion(): Work<number> {
  const text = 'SELECT key, value FROM platform_auth_meta WHERE key IN (?1, ?2)'
  const rows = yield* all<{ readonly key: string; readonly value: string }>(text, VERSION_KEY, UNRELEASED_KEY)
  const version = rows.find(({ key }) => key === VERSION_KEY)
  if (version) return Number(version.value)
  if (rows.length === 0) return 0
  throw new StoreIncompatibleError('schema_too_old', {
    problem:
      'The database was made by a build of express-platform-auth from before its first release, and was not changed',
    fix: 'Use another database, or remove its tables, whose names begin with platform_auth_, and register the applications again.',
  })
}

export function* writeVersion(version: number): Work<void> {
  const text = `
    INSERT INTO platform_auth_meta (key, value) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  yield* run(text, VERSION_KEY, String(version))
}

/** Throws for a database whose schema is older than `latest`, where migrating is not allowed. */
export function refuseOlderSchema(version: number, latest: number): void {
  if (version >= latest) return
  if (version === 0)
    throw new StoreIncompatibleError('schema_too_old', {
      problem: 'The database has no tables of express-platform-auth',
      fix: 'Start a server on it: the server creates them.',
    })
  throw new StoreIncompatibleError('schema_too_old', {
    problem: `The database has schema ${version}, and this version of express-platform-auth needs ${latest}`,
    fix: 'Start a server of this version: the server migrates the database.',
  })
}

export function refuseNewerSchema(version: number, latest: number): void {
  if (version <= latest) return
  throw new StoreIncompatibleError('schema_too_new', {
    problem: `The database has schema ${version}, and this version of express-platform-auth knows schemas up to ${latest}`,
    fix: 'A newer version migrated the database: use that version here too.',
  })
}

/** The result of `open()`. Creating the tables (`from` 0) is no migration, and neither is finding `latest`. */
export function describeMigration(from: number, to: number, copy?: string): SchemaMigration | undefined {
  return from === 0 || from === to ? undefined : { from, to, copy }
}
