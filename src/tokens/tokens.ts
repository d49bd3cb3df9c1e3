import type { Api } from '../contracts/api.js'
import type { Emit } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import type { Store } from '../contracts/store.js'
import type { CacheSettings, TokenSettings } from '../options/settings.js'
import type { SignAccessToken } from './access-token.js'
import type { KeyEncryption } from './key-encryption.js'
import type { SigningKeyRotation } from './signing-keys-api.js'
import type { KeyRotation } from './key-rotation.js'
import type { RevokedTokens } from './revoked-tokens-api.js'
import type { createRevokedTokens } from './revoked-tokens.js'
import type { RotationTimer } from './rotation-timer.js'
import type { SigningKeys } from './known-signing-keys.js'
import type { AccessTokenVerifier } from './verified-token.js'

export interface TokensOptions {
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
export interface Tokens {
  readonly signingKeys: SigningKeys
  readonly signAccessToken: SignAccessToken
  readonly accessTokens: AccessTokenVerifier
  readonly revokedTokens: RevokedTokens
  readonly keyRotation: KeyRotation
  /** `auth.signingKeys`: its calls wait until the store is open. */
  readonly signingKeyCalls: SigningKeyRotation
  readonly rotationTimer: RotationTimer
}
