import type { Store } from '../../src/index.js'
import type { Encryption } from '../../src/store-client/encryption.js'
import { createAccessTokens, type AccessTokens } from '../../src/tokens/access-token.js'
import { createSigningKeys, type SigningKeys } from '../../src/tokens/signing-keys.js'

/** The resource that these access tokens are for. */
export const ISSUER = 'https://api.example.com/orders'

/** Signing keys and access tokens over a store, without a platform. */
export function accessTokensOver(
  store: Store,
  encryption: Encryption,
): { signingKeys: SigningKeys; accessTokens: AccessTokens } {
  const signingKeys = createSigningKeys({
    store,
    encryption,
    now: Date.now,
    readChanges: () => Promise.resolve(true),
  })
  const accessTokens = createAccessTokens({
    signingKeys,
    issuers: [ISSUER],
    clockTolerance: 5,
    now: Date.now,
    entries: 10,
  })
  return { signingKeys, accessTokens }
}
