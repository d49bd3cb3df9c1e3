import { hash, randomBytes } from 'node:crypto'
import { importSPKI, jwtVerify } from 'jose'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/**
 * What a team would write that needs speed alone: a Map by the SHA-256 of the credential, so that memory holds no usable one.
 * Nothing is revoked, suspended, limited or counted, and the Map is not bounded. `header` is `authorization` or `x-api-key`.
 */
export async function start({ header, tokens = 0, applications = 1000, cacheHeaders = false }) {
  return header === 'authorization' ? startBearer(tokens) : startKeys(applications, cacheHeaders)
}

async function startBearer(tokens) {
  const { pem, lines } = issue(tokens)
  const key = await importSPKI(pem, 'ES256')
  const requirements = { issuer: RESOURCE, audience: RESOURCE, algorithms: ['ES256'] }
  const verified = new Map()

  async function verifySignature(token, digest) {
    const { payload } = await jwtVerify(token, key, requirements)
    verified.set(digest, payload)
    return payload
  }

  function guard(req, res, next) {
    const { authorization } = req.headers
    const token = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : ''
    const digest = hash('sha256', token, 'base64')
    const payload = verified.get(digest)
    if (payload && payload.exp > Date.now() / 1000) {
      req.auth = payload
      next()
      return
    }
    verifySignature(token, digest).then(
      (auth) => {
        req.auth = auth
        next()
      },
      () => res.status(401).set('WWW-Authenticate', 'Bearer error="invalid_token"').json({ error: 'invalid_token' }),
    )
  }
  return { app: guardedApp(guard), lines }
}

function startKeys(applications, cacheHeaders) {
  const keys = Array.from(
    { length: applications },
    () => `acme_key_${randomBytes(26).toString('base64url').slice(0, 34)}`,
  )
  const owners = new Map(keys.map((key, i) => [hash('sha256', key, 'base64'), { id: `app_${i}` }]))
  function guard(req, res, next) {
    const key = req.headers['x-api-key']
    const owner = key === undefined ? undefined : owners.get(hash('sha256', key, 'base64'))
    if (owner === undefined) {
      res.status(401).set('WWW-Authenticate', 'ApiKey').json({ error: 'invalid_token' })
      return
    }
    req.auth = owner
    if (cacheHeaders) {
      res.vary('X-Api-Key')
      res.setHeader('Cache-Control', 'private')
    }
    next()
  }
  return { app: guardedApp(guard), lines: { keys } }
}
