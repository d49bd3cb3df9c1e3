import type { ApplicationQuery, ApplicationRecord, CredentialRecord } from '../../contracts/store.js'
import { frozen } from './frozen.js'

export function memoryApplications() {
  // A Map keeps the place of what is set again, so this order is that of creation.
  const records = new Map<string, ApplicationRecord>()
  const owners = new Map<string, string>()

  function isNext(record: ApplicationRecord): boolean {
    if ((records.get(record.id)?.version ?? 0) !== record.version - 1) return false
    const hashes = credentialsOf(record).map(({ hash }) => hash)
    const taken = hashes.some((hash) => (owners.get(hash) ?? record.id) !== record.id)
    if (taken || new Set(hashes).size < hashes.length) throw new Error('A credential with this hash is there already.')
    return true
  }

  function save(record: ApplicationRecord): void {
    const former = records.get(record.id)
    const stored = former ? credentialsOf(former) : []
    for (const { hash } of stored) owners.delete(hash)
    for (const { hash } of credentialsOf(record)) owners.set(hash, record.id)
    const lastUses = new Map(stored.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]))
    records.set(record.id, usedSince(record, lastUses))
  }

  function noteUse(uses: readonly { readonly hash: string; readonly at: number }[]): void {
    for (const { hash, at } of uses) {
      const record = records.get(owners.get(hash) ?? '')
      if (record) records.set(record.id, usedSince(record, new Map([[hash, at]])))
    }
  }

  function findByKey(hash: string): ApplicationRecord | undefined {
    const record = records.get(owners.get(hash) ?? '')
    return record?.keys.some((key) => key.hash === hash) ? record : undefined
  }

  function list({ after, limit, api, status }: ApplicationQuery): readonly ApplicationRecord[] {
    const page: ApplicationRecord[] = []
    let reached = after === undefined
    for (const record of records.values()) {
      if (page.length >= limit) break
      const wanted = status === undefined ? record.status !== 'deleted' : record.status === status
      if (reached && wanted && (api === undefined || Object.hasOwn(record.apis, api))) page.push(record)
      reached ||= record.id === after
    }
    return page
  }

  return { isNext, save, noteUse, find: (id: string) => records.get(id), findByKey, list }
}

function credentialsOf({ keys, secrets }: ApplicationRecord): readonly CredentialRecord[] {
  return [...keys, ...secrets]
}

/** The same record, its credentials with the later of both last uses. */
function usedSince(record: ApplicationRecord, lastUses: ReadonlyMap<string, number | undefined>): ApplicationRecord {
  function used(credential: CredentialRecord): CredentialRecord {
    const at = lastUses.get(credential.hash) ?? -Infinity
    return at > (credential.lastUsedAt ?? -Infinity) ? { ...credential, lastUsedAt: at } : credential
  }
  return frozen({ ...record, keys: record.keys.map(used), secrets: record.secrets.map(used) })
}
