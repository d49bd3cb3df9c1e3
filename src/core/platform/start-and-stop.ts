import { createCredentials } from '../applications/credentials/credentials.js'
import type { Store } from '../../shared/contracts/store.js'
import { createChangeApplier } from '../store-client/change-feed.js'
import { createProcesses } from '../store-client/processes.js'
import { loadAtStart } from '../store-client/readiness.js'
import { loadApiKeyStrategy } from '../resource-server/passport-adapter.js'
import { openSecret } from '../store-client/encryption.js'
import type { Tokens } from './tokens.js'
import type { ApplicationParts } from './application-parts.js'
import type { CreatedFeatures } from './features.js'
import type { Foundation } from './foundation.js'
import { ConfigurationError, describeWithFix, toSentence } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'

/** Opens the store in the background, and starts every part when it is open. `close()` stops them. */
export function startAndStop(
  foundation: Foundation,
  tokens: Tokens,
  parts: ApplicationParts,
  features: CreatedFeatures,
): void {
  const { settings, store, feed, changeWaits, sessionSecret, credentials, encryption, rateLimits } = foundation
  const { revokedTokens, signingKeys, rotationTimer, accessTokens } = tokens
  const { applicationCache, lastUsed, cleanup } = parts
  const planCheck = features.plans ? undefined : createPlanCheck(foundation)
  const processes = createProcesses({ store, settings: features.sharedSettings, logger: foundation.logger })
  const { importedCredentials } = features
  foundation.begin({
    async start(closing) {
      const apis = [...settings.apis.values()]
      const takesAssertions = apis.some((api) => api.clientAuthentication.includes('private_key_jwt'))
      await loadAtStart([
        parts.calls.load(),
        import('../applications/records/audit-log.js'),
        loadApiKeyStrategy(apis),
        takesAssertions && import('../authorization-server/private-key-jwt.js'),
        settings.tokens.signer && import('../tokens/signer-keys.js'),
      ])
      await store.open()
      await planCheck?.check()
      // The feed starts first: a change committed while the rest is read is applied afterwards.
      const applyChange = createChangeApplier({
        applicationCache,
        revokedTokens,
        signingKeys,
        sessionSecret,
        processes,
      })
      await feed.start((change) => {
        changeWaits.note(change)
        if (change.kind === 'application' || change.kind === 'everything') planCheck?.noteChange()
        return applyChange(change)
      })
      const pepper = await openSecret(store, encryption, 'pepper')
      await sessionSecret.load()
      credentials.set(
        createCredentials(settings.credentials.prefix, pepper.bytes, {
          cacheSize: settings.cache.applications * 2,
          acceptsImported: importedCredentials !== undefined,
        }),
      )
      await revokedTokens.load()
      await tokens.ensureKeys()
      closing.throwIfAborted()
      if (!importedCredentials) void warnOfImported(foundation)
      if (settings.background.enabled) for (const part of [cleanup, features, rotationTimer, processes]) part.start()
    },
    problems: () =>
      [
        rateLimits.problem(),
        foundation.clockCheck.problem(),
        ...tokens.problems(),
        ...features.problems(),
        planCheck?.problem(),
        processes.problem(),
      ].filter((problem) => problem !== undefined),
    async flush() {
      await Promise.all([lastUsed.flush(), features.flush()])
    },
    async stop() {
      rotationTimer.close()
      accessTokens.close()
      rateLimits.close()
      planCheck?.close()
      void cleanup.close()
      const left = processes.stop()
      try {
        await features.stop()
      } finally {
        await lastUsed.close()
        await left
        await store.close()
      }
    },
  })
}

/** Credentials that another system issued get 401 without the feature that recognizes them, which nobody else would notice. */
async function warnOfImported({ store, logger }: Pick<Foundation, 'store' | 'logger'>): Promise<void> {
  try {
    // The store need not have the part.
    const { imports }: Pick<Store, 'imports'> = store
    const counts = Object.values((await imports?.countHashes?.()) ?? {})
    const count = counts.reduce((sum, each) => sum + each, 0)
    if (count === 0) return
    logger.warn(
      `${count} credentials that another system issued are refused with 401: add imports() from "express-platform-auth/imports" to the option features.`,
    )
  } catch (error) {
    logger.warn(
      'It is not known whether the store has credentials that another system issued: they are refused with 401 without imports() in the option features.',
      error,
    )
  }
}

/** Several changes are looked at together, and `health()` knows it within a second. */
const CHECK_DELAY_MS = 200
const FIX = 'Add plans() from "express-platform-auth/plans" to the option features, as other processes have it.'

/** For a platform that limits nothing by plans: it must not let requests pass that other processes refuse. */
function createPlanCheck(options: {
  readonly store: Pick<Store, 'listApplications'>
  readonly logger: Pick<Logger, 'error'>
}) {
  const { store, logger } = options
  let found: string | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function find(): Promise<string | undefined> {
    const query = { after: undefined, limit: 1, api: undefined, status: undefined, plan: true } as const
    const [application] = await store.listApplications(query)
    // A store that does not know this filter lists any application.
    if (application?.plan === undefined) return undefined
    return `Application ${application.id} has the plan "${application.plan}", and nothing limits its requests in this process`
  }

  async function checkAgain(): Promise<void> {
    timer = undefined
    try {
      const former = found
      found = await find()
      if (found !== undefined && former === undefined) logger.error(describeWithFix({ problem: found, fix: FIX }))
    } catch {
      // The store client reports outages. Another change, or the next start, finds it.
    }
  }

  return {
    async check(): Promise<void> {
      const problem = await find()
      if (problem !== undefined)
        throw new ConfigurationError({ option: 'features', problem: `lacks plans(). ${problem}`, fix: FIX })
    },
    noteChange(): void {
      if (!closed) timer ??= setTimeout(() => void checkAgain(), CHECK_DELAY_MS).unref()
    },
    close(): void {
      closed = true
      clearTimeout(timer)
    },
    problem: (): string | undefined => found && toSentence(found),
  }
}
