import { MAX_UNKNOWN_AGE_MS } from '../../shared/lib/batch-age.js'
import { AsyncResource } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { QuotaStore, QuotaTotals } from '../../shared/contracts/quotas.js'
import type { UsageBatch } from '../../shared/contracts/usage.js'
import type { QuotaRow } from './account.js'

/** Writes units to the store in batches. A batch that fails is written again with the same id, so that the store adds it once. */
export interface QuotaWriter {
  /** The row's `count` may grow until its account has another row, or none. */
  add(row: QuotaRow): void
  /** Writes all rows. Resolves false if that failed; they are then written later. Never rejects. */
  write(): Promise<boolean>
  /** Whether the last write failed, so that waiting for the next one helps nobody. */
  readonly isFailing: boolean
  close(): Promise<void>
}

interface QuotaWriterOptions {
  readonly store: Pick<QuotaStore, 'add'>
  /** Called for each row that was written, with what the store has then. */
  readonly onWritten: (row: QuotaRow, totals: QuotaTotals) => void
  /** Called for each row of which nobody knows whether it was written, and that is given up. */
  readonly onLost: (row: QuotaRow) => void
  readonly now: () => number
}

/** A process that is killed loses the units of this time at most. */
const WRITE_INTERVAL_MS = 5000
/** One transaction blocks SQLite's event loop, so the number of its rows is limited. */
const MAX_ROWS_PER_WRITE = 1000

interface Batch extends UsageBatch {
  readonly rows: readonly QuotaRow[]
  mayBeWritten: boolean
}

export function createQuotaWriter({ store, onWritten, onLost, now }: QuotaWriterOptions): QuotaWriter {
  let rows: QuotaRow[] = []
  let batch: Batch | undefined
  let writing = Promise.resolve(true)
  let nextWrite: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let isFailing = false
  let closed = false

  function takeBatch(): Batch | undefined {
    const taken = rows.slice(0, countUnlike(rows.slice(0, MAX_ROWS_PER_WRITE)))
    rows = rows.slice(taken.length)
    for (const row of taken) if (row.account.row === row) row.account.row = undefined
    return taken.length === 0 ? undefined : { id: randomUUID(), at: now(), rows: taken, mayBeWritten: false }
  }

  async function writeAll(): Promise<boolean> {
    nextWrite = undefined
    clearTimeout(timer)
    timer = undefined
    for (;;) {
      if (batch?.mayBeWritten && Math.abs(now() - batch.at) >= MAX_UNKNOWN_AGE_MS) {
        batch.rows.forEach(onLost)
        batch = undefined
      }
      const current = (batch ??= takeBatch())
      if (!current) return true
      try {
        const counts = current.rows.map(({ account: { applicationId }, day, count }) => ({ applicationId, day, count }))
        const totals = await store.add({ id: current.id, at: current.at }, counts)
        isFailing = false
        batch = undefined
        current.rows.forEach((row, at) => onWritten(row, totals[at]!))
      } catch (error) {
        // The store client has logged the outage.
        if (error instanceof StoreUnavailableError && error.outcome === 'unknown') current.mayBeWritten = true
        isFailing = true
        schedule()
        return false
      }
    }
  }

  function schedule(): void {
    if (!closed) timer ??= setTimeout(writeOnTimer, WRITE_INTERVAL_MS).unref()
  }

  function write(): Promise<boolean> {
    nextWrite ??= writing = writing.then(writeAll)
    return nextWrite
  }

  // The function is bound here, because a request starts the timer: the write must not be part of that request's trace.
  const writeOnTimer = AsyncResource.bind(() => void write())

  return {
    add(row) {
      rows.push(row)
      schedule()
      if (rows.length === MAX_ROWS_PER_WRITE) setImmediate(writeOnTimer)
    },
    write,
    get isFailing() {
      return isFailing
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await write()
    },
  }
}

/**
 * How many of the first rows are each of another application or day. Two that are of the same, after the clock was set back, must not be in
 * one batch: PostgreSQL refuses it, and the writer would repeat it without end.
 */
function countUnlike(rows: readonly QuotaRow[]): number {
  const kinds = new Set<string>()
  for (const { account, day } of rows) {
    const kind = `${account.applicationId} ${day}`
    if (kinds.has(kind)) return kinds.size
    kinds.add(kind)
  }
  return rows.length
}
