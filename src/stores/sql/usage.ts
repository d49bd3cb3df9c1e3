import type {
  ExpiredUsage,
  RefusalRecord,
  UsageBatch,
  UsageCount,
  UsageCountQuery,
  UsageSum,
  UsageSumQuery,
  ReportedCount,
  ReportedCountQuery,
} from '../../shared/contracts/usage.js'
import { type Dialect, all, get, run, hasNul, MAX_STORED_COUNT, type Work } from './work.js'
import { parseRow, parseUsageCount, type UsageRow } from './rows.js'

/** The counts that are read at once, and sorted. */
const FEW = 2000

/** Few counts are all read; otherwise one application after another. A list costs what it finds, not all there is. */
export function* hasFewCounts({ api, applicationId, from, to }: UsageCountQuery): Work<boolean> {
  if (applicationId !== undefined) return false
  const ofApi = api === undefined ? '' : 'AND api = ?4'
  const text = `SELECT 1 FROM platform_auth_usage WHERE day BETWEEN ?1 AND ?2 ${ofApi} ORDER BY day LIMIT 1 OFFSET ?3`
  return (yield* get(text, from, to, FEW, ...(api === undefined ? [] : [api]))) === undefined
}

/** The same page as that of `Dialect.listUsage`, from the index of the days. CROSS JOIN keeps SQLite from reading the applications first. */
export function* listFewCounts({ formatSum }: Dialect, query: UsageCountQuery): Work<readonly UsageCount[]> {
  const { after, api, by, routes = false, from, to, limit } = query
  const values: (string | number)[] = []
  const bind = (value: string | number): string => `?${values.push(value)}`
  const period = by === 'month' ? 'substr(u.day, 1, 7)' : 'u.day'
  const conditions = [
    'a.id = u.application_id',
    `u.day BETWEEN ${bind(from)} AND ${bind(to)}`,
    `u.route ${routes ? '>' : '='} ''`,
  ]
  if (api !== undefined) conditions.push(`u.api = ${bind(api)}`)
  if (after) {
    const start = `(SELECT seq FROM platform_auth_applications WHERE id = ${bind(after.applicationId)})`
    const position = [after.route ?? '', after.day, after.api, after.outcome].map(bind).join()
    conditions.push(
      `(a.seq > ${start} OR (a.seq = ${start} AND (u.route, ${period}, u.api, u.outcome) > (${position})))`,
    )
  }
  const rows = yield* all<UsageRow>(
    `SELECT a.id AS application_id, u.route, ${period} AS day, u.api, u.outcome, ${formatSum('u.count')} AS count
    FROM platform_auth_usage u CROSS JOIN platform_auth_applications a WHERE ${conditions.join(' AND ')}
    GROUP BY a.seq, a.id, u.route, ${period}, u.api, u.outcome
    ORDER BY a.seq, u.route, ${period}, u.api, u.outcome LIMIT ${bind(limit)}`,
    ...values,
  )
  return rows.map(parseUsageCount)
}

/** The id, of no application, under which the sums of all are. */
const OVERALL = `''`

export function* listOverall({ formatSum }: Dialect, query: UsageCountQuery): Work<readonly UsageCount[]> {
  const { after, api, by, routes = false, from, to, limit } = query
  const day = by === 'month' ? 'substr(day, 1, 7)' : 'day'
  const text = `
    SELECT application_id, route, ${day} AS day, api, outcome, ${formatSum('count')} AS count FROM platform_auth_usage
    WHERE application_id = ${OVERALL} AND route ${routes ? '>' : '='} '' AND day BETWEEN ?1 AND ?2
      AND (route, ${day}, api, outcome) > (?3, ?4, ?5, ?6) ${api === undefined ? '' : 'AND api = ?8'}
    GROUP BY application_id, route, ${day}, api, outcome ORDER BY route, ${day}, api, outcome LIMIT ?7`
  const position = [after?.route ?? '', after?.day ?? '', after?.api ?? '', after?.outcome ?? '']
  if (hasNul([...position, api])) return []
  const rows = yield* all<UsageRow>(text, from, to, ...position, limit, ...(api === undefined ? [] : [api]))
  return rows.map(parseUsageCount)
}

/** Must be called in a transaction, as `addRefusals` and `deleteExpiredUsage`. */
export function* addUsage(dialect: Dialect, batch: UsageBatch, counts: readonly UsageCount[]): Work<void> {
  if (!(yield* addBatch(batch))) return
  const given = JSON.stringify(counts)
  yield* run(formatAddUsage(dialect, 'a.id'), given)
  yield* run(formatAddSums(dialect), given)
  // Every batch changes these rows, so they are locked last, and for a short time.
  yield* run(formatAddUsage(dialect, OVERALL), given)
}

