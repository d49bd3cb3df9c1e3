import type { Sql } from '../connection.js'
import { initial } from './001-initial.js'

/** One step of the schema, run inside a transaction. A function is for a change that SQL alone cannot express. */
export type Migration = string | ((sql: Sql) => Promise<void>)

/**
 * One migration per schema version, in order; the number of its file is the version it leads to. A published migration
 * never changes: a new one is added at the end. All names begin with `platform_auth_`, because the schema may also
 * contain the host's tables. A column that is only compared for equality has the collation C, so that an upgrade of the
 * system's collations cannot corrupt its indexes.
 */
export const MIGRATIONS: readonly Migration[] = [initial]
