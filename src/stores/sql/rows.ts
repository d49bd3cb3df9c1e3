import type { UsageCount } from '../../shared/contracts/usage.js'

/** JSON for a column that is NULL where there is no value. */
export function formatJson(value: object | undefined): string | undefined {
  return value && JSON.stringify(value)
}

/** The record of a row whose columns are selected under the names of its members: NULL is undefined. `json`: the columns of JSON. */
export function parseRow<Stored>(row: object, ...json: readonly (keyof Stored)[]): Stored {
  const record: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (value === null) record[name] = undefined
    else record[name] = json.includes(name as keyof Stored) ? (JSON.parse(value as string) as unknown) : value
  }
  return record as Stored
}

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
