import { createAccessTokenSigner, type SignCompact } from '../tokens/access-token.js'
import { createKeyRotation, type KeyRotation } from '../tokens/key-rotation.js'
import { createRevokedTokens } from '../tokens/revoked-tokens.js'
import { createSigningKeys } from '../tokens/signing-keys.js'
import { createAccessTokenVerifier } from '../tokens/verify-access-token.js'
import type { Foundation } from './foundation.js'

const CHECK_INTERVAL_SECONDS = 60
/** A key that a signer no longer lists is refused within this time, and a second in other processes. */
const SIGNER_LIST_INTERVAL_SECONDS = 10

export type Tokens = ReturnType<typeof createTokens>

export function createTokens(foundation: Foundation) {
  const { settings, store, encryption, clientLimits, feed, opened, emit, logger, now } = foundation
  const { cache, tokens: signing } = settings
  const { clockTolerance } = signing
  const apis = [...settings.apis.values()]
  const signingKeys = createSigningKeys({ store, encryption, logger, now, readChanges: feed.pollAgain })
  const accessTokens = createAccessTokenVerifier({
    signingKeys,
    lifetimes: new Map(
      apis.filter(({ scheme }) => scheme === 'oauth2').map((api) => [api.resource, api.accessTokenLifetime]),
    ),
    clockTolerance,
    now,
    entries: cache.accessTokens,
  })
  const revokedTokens = createRevokedTokens({
    store,
    revokeAccessToken: store.revokeAccessToken,
    now,
    limit: cache.revokedAccessTokens,
    clientLimits,
  })
  const ofKeys = {
    store,
    encryption,
    signingKeys,
    now,
    emit,
    publishAhead: signing.publishAhead,
    longestLifetime: Math.max(...apis.map(({ accessTokenLifetime }) => accessTokenLifetime)) + clockTolerance,
  }
  let keyRotation: KeyRotation = createKeyRotation(ofKeys, signing.algorithm)
  /** Makes sure that there is a key. */
  async function ensureKeys(): Promise<void> {
    if (signing.signer && !keyRotation.sign)
      keyRotation = (await import('../tokens/signer-keys.js')).createSignerKeys(ofKeys, signing.signer, logger)
    await keyRotation.ensure()
  }
  let timer: NodeJS.Timeout | undefined
  /** Rotates the key when it has reached the age of the option `tokens.rotateEvery`, or follows the list of a signer. */
  function startRotation(): void {
    const age = signing.signer ? SIGNER_LIST_INTERVAL_SECONDS : signing.rotateEvery
    if (age === undefined) return
    const reportFailure = (error: unknown): void =>
      logger.error('The signing key could not be rotated; the platform will retry.', error)
    const check = (): void => void keyRotation.rotateWhenOlderThan(age).catch(reportFailure)
    timer = setInterval(check, Math.min(CHECK_INTERVAL_SECONDS, age) * 1000).unref()
  }

  const signElsewhere: SignCompact | undefined = signing.signer && ((...args) => keyRotation.sign!(...args))
  const signingKeyCalls: Pick<KeyRotation, 'list' | 'rotate' | 'revoke'> = {
    list: () => opened().then(() => keyRotation.list()),
    rotate: (...args) => opened().then(() => keyRotation.rotate(...args)),
    revoke: (...args) => opened().then(() => keyRotation.revoke(...args)),
  }
  return {
    signingKeys,
    signAccessToken: createAccessTokenSigner(signingKeys, signElsewhere),
    accessTokens,
    revokedTokens,
    ensureKeys,
    problems: () => [signingKeys.problem(), ...(keyRotation.problems?.() ?? [])],
    signingKeyCalls,
    rotationTimer: { start: startRotation, close: () => clearInterval(timer) },
  }
}
