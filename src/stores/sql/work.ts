/** A statement in the SQL of both databases. `?1` stands for its first value; undefined is bound as NULL. */
export interface Statement {
  readonly call: 'run' | 'get' | 'all'
  readonly text: string
  readonly values: readonly Bindable[]
  /** Whether PostgreSQL plans it once for each connection, because it is repeated often. */
  readonly isFrequent: boolean
}

type Bindable = string | number | undefined

/**
 * A call of a store, or a part of one, written once for both databases: it yields statements and gets their results, at once from
 * SQLite, whose driver is synchronous, and later from PostgreSQL.
 */
export type Work<Result> = Generator<Statement, Result, unknown>

/** Returns the number of changed rows. */
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
