import type { AuditRecord, Store } from '../../../store.js'
import { toComparable } from './lack.js'

const PAGE_SIZE = 1000

type AuditLog = Pick<Store, 'listAudit'>

/**
 * The newest audit record of the lost database that the restored one has too, by its content: it was in the backup, and so was
 * everything before it. The ids of the restored database say nothing, because it gives them away again. Records that retention has
 * deleted from the restored database are older.
 */
export async function findNewestCommon(lost: AuditLog, restored: AuditLog): Promise<AuditRecord | undefined> {
  for await (const records of readRecords(lost, { newestFirst: true })) {
    const kept = await findKept(records, restored)
    const common = records.find((record) => kept.has(describeContent(record)))
    if (common) return common
  }
  return undefined
}

interface RecordQuery {
  readonly after?: string | undefined
  readonly newestFirst?: boolean
  readonly from?: number
  readonly until?: number
}

/** The audit records after one of them, page by page, oldest first unless `newestFirst` is true. */
export async function* readRecords(
  log: AuditLog,
  { after, ...query }: RecordQuery,
): AsyncGenerator<readonly AuditRecord[]> {
  for (let last = after; ;) {
    const records = await log.listAudit({ ...query, after: last, limit: PAGE_SIZE, applicationId: undefined })
    if (records.length > 0) yield records
    if (records.length < PAGE_SIZE) return
    last = records.at(-1)!.id
  }
}

/** The contents of a page that the restored database has. It keeps no more of that database in memory than the page. */
async function findKept(records: readonly AuditRecord[], restored: AuditLog): Promise<ReadonlySet<string>> {
  const wanted = new Set(records.map(describeContent))
  const kept = new Set<string>()
  const times = records.map(({ at }) => at)
  for await (const page of readRecords(restored, { from: Math.min(...times), until: Math.max(...times) + 1 }))
    for (const content of page.map(describeContent)) if (wanted.has(content)) kept.add(content)
  return kept
}

function describeContent({ at, type, by, applicationId, details }: AuditRecord): string {
  return toComparable({ at, type, by, applicationId, details })
}
