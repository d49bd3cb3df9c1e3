import type { ApplicationQuery, ApplicationRecord, AuditEntry, AuditQuery, AuditRecord } from '../store.js'
import type { Change, ChangesPage, RevokedAccessToken, SigningKeyRecord, Store } from '../store.js'

/**
 * A store in the memory of this process, for tests and for platforms that make their applications at every start.
 * Several platforms may share one.
 *
 * @example
 * ```ts
 * import { createPlatformAuth, memoryStore } from 'express-platform-auth'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   store: memoryStore(),
 * })
 * ```
 */
export function memoryStore(): Store {
  const feed = memoryFeed()
  const audit = memoryAudit()
  const applications = memoryApplications()
  const signingKeys = new Map<string, SigningKeyRecord>()
  const revokedAccessTokens = new Map<string, RevokedAccessToken>()
  let pepper: string | undefined

  return {
    kind: 'memory',
    pollInterval: 250,
    open: async () => undefined,
    close: async () => undefined,
    establishPepper: async (sealed) => (pepper ??= sealed),

    listSigningKeys: async () => [...signingKeys.values()],
    async addSigningKey(key, newest, entry) {
      if ([...signingKeys.keys()].at(-1) !== newest) return false
      if (signingKeys.has(key.kid)) throw new Error(`The signing key ${key.kid} is there already.`)
      const saved = frozen(key)
      audit.write(entry)
      signingKeys.set(key.kid, saved)
      feed.publish({ kind: 'signingKeys' })
      return true
    },
    async removeSigningKey(kid, entry) {
      if (!signingKeys.has(kid)) return false
      audit.write(entry)
      signingKeys.delete(kid)
      feed.publish({ kind: 'signingKeys' })
      return true
    },

    findApplication: async (id) => applications.find(id),
    findApplicationByKey: async (hash) => applications.findByKey(hash),
    listApplications: async (query) => applications.list(query),
    async saveApplication(record, entry) {
      if (!applications.isNext(record)) return false
      const saved = frozen(record)
      audit.write(entry)
      applications.save(saved)
      feed.publish({ kind: 'application', id: saved.id })
      return true
    },

    async revokeAccessToken({ id, expiresAt }, now) {
      if (!revokedAccessTokens.has(id)) {
        revokedAccessTokens.set(id, frozen({ id, expiresAt }))
        feed.publish({ kind: 'accessTokenRevoked', id, expiresAt })
      }
      // Oldest first: one that lives longer only delays the forgetting of those behind it.
      for (const token of revokedAccessTokens.values()) {
        if (token.expiresAt > now) break
        revokedAccessTokens.delete(token.id)
      }
    },
    listRevokedAccessTokens: async (now, limit) =>
      [...revokedAccessTokens.values()].filter(({ expiresAt }) => expiresAt > now).slice(0, limit),
    isAccessTokenRevoked: async (id) => revokedAccessTokens.has(id),

    listAudit: async (query) => audit.list(query),
    changesSince: async (cursor) => feed.since(cursor),
    watch: feed.watch,
  }
}

function memoryApplications() {
  // A Map keeps the place of what is set again, so this order is that of creation.
  const records = new Map<string, ApplicationRecord>()
  const owners = new Map<string, string>()

  function isNext(record: ApplicationRecord): boolean {
    if ((records.get(record.id)?.version ?? 0) !== record.version - 1) return false
    const hashes = hashesOf(record)
    const taken = hashes.some((hash) => (owners.get(hash) ?? record.id) !== record.id)
    if (taken || new Set(hashes).size < hashes.length) throw new Error('A credential with this hash is there already.')
    return true
  }

  function save(record: ApplicationRecord): void {
    const former = records.get(record.id)
    for (const hash of former ? hashesOf(former) : []) owners.delete(hash)
    for (const hash of hashesOf(record)) owners.set(hash, record.id)
    records.set(record.id, record)
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

  return { isNext, save, find: (id: string) => records.get(id), findByKey, list }
}

function hashesOf({ keys, secrets }: ApplicationRecord): readonly string[] {
  return [...keys, ...secrets].map(({ hash }) => hash)
}

function memoryAudit() {
  const records: AuditRecord[] = []

  function write(entry: AuditEntry): void {
    const { at, type, by, applicationId, details } = entry
    // As a database would keep them: JSON, and an error for what is none.
    const kept = JSON.parse(JSON.stringify(details)) as AuditEntry['details']
    records.push(frozen({ id: String(records.length + 1), at, type, by, applicationId, details: kept }))
  }

  function list({ after, limit, applicationId }: AuditQuery): readonly AuditRecord[] {
    const start = Number(after ?? 0)
    const wanted = ({ id, applicationId: of }: AuditRecord) => Number(id) > start && of === (applicationId ?? of)
    return records.filter(wanted).slice(0, limit)
  }

  return { write, list }
}

/** How many changes the feed keeps. */
const KEPT = 10_000

function memoryFeed() {
  const changes: Change[] = []
  const watchers = new Set<() => void>()
  let end = 0

  function publish(change: Change): void {
    end += 1
    changes.push(Object.freeze(change))
    if (changes.length > KEPT) changes.shift()
    // Not in this tick: the caller hears of its change first.
    for (const wake of watchers) queueMicrotask(wake)
  }

  function since(cursor: string | undefined): ChangesPage {
    if (cursor === undefined) return { cursor: String(end), changes: [] }
    const missed = end - Number(cursor)
    const known = missed >= 0 && missed <= changes.length
    return { cursor: String(end), changes: known ? changes.slice(changes.length - missed) : [{ kind: 'everything' }] }
  }

  function watch(wake: () => void): () => void {
    const watcher = () => wake()
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }

  return { publish, since, watch }
}

/** A copy that nobody can change, all the way down: what goes in is copied once, what comes out can be shared. */
function frozen<T>(value: T): T {
  return freeze(structuredClone(value))
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}
