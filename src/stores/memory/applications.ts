import type { AddOutcome, CredentialReplacement, NewApplication } from '../../shared/contracts/imports.js'
import type { ExpiryQuery } from '../../shared/contracts/queued-email.js'
import {
  compareKeys,
  getOrderKey,
  isPosition,
  matchesQuery,
  sortApplications,
} from '../../shared/contracts/application-order.js'
import type { ApplicationQuery } from '../../shared/contracts/store.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryApplications() {
  // A Map keeps the position of a key that is set again, so the iteration order is the order of creation.
  const records = new Map<string, ApplicationRecord>()
  const applicationIds = new Map<string, string>()

  const idsByExternalId = new Map<string, string>()
  const endedKeys = createMemoryEndedKeys()

  /** Whether the previous version is stored, and the `externalId` is free. Throws for a credential that is stored. */
  function isNext(record: ApplicationRecord): boolean {
    if ((records.get(record.id)?.version ?? 0) !== record.version - 1) return false
    const owner = record.externalId === undefined ? undefined : idsByExternalId.get(record.externalId)
    if (owner !== undefined && owner !== record.id) return false
    const hashes = listCredentials(record).map(({ hash }) => hash)
    const isTaken = hashes.some((hash) => (applicationIds.get(hash) ?? record.id) !== record.id)
    if (isTaken || new Set(hashes).size < hashes.length) throw new Error('A credential with this hash exists already.')
    return true
  }

  function save(record: ApplicationRecord): void {
    const former = records.get(record.id)
    endedKeys.note(former, record)
    const stored = former ? listCredentials(former) : []
    for (const { hash } of stored) applicationIds.delete(hash)
    for (const { hash } of listCredentials(record)) applicationIds.set(hash, record.id)
    if (former?.externalId !== undefined) idsByExternalId.delete(former.externalId)
    if (record.externalId !== undefined) idsByExternalId.set(record.externalId, record.id)
    const lastUses = new Map(stored.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
    const lastUsedAt = record.status === 'deleted' ? undefined : (former ?? record).lastUsedAt
    records.set(record.id, withLastUses({ ...record, lastUsedAt }, lastUses))
  }

  function noteUse(uses: readonly { readonly hash: string; readonly at: number }[], minimumAge = 0): void {
    for (const { hash, at } of uses) {
      const record = records.get(applicationIds.get(hash) ?? '')
      const stored = record && listCredentials(record).find((credential) => credential.hash === hash)?.lastUsedAt
      const isLater = (time: number): boolean => at - minimumAge > time
      if (!record) continue
      const used = isLater(record.lastUsedAt ?? 0) ? { ...record, lastUsedAt: at } : record
      records.set(record.id, withLastUses(used, new Map(isLater(stored ?? -Infinity) ? [[hash, at]] : [])))
    }
  }

  function findByKey(hashes: readonly string[]): ApplicationRecord | undefined {
    const [own, ...others] = hashes.map((hash) => findKeyOwner(records.get(applicationIds.get(hash) ?? ''), hash))
    return (
      own ??
      endedKeys.findFirst(
        hashes,
        others.filter((found) => found !== undefined),
      )
    )
  }

  function findObstacle({ record, otherHashes }: NewApplication): Exclude<AddOutcome, 'added'> | undefined {
    if (records.has(record.id)) return 'exists'
    if (record.externalId !== undefined && idsByExternalId.has(record.externalId)) return 'externalIdTaken'
    const hashes = [...listCredentials(record).map(({ hash }) => hash), ...otherHashes]
    return hashes.some((hash) => applicationIds.has(hash)) ? 'credentialTaken' : undefined
  }

  function replaceHash({ former, hash, prefix, usedAt }: CredentialReplacement): string | undefined {
    const record = records.get(applicationIds.get(former) ?? '')
    if (!record || applicationIds.has(hash)) return undefined
    const replace = (each: CredentialRecord): CredentialRecord =>
      each.hash === former ? { ...each, hash, prefix, lastUsedAt: Math.max(each.lastUsedAt ?? 0, usedAt) } : each
    save({ ...record, keys: record.keys.map(replace), secrets: record.secrets.map(replace) })
    noteUse([{ hash, at: usedAt }])
    return record.id
  }

  function list(query: ApplicationQuery): readonly ApplicationRecord[] {
    const { after, afterKey, limit } = query
    if (!isPosition(query) || (after !== undefined && !records.has(after))) return []
    const found: ApplicationRecord[] = []
    let isAdded = after === undefined
    for (const record of records.values()) {
      const key = getOrderKey(record, query)
      const place = key === undefined || after === undefined ? 0 : compareKeys(key, afterKey!)
      if ((place > 0 || (place === 0 && isAdded)) && matchesQuery(record, query)) found.push(record)
      isAdded ||= record.id === after
    }
    return sortApplications(found, query).slice(0, limit)
  }

  function listExpiring({ after, until, days, limit }: ExpiryQuery): readonly string[] {
    const isFound = ({ expiresAt = Infinity, remindedDays = Infinity }: CredentialRecord): boolean =>
      expiresAt > after && expiresAt <= until && remindedDays > days
    return [...records.values()]
      .filter(({ status, contact }) => status === 'active' && contact !== undefined)
      .flatMap((record) =>
        listCredentials(record)
          .filter(isFound)
          .map(({ expiresAt }) => ({ id: record.id, expiresAt })),
      )
      .toSorted((one, other) => one.expiresAt! - other.expiresAt!)
      .slice(0, limit)
      .map(({ id }) => id)
  }

  return {
    listExpiring,
    isNext,
    save,
    noteUse,
    find: (id: string) => records.get(id),
    listIds: () => records.keys(),
    findByKey,
    findObstacle,
    replaceHash,
    countImportedHashes: () => countImportedHashes(applicationIds.keys()),
    list,
  }
}

