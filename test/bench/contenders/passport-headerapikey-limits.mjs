import { randomBytes } from 'node:crypto'
import passport from 'passport'
import { HeaderAPIKeyStrategy } from 'passport-headerapikey'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { guardedApp } from '../app.mjs'

/** What a team would write for keys with scopes and a plan: the strategy, a comparison of scopes, and a limiter for each window. */
export async function start({ applications = 1000, windows = 3 }) {
  const owners = new Map(
    Array.from({ length: applications }, (_, i) => [
      randomBytes(24).toString('base64url'),
      { id: `app_${i}`, scopes: ['catalog:read', 'catalog:write'] },
    ]),
  )
  const header = { header: 'X-Api-Key', prefix: '' }
  passport.use(new HeaderAPIKeyStrategy(header, false, (key, done) => done(null, owners.get(key) ?? false)))
  // Not a month: RateLimiterMemory forgets a window of more than 24.8 days within a millisecond, as setTimeout() does.
  const limiters = [1, 86_400, 604_800]
    .slice(0, windows)
    .map((duration) => new RateLimiterMemory({ points: 1_000_000_000, duration }))

  function requireScope(req, res, next) {
    if (req.user.scopes.includes('catalog:read')) next()
    else res.status(403).json({ error: 'insufficient_scope' })
  }
  function limit(req, res, next) {
    Promise.all(limiters.map((limiter) => limiter.consume(req.user.id))).then(
      () => next(),
      ({ msBeforeNext }) =>
        res
          .status(429)
          .set('Retry-After', Math.ceil(msBeforeNext / 1000))
          .end(),
    )
  }
  return {
    app: guardedApp(passport.authenticate('headerapikey', { session: false }), requireScope, limit),
    lines: { keys: [...owners.keys()] },
  }
}
