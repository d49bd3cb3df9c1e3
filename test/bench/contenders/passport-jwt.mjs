import passport from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** As in its README: a PEM public key, issuer and audience; the application comes from a Map. */
export async function start({ tokens }) {
  const { pem, lines } = issue(tokens)
  const applications = new Map(Array.from({ length: 100 }, (_, i) => [`app_${i}`, { id: `app_${i}` }]))
  const options = {
    jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
    secretOrKey: pem,
    algorithms: ['ES256'],
    issuer: RESOURCE,
    audience: RESOURCE,
  }
  passport.use(new Strategy(options, (claims, done) => done(null, applications.get(claims.sub) ?? false)))
  return { app: guardedApp(passport.authenticate('jwt', { session: false })), lines }
}
