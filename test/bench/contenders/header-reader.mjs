import { randomBytes } from 'node:crypto'
import { guardedApp } from '../app.mjs'
import { issue } from '../tokens.mjs'

/**
 * The least that any guard does: it reads the header and calls the next handler, whatever the header says. What a guard costs
 * beyond this is its own. `header` is `authorization` or `x-api-key`.
 */
export async function start({ header, tokens = 0, applications = 1000 }) {
  function guard(req, res, next) {
    if (req.headers[header] === undefined) res.status(401).end()
    else next()
  }
  const keys = Array.from(
    { length: applications },
    () => `acme_key_${randomBytes(26).toString('base64url').slice(0, 34)}`,
  )
  return { app: guardedApp(guard), lines: { keys, ...(tokens > 0 && issue(tokens).lines) } }
}
