import { createCredentials } from '../../dist/modules/core/applications/credentials/credentials.js'
import { createEncryption } from '../../dist/modules/core/store-client/encryption.js'
import { BASE_URL } from './tokens.mjs'

const SECRET = 'a secret of 32 characters or more'

/** The options of every platform, except the store. */
export const PLATFORM = {
  baseUrl: BASE_URL,
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
    catalog: { scheme: 'apiKey' },
  },
  secret: SECRET,
}

/** Otherwise most refusals of unknown keys would be those of the limit. */
export const WITHOUT_LIMIT = { rateLimits: { failedAuthentication: false } }

/** The platform's signing key, to sign tokens without token requests. */
export async function privateSigningKey(store) {
  const [{ kid, algorithm, sealedPrivateJwk }] = await store.listSigningKeys()
  return { kid, alg: algorithm, jwk: JSON.parse(await createEncryption([SECRET]).unseal(sealedPrivateJwk)) }
}

/** Creates and hashes the platform's credentials, to store them in bulk. */
export async function credentialsOf(store) {
  // The store keeps its first pepper and ignores this one if it has one.
  const sealed = await store.establishSecret('pepper', '')
  return createCredentials(
    'epa',
    Buffer.from((await createEncryption([SECRET]).unseal(sealed)).split(':')[1], 'base64url'),
  )
}
