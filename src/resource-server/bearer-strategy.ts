import type { Strategy as PassportStrategy } from 'passport'
import { Strategy, type VerifyFunctionWithRequest } from 'passport-http-bearer'
import type { Identify } from './authenticate.js'
import { settle, type PassportRequest, type Verify } from './passport-adapter.js'

/** passport-http-bearer over our own verification (RFC 6750 2.1). */
export function bearerStrategy(identify: Identify): PassportStrategy {
  const verify: Verify = ({ api }, token) => identify.byAccessToken(api, token)
  return new Strategy<VerifyFunctionWithRequest>(
    { passReqToCallback: true },
    function verifyAccessToken(req, token, done) {
      settle(verify, req as unknown as PassportRequest, token, done)
    },
  )
}
