import type { RevokedAccessToken, SigningKeyRecord, Store } from '../../contracts/store.js'
import { frozen } from './frozen.js'
import { memoryApplications } from './applications.js'
import { memoryAudit } from './audit.js'
import { memoryFeed } from './feed.js'
import { memoryEmails } from './emails.js'

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
  const emails = memoryEmails()
  const signingKeys = new Map<string, SigningKeyRecord>()
  const revokedAccessTokens = new Map<string, RevokedAccessToken>()
  let pepper: string | undefined

  return {
    kind: 'memory',
    pollInterval: 250,
    open: async () => undefined,
    close: async () => undefined,

    establishPepper: async (sealed) => (pepper ??= sealed),
    async resealPepper(former, sealed) {
      if (pepper !== former) return false
      pepper = sealed
      return true
    },

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
    async resealSigningKey(kid, former, sealed) {
      const key = signingKeys.get(kid)
      if (key?.sealedPrivateJwk !== former) return false
      signingKeys.set(kid, frozen({ ...key, sealedPrivateJwk: sealed }))
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
    async saveApplication(record, entry, email) {
      if (!applications.isNext(record) || !emails.admits(email)) return false
      if (entry) audit.write(entry)
      applications.save(record)
      emails.apply(email, record.id)
      feed.publish({ kind: 'application', id: record.id })
      return true
    },
    noteCredentialUse: async (uses) => applications.noteUse(uses),

    leaseEmail: async (now, until) => emails.lease(now, until),
    async saveEmail(email) {
      if (!emails.isNext(email)) return false
      emails.save(email)
      return true
    },
    findEmailByClaimLink: async (hash) => emails.findByClaim(hash),
    listEmails: async (query) => emails.list(query),

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
