import type { UsageCount } from '../../shared/contracts/usage.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type {
  AccessRequest,
  ApplicationRecord,
  CredentialRecord,
  DecidedRequest,
  Invitation,
  JsonObject,
  Withheld,
} from '../../shared/contracts/application-record.js'

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

/** Members of a record as a database has them: NULL is undefined. */
type Nullable<Members> = {
  readonly [Name in keyof Members]-?: undefined extends Members[Name]
    ? Exclude<Members[Name], undefined> | null
    : Members[Name]
}

/** An application as a SQL database returns it. Lists and objects are JSON. */
export interface ApplicationRow extends Nullable<
  Pick<ApplicationRecord, 'id' | 'name' | 'contact' | 'status' | 'version' | 'language' | 'plan'>
> {
  readonly created_at: number
  readonly tokens_revoked_at: number
  readonly metadata: string | null
  readonly external_id: string | null
  readonly invitations: string | null
  readonly access_requests: string | null
  readonly withheld: string | null
  readonly decided: string | null
  readonly ends_at: number | null
  readonly used_at: number | null
  readonly agreed: string | null
  readonly unconfirmed: number
  readonly other_contacts: string
  readonly apis: string
  readonly credentials: string
}

export function parseApplication(row: ApplicationRow): ApplicationRecord {
  const apis = JSON.parse(row.apis) as readonly (readonly [api: string, scopes: readonly string[]])[]
  const credentials = JSON.parse(row.credentials) as readonly CredentialJson[]
  return {
    id: row.id,
    name: row.name,
    contact: row.contact ?? undefined,
    isUnconfirmed: row.unconfirmed === 1,
    otherContacts: JSON.parse(row.other_contacts) as readonly string[],
    invitations: parseList<Invitation>(row.invitations).map(completeActor),
    language: row.language ?? undefined,
    status: row.status,
    apis: Object.fromEntries(apis.map(([api, scopes]) => [api, { scopes }])),
    accessRequests: parseList<AccessRequest>(row.access_requests).map(completeActor),
    decided: parseList<DecidedRequest>(row.decided),
    withheld: row.withheld === null ? undefined : (JSON.parse(row.withheld) as Withheld),
    ...parseAgreed(row),
    keys: credentials.filter(({ kind }) => kind === 'key').map(parseCredential),
    secrets: credentials.filter(({ kind }) => kind === 'secret').map(parseCredential),
    metadata: row.metadata === null ? undefined : (JSON.parse(row.metadata) as JsonObject),
    externalId: row.external_id ?? undefined,
    endsAt: row.ends_at ?? undefined,
    // 0: it was never used.
    lastUsedAt: row.used_at || undefined,
    createdAt: row.created_at,
    tokensRevokedAt: row.tokens_revoked_at,
    version: row.version,
  }
}

type Agreed = Pick<
  ApplicationRecord,
  'rateLimits' | 'networks' | 'acceptedTerms' | 'resourceServer' | 'isHeld' | 'uncounted'
>

function parseAgreed({ plan, agreed }: ApplicationRow): Agreed & Pick<ApplicationRecord, 'plan'> {
  const read = ownMembers(JSON.parse(agreed ?? '{}') as Partial<Agreed>)
  const { rateLimits, networks, acceptedTerms, resourceServer, isHeld = false, uncounted = 0 } = read
  return { rateLimits, networks, acceptedTerms, resourceServer, isHeld, uncounted, plan: plan ?? undefined }
}

/** JSON for the column `agreed`, which is NULL for an application without any of its members. */
export function formatAgreed({ isHeld, uncounted, ...record }: Agreed): string | undefined {
  const { rateLimits, networks, acceptedTerms, resourceServer } = record
  const others = { isHeld: isHeld || undefined, uncounted: uncounted || undefined }
  const agreed = JSON.stringify({ rateLimits, networks, acceptedTerms, resourceServer, ...others })
  return agreed === '{}' ? undefined : agreed
}

function parseList<Item>(json: string | null): readonly Item[] {
  return json === null ? [] : (JSON.parse(json) as readonly Item[])
}

/** JSON has no undefined members. */
function completeActor<Item extends { readonly by: string | undefined }>(item: Item): Item {
  return { ...item, by: ownMembers(item).by }
}

/** A text behind every one that begins with a prefix. */
export const LAST_CHARACTER = '\u{10FFFF}'

export function formatList(list: readonly object[]): string | undefined {
  return list.length > 0 ? JSON.stringify(list) : undefined
}

interface CredentialJson extends Nullable<Omit<CredentialRecord, 'isImported'>> {
  readonly kind: 'key' | 'secret'
  /** A number in SQLite. */
  readonly isImported: boolean | number
}

function parseCredential(json: CredentialJson): CredentialRecord {
  const { id, name, hash, prefix, createdAt, expiresAt, lastUsedAt, apis, networks, isImported, remindedDays } = json
  const { keySet } = json
  return {
    id,
    name,
    hash,
    prefix,
    createdAt,
    expiresAt: expiresAt ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined,
    apis: apis ?? undefined,
    networks: networks ?? undefined,
    isImported: Boolean(isImported),
    remindedDays: remindedDays ?? undefined,
    keySet: keySet ?? undefined,
  }
}