function countImportedHashes(hashes: Iterable<string>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const hash of hashes) {
    const [format = '', digest] = hash.split(':', 2)
    if (digest !== undefined) counts[format] = (counts[format] ?? 0) + 1
  }
  return counts
}

function findKeyOwner(record: ApplicationRecord | undefined, hash: string): ApplicationRecord | undefined {
  return record?.keys.some((key) => key.hash === hash) ? record : undefined
}

function listCredentials({ keys, secrets }: ApplicationRecord): readonly CredentialRecord[] {
  return [...keys, ...secrets]
}

/** The same record; each credential has the later of its own last use and the one in `lastUses`. */
function withLastUses(record: ApplicationRecord, lastUses: ReadonlyMap<string, number | undefined>): ApplicationRecord {
  function withLastUse(credential: CredentialRecord): CredentialRecord {
    const at = lastUses.get(credential.hash) ?? -Infinity
    return at > (credential.lastUsedAt ?? -Infinity) ? { ...credential, lastUsedAt: at } : credential
  }
  return copyFrozen({ ...record, keys: record.keys.map(withLastUse), secrets: record.secrets.map(withLastUse) })
}

/** Imported keys that applications have no more, and the order in which applications were added. */
function createMemoryEndedKeys() {
  const numbers = new Map<string, number>()
  /** Hash of the key -> the applications that it must not begin to work for, by their numbers. */
  const ended = new Map<string, { readonly after: number; readonly until: number }[]>()

  /** Called for every save. It compares the ids of keys, because a hash may have been replaced since the record was read. */
  function note(former: ApplicationRecord | undefined, { id, keys }: ApplicationRecord): void {
    if (!former) numbers.set(id, numbers.size)
    for (const key of former?.keys ?? []) {
      if (!key.isImported || keys.some((each) => each.id === key.id)) continue
      const range = { after: numbers.get(id)!, until: numbers.size - 1 }
      ended.set(key.hash, [...(ended.get(key.hash) ?? []), range])
    }
  }

  /** The first application for which the hash counts, of those that have a key with an alternative hash. */
  function findFirst(hashes: readonly string[], found: readonly ApplicationRecord[]): ApplicationRecord | undefined {
    const ranges = hashes.flatMap((hash) => ended.get(hash) ?? [])
    const numberOf = ({ id }: ApplicationRecord): number => numbers.get(id)!
    return found
      .filter((record) => !ranges.some(({ after, until }) => numberOf(record) > after && numberOf(record) <= until))
      .toSorted((one, other) => numberOf(one) - numberOf(other))[0]
  }

  return { note, findFirst }
}
