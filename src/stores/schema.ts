import { StoreUnusableError } from '../store.js'

/** Refuses a database whose schema is of a newer version than the newest `known` here. */
export function refuseNewer(version: number, known: number): void {
  if (version <= known) return
  throw new StoreUnusableError(
    'schema_too_new',
    `The database has schema ${version}, and this version of express-platform-auth knows up to ${known}. A newer version wrote it: use that one here too.`,
  )
}
