import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../../shared/contracts/application-record.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { isLive, LISTS, type CredentialKind } from './credentials.js'

export interface MaximumAges {
  readonly maxAge: number | undefined
  readonly apis: ReadonlyMap<
    string,
    {
      readonly scheme: 'oauth2' | 'apiKey'
      /** The maximum age of credentials that can be used at this API; undefined: none. */
      readonly credentialMaxAge: number | undefined
    }
  >
}

export interface CredentialUse {
  readonly kind: CredentialKind
  readonly granted: GrantedApis
  readonly restriction: GrantedApis | undefined
}

/** The latest time (milliseconds) at which a credential made at `createdAt` may expire; undefined if it need not expire. */
export function findLatestExpiry(ages: MaximumAges | undefined, use: CredentialUse, createdAt: number) {
  return ages && addDays(createdAt, [ages.maxAge, ...listApiAges(ages, use)])
}

/** The APIs where a kind of credential is presented. Used as client_id, a key identifies the client and proves nothing. */
const SCHEMES = { key: 'apiKey', secret: 'oauth2' } as const

function listApiAges({ apis }: MaximumAges, { kind, granted, restriction = granted }: CredentialUse) {
  const usable = [...apis].filter(
    ([name, { scheme }]) =>
      scheme === SCHEMES[kind] && Object.hasOwn(granted, name) && Object.hasOwn(restriction, name),
  )
  return usable.map(([, { credentialMaxAge }]) => credentialMaxAge)
}

function addDays(time: number, ages: readonly (number | undefined)[]): number | undefined {
  const days = Math.min(...ages.map((age) => age ?? Infinity))
  return days === Infinity ? undefined : time + days * DAY_MS
}

/**
 * A record as it may be saved: new credentials expire at the latest when their maximum age ends. An API that is granted ends
 * those that can be used there its own maximum age later. None expires after its application ends. All others keep their expiry.
 *
 * Reminders of an expiry that is new, and whose time has passed, are never sent: a credential with 20 days to go needs no
 * reminder of 30 days.
 */
export function applyExpiry(
  ages: MaximumAges | undefined,
  former: ApplicationRecord | undefined,
  record: ApplicationRecord,
  now: number,
): ApplicationRecord {
  const isNew = ([name]: [string, unknown]): boolean => !Object.hasOwn(former?.apis ?? {}, name)
  const newlyGranted = Object.fromEntries(Object.entries(record.apis).filter(isNew))

  function apply(kind: CredentialKind, credential: CredentialRecord): CredentialRecord {
    const { id, apis: restriction, createdAt } = credential
    const stored = former?.[LISTS[kind]].find((each) => each.id === id)
    const latest = stored
      ? ages && addDays(now, listApiAges(ages, { kind, granted: newlyGranted, restriction }))
      : findLatestExpiry(ages, { kind, granted: record.apis, restriction }, createdAt)
    const expiresAt = findEarlier(findEarlier(credential.expiresAt, latest), record.endsAt)
    if (stored && stored.expiresAt === expiresAt) return credential
    return { ...credential, expiresAt, remindedDays: expiresAt === undefined ? undefined : countDays(expiresAt, now) }
  }

  return {
    ...record,
    keys: record.keys.map((key) => apply('key', key)),
    secrets: record.secrets.map((secret) => apply('secret', secret)),
  }
}

function findEarlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** Reminders of as many days or more are in the past. */
export function countDays(expiresAt: number, now: number): number {
  return Math.max(0, Math.ceil((expiresAt - now) / DAY_MS))
}

export interface ExpiringCredential {
  readonly kind: CredentialKind
  readonly credential: CredentialRecord & { readonly expiresAt: number }
  readonly replacement: CredentialRecord | undefined
}

/** The application's live credential with that id, if it expires and its contact may still be reminded of that. */
export function findExpiring(
  application: Pick<ApplicationRecord, 'keys' | 'secrets'>,
  id: string | undefined,
  now: number,
): ExpiringCredential | undefined {
  for (const kind of ['key', 'secret'] as const) {
    const credentials = application[LISTS[kind]]
    const index = credentials.findIndex((each) => each.id === id)
    const credential = credentials[index]
    if (credential?.expiresAt === undefined || !isLive(credential, now)) continue
    const newer = credentials.slice(0, index).filter((each) => each.name === credential.name && isLive(each, now))
    // A user of the new one needs no reminder of the old one.
    if (newer.some(({ lastUsedAt }) => lastUsedAt !== undefined)) return undefined
    return { kind, credential: { ...credential, expiresAt: credential.expiresAt }, replacement: newer[0] }
  }
  return undefined
}
