import { expressjwt } from 'express-jwt'
import { guardedApp } from '../app.mjs'
import { issue, RESOURCE } from '../tokens.mjs'

/** As in its README: a public key as a buffer, issuer and audience. It does not check scopes. */
export async function start({ tokens }) {
  const { pem, lines } = issue(tokens)
  const options = { secret: Buffer.from(pem), algorithms: ['ES256'], issuer: RESOURCE, audience: RESOURCE }
  return { app: guardedApp(expressjwt(options)), lines }
}
