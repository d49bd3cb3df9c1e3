import { createCredentials } from '../../dist/esm/applications/credentials.js'
import { createEncryption } from '../../dist/esm/encryption.js'
import { BASE_URL } from './tokens.mjs'

const SECRET = 'a secret of 32 characters or more'

/** The options of every platform of ours, but for the store. */
export const PLATFORM = {
  baseUrl: BASE_URL,
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
    catalog: { scheme: 'apiKey' },
  },
  secret: SECRET,
}

/** The platform's signing key, so that tokens need not be asked for one by one. */
export async function privateSigningKey(store) {
  const [{ kid, algorithm, sealedPrivateJwk }] = await store.listSigningKeys()
  return { kid, alg: algorithm, jwk: JSON.parse(await createEncryption([SECRET]).open(sealedPrivateJwk)) }
}

/** What makes and hashes the platform's credentials, so that they need not be stored one by one. */
export async function credentialsOf(store) {
  // The first pepper is kept: where there is one, this one is not.
  const sealed = await store.establishPepper('')
  return createCredentials('epa', Buffer.from(await createEncryption([SECRET]).open(sealed), 'base64url'))
}
