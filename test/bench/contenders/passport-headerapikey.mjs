import { randomBytes } from 'node:crypto'
import passport from 'passport'
import { HeaderAPIKeyStrategy } from 'passport-headerapikey'
import { guardedApp } from '../app.mjs'

/** The strategy that our guard uses too, with a Map of plain keys. */
export async function start({ applications = 1000 }) {
  const owners = new Map(
    Array.from({ length: applications }, (_, i) => [randomBytes(24).toString('base64url'), { id: `app_${i}` }]),
  )
  const header = { header: 'X-Api-Key', prefix: '' }
  passport.use(new HeaderAPIKeyStrategy(header, false, (key, done) => done(null, owners.get(key) ?? false)))
  return {
    app: guardedApp(passport.authenticate('headerapikey', { session: false })),
    lines: { keys: [...owners.keys()] },
  }
}
