import { StoreIncompatibleError } from '../../contracts/errors.js'

/** Refuses a database whose schema is older than the newest `known` here, where nothing is to be migrated. */
export function refuseOlder(version: number, known: number): void {
  if (version >= known) return
  if (version === 0) {
    throw new StoreIncompatibleError('schema_too_old', {
      problem: 'The database has no tables of express-platform-auth',
      fix: 'Start a server on it: the server creates them.',
    })
  }
  throw new StoreIncompatibleError('schema_too_old', {
    problem: `The database has schema ${version}, older than the ${known} of this version`,
    fix: 'Start a server of this version: the server migrates the schema.',
  })
}

/** Refuses a database whose schema is of a newer version than the newest `known` here. */
export function refuseNewer(version: number, known: number): void {
  if (version <= known) return
  throw new StoreIncompatibleError('schema_too_new', {
    problem: `The database has schema ${version}, and this version of express-platform-auth knows up to ${known}`,
    fix: 'A newer version wrote it: use that version here too.',
  })
}
