import { statSync, type BigIntStats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.js'

/** Runs statements, each prepared once. A value that is undefined is bound as NULL. */
export interface Sql {
  exec(text: string): void
  run(text: string, ...values: readonly Bindable[]): number
  get<Row>(text: string, ...values: readonly Bindable[]): Row | undefined
  all<Row>(text: string, ...values: readonly Bindable[]): readonly Row[]
}

type Bindable = SqliteValue | undefined

/** A database connection that waits for locks without blocking the event loop. */
export type SqliteConnection = ReturnType<typeof createSqliteConnection>

/** The wait for a lock: less than the 5 s after which a platform counts the operation as failed. */
const LOCK_TIMEOUT_MS = 4500
/** The time for which reads, which take some 20 us each, may follow one another in one turn of the event loop. */
const READ_TURN_MS = 2

/** Kept, so that fake timers of the host's tests, which replace the global function, do not hold up the store. */
const { setImmediate } = globalThis

export function createSqliteConnection(database: SqliteDatabase, { owned }: { readonly owned: boolean }) {
  const sql = createSql(database)
  const runWithoutBusyTimeout = owned ? <T>(work: () => T): T => work() : createBusyTimeoutRemover(sql)
  const refuseReplacedFile = createReplacedFileCheck(sql)
  let closed = false

  async function runWhenUnlocked<T>(deadline: number, work: () => T): Promise<T> {
    for (;;) {
      if (closed) throw new Error('The SQLite store is closed.')
      const isLate = performance.now() >= deadline
      try {
        // `work` is synchronous, so a transaction that is open now belongs to the host, which passed its database in.
        if (!database.isTransaction) {
          refuseReplacedFile()
          return runWithoutBusyTimeout(work)
        }
      } catch (error) {
        if (isLate || !isBusy(error)) throw error
      }
      if (isLate) throw new Error('The SQLite database that was passed in had an open transaction all the time.')
      // An attempt costs about 20 us. Short random delays, because SQLite has no queue: the connection that tries most often gets the lock.
      await sleep(1 + Math.random() * 4)
    }
  }

  // The first in a queue alone tries to get the lock: a hundred waiting operations must not cost more than one.
  function createQueue(turnMs: number): <T>(work: () => T) => Promise<T> {
    let last: Promise<unknown> = Promise.resolve()
    let turnEndsAt = 0

    /** The driver is synchronous: without this, a loop of awaited calls would keep timers and sockets waiting until it ends. */
    async function shareEventLoop(): Promise<void> {
      if (performance.now() < turnEndsAt) return
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      turnEndsAt = performance.now() + turnMs
    }

    return function enqueue(work) {
      const deadline = performance.now() + LOCK_TIMEOUT_MS
      const result = last.then(() => runWhenUnlocked(deadline, work))
      last = result.catch(() => undefined).then(shareEventLoop)
      return result
    }
  }

  // Two queues, because in WAL mode a reader need not wait for a writer.
  const enqueueRead = createQueue(READ_TURN_MS)
  // A write waits for the disk, so each has a turn of the event loop to itself.
  const enqueueWrite = createQueue(0)

  return {
    /** Runs `work` outside a transaction: for a single statement. */
    single: <T>(work: (sql: Sql) => T): Promise<T> => enqueueRead(() => work(sql)),
    /** Runs `work` in a write transaction, which is rolled back if `work` throws or returns false. `work` may run more than once. */
    transaction: <T>(work: (sql: Sql) => T): Promise<T> => enqueueWrite(() => runInTransaction(sql, () => work(sql))),
    /** Rejects every waiting and every later call; closes the database if it is `owned`. */
    close(): void {
      if (owned && !closed) closeDatabase(database)
      closed = true
    },
  }
}

/** @photostructure/sqlite's close() leaves the WAL unwritten: a copy of the file after a clean stop might hold nothing. */
function closeDatabase(database: SqliteDatabase): void {
  try {
    // PASSIVE does not wait for other processes.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // The disk may be full, or the file gone. What was committed is in the WAL.
  }
  database.close()
}

/** The absolute path of the database's file; undefined for a database in memory. */
export function findFilePath(sql: Sql): string | undefined {
  const databases = sql.all<{ name: string; file: string }>('PRAGMA database_list')
  return databases.find(({ name }) => name === 'main')?.file || undefined
}

/** Throws if the path leads to another file than the open one, whose writes would be lost with its last process. */
function createReplacedFileCheck(sql: Sql): () => void {
  let path: string | undefined
  let opened: BigIntStats | undefined

  return function refuseReplacedFile() {
    path ??= findFilePath(sql)
    if (path === undefined) return
    const found = statFile(path)
    // The process may no longer be allowed to stat the path. The file may still be there.
    if (found === 'hidden') return
    opened ??= found
    if (found && found.ino === opened?.ino && found.dev === opened.dev) return
    throw Object.assign(new Error('The SQLite file was deleted or replaced while it was open.'), { code: 'ESTALE' })
  }
}

function statFile(path: string): BigIntStats | 'hidden' | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

/** The host's connection may have a `busy_timeout`: SQLite would wait for locks and block the event loop. */
function createBusyTimeoutRemover(sql: Sql): <T>(work: () => T) => T {
  return function runWithoutBusyTimeout(work) {
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

function createSql(database: SqliteDatabase): Sql {
  const statements = new Map<string, SqliteStatement>()

  function prepareOnce(text: string): SqliteStatement {
    const known = statements.get(text)
    if (known) return known
    const prepared = database.prepare(text)
    // A database that was passed in may have been opened with other defaults.
    prepared.setReadBigInts(false)
    prepared.setReturnArrays?.(false)
    statements.set(text, prepared)
    return prepared
  }

  const bind = (values: readonly Bindable[]): SqliteValue[] => values.map((value) => value ?? null)
  return {
    exec: (text) => database.exec(text),
    run: (text, ...values) => Number(prepareOnce(text).run(...bind(values)).changes),
    get: <Row>(text: string, ...values: readonly Bindable[]) =>
      prepareOnce(text).get(...bind(values)) as Row | undefined,
    all<Row>(text: string, ...values: readonly Bindable[]) {
      const statement = prepareOnce(text)
      try {
        return statement.all(...bind(values)) as readonly Row[]
      } catch (error) {
        throw findCodedError(error, () => statement.get(...bind(values)))
      }
    },
  }
}

/** The errors of `all()` in @photostructure/sqlite have no `errcode`; those of `get()` have one. `all()` is used for reads only. */
function findCodedError(error: unknown, read: () => unknown): unknown {
  if ((error as { errcode?: unknown }).errcode !== undefined) return error
  try {
    read()
    return error
  } catch (coded) {
    return coded
  }
}

function runInTransaction<T>(sql: Sql, work: () => T): T {
  // The transaction is immediate: one that begins as a reader cannot always become a writer.
  sql.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    sql.run(result === false ? 'ROLLBACK' : 'COMMIT')
    return result
  } catch (error) {
    rollBack(sql)
    throw error
  }
}

function rollBack(sql: Sql): void {
  try {
    sql.run('ROLLBACK')
  } catch {
    // SQLite has rolled back already, for example because the disk is full. The first error says why.
  }
}

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_PROTOCOL = 15

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode !== 'number') return false
  // The low byte is the primary result code.
  return [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].includes(errcode & 0xff)
}
