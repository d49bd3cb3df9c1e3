import { HeaderAPIKeyStrategy } from 'passport-headerapikey'
import type { Identify } from './identity.js'
import { settle, type Facade } from './passport.js'

/** passport-headerapikey over our own verification. */
export function apiKeyStrategy(identify: Identify): HeaderAPIKeyStrategy {
  return new HeaderAPIKeyStrategy({ header: 'x-api-key', prefix: '' }, true, function verifyApiKey(key, done, req) {
    const { api, request } = req as unknown as Facade
    settle(() => identify.byKey(api, key, request), done)
  })
}
