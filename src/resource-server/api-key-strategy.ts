import { HeaderAPIKeyStrategy } from 'passport-headerapikey'
import type { Identify } from './authenticate.js'
import { settle, type PassportRequest, type Verify } from './passport-adapter.js'

/** passport-headerapikey over our own verification. */
export function apiKeyStrategy(identify: Identify): HeaderAPIKeyStrategy {
  const verify: Verify = ({ api, request }, key) => identify.byKey(api, key, request)
  return new HeaderAPIKeyStrategy({ header: 'x-api-key', prefix: '' }, true, function verifyApiKey(key, done, req) {
    settle(verify, req as unknown as PassportRequest, key, done)
  })
}
