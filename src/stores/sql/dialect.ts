import type { Change, NewAuditRecord } from '../../shared/contracts/store-records.js'
import type { UsageCount, UsageCountQuery } from '../../shared/contracts/usage.js'
import type { Work } from './work.js'

/** How many expired rows a call deletes that adds some: more than it adds, but not so many that it takes long. */
export const MAX_EXPIRED_PER_CALL = 100

/** What the two databases write or do differently in the calls that they share. */
export interface Dialect {
  /** Skips rows that another transaction has locked: there is no need to wait for them. */
  readonly skipLocked: string
  /** Locks the rows of a query until the transaction ends. */
  readonly lockRows: string
  /** Compares texts by code unit. */
  readonly binary: string
  readonly least: string
  readonly greatest: string
  /** The database's time in milliseconds since 1970. */
  readonly now: string
  /** The rows of the JSON list `?1`, as the table `given` with these columns and `position`. */
  formatGiven(columns: Readonly<Record<string, 'text' | 'bigint' | 'boolean'>>): string
  /** A statement that deletes up to `?2` rows whose column, by which they are ordered, is less than `?1`. `key` is their primary key. */
  formatDelete(table: string, key: string, column: string): string
  /** One row per application `a`, with its APIs and credentials as JSON. */
  readonly selectApplication: string
  /** A text in ASCII lower case, as indexes have it. */
  formatLower(column: string): string
  listUsage(query: UsageCountQuery): Work<readonly UsageCount[]>
  /** Keeps the last ones of each of these applications. */
  deleteEarlierRefusals(applicationIds: readonly string[], kept: number): Work<void>
  /** Locks the signing keys until the transaction ends. */
  lockSigningKeys(): Work<void>
  /** Appends a change to the feed and its record to the audit: the last step of the transaction that makes the change. */
  publish(change: Change, audit?: NewAuditRecord): Work<void>
}
