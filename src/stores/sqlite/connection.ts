import { statSync, type BigIntStats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.js'

/** Statements against one database. They are prepared once; values that are undefined go in as NULL. */
export interface Sql {
  exec(text: string): void
  /** How many rows it changed. */
  run(text: string, ...values: readonly Bindable[]): number
  get<Row>(text: string, ...values: readonly Bindable[]): Row | undefined
  all<Row>(text: string, ...values: readonly Bindable[]): readonly Row[]
}

type Bindable = SqliteValue | undefined

/** A database whose locks are waited for without stopping the event loop. */
export interface SqliteConnection {
  /** Runs `work` outside of any transaction: for what is one statement. */
  single<T>(work: (sql: Sql) => T): Promise<T>
  /**
   * Runs `work` in a write transaction: all of it is committed, or, when it throws or returns false, nothing. It may run
   * more than once.
   */
  transaction<T>(work: (sql: Sql) => T): Promise<T>
  /** Makes every later call, and every one that still waits, reject; closes the database if it is `owned`. */
  close(): void
}

/**
 * Milliseconds that an operation waits for a lock: less than the 5 s after which a platform takes it for failed, because
 * then it must not happen any more.
 */
const PATIENCE = 4500

export function connectTo(database: SqliteDatabase, { owned }: { readonly owned: boolean }): SqliteConnection {
  const sql = preparedOnce(database)
  const patient = owned ? <T>(work: () => T): T => work() : withoutBlocking(sql)
  const refuseForeign = fileKeeper(sql)
  let closed = false

  async function whenFree<T>(deadline: number, work: () => T): Promise<T> {
    for (;;) {
      if (closed) throw new Error('The SQLite store is closed.')
      const late = performance.now() >= deadline
      try {
        // Work is synchronous, so a transaction that is open now is the host's own, on a database handed in.
        if (!database.isTransaction) {
          refuseForeign()
          return patient(work)
        }
      } catch (error) {
        if (late || !isBusy(error)) throw error
      }
      if (late) throw new Error('The SQLite database handed in has had a transaction open all the time.')
      // A look costs some 20 us. Short uneven pauses, since nobody queues: who looks more often gets the lock.
      await sleep(1 + Math.random() * 4)
    }
  }

  // Only the first in a line looks: a hundred that wait must not cost more than one.
  function line(): <T>(work: () => T) => Promise<T> {
    let last: Promise<unknown> = Promise.resolve()
    return function queue(work) {
      const deadline = performance.now() + PATIENCE
      const result = last.then(() => whenFree(deadline, work))
      last = result.catch(() => undefined)
      return result
    }
  }

  // Two lines, because in WAL mode a reader has no need to wait for a writer.
  const readers = line()
  const writers = line()

  return {
    single: (work) => readers(() => work(sql)),
    transaction: (work) => writers(() => inTransaction(sql, () => work(sql))),
    close: () => {
      if (owned && !closed) database.close()
      closed = true
    },
  }
}

/** Throws where the path leads to another file than the one that is open, or to none. */
function fileKeeper(sql: Sql): () => void {
  let path: string | undefined
  let opened: BigIntStats | undefined

  // The open one would take writes until its last process ends, and then be gone with them.
  return function refuseForeign() {
    path ??= sql.all<{ name: string; file: string }>('PRAGMA database_list').find(({ name }) => name === 'main')?.file
    // In memory.
    if (!path) return
    const found = fileAt(path)
    // What may not be looked at any more need not be gone.
    if (found === 'hidden') return
    opened ??= found
    if (found && found.ino === opened?.ino && found.dev === opened.dev) return
    throw Object.assign(new Error('The SQLite file was deleted or replaced while it was open.'), { code: 'ESTALE' })
  }
}

function fileAt(path: string): BigIntStats | 'hidden' | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

/** The host's connection may wait for locks by standing still, and all that is answered from memory with it. */
function withoutBlocking(sql: Sql): <T>(work: () => T) => T {
  return function patient(work) {
    const { timeout = 0 } = sql.get<{ timeout: number }>('PRAGMA busy_timeout') ?? {}
    if (timeout === 0) return work()
    sql.exec('PRAGMA busy_timeout = 0')
    try {
      return work()
    } finally {
      sql.exec(`PRAGMA busy_timeout = ${timeout}`)
    }
  }
}

function preparedOnce(database: SqliteDatabase): Sql {
  const statements = new Map<string, SqliteStatement>()

  function statement(text: string): SqliteStatement {
    const known = statements.get(text)
    if (known) return known
    const prepared = database.prepare(text)
    // A database handed in may have been opened with other defaults.
    prepared.setReadBigInts(false)
    prepared.setReturnArrays?.(false)
    statements.set(text, prepared)
    return prepared
  }

  const bound = (values: readonly Bindable[]): SqliteValue[] => values.map((value) => value ?? null)
  return {
    exec: (text) => database.exec(text),
    run: (text, ...values) => Number(statement(text).run(...bound(values)).changes),
    get: <Row>(text: string, ...values: readonly Bindable[]) =>
      statement(text).get(...bound(values)) as Row | undefined,
    all: <Row>(text: string, ...values: readonly Bindable[]) => statement(text).all(...bound(values)) as readonly Row[],
  }
}

function inTransaction<T>(sql: Sql, work: () => T): T {
  // Immediate: a transaction that begins as a reader can't always become a writer.
  sql.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    sql.run(result === false ? 'ROLLBACK' : 'COMMIT')
    return result
  } catch (error) {
    rollback(sql)
    throw error
  }
}

function rollback(sql: Sql): void {
  try {
    sql.run('ROLLBACK')
  } catch {
    // SQLite has done so already (disk full, for one); the first error tells more.
  }
}

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_PROTOCOL = 15

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode !== 'number') return false
  // The low byte; what is above it says why.
  return [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].includes(errcode & 0xff)
}
