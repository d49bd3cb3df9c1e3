import type { Sql } from '../connection.js'
import { initial } from './001-initial.js'

/** Runs inside a transaction. A function for what SQL cannot express, or takes so long that it tells how far it is. */
export type Migration = string | ((sql: Sql, onProgress: (progress: string) => void) => void)

/**
 * One migration per schema version, in order; the number of its file is the version it leads to. A published migration
 * never changes: a new one is added at the end. All names begin with `platform_auth_`, because the file may also contain
 * the host's tables.
 */
export const MIGRATIONS: readonly Migration[] = [initial]