const COUNT = {
  applicationId: 'text',
  route: 'text',
  day: 'text',
  api: 'text',
  outcome: 'text',
  count: 'bigint',
} as const

/** Rows in one order, as other orders deadlock. CROSS JOIN keeps SQLite from reading the applications first. */
function formatAddUsage({ formatGiven, formatSum, binary, least }: Dialect, id: string): string {
  return `
  INSERT INTO platform_auth_usage AS stored (application_id, route, day, api, outcome, count)
  SELECT ${id}, coalesce(route, ''), day, api, outcome, ${formatSum('count')}
  FROM ${formatGiven(COUNT)} CROSS JOIN platform_auth_applications a
  WHERE a.id = given."applicationId" GROUP BY 1, 2, day, api, outcome
  ORDER BY 1, coalesce(route, '')${binary}, day${binary}, api${binary}, outcome${binary}
  ON CONFLICT (application_id, route, day, api, outcome) DO UPDATE SET count = ${least}(stored.count + excluded.count, ${MAX_STORED_COUNT})`
}

/** Adds to the sums of the day and of its month, in the same way. */
function formatAddSums({ formatGiven, formatSum, binary, least }: Dialect): string {
  const columns = { allowed: "= 'allowed'", tokens: "= 'token'", refused: "NOT IN ('allowed', 'token')" }
  const sums = Object.values(columns).map((is) => formatSum(`CASE WHEN outcome ${is} THEN count ELSE 0 END`))
  const added = Object.keys(columns).map(
    (name) => `${name} = ${least}(stored.${name} + excluded.${name}, ${MAX_STORED_COUNT})`,
  )
  return `
  INSERT INTO platform_auth_usage_sums AS stored (application_id, period, ${Object.keys(columns).join()})
  SELECT a.id, substr(day, 1, size), ${sums.join()}
  FROM ${formatGiven(COUNT)} CROSS JOIN platform_auth_applications a CROSS JOIN (SELECT 10 AS size UNION ALL SELECT 7) AS periods
  WHERE a.id = given."applicationId" AND coalesce(route, '') = '' GROUP BY 1, 2
  ORDER BY a.id${binary}, substr(day, 1, size)${binary}
  ON CONFLICT (application_id, period) DO UPDATE SET ${added.join()}`
}

/** CROSS JOIN keeps SQLite from reading the applications first. */
export function* listSums({ period, sort, after, limit }: UsageSumQuery): Work<readonly UsageSum[]> {
  const text = `
    SELECT a.id AS "applicationId", a.name, s.allowed, s.tokens AS "accessTokens", s.refused
    FROM platform_auth_usage_sums s CROSS JOIN platform_auth_applications a
    WHERE s.period = ?1 AND s.${sort} > 0 ${after ? `AND (s.${sort}, s.application_id) < (?3, ?4)` : ''} AND a.id = s.application_id
    ORDER BY s.${sort} DESC, s.application_id DESC LIMIT ?2`
  return yield* all<UsageSum>(text, period, limit, ...(after ? [after.count, after.applicationId] : []))
}

export function* addRefusals(dialect: Dialect, batch: UsageBatch, refusals: readonly RefusalRecord[], kept: number) {
  if (!(yield* addBatch(batch))) return
  const rows = refusals.map((refusal) => ({ ...refusal, details: JSON.stringify(refusal.details) }))
  yield* run(formatAddRefusals(dialect), JSON.stringify(rows))
  // In one order, for the same reason as above.
  yield* dialect.deleteEarlierRefusals([...new Set(rows.map(({ applicationId }) => applicationId))].toSorted(), kept)
}

const REFUSAL = {
  applicationId: 'text',
  at: 'bigint',
  api: 'text',
  error: 'text',
  reason: 'text',
  requestId: 'text',
  address: 'text',
  details: 'text',
} as const

function formatAddRefusals({ formatGiven }: Dialect): string {
  return `
  INSERT INTO platform_auth_refusals (application_id, at, api, error, reason, request_id, address, details)
  SELECT a.id, at, api, error, reason, "requestId", address, details
  FROM ${formatGiven(REFUSAL)} CROSS JOIN platform_auth_applications a
  WHERE a.id = given."applicationId" AND a.status <> 'deleted' ORDER BY given.position`
}

