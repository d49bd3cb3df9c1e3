import { importJWK, jwtVerify } from 'jose'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** The base for tokens that were not seen before: a route that only calls jose. */
export async function start({ tokens }) {
  const { publicJwk, lines } = issue(tokens)
  const key = await importJWK(publicJwk)
  const expected = { issuer: RESOURCE, audience: RESOURCE, typ: 'at+jwt', algorithms: ['ES256'] }
  async function guard(req, _res, next) {
    req.auth = await jwtVerify(req.headers.authorization.slice('Bearer '.length), key, expected)
    next()
  }
  return { app: guardedApp(guard), lines }
}
