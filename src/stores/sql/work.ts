import type { Change } from '../../shared/contracts/store.js'
import type { NewAuditRecord } from '../../shared/contracts/events.js'
import type { UsageCount, UsageCountQuery } from '../../shared/contracts/usage.js'

/** A statement in the SQL of both databases. `?1` stands for its first value; undefined is bound as NULL. */
export interface Statement {
  readonly call: 'run' | 'get' | 'all'
  readonly text: string
  readonly values: readonly Bindable[]
  /** Whether PostgreSQL plans it once for each connection, because it is repeated often. */
  readonly isFrequent: boolean
}

type Bindable = string | number | undefined

/** A call written once for both databases: yields statements and gets results, at once (SQLite) or later (PostgreSQL). */
export type Work<Result> = Generator<Statement, Result, unknown>

export function* run(text: string, ...values: readonly Bindable[]): Work<number> {
  return (yield { call: 'run', text, values, isFrequent: false }) as number
}

export function* get<Row>(text: string, ...values: readonly Bindable[]): Work<Row | undefined> {
  return (yield { call: 'get', text, values, isFrequent: false }) as Row | undefined
}

/** The same for a statement that is repeated often. */
export function* getOften<Row>(text: string, ...values: readonly Bindable[]): Work<Row | undefined> {
  return (yield { call: 'get', text, values, isFrequent: true }) as Row | undefined
}

/** For reads only. */
export function* all<Row>(text: string, ...values: readonly Bindable[]): Work<readonly Row[]> {
  return (yield { call: 'all', text, values, isFrequent: false }) as readonly Row[]
}

/** Whether a text has U+0000, which PostgreSQL refuses, and where some drivers of SQLite end it: nothing that is stored has it. */
export function hasNul(values: readonly unknown[]): boolean {
  return values.some((value) => String(value).includes('\0'))
}

/** How many expired rows a call deletes that adds some: more than it adds, but not so many that it takes long. */
export const MAX_EXPIRED_PER_CALL = 100

/** Counts stay as they are from here on: drivers reject more, or round it. */
export const MAX_STORED_COUNT = Number.MAX_SAFE_INTEGER

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
  /** The sum of a column, and where that is more than a number can hold exactly, the most that it can. */
  formatSum(column: string): string
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
