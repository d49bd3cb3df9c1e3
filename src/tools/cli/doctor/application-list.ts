import type { AdminApi } from '../../admin/index.js'
import type { Application } from '../../../index.js'
import { readPages } from '../commands/paging.js'
import { MAX_LISTED } from './finding.js'

/** The applications of a finding. */
interface Found {
  readonly applications: readonly Application[]
  /** Where they were looked for, if not among all: ` among the first 10000`. */
  readonly among: string
}

/** Applications that are read at most, so that the doctor soon answers. */
const MAX_CHECKED_APPLICATIONS = 10_000

/** The applications, or those that have an API, to which something applies. */
export async function findApplications(
  admin: AdminApi,
  api: string | undefined,
  applies: (application: Application) => boolean,
): Promise<Found> {
  const applications: Application[] = []
  let checked = 0
  for await (const items of readPages((after) => admin.applications.list({ after, api, limit: MAX_LISTED }))) {
    if (checked >= MAX_CHECKED_APPLICATIONS) return { applications, among: ` among the first ${checked}` }
    applications.push(...items.filter(applies))
    checked += items.length
  }
  return { applications, among: '' }
}
