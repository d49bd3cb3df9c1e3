import type { StoreWith } from '../../src/store.js'
import type { Encryption } from '../../src/core/store-client/encryption.js'
import { createAccessTokenSigner, type SignAccessToken } from '../../src/core/tokens/access-token.js'
import { createSigningKeys, type SigningKeys } from '../../src/core/tokens/signing-keys.js'
import { createAccessTokenVerifier, type AccessTokenVerifier } from '../../src/core/tokens/verify-access-token.js'

/** The issuer of these access tokens. */
export const ISSUER = 'https://api.example.com/orders'

/** Signs and verifies access tokens with a store, without a platform. */
export function createAccessTokens(
  store: StoreWith,
  encryption: Encryption,
): {
  readonly signingKeys: SigningKeys
  readonly signAccessToken: SignAccessToken
  readonly accessTokens: AccessTokenVerifier
} {
  const signingKeys = createSigningKeys({
    store,
    encryption,
    logger: { error() {} },
    now: Date.now,
    readChanges: () => Promise.resolve(true),
  })
  const accessTokens = createAccessTokenVerifier({
    signingKeys,
    lifetimes: new Map([[ISSUER, 3600]]),
    clockTolerance: 5,
    now: Date.now,
    entries: 10,
  })
  return { signingKeys, signAccessToken: createAccessTokenSigner(signingKeys), accessTokens }
}