export function* listRefusals(applicationId: string, after: number): Work<readonly RefusalRecord[]> {
  if (hasNul([applicationId])) return []
  const text = `
    SELECT a.id AS "applicationId", r.at, r.api, r.error, coalesce(r.reason, r.error) AS reason, r.request_id AS "requestId",
      r.address, coalesce(r.details, '{}') AS details
    FROM platform_auth_refusals r JOIN platform_auth_applications a ON a.id = r.application_id
    WHERE r.application_id = ?1 AND r.at > ?2 AND a.status <> 'deleted' ORDER BY r.seq DESC`
  return (yield* all<object>(text, applicationId, after)).map((row) => parseRow(row, 'details'))
}

/** This look-up avoids a write if nothing has expired. */
export function* hasExpiredUsage(expired: ExpiredUsage): Work<boolean> {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore } = expired
  const text = `
    SELECT 1 WHERE EXISTS (SELECT 1 FROM platform_auth_usage WHERE day < ?1)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_sums WHERE period < ?1)
      OR EXISTS (SELECT 1 FROM platform_auth_refusals WHERE at < ?2)
      OR EXISTS (SELECT 1 FROM platform_auth_reported WHERE last_at < ?3)
      OR EXISTS (SELECT 1 FROM platform_auth_usage_batches WHERE at < ?4)`
  return (yield* get(text, countsBefore, refusalsBefore, reportedBefore, batchesBefore)) !== undefined
}

export function* deleteExpiredUsage({ formatDelete }: Dialect, expired: ExpiredUsage): Work<number> {
  const { countsBefore, refusalsBefore, reportedBefore, batchesBefore, limit } = expired
  const deletions = [
    ['platform_auth_usage', 'application_id, route, day, api, outcome', 'day', countsBefore],
    ['platform_auth_usage_sums', 'application_id, period', 'period', countsBefore],
    ['platform_auth_refusals', 'seq', 'at', refusalsBefore],
    ['platform_auth_reported', 'application_id, api, route, reason', 'last_at', reportedBefore],
    ['platform_auth_usage_batches', 'id', 'at', batchesBefore],
  ] as const
  let deleted = 0
  for (const [table, key, column, before] of deletions)
    deleted += yield* run(formatDelete(table, key, column), before, limit)
  return deleted
}

/** Returns false for a batch that was added before. Waits for a transaction that is adding it. */
export function* addBatch({ id, at }: UsageBatch): Work<boolean> {
  const text = 'INSERT INTO platform_auth_usage_batches (id, at) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING'
  return (yield* run(text, id, at)) > 0
}

/** Must be called in a transaction. */
export function* addReported(dialect: Dialect, batch: UsageBatch, counts: readonly ReportedCount[]): Work<void> {
  if (yield* addBatch(batch)) yield* run(formatAdd(dialect), JSON.stringify(counts))
}

/** The rows are in one order: two processes that lock the same rows in different orders deadlock. */
function formatAdd({ formatGiven, formatSum, binary, least, greatest }: Dialect): string {
  const given = formatGiven({
    applicationId: 'text',
    api: 'text',
    route: 'text',
    reason: 'text',
    count: 'bigint',
    firstAt: 'bigint',
    lastAt: 'bigint',
  })
  return `
  INSERT INTO platform_auth_reported AS stored (application_id, api, route, reason, count, first_at, last_at)
  SELECT "applicationId", api, route, reason, ${formatSum('count')}, min("firstAt"), max("lastAt") FROM ${given}
  GROUP BY "applicationId", api, route, reason
  ORDER BY "applicationId"${binary}, api${binary}, route${binary}, reason${binary}
  ON CONFLICT (application_id, api, route, reason) DO UPDATE SET
    count = ${least}(stored.count + excluded.count, ${MAX_STORED_COUNT}),
    first_at = ${least}(stored.first_at, excluded.first_at),
    last_at = ${greatest}(stored.last_at, excluded.last_at)`
}

export function* listReported(query: ReportedCountQuery): Work<readonly ReportedCount[]> {
  const { after, applicationId, api, limit } = query
  const position = [after?.applicationId, after?.api, after?.route, after?.reason].map((text) => text ?? '')
  const filters = [
    ['application_id', applicationId],
    ['api', api],
  ].filter(([, value]) => value !== undefined)
  const values = [...position, ...filters.map(([, value]) => value)]
  if (hasNul(values)) return []
  const text = `
    SELECT application_id AS "applicationId", api, route, reason, count, first_at AS "firstAt", last_at AS "lastAt"
    FROM platform_auth_reported WHERE (application_id, api, route, reason) > (?1, ?2, ?3, ?4)
      ${filters.map(([column], i) => `AND ${column} = ?${i + 5}`).join(' ')}
    ORDER BY application_id, api, route, reason LIMIT ?${values.length + 1}`
  return yield* all<ReportedCount>(text, ...values, limit)
}
