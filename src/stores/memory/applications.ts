import type { ApplicationQuery, ApplicationRecord, CredentialRecord } from '../../contracts/store.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryApplications() {
  // A Map keeps the position of a key that is set again, so the iteration order is the order of creation.
  const records = new Map<string, ApplicationRecord>()
  const applicationIds = new Map<string, string>()

  /** Whether the stored version is the record's previous one. Throws for a credential that is stored already. */
  function isNext(record: ApplicationRecord): boolean {
    if ((records.get(record.id)?.version ?? 0) !== record.version - 1) return false
    const hashes = listCredentials(record).map(({ hash }) => hash)
    const isTaken = hashes.some((hash) => (applicationIds.get(hash) ?? record.id) !== record.id)
    if (isTaken || new Set(hashes).size < hashes.length) throw new Error('A credential with this hash exists already.')
    return true
  }

  function save(record: ApplicationRecord): void {
    const former = records.get(record.id)
    const stored = former ? listCredentials(former) : []
    for (const { hash } of stored) applicationIds.delete(hash)
    for (const { hash } of listCredentials(record)) applicationIds.set(hash, record.id)
    const lastUses = new Map(stored.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
    records.set(record.id, withLastUses(record, lastUses))
  }

  function noteUse(uses: readonly { readonly hash: string; readonly at: number }[], minimumAge = 0): void {
    for (const { hash, at } of uses) {
      const record = records.get(applicationIds.get(hash) ?? '')
      const stored = record && listCredentials(record).find((credential) => credential.hash === hash)?.lastUsedAt
      if (record && at - minimumAge > (stored ?? -Infinity))
        records.set(record.id, withLastUses(record, new Map([[hash, at]])))
    }
  }

  function findByKey(hash: string): ApplicationRecord | undefined {
    const record = records.get(applicationIds.get(hash) ?? '')
    return record?.keys.some((key) => key.hash === hash) ? record : undefined
  }

  function list({ after, limit, api, status }: ApplicationQuery): readonly ApplicationRecord[] {
    const page: ApplicationRecord[] = []
    let isAfter = after === undefined
    for (const record of records.values()) {
      if (page.length >= limit) break
      const hasStatus = status === undefined ? record.status !== 'deleted' : record.status === status
      if (isAfter && hasStatus && (api === undefined || Object.hasOwn(record.apis, api))) page.push(record)
      isAfter ||= record.id === after
    }
    return page
  }

  return { isNext, save, noteUse, find: (id: string) => records.get(id), findByKey, list }
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
