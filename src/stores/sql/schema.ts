import { StoreIncompatibleError } from '../../contracts/errors.js'

/** Refuses a database whose schema is older than the newest `known` here, where nothing is to be migrated. */
export function refuseOlder(version: number, known: number): void {
  if (version >= known) return
  throw new StoreIncompatibleError(
    'schema_too_old',
    version === 0
      ? 'The database has no tables of express-platform-auth. Start a server on it: it makes them.'
      : `The database has schema ${version}, older than the ${known} of this version. Start a server of this version: it brings it up to date.`,
  )
}

/** Refuses a database whose schema is of a newer version than the newest `known` here. */
export function refuseNewer(version: number, known: number): void {
  if (version <= known) return
  throw new StoreIncompatibleError(
    'schema_too_new',
    `The database has schema ${version}, and this version of express-platform-auth knows up to ${known}. A newer version wrote it: use that one here too.`,
  )
}
