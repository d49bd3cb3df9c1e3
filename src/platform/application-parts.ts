import { createSignOuts } from '../applications/contacts/sign-outs.js'
import { createApplications, type CoreCalls } from '../applications/create.js'
import { createLastUsed, type LastUsed } from '../applications/credentials/last-used.js'
import type { ApplicationCache } from '../applications/records/cached-applications.js'
import { createApplicationCache } from '../applications/records/application-cache.js'
import type { ApplicationWriter } from '../applications/records/edit.js'
import { createApplicationWriter } from '../applications/records/application-writer.js'
import { createActivation, type Activate } from '../applications/records/status.js'
import { readClientAddress } from '../http/request.js'
import type { FeatureHooks } from './hooks.js'
import type { Foundation } from './foundation-parts.js'

/** Records of applications, and the calls on them. */
export interface ApplicationParts {
  readonly applicationCache: ApplicationCache
  readonly writer: ApplicationWriter
  readonly lastUsed: LastUsed
  readonly activate: Activate
  readonly calls: CoreCalls
  readonly cleanup: ReturnType<typeof createApplications>['cleanup']
}

/** Features are created later: `hooks` has what they add. */
export function createApplicationParts(foundation: Foundation, hooks: FeatureHooks): ApplicationParts {
  const { settings, store, clientLimits, emit, now } = foundation
  const { apis, cache } = settings
  const applicationCache = createApplicationCache({
    store,
    limit: cache.applications,
    ...clientLimits,
    readAddress: readClientAddress,
    hooks,
  })
  const maximumAges = { maxAge: settings.credentials.maxAge, apis }
  const writer = createApplicationWriter({ store, applicationCache, emit, maximumAges, now })
  const lastUsed = createLastUsed({ store, now })
  const { calls, cleanup } = createApplications({
    ...foundation,
    apis,
    writer,
    lastUsed,
    metadataSchema: settings.metadata,
    signOut: createSignOuts({ store, now }).addForContact,
    sender: { isGiven: () => hooks.wakeSender !== undefined, wake: () => hooks.wakeSender?.() },
    auditRetention: settings.background.auditRetention,
  })
  const activate = createActivation({ store, writer, limitChanges: clientLimits.limitChanges })
  return { applicationCache, writer, lastUsed, activate, calls, cleanup }
}
