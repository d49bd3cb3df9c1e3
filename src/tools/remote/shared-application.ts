import { EMPTY_APPLICATION, EMPTY_CREDENTIAL, ownRecord } from '../../shared/lib/own-record.js'
import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../shared/contracts/application-record.js'
import type { PlansOffer } from '../../shared/contracts/offers.js'
import { readNumber, readText, readList, readObject, type Members, readOptional } from './read-answer.js'

/** What resource servers get of applications beyond what guards judge by. */
export interface Shared {
  readonly externalId: boolean
  readonly metadata: readonly string[]
  readonly findWindows: PlansOffer['findWindows'] | undefined
}

/** Shares an application by an allow list: no hash, contact or request. Undefined without access, which equals an unknown one. */
export function shareApplication(record: ApplicationRecord, names: ReadonlySet<string>, shared: Shared) {
  const apis = selectApis(record.apis, names)
  if (Object.keys(apis).length === 0) return undefined
  const { id, name, status, networks, endsAt, tokensRevokedAt, rateLimits, metadata } = record
  const windows = shared.findWindows?.(record)
  return {
    id,
    name,
    status,
    apis,
    networks,
    endsAt,
    tokensRevokedAt,
    plan: windows && { name: record.plan, windows },
    rateLimits: rateLimits && select(rateLimits, (api) => names.has(api) || api === EVERY_API),
    externalId: shared.externalId ? record.externalId : undefined,
    metadata:
      metadata && shared.metadata.length > 0 ? select(metadata, (each) => shared.metadata.includes(each)) : undefined,
    keys: record.keys.map((key) => shareKey(key, names)),
    // For access tokens of secrets that may be used from some networks only.
    secrets: record.secrets.map((secret) => ({ id: secret.id, networks: secret.networks })),
  }
}

/** The name for every API in limits; no API can have it. */
const EVERY_API = '*'

function shareKey({ id, name, expiresAt, networks, apis }: CredentialRecord, names: ReadonlySet<string>): Members {
  if (apis === undefined) return { id, name, expiresAt, networks }
  const own = selectApis(apis, names)
  // A key for other APIs is refused differently than one for none: which ones they are stays untold.
  const isElsewhere = Object.keys(own).length === 0 && Object.keys(apis).length > 0
  if (isElsewhere) return { id, name: '', expiresAt, apis: { [EVERY_API]: { scopes: [] } } }
  return { id, name, expiresAt, networks, apis: own }
}

function selectApis(apis: GrantedApis, names: ReadonlySet<string>): GrantedApis {
  return select(apis, (api) => names.has(api))
}

function select<Value>(members: Readonly<Record<string, Value>>, isShared: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isShared(name)))
}

/** `hashOf`: the hash by which this process knows that key. `learnPlan` keeps the limits of a plan, and returns its name. */
export function readSharedApplication(
  given: unknown,
  hashOf: (credentialId: string) => string,
  learnPlan: (plan: unknown) => string,
): ApplicationRecord {
  const shared = readObject(given)
  const keys = readList(shared['keys'], readObject)
  const secrets = readList(shared['secrets'], readObject)
  return ownRecord({
    ...EMPTY_APPLICATION,
    id: readText(shared['id']),
    name: readText(shared['name']),
    language: undefined,
    status: readStatus(shared['status']),
    apis: readApis(shared['apis']),
    metadata: readOptional(shared['metadata'], (value) => readObject(value) as ApplicationRecord['metadata']),
    externalId: readOptional(shared['externalId'], readText),
    rateLimits: readOptional(shared['rateLimits'], readLimits),
    networks: readOptional(shared['networks'], readTexts),
    endsAt: readOptional(shared['endsAt'], readNumber),
    tokensRevokedAt: readNumber(shared['tokensRevokedAt']),
    plan: readOptional(shared['plan'], learnPlan),
    keys: keys.map((key) => readCredential(key, hashOf)),
    secrets: secrets.map((secret) => readCredential({ ...secret, name: '' }, () => '')),
    createdAt: 0,
    version: 1,
  })
}

function readCredential(given: Members, hashOf: (id: string) => string): CredentialRecord {
  const id = readText(given['id'])
  return {
    ...EMPTY_CREDENTIAL,
    id,
    name: readText(given['name']),
    hash: hashOf(id),
    prefix: '',
    createdAt: 0,
    expiresAt: readOptional(given['expiresAt'], readNumber),
    apis: readOptional(given['apis'], readApis),
    networks: readOptional(given['networks'], readTexts),
    isImported: false,
  }
}

function readStatus(value: unknown): ApplicationRecord['status'] {
  if (value === 'active' || value === 'pending' || value === 'suspended' || value === 'deleted') return value
  throw new Error('The platform answered an unknown status.')
}

function readApis(value: unknown): GrantedApis {
  const apis = Object.entries(readObject(value)).map(([name, access]) => {
    return [name, { scopes: readTexts(readObject(access)['scopes']) }] as const
  })
  return Object.fromEntries(apis)
}

function readLimits(value: unknown) {
  const limits = Object.entries(readObject(value)).map(([api, given]) => {
    const { limit, window, until, id } = readObject(given)
    const read = {
      limit: readNumber(limit),
      window: readNumber(window),
      ...(until !== undefined && { until: readNumber(until) }),
      ...(id !== undefined && { id: readText(id) }),
    }
    return [api, read] as const
  })
  return Object.fromEntries(limits)
}

function readTexts(value: unknown): readonly string[] {
  return readList(value, readText)
}
