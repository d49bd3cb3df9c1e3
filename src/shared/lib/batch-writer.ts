import { AsyncResource } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

interface Batch<Row> {
  readonly id: string
  readonly at: number
  readonly rows: readonly Row[]
  /** Whether the store may have added it already. */
  mayBeAdded: boolean
}

/** A batch that the store may have added is given up after this time ... */
const MAX_UNKNOWN_AGE_MS = 12 * 3600 * 1000
/** ... and the ids of batches are kept for longer, so that none is ever added twice. */
export const BATCH_ID_RETENTION_MS = 2 * MAX_UNKNOWN_AGE_MS
/** The limit of rows in a batch: one transaction blocks SQLite's event loop. */
const MAX_ROWS = 1000

/** Writes rows in batches. One that fails is written again with the same id, so that the store adds it once. */
export function createBatchWriter<Row, Added>(options: {
  readonly add: (batch: { readonly id: string; readonly at: number }, rows: readonly Row[]) => Promise<Added>
  /** How many rows are collected; from `manyRows` on they are written early. */
  readonly size: () => number
  readonly manyRows?: number
  readonly takeAll: () => readonly Row[]
  /** Two rows with the same value must not be in one batch. */
  readonly identify?: (row: Row) => unknown
  readonly onAdded?: (rows: readonly Row[], added: Added) => void
  /** Gets what `onAdded` throws: the rows are stored nonetheless. */
  readonly onError?: (error: unknown) => void
  /** Nobody knows whether the rows were added, and they are given up. */
  readonly onLost?: (rows: readonly Row[]) => void
  /** A process that is killed loses the rows of this time at most. */
  readonly intervalMs: number
  readonly retryMs?: number
  readonly now: () => number
}) {
  const { add, size, manyRows = Infinity, takeAll, identify = (row) => row, onLost, now } = options
  const { onAdded, onError, intervalMs, retryMs = intervalMs } = options
  let batches: Batch<Row>[] = []
  let writing = Promise.resolve(true)
  let nextWrite: Promise<boolean> | undefined
  let isWriting = false
  let timer: NodeJS.Timeout | undefined
  let isWrittenEarly = false
  let isFailing = false
  let closed = false

  async function writeAll(): Promise<boolean> {
    nextWrite = undefined
    clearTimeout(timer)
    timer = undefined
    isWriting = true
    dropOld()
    isFailing = !(await writeBatches())
    if (!isFailing) {
      batches = divide(takeAll())
      isFailing = !(await writeBatches())
    }
    isWriting = false
    isWrittenEarly = false
    if (size() + batches.length > 0) schedule()
    return !isFailing
  }

  function dropOld(): void {
    const isOld = ({ at, mayBeAdded }: Batch<Row>): boolean => mayBeAdded && Math.abs(now() - at) >= MAX_UNKNOWN_AGE_MS
    for (const { rows } of batches.filter(isOld)) onLost?.(rows)
    batches = batches.filter((batch) => !isOld(batch))
  }

  async function writeBatches(): Promise<boolean> {
    for (let batch = batches[0]; batch; batch = batches[0]) {
      const { id, at, rows } = batch
      let added: Added
      try {
        added = await add({ id, at }, rows)
      } catch (error) {
        // A StoreUnavailableError, which the store client has logged.
        if ((error as { readonly outcome?: unknown }).outcome === 'unknown') batch.mayBeAdded = true
        return false
      }
      batches.shift()
      try {
        onAdded?.(rows, added)
      } catch (error) {
        reportError(error)
      }
    }
    return true
  }

  /** The host's logger may throw, too: the next batches are written all the same. */
  function reportError(error: unknown): void {
    try {
      onError?.(error)
    } catch {}
  }

  function divide(rows: readonly Row[]): Batch<Row>[] {
    const divided: Row[][] = []
    let kinds = new Set()
    for (const row of rows) {
      const kind = identify(row)
      if (divided.length === 0 || kinds.size === MAX_ROWS || kinds.has(kind)) {
        divided.push([])
        kinds = new Set()
      }
      kinds.add(kind)
      divided.at(-1)!.push(row)
    }
    return divided.map((part) => ({ id: randomUUID(), at: now(), rows: part, mayBeAdded: false }))
  }

  function schedule(): void {
    // The end of a write schedules the next one.
    if (closed || isWriting) return
    timer ??= setTimeout(writeOnTimer, isFailing ? retryMs : intervalMs).unref()
    if (size() < manyRows || isWrittenEarly || isFailing) return
    isWrittenEarly = true
    setImmediate(writeOnTimer)
  }

  function write(): Promise<boolean> {
    nextWrite ??= writing = writing.then(writeAll)
    return nextWrite
  }

  // The function is bound here, because a request starts the timer: the write must not be part of that request's trace.
  const writeOnTimer = AsyncResource.bind(() => void write())

  return {
    /** Has the rows written after the interval, or at once if there are many. For each row that begins. */
    schedule,
    /** Writes the rows that there are now. Resolves false if that failed; they are then written later. Never rejects. */
    write,
    /** Whether the last write failed, so that waiting for the next one helps nobody. */
    get isFailing(): boolean {
      return isFailing
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await write()
    },
  }
}
