import type { ReportedCount } from '../../contracts/reported.js'

export interface ReportedRow {
  readonly application_id: string
  readonly api: string
  readonly route: string
  readonly reason: string
  readonly count: number
  readonly first_at: number
  readonly last_at: number
}

export function parseReportedCount(row: ReportedRow): ReportedCount {
  return {
    applicationId: row.application_id,
    api: row.api,
    route: row.route,
    reason: row.reason,
    count: row.count,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }
}
