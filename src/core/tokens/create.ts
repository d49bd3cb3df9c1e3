import type { Api } from '../../shared/contracts/api.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { Store } from '../../shared/contracts/store.js'
import type { CacheSettings, TokenSettings } from '../options/settings.js'
import { createAccessTokenSigner } from './access-token.js'
import type { KeyEncryption } from './key-encryption.js'
import type { SigningKeyRotation } from './signing-keys-api.js'
import { createKeyRotation } from './key-rotation.js'
import { createRevokedTokens } from './revoked-tokens.js'
import { createRotationTimer } from './rotation-timer.js'
import { createSigningKeys } from './signing-keys.js'
import { createAccessTokenVerifier } from './verify-access-token.js'

interface TokensOptions {
  readonly apis: readonly (Api & { readonly accessTokenLifetime: number })[]
  readonly store: Store
  readonly encryption: KeyEncryption
  readonly signing: TokenSettings
  /** Seconds. */
  readonly clockTolerance: number
  readonly clientLimits: Parameters<typeof createRevokedTokens>[0]['clientLimits']
  readonly cache: Pick<CacheSettings, 'accessTokens' | 'revokedAccessTokens'>
  /** Resolves true once every change committed before the call is known here; false if the store can't tell. */
  readonly readChanges: () => Promise<boolean>
  /** Resolves when the store is open. */
  readonly opened: () => Promise<unknown>
  readonly emit: Emit
  readonly logger: Logger
  readonly now: () => number
}

/** Access tokens, and the keys that sign them. */
export type Tokens = ReturnType<typeof createTokens>

export function createTokens(options: TokensOptions) {
  const {
    apis,
    store,
    encryption,
    signing,
    clockTolerance,
    clientLimits,
    cache,
    readChanges,
    opened,
    emit,
    logger,
    now,
  } = options
  const signingKeys = createSigningKeys({ store, encryption, logger, now, readChanges })
  const accessTokens = createAccessTokenVerifier({
    signingKeys,
    lifetimes: new Map(
      apis.filter(({ scheme }) => scheme === 'oauth2').map((api) => [api.resource, api.accessTokenLifetime]),
    ),
    clockTolerance,
    now,
    entries: cache.accessTokens,
  })
  const revokedTokens = createRevokedTokens({ store, now, limit: cache.revokedAccessTokens, clientLimits })
  const keyRotation = createKeyRotation({
    store,
    encryption,
    signingKeys,
    now,
    emit,
    algorithm: signing.algorithm,
    publishAhead: signing.publishAhead,
    longestLifetime: Math.max(...apis.map(({ accessTokenLifetime }) => accessTokenLifetime)) + clockTolerance,
  })
  const rotationTimer = createRotationTimer({ keyRotation, rotateEvery: signing.rotateEvery, logger })
  const signAccessToken = createAccessTokenSigner(signingKeys)
  /** `auth.signingKeys`: its calls wait until the store is open. */
  const signingKeyCalls = openFirst(opened, keyRotation)
  return { signingKeys, signAccessToken, accessTokens, revokedTokens, keyRotation, signingKeyCalls, rotationTimer }
}

function openFirst(opened: () => Promise<unknown>, keyRotation: SigningKeyRotation): SigningKeyRotation {
  return {
    list: () => opened().then(keyRotation.list),
    rotate: (options) => opened().then(() => keyRotation.rotate(options)),
    revoke: (kid, options) => opened().then(() => keyRotation.revoke(kid, options)),
  }
}
