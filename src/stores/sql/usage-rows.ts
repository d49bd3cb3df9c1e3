import type { RefusalDetails, RefusalRecord, UsageCount } from '../../shared/contracts/usage.js'

export interface UsageRow {
  readonly day: string
  readonly application_id: string
  readonly api: string
  readonly outcome: string
  readonly route: string
  readonly count: number
}

export function parseUsageCount(row: UsageRow): UsageCount {
  const { application_id: applicationId, day, api, outcome, route, count } = row
  return { day, applicationId, api, outcome, ...(route !== '' && { route }), count }
}

export interface RefusalRow {
  readonly application_id: string
  readonly at: number
  readonly api: string
  readonly error: string
  readonly reason: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly details: string | null
}

export function parseRefusal(row: RefusalRow): RefusalRecord {
  return {
    applicationId: row.application_id,
    at: row.at,
    api: row.api,
    error: row.error,
    reason: row.reason ?? row.error,
    requestId: row.request_id ?? undefined,
    address: row.address ?? undefined,
    details: row.details === null ? {} : (JSON.parse(row.details) as RefusalDetails),
  }
}
