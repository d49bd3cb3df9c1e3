import { findSearch, isPosition, sortApplications } from '../../shared/contracts/application-order.js'
import type { ApplicationRecord, ApplicationStatus } from '../../shared/contracts/application-record.js'
import type { ApplicationQuery } from '../../shared/contracts/store.js'
import { LAST_CHARACTER, parseApplication, type ApplicationRow } from './rows.js'
import { type Dialect, all, get, hasNul, type Work, getOften } from './work.js'

/** One read of an index, in its order: the rows of `from` by `key`, if it has one, and then by `seq`. */
interface IndexRead {
  readonly from: string
  readonly seq?: string
  readonly key?: string
  /** Where `key` is the same in all rows. */
  readonly isOneKey?: true
}

type Bind = (value: string | number) => string

/** Each index is read up to the limit, whatever the planner believes, and of what they have the first ones are taken. */
export function* listApplications(dialect: Dialect, query: ApplicationQuery): Work<readonly ApplicationRecord[]> {
  if (!isPosition(query) || hasNul(Object.values(query))) return []
  const { after, limit } = query
  const start =
    after === undefined
      ? 0
      : (yield* get<{ seq: number }>('SELECT seq FROM platform_auth_applications WHERE id = ?1', after))?.seq
  if (start === undefined) return []
  const values: (string | number)[] = [limit]
  const bind: Bind = (value) => `?${values.push(value)}`
  const reads = listReads(dialect, query, start, bind).map(({ from, seq = 'a.seq', key, isOneKey }) => {
    const order = key === undefined || isOneKey ? seq : `${key}, ${seq}`
    return `SELECT * FROM (SELECT ${seq} AS seq, ${key ?? '0'} AS key FROM ${from} ORDER BY ${order} LIMIT ?1) AS part`
  })
  const text = `${dialect.selectApplication}
    WHERE a.seq IN (SELECT seq FROM (${reads.join(' UNION ALL ')}) AS page ORDER BY key, seq LIMIT ?1) ORDER BY a.seq`
  return sortApplications((yield* all<ApplicationRow>(text, ...values)).map(parseApplication), query)
}

function listReads(dialect: Dialect, query: ApplicationQuery, start: number, bind: Bind): readonly IndexRead[] {
  const search = findSearch(query)?.name
  if (search === 'name') return readNames(dialect, query, start, bind)
  if (search === 'expiry') return [readExpiries(query, start, bind)]
  if (search === 'used') {
    const { usedSince = 1, usedBefore } = query
    const until = usedBefore === undefined ? '' : `AND u.used_at < ${bind(usedBefore)}`
    const from = `platform_auth_last_uses u WHERE (u.used_at, u.application_seq) > ${bindPosition(query, [Math.max(1, usedSince), 0], start, bind)} ${until}`
    return [{ from, seq: 'u.application_seq', key: 'u.used_at' }]
  }
  if (search === 'neverUsed')
    return [
      {
        from: `platform_auth_last_uses u WHERE u.used_at = 0 AND u.application_seq > ${bind(start)}`,
        seq: 'u.application_seq',
      },
    ]
  if (search === 'credential') {
    const from = `platform_auth_credentials c WHERE c.prefix = ${bind(query.credential!)} AND c.application_seq > ${bind(start)}
      AND ${IS_OF_LIVE} GROUP BY c.application_seq`
    return [{ from, seq: 'c.application_seq' }]
  }
  if (search === 'waiting') {
    const from = `platform_auth_applications a WHERE a.waiting_since IS NOT NULL AND ${IS_LIVE}
      AND (a.waiting_since, a.seq) > ${bindPosition(query, [-1, 0], start, bind)}`
    return [{ from, key: 'a.waiting_since' }]
  }
  const condition = formatCondition(dialect, query, search, bind)
  if (condition === undefined) return readStatuses(query, start, bind)
  return [{ from: `platform_auth_applications a WHERE a.seq > ${bind(start)} AND ${condition}` }]
}

/** An inequality, which no index of the status finds. */
const IS_LIVE = "a.status <> 'deleted'"
/** No join: PostgreSQL believes one to match so few that it reads and sorts all of them, where it reads the index up to the limit. */
const IS_OF_LIVE = `(SELECT ${IS_LIVE} FROM platform_auth_applications a WHERE a.seq = c.application_seq)`

