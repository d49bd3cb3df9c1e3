import { isPosition, sortApplications } from '../../shared/contracts/application-order.js'
import type { ApplicationQuery } from '../../shared/contracts/store.js'
import type { ApplicationRecord, ApplicationStatus } from '../../shared/contracts/application-record.js'
import { LAST_CHARACTER, parseApplication, type ApplicationRow } from '../sql/application-rows.js'
import { prepareStatement, type Sql } from './connection.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed::int,
    coalesce((SELECT json_agg(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq), '[]')::text AS other_contacts,
    coalesce((SELECT json_agg(json_build_array(api, scopes::json) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq), '[]')::text AS apis,
    coalesce((SELECT json_agg(json_build_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', apis::json,
        'networks', networks::json, 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', key_set::json) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq), '[]')::text AS credentials
  FROM platform_auth_applications a`

const FIND = prepareStatement(`${SELECT_APPLICATION} WHERE a.id = $1`)
const FIND_BY_KEY = prepareStatement(`${SELECT_APPLICATION}
  WHERE a.seq = (SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash = ANY ($1::text[]) AND c.kind = 'key' AND (c.hash = ($1::text[])[1] OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash = ANY ($1::text[]) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ($1::text[])[1], c.application_seq LIMIT 1)`)

export async function findApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  if (!isStorable(id)) return undefined
  const row = await sql.get<ApplicationRow>(FIND, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides. */
export async function findApplicationByKey(
  sql: Sql,
  hashes: readonly string[],
): Promise<ApplicationRecord | undefined> {
  const row = await sql.get<ApplicationRow>(FIND_BY_KEY, hashes)
  return row && parseApplication(row)
}

export async function listApplications(sql: Sql, query: ApplicationQuery): Promise<readonly ApplicationRecord[]> {
  const { after, limit, externalId, name, afterName, contact, credential, plan } = query
  if (
    ![after, externalId, name, afterName, contact, credential, plan].every(
      (text) => typeof text !== 'string' || isStorable(text),
    )
  )
    return []
  if (!isPosition(query)) return []
  const [page, values] = selectPage(query)
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page} LIMIT $2) ORDER BY a.seq`
  const rows = await sql.all<ApplicationRow>(text, after ?? 0, limit, ...values)
  return sortApplications(rows.map(parseApplication), query)
}

type Value = string | number | readonly string[]

/** A query for `seq`, and its values from the third on. */
type Selection = readonly [text: string, values: readonly Value[]]

function selectPage(query: ApplicationQuery): Selection {
  const { after, externalId, name, contact, credential, expiringBefore, hasDecided, plan, endingBefore } = query
  // NULL if there is no such application, after which nothing is listed.
  const start = after === undefined ? '$1::bigint' : '(SELECT seq FROM platform_auth_applications WHERE id = $1)'
  const isSearch = [
    externalId,
    name,
    contact,
    credential,
    expiringBefore,
    hasDecided,
    plan,
    endingBefore,
    query.waiting,
  ].some((filter) => filter !== undefined)
  return isSearch ? selectFound(query, start) : selectByStatus(query, start)
}

/** One branch per status: an index has each of them in order, so only the page is read, however many applications exist. */
function selectByStatus({ api, status }: ApplicationQuery, start: string): Selection {
  const branch =
    api === undefined
      ? `SELECT seq FROM platform_auth_applications WHERE seq > ${start}`
      : `SELECT application_seq AS seq FROM platform_auth_grants WHERE application_seq > ${start} AND api = $3`
  const statuses = status === undefined ? NOT_DELETED : [status]
  const firstStatus = api === undefined ? 3 : 4
  const branches = statuses.map((_, i) => `(${branch} AND status = $${firstStatus + i} ORDER BY seq LIMIT $2)`)
  const values = [...(api === undefined ? [] : [api]), ...statuses]
  return [`SELECT seq FROM (${branches.join(' UNION ALL ')}) AS found ORDER BY seq`, values]
}

/** In the order of the index of expiry or names, up to the limit, unless an index finds the few that match another filter. */
function selectFound(query: ApplicationQuery, start: string): Selection {
  const { api, status, externalId, name, contact, credential, expiringBefore, plan, endingBefore } = query
  const values: Value[] = []
  const bind = (value: Value): string => `$${values.push(value) + 2}`
  const statuses = status === undefined ? NOT_DELETED : [status]
  const [order, position] = selectOrder(query, start, bind)
  const conditions = [
    `found.status = ANY (${bind(statuses)}::text[])`,
    externalId !== undefined && `found.external_id = ${bind(externalId)}`,
    name !== undefined && `${LOWER_NAME} >= ${bind(name)} AND ${LOWER_NAME} < ${bind(name + LAST_CHARACTER)}`,
    contact !== undefined && selectByContact(bind(contact)),
    credential !== undefined &&
      `found.seq IN (SELECT application_seq FROM platform_auth_credentials WHERE prefix = ${bind(credential)})`,
    // As the condition of the index.
    query.hasDecided && "found.status = 'deleted' AND found.decided IS NOT NULL",
    query.waiting && `${formatWait(query)} IS NOT NULL`,
    plan !== undefined && (plan === true ? 'found.plan IS NOT NULL' : `found.plan = ${bind(plan)}`),
    endingBefore !== undefined && `found.ends_at < ${bind(endingBefore)}`,
    api !== undefined &&
      `EXISTS (SELECT 1 FROM platform_auth_grants WHERE application_seq = found.seq AND api = ${bind(api)})`,
  ]
  const isMatch = conditions.filter(Boolean).join(' AND ')
  const at = `${start} IS NOT NULL AND ${position}`
  if (expiringBefore === undefined)
    return [
      `SELECT found.seq FROM platform_auth_applications AS found WHERE ${at} AND ${isMatch} ORDER BY ${order}`,
      values,
    ]
  // A condition for each credential, and no join: PostgreSQL believes a join to match so few that it reads and sorts all of them,
  // where it reads the index up to the limit. Unless an index finds the few that match another filter.
  const text = hasFew(query)
    ? `SELECT c.application_seq AS seq FROM platform_auth_applications AS found
      JOIN platform_auth_credentials c ON c.application_seq = found.seq WHERE ${at} AND ${isMatch} ORDER BY ${order}`
    : `SELECT c.application_seq AS seq FROM platform_auth_credentials c
      WHERE ${at} AND (SELECT ${isMatch} FROM platform_auth_applications AS found WHERE found.seq = c.application_seq)
      ORDER BY ${order}`
  return [text, values]
}

function hasFew({ externalId, contact, credential, endingBefore }: ApplicationQuery): boolean {
  return [externalId, contact, credential, endingBefore].some((filter) => filter !== undefined)
}

/** A sum is in no index: the few that another filter finds are read instead. */
function formatWait(query: ApplicationQuery): string {
  return hasFew(query) ? '(found.waiting_since + 0)' : 'found.waiting_since'
}

const LOWER_NAME = 'lower(found.name COLLATE "C")'

/** What the page is ordered by, and the condition to be behind the previous page. Of each application the first credential counts. */
function selectOrder(
  query: ApplicationQuery,
  start: string,
  bind: (value: Value) => string,
): readonly [order: string, position: string] {
  const { after, name, afterName, expiringBefore, expiringAfter = 0, afterExpiry = 0 } = query
  if (expiringBefore !== undefined) {
    const since = bind(expiringAfter)
    const from = after === undefined ? `${since}, ${Number.MAX_SAFE_INTEGER}` : `${bind(afterExpiry)}, ${start}`
    const position = `(c.expires_at, c.application_seq) > (${from}) AND c.expires_at < ${bind(expiringBefore)}
      AND NOT EXISTS (SELECT 1 FROM platform_auth_credentials d WHERE d.application_seq = c.application_seq
        AND d.expires_at > ${since} AND (d.expires_at, d.hash) < (c.expires_at, c.hash))`
    return ['c.expires_at, c.application_seq', position]
  }
  if (name === undefined && query.waiting) {
    const from = bind(after === undefined ? -1 : query.afterWaiting!)
    return [`${formatWait(query)}, found.seq`, `(${formatWait(query)}, found.seq) > (${from}, ${start})`]
  }
  if (name === undefined) return ['found.seq', `found.seq > ${start}`]
  const from = bind(after === undefined ? name : afterName!)
  return [`${LOWER_NAME}, found.seq`, `(${LOWER_NAME}, found.seq) > (${from}, ${start})`]
}

function selectByContact(contact: string): string {
  return `found.seq IN (SELECT seq FROM platform_auth_applications WHERE lower(contact COLLATE "C") = ${contact}
    UNION SELECT application_seq FROM platform_auth_contacts WHERE contact = ${contact})`
}

/** PostgreSQL rejects a text with U+0000 as an error; the other stores find nothing. */
function isStorable(text: string): boolean {
  return !text.includes('\0')
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']
