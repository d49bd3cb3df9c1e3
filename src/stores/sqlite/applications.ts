import { isPosition, sortApplications } from '../../shared/contracts/application-order.js'
import type { ApplicationQuery } from '../../shared/contracts/store.js'
import type { ApplicationRecord, ApplicationStatus } from '../../shared/contracts/application-record.js'
import { LAST_CHARACTER, parseApplication, type ApplicationRow } from '../sql/application-rows.js'
import type { Sql } from './connection.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed,
    (SELECT json_group_array(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq) AS other_contacts,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', json(apis),
        'networks', json(networks), 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', json(key_set)) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

export function findApplication(sql: Sql, id: string): ApplicationRecord | undefined {
  const row = sql.get<ApplicationRow>(`${SELECT_APPLICATION} WHERE a.id = ?`, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides. */
export function findApplicationByKey(sql: Sql, hashes: readonly string[]): ApplicationRecord | undefined {
  const text = `${SELECT_APPLICATION} WHERE a.seq = (${selectOwner(hashes.length)} LIMIT 1)`
  const row = sql.get<ApplicationRow>(text, ...hashes)
  return row && parseApplication(row)
}

function selectOwner(count: number): string {
  const list = Array.from({ length: count }, (_, index) => `?${index + 1}`).join()
  return `SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash IN (${list}) AND c.kind = 'key' AND (c.hash = ?1 OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash IN (${list}) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ?1, c.application_seq`
}

export function listApplications(sql: Sql, query: ApplicationQuery): ApplicationRecord[] {
  const start = query.after === undefined ? 0 : findSeq(sql, query.after)
  if (start === undefined || !isPosition(query)) return []
  const statuses = query.status === undefined ? NOT_DELETED : [query.status]
  const [page, values] = selectPage(query, statuses, start)
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page}) ORDER BY a.seq`
  return sortApplications(sql.all<ApplicationRow>(text, ...values, query.limit).map(parseApplication), query)
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']

/** A query for `seq` or a part of one, and its values; in a whole query the limit is the last of them, which the caller adds. */
type Selection = readonly [text: string, values: readonly (string | number)[]]

function selectPage(query: ApplicationQuery, statuses: readonly string[], start: number): Selection {
  const { externalId, name, contact, credential, expiringBefore, hasDecided, plan, endingBefore } = query
  if (expiringBefore !== undefined) return selectByExpiry({ ...query, expiringBefore }, statuses, start)
  if (name !== undefined) return selectByName({ ...query, name }, statuses, start)
  if (query.waiting) return selectByWait(query, statuses, start)
  if ([externalId, contact, credential, hasDecided, plan, endingBefore].every((filter) => filter === undefined))
    return selectByStatus(query, statuses, start)
  const [conditions, values] = joinFilters([['a.seq > ?', [start]], ...listFilters(query, statuses)])
  return [`SELECT a.seq FROM platform_auth_applications a WHERE ${conditions} ORDER BY a.seq LIMIT ?`, values]
}

function selectByStatus({ api }: ApplicationQuery, statuses: readonly string[], start: number): Selection {
  // One branch per status: an index has each of them in order, and merging them stops at the limit.
  const branch =
    api === undefined
      ? 'SELECT seq FROM platform_auth_applications WHERE status = ? AND seq > ?'
      : 'SELECT application_seq AS seq FROM platform_auth_grants WHERE api = ? AND status = ? AND application_seq > ?'
  const values = statuses.flatMap((one) => (api === undefined ? [one, start] : [api, one, start]))
  return [`${statuses.map(() => branch).join(' UNION ALL ')} ORDER BY seq LIMIT ?`, values]
}

/** Read in the order of the index of names, unless another filter finds few: the plus sign keeps SQLite from using that index. */
function selectByName(
  query: ApplicationQuery & { name: string },
  statuses: readonly string[],
  start: number,
): Selection {
  const { after, name, afterName } = query
  const from = after === undefined ? name : afterName!
  const key = `${isNarrow(query) ? '+' : ''}lower(a.name)`
  // SQLite finds no pair of an expression and a number in an index, so the applications of the same name are a branch of their own.
  const ranges: readonly Selection[] = [
    [`${key} = ? AND a.seq > ?`, [from, start]],
    [`${key} > ? AND ${key} < ?`, [from, name + LAST_CHARACTER]],
  ]
  const filters = listFilters({ ...query, name: undefined, isOrdered: true }, statuses)
  const branches = ranges.map((range) => joinFilters([range, ...filters]))
  const texts = branches.map(
    ([conditions], i) =>
      `SELECT ${i === 0 ? '?' : key} AS key, a.seq AS seq FROM platform_auth_applications a WHERE ${conditions}`,
  )
  // The key of the first branch is given: SQLite would sort all of the same name by an expression.
  const values = [from, ...branches.flatMap(([, each]) => each)]
  return [`SELECT seq FROM (${texts.join(' UNION ALL ')} ORDER BY key, seq LIMIT ?)`, values]
}

/** Likewise, in the order of the index of expiry. The first credential of each application counts. */
function selectByExpiry(
  query: ApplicationQuery & { expiringBefore: number },
  statuses: readonly string[],
  start: number,
): Selection {
  const { expiringBefore, expiringAfter = 0, after, afterExpiry = 0 } = query
  const key = `${isNarrow(query) ? '+' : ''}c.expires_at`
  const position = after === undefined ? [expiringAfter, Number.MAX_SAFE_INTEGER] : [afterExpiry, start]
  const [conditions, values] = joinFilters([
    [`(${key}, c.application_seq) > (?, ?) AND ${key} < ?`, [...position, expiringBefore]],
    [IS_FIRST, [expiringAfter]],
    ...listFilters({ ...query, isOrdered: true }, statuses),
  ])
  const text = `
    SELECT c.application_seq FROM platform_auth_credentials c JOIN platform_auth_applications a ON a.seq = c.application_seq
    WHERE ${conditions} ORDER BY ${key}, c.application_seq LIMIT ?`
  return [text, values]
}

function selectByWait(query: ApplicationQuery, statuses: readonly string[], start: number): Selection {
  const key = `${isNarrow(query) ? '+' : ''}a.waiting_since`
  const [conditions, values] = joinFilters([
    [`(${key}, a.seq) > (?, ?)`, [query.after === undefined ? -1 : query.afterWaiting!, start]],
    ...listFilters({ ...query, isOrdered: true }, statuses),
  ])
  return [`SELECT a.seq FROM platform_auth_applications a WHERE ${conditions} ORDER BY ${key}, a.seq LIMIT ?`, values]
}

/** Whether an index finds the few that match another filter, which are read instead. */
function isNarrow({ externalId, contact, credential, hasDecided, endingBefore }: ApplicationQuery): boolean {
  return [externalId, contact, credential, hasDecided, endingBefore].some((filter) => filter !== undefined)
}

/** Conditions that use an index, and those that use none. The plus sign keeps SQLite from reading by status. */
function listFilters(
  query: ApplicationQuery & { readonly isOrdered?: true },
  statuses: readonly string[],
): readonly Selection[] {
  const { api, externalId, name, contact, credential, plan, endingBefore } = query
  // Half of the applications may have one plan: it is no reason to sort them all by name or expiry.
  const isOrdered = query.isOrdered === true
  const filters: readonly (Selection | undefined)[] = [
    [`+a.status IN (${statuses.map(() => '?').join()})`, statuses],
    externalId === undefined ? undefined : ['a.external_id = ?', [externalId]],
    name === undefined ? undefined : ['+lower(a.name) >= ? AND +lower(a.name) < ?', [name, name + LAST_CHARACTER]],
    contact === undefined ? undefined : [HAS_CONTACT, [contact, contact]],
    credential === undefined ? undefined : [HAS_CREDENTIAL, [credential]],
    query.hasDecided && [HAS_DECIDED, []],
    query.waiting && ['a.waiting_since IS NOT NULL', []],
    plan === undefined
      ? undefined
      : plan === true
        ? ['a.plan IS NOT NULL', []]
        : [`${isOrdered ? '+' : ''}a.plan = ?`, [plan]],
    endingBefore === undefined ? undefined : [IS_ENDING, [endingBefore]],
    api === undefined ? undefined : [HAS_API, [api]],
  ]
  return filters.filter((filter) => filter !== undefined)
}

function joinFilters(filters: readonly Selection[]): Selection {
  return [filters.map(([text]) => text).join(' AND '), filters.flatMap(([, values]) => values)]
}

const IS_FIRST = `
  NOT EXISTS (SELECT 1 FROM platform_auth_credentials d WHERE d.application_seq = c.application_seq
    AND +d.expires_at > ? AND (+d.expires_at, d.hash) < (c.expires_at, c.hash))`
const HAS_CONTACT = `
  a.seq IN (SELECT seq FROM platform_auth_applications WHERE contact IS NOT NULL AND lower(contact) = ?
    UNION SELECT application_seq FROM platform_auth_contacts WHERE contact = ?)`
const HAS_CREDENTIAL = 'a.seq IN (SELECT application_seq FROM platform_auth_credentials WHERE prefix = ?)'
/** As the condition of the index. */
const HAS_DECIDED = "a.status = 'deleted' AND a.decided IS NOT NULL"
const IS_ENDING = 'a.seq IN (SELECT seq FROM platform_auth_applications WHERE ends_at < ?)'
const HAS_API = 'EXISTS (SELECT 1 FROM platform_auth_grants WHERE application_seq = a.seq AND api = ?)'

/** Undefined if there is none: bound as NULL, after which nothing is listed. */
function findSeq(sql: Sql, id: string): number | undefined {
  return sql.get<{ seq: number }>('SELECT seq FROM platform_auth_applications WHERE id = ?', id)?.seq
}
