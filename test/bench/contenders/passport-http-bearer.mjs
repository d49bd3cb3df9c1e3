import { importJWK, jwtVerify } from 'jose'
import passport from 'passport'
import { Strategy } from 'passport-http-bearer'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** The strategy that our guard uses too, with jose in its verify callback and no cache. */
export async function start({ tokens }) {
  const { publicJwk, lines } = issue(tokens)
  const key = await importJWK(publicJwk)
  const applications = new Map(Array.from({ length: 100 }, (_, i) => [`app_${i}`, { id: `app_${i}` }]))
  const expected = { issuer: RESOURCE, audience: RESOURCE, typ: 'at+jwt', algorithms: ['ES256'] }
  function verify(token, done) {
    jwtVerify(token, key, expected).then(
      ({ payload }) => done(null, applications.get(payload.sub) ?? false, { scope: payload.scope }),
      () => done(null, false),
    )
  }
  passport.use(new Strategy({ realm: 'orders' }, verify))
  return { app: guardedApp(passport.authenticate('bearer', { session: false })), lines }
}
