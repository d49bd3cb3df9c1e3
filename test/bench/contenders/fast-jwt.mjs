import { createVerifier } from 'fast-jwt'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/**
 * The verifier of its README, with a cache as large as ours or without one (`cache: 0`), in a minimal middleware, since
 * it has none.
 */
export async function start({ tokens, cache = 20_000 }) {
  const { pem, lines } = issue(tokens)
  const verify = createVerifier({
    key: pem,
    algorithms: ['ES256'],
    allowedIss: RESOURCE,
    allowedAud: RESOURCE,
    ...(cache > 0 && { cache, cacheTTL: 600_000 }),
  })
  function guard(req, res, next) {
    const { authorization = '' } = req.headers
    try {
      req.auth = verify(authorization.slice('Bearer '.length))
    } catch {
      res.status(401).set('WWW-Authenticate', 'Bearer error="invalid_token"').json({ error: 'invalid_token' })
      return
    }
    next()
  }
  return { app: guardedApp(guard), lines }
}
