import { createCredentials } from '../applications/credentials/credentials.js'
import { createChangeApplier } from '../store-client/change-feed.js'
import { openSecret } from '../store-client/encryption.js'
import type { Tokens } from '../tokens/create.js'
import type { ApplicationParts } from './application-parts.js'
import type { Foundation } from './foundation.js'

/** Opens the store in the background, and starts every part when it is open. `close()` stops them. */
export function startAndStop(foundation: Foundation, tokens: Tokens, parts: ApplicationParts): void {
  const { settings, store, feed, sessionSecret, credentials, encryption, rateLimits } = foundation
  const { revokedTokens, signingKeys, rotationTimer, keyRotation, accessTokens } = tokens
  const { applicationCache, emails, lastUsed, usage } = parts
  const { background } = parts.calls
  foundation.begin({
    // The start is retried until it succeeds.
    async start(closing) {
      await store.open()
      // The feed starts first: a change committed while the rest is read is applied afterwards.
      await feed.start(createChangeApplier({ applicationCache, revokedTokens, signingKeys, sessionSecret }))
      const pepper = await openSecret(store, encryption, 'pepper')
      await sessionSecret.load()
      credentials.set(
        createCredentials(settings.credentialPrefix, pepper.bytes, {
          cacheSize: settings.cache.applications * 2,
          acceptsImportedKeys: parts.importedCredentials !== undefined,
        }),
      )
      await revokedTokens.load()
      await keyRotation.ensure()
      closing.throwIfAborted()
      for (const part of [emails, background, usage, rotationTimer]) part.start()
    },
    async stop() {
      rotationTimer.close()
      accessTokens.close()
      rateLimits.close()
      await background.close()
      await emails.close()
      await Promise.all([lastUsed.close(), usage.close()])
      await store.close()
    },
  })
}
