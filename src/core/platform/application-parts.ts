import { createLateApplications } from '../applications/late-calls.js'
import { createLastUsed } from '../applications/credentials/last-used.js'
import { createApplicationCache } from '../applications/records/application-cache.js'
import { createApplicationWriter } from '../applications/records/application-writer.js'
import { createCleanup } from '../applications/records/cleanup.js'
import { createActivation } from '../applications/records/status.js'
import type { ImportedCredentials } from '../../shared/contracts/imports.js'
import { readClientAddress } from '../../shared/lib/request.js'
import { createStoreSource } from '../store-client/store-source.js'
import type { Tokens } from './tokens.js'
import type { Foundation } from './foundation.js'

/** What features add to parts that are created before them: set once the features are there, and read when it is used. */
export interface FeatureHooks {
  importedCredentials?: ImportedCredentials | undefined
  wakeSender?: (() => void) | undefined
}

export type ApplicationParts = ReturnType<typeof createApplicationParts>

export function createApplicationParts(foundation: Foundation, { signingKeys }: Tokens, hooks: FeatureHooks) {
  const { settings, store, clientLimits, emit, now } = foundation
  const { apis, cache } = settings
  const source = createStoreSource({ store, hooks, readSigningKeys: signingKeys.readRecords })
  const applicationCache = createApplicationCache({
    source,
    limit: cache.applications,
    ...clientLimits,
    readAddress: readClientAddress,
    freshUntil: foundation.feed.freshUntil,
    maxStaleness: settings.maxStaleness,
  })
  const maximumAges = { maxAge: settings.credentials.maxAge, apis }
  const writer = createApplicationWriter({ store, applicationCache, emit, maximumAges, now })
  const lastUsed = createLastUsed({ store, now })
  const cleanup = createCleanup({
    store,
    writer,
    auditRetention: settings.background.auditRetention,
    logger: foundation.logger,
    now,
  })
  const calls = createLateApplications(
    {
      store,
      apis,
      writer,
      lastUsed,
      metadataSchema: settings.metadata,
      opened: foundation.opened,
      sender: { isGiven: () => hooks.wakeSender !== undefined, wake: () => hooks.wakeSender?.() },
      internalHosts: settings.clientAssertions.allow,
      now,
    },
    clientLimits.goFirst,
  )
  const activate = createActivation({ store, writer, limitChanges: clientLimits.limitChanges })
  const assertions = {
    ...settings.clientAssertions,
    store,
    clockTolerance: settings.tokens.clockTolerance,
    writer,
    limitChanges: clientLimits.limitChanges,
    wakeSender: () => hooks.wakeSender?.(),
    emit,
    logger: foundation.logger,
  }
  return { source, applicationCache, writer, lastUsed, activate, assertions, calls, cleanup }
}
