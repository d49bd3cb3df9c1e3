import { isTemporaryId } from '../../core/applications/records/application-id.js'
import { MAX_UNKNOWN_AGE_MS } from '../../shared/lib/batch-age.js'
import { randomUUID } from 'node:crypto'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { UsageBatch } from '../../shared/contracts/usage.js'
import { UNCOUNTED_APPLICATIONS } from '../../shared/lib/uncounted-applications.js'

/** Writes rows in batches. A batch that fails is written again with the same id, so that the store adds it once. */
export interface BatchWriter {
  /** Writes one batch after another. Resolves false if one failed: it is the first of the next call. */
  write(): Promise<boolean>
  /** The number of rows that wait because their write failed. */
  readonly waiting: number
}

interface BatchWriterOptions<Row> {
  readonly write: (batch: UsageBatch, rows: readonly Row[]) => Promise<void>
  /** Returns the collected rows, and begins anew. */
  readonly takeAll: () => readonly Row[]
  /** The limit of rows in a batch: one statement, which must neither lock rows nor block SQLite for long. */
  readonly maxRows: number
  readonly now: () => number
}

interface Batch<Row> extends UsageBatch {
  readonly rows: readonly Row[]
  /** Whether the store may have added it already. */
  mayBeWritten: boolean
}

export function createBatchWriter<Row extends { readonly applicationId: string }>(
  options: BatchWriterOptions<Row>,
): BatchWriter {
  const { takeAll, maxRows, now } = options
  let batches: Batch<Row>[] = []
  let writing = Promise.resolve(true)

  async function writeAll(): Promise<boolean> {
    batches = batches.filter(({ at, mayBeWritten }) => !mayBeWritten || Math.abs(now() - at) < MAX_UNKNOWN_AGE_MS)
    if (!(await writeBatches())) return false
    batches = divide(takeAll().filter(isCounted))
    return writeBatches()
  }

  async function writeBatches(): Promise<boolean> {
    for (let batch = batches[0]; batch; batch = batches[0]) {
      try {
        await options.write({ id: batch.id, at: batch.at }, batch.rows)
      } catch (error) {
        // The store client has logged the outage.
        if (error instanceof StoreUnavailableError && error.outcome === 'unknown') batch.mayBeWritten = true
        return false
      }
      batches.shift()
    }
    return true
  }

  function divide(rows: readonly Row[]): Batch<Row>[] {
    const divided: Batch<Row>[] = []
    for (let start = 0; start < rows.length; start += maxRows) {
      const part = rows.slice(start, start + maxRows)
      divided.push({ id: randomUUID(), at: now(), rows: part, mayBeWritten: false })
    }
    return divided
  }

  return {
    write() {
      writing = writing.then(writeAll)
      return writing
    },
    get waiting() {
      return batches.reduce((sum, { rows }) => sum + rows.length, 0)
    },
  }
}

/** No invoice has the applications of `expectSecured()` and of `prove`: they belong to no customer. */
function isCounted({ applicationId }: { readonly applicationId: string }): boolean {
  return !UNCOUNTED_APPLICATIONS.has(applicationId) && !isTemporaryId(applicationId)
}
