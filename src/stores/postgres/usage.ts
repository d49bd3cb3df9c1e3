import type { UsageCount, UsageCountQuery } from '../../shared/contracts/usage.js'
import { parseUsageCount, type UsageRow } from '../sql/rows.js'
import { hasFewCounts, listFewCounts, listOverall } from '../sql/usage.js'
import { all, run, type Work } from '../sql/work.js'

export function* listUsage(query: UsageCountQuery): Work<readonly UsageCount[]> {
  if (query.overall) return yield* listOverall(query)
  const { after, applicationId, api, by, routes, from, to, limit } = query
  const texts = [after?.applicationId, after?.api, after?.outcome, after?.route, applicationId, api]
  if (texts.some((text) => text?.includes('\0'))) return []
  if (yield* hasFewCounts(query)) return yield* listFewCounts(query)
  const lists = routes ? LISTS_BY_ROUTE : LISTS
  const rows = yield* all<UsageRow>(
    lists[by ?? 'day'],
    from,
    to,
    after?.applicationId,
    after?.day ?? '',
    after?.api ?? '',
    after?.outcome ?? '',
    limit,
    applicationId,
    api,
    after?.route ?? '',
  )
  return rows.map(parseUsageCount)
}

const LISTS = formatLists("route = ''")
const LISTS_BY_ROUTE = formatLists("route > ''")

function formatLists(condition: string): Record<'day' | 'month', string> {
  return {
    day: formatList(condition, 'day', 'count', ''),
    month: formatList(condition, 'substr(day, 1, 7)', 'sum(count)::bigint', 'GROUP BY 1, 2, 3, 4, 5'),
  }
}

/** LATERAL reads the index by one application after another, until there are enough. */
function formatList(condition: string, period: string, count: string, grouping: string): string {
  return `
  SELECT period AS day, application_id, api, outcome, route, count FROM platform_auth_applications a
  CROSS JOIN (SELECT CASE WHEN ?3::text IS NULL THEN 0
    ELSE (SELECT seq FROM platform_auth_applications WHERE id = ?3) END AS seq) AS start
  CROSS JOIN LATERAL (
    SELECT ${period} AS period, application_id, api, outcome, route, ${count} AS count FROM platform_auth_usage
    WHERE application_id = a.id AND ${condition} AND day BETWEEN ?1 AND ?2 AND (?9::text IS NULL OR api = ?9)
      AND (a.seq > start.seq OR (route, ${period}, api, outcome) > (?10, ?4, ?5, ?6))
    ${grouping} ORDER BY route, period, api, outcome LIMIT ?7
  ) AS u
  WHERE a.seq >= start.seq AND (?8::text IS NULL OR a.id = ?8)
  ORDER BY a.seq, u.route, u.period, u.api, u.outcome LIMIT ?7`
}

/** Deletes by a sorted list of their numbers: two processes that lock the same rows in different orders deadlock. */
export function* deleteEarlierRefusals(applicationIds: readonly string[], kept: number): Work<void> {
  const text = `
  DELETE FROM platform_auth_refusals WHERE seq = ANY (ARRAY(
    SELECT earlier.seq FROM json_array_elements_text(?1) AS given (application_id)
    CROSS JOIN LATERAL (
      SELECT seq FROM platform_auth_refusals r WHERE r.application_id = given.application_id
      ORDER BY seq DESC OFFSET ?2
    ) AS earlier ORDER BY earlier.seq))`
  yield* run(text, JSON.stringify(applicationIds), kept)
}
