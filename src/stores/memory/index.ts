import type { StoreWith } from '../../store.js'
import { createMemoryApplications } from './applications.js'
import { createMemoryAssertions, createMemoryRevokedAccessTokens } from './ended-tokens.js'
import { createMemoryAudit } from './audit.js'
import { createMemoryEmails } from './emails.js'
import { createMemoryFeed } from './feed.js'
import { createMemoryProcesses } from './processes.js'
import { createMemoryUsage } from './usage.js'
import { createMemorySecrets, createMemorySigningKeys } from './secrets.js'
import { createMemorySignIns } from './sign-ins.js'

/**
 * A store in the memory of this process, for tests and for platforms that create their applications at every start.
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
export function memoryStore(): StoreWith {
  const feed = createMemoryFeed()
  const audit = createMemoryAudit()
  const applications = createMemoryApplications()
  const emails = createMemoryEmails()
  const { usage, quotas, deleteRefusals } = createMemoryUsage({
    findApplication: applications.find,
    listApplicationIds: applications.listIds,
  })

  return {
    kind: 'memory',
    pollInterval: 250,
    open: async () => undefined,
    close: async () => undefined,

    ...createMemorySecrets({ audit, feed }),
    ...createMemorySigningKeys({ audit, feed }),

    findApplication: async (id) => applications.find(id),
    findApplicationByKey: async (...hashes) => applications.findByKey(hashes),
    listApplications: async (query) => applications.list(query),
    async saveApplication(application, record, ...changes) {
      if (!applications.isNext(application) || !changes.every(emails.allows)) return false
      if (record) audit.write(record)
      applications.save(application)
      for (const change of changes) emails.apply(change, application.id)
      if (application.status === 'deleted') deleteRefusals(application.id)
      feed.publish({ kind: 'application', id: application.id })
      return true
    },
    noteCredentialUse: async (uses, minimumAge) => applications.noteUse(uses, minimumAge),

    ...createMemoryRevokedAccessTokens(feed),

    listAudit: async (query) => audit.list(query),
    deleteAudit: async (before, limit) => audit.deleteBefore(before, limit),

    emails: { ...emails.calls, listExpiring: async (query) => applications.listExpiring(query) },
    usage,
    quotas,
    signIns: createMemorySignIns(),
    imports: createImportCalls({ audit, applications, feed }),
    processes: createMemoryProcesses(feed),
    assertions: createMemoryAssertions(),

    changesSince: async (cursor) => feed.readSince(cursor),
    watch: feed.watch,
  }
}

function createImportCalls(options: {
  readonly audit: ReturnType<typeof createMemoryAudit>
  readonly applications: ReturnType<typeof createMemoryApplications>
  readonly feed: ReturnType<typeof createMemoryFeed>
}): StoreWith['imports'] {
  const { audit, applications, feed } = options
  return {
    async add(given, { write }) {
      return given.map((application) => {
        const obstacle = applications.findObstacle(application)
        if (!obstacle && write) {
          audit.write(application.audit)
          applications.save(application.record)
          feed.publish({ kind: 'application', id: application.record.id })
        }
        return obstacle ?? 'added'
      })
    },
    async replaceHash(replacement) {
      const id = applications.replaceHash(replacement)
      if (id !== undefined) feed.publish({ kind: 'application', id })
      return id !== undefined
    },
    countHashes: async () => applications.countImportedHashes(),
  }
}