/** The searches that have the order in which applications were added. */
function formatCondition(
  { formatLower }: Dialect,
  { externalId, contact, endingBefore, plan }: ApplicationQuery,
  search: string | undefined,
  bind: Bind,
): string | undefined {
  if (search === 'externalId') return `a.external_id = ${bind(externalId!)} AND ${IS_LIVE}`
  // As the condition of the index.
  if (search === 'decided') return "a.status = 'deleted' AND a.decided IS NOT NULL"
  if (search === 'plan') return `${plan === true ? 'a.plan IS NOT NULL' : `a.plan = ${bind(plan!)}`} AND ${IS_LIVE}`
  if (search === 'end')
    return `a.seq IN (SELECT seq FROM platform_auth_applications WHERE ends_at < ${bind(endingBefore!)}) AND ${IS_LIVE}`
  if (search !== 'contact') return undefined
  const given = bind(contact!)
  return `${IS_LIVE} AND a.seq IN (
    SELECT seq FROM platform_auth_applications WHERE contact IS NOT NULL AND ${formatLower('contact')} = ${given}
    UNION SELECT application_seq FROM platform_auth_contacts WHERE contact = ${given})`
}

/** One read per status: an index has each of them in order. */
function readStatuses({ api, status }: ApplicationQuery, start: number, bind: Bind): readonly IndexRead[] {
  const statuses: readonly ApplicationStatus[] = status === undefined ? ['pending', 'active', 'suspended'] : [status]
  const [from, ofApi] = [bind(start), api === undefined ? '' : bind(api)]
  return statuses.map((one) =>
    api === undefined
      ? { from: `platform_auth_applications a WHERE a.status = ${bind(one)} AND a.seq > ${from}` }
      : {
          from: `platform_auth_grants g WHERE g.api = ${ofApi} AND g.status = ${bind(one)} AND g.application_seq > ${from}`,
          seq: 'g.application_seq',
        },
  )
}

/** SQLite finds no pair of an expression and a number in an index, so the applications of the same name are a read of their own. */
function readNames({ formatLower }: Dialect, query: ApplicationQuery, start: number, bind: Bind): readonly IndexRead[] {
  const { afterKey, name = '' } = query
  const key = formatLower('a.name')
  const from = bind(start === 0 ? name : afterKey!)
  const rest = `${key} > ${from} AND ${key} < ${bind(name + LAST_CHARACTER)} AND ${IS_LIVE}`
  return [
    {
      from: `platform_auth_applications a WHERE ${key} = ${from} AND a.seq > ${bind(start)} AND ${IS_LIVE}`,
      key,
      isOneKey: true,
    },
    { from: `platform_auth_applications a WHERE ${rest}`, key },
  ]
}

/** The first credential of each application counts. The plus signs keep both databases from reading others than those of the application. */
function readExpiries(query: ApplicationQuery, start: number, bind: Bind): IndexRead {
  const { expiringBefore, expiringAfter = 0 } = query
  const position = bindPosition(query, [expiringAfter, Number.MAX_SAFE_INTEGER], start, bind)
  const from = `platform_auth_credentials c
    WHERE (c.expires_at, c.application_seq) > ${position} AND c.expires_at < ${bind(expiringBefore!)} AND ${IS_OF_LIVE}
      AND NOT EXISTS (SELECT 1 FROM platform_auth_credentials d WHERE d.application_seq = c.application_seq
        AND +d.expires_at > ${bind(expiringAfter)} AND (+d.expires_at, d.hash) < (c.expires_at, c.hash))`
  return { from, seq: 'c.application_seq', key: 'c.expires_at' }
}

/** The key and the number behind which the page begins; `first`: those of the first page. */
function bindPosition(query: ApplicationQuery, first: readonly [number, number], start: number, bind: Bind): string {
  return `(${(query.after === undefined ? first : [query.afterKey!, start]).map(bind).join()})`
}

export function* findApplication({ selectApplication }: Dialect, id: string): Work<ApplicationRecord | undefined> {
  if (hasNul([id])) return undefined
  const row = yield* getOften<ApplicationRow>(`${selectApplication} WHERE a.id = ?1`, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides, but for ended keys. */
export function* findApplicationByKey({ selectApplication }: Dialect, hashes: readonly string[]) {
  const list = hashes.map((_, index) => `?${index + 1}`).join()
  const text = `${selectApplication}
  WHERE a.seq = (SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash IN (${list}) AND c.kind = 'key' AND (c.hash = ?1 OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash IN (${list}) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ?1, c.application_seq LIMIT 1)`
  const row = yield* getOften<ApplicationRow>(text, ...hashes)
  return row && parseApplication(row)
}
