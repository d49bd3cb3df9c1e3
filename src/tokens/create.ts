import type { Tokens, TokensOptions } from './tokens.js'
import { createAccessTokenSigner } from './access-token.js'
import type { SigningKeyRotation } from './signing-keys-api.js'
import { createKeyRotation } from './key-rotation.js'
import { createRevokedTokens } from './revoked-tokens.js'
import { createRotationTimer } from './rotation-timer.js'
import { createSigningKeys } from './signing-keys.js'
import { createAccessTokenVerifier } from './verify-access-token.js'

export function createTokens(options: TokensOptions): Tokens {
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
