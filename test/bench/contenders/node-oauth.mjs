import { randomBytes } from 'node:crypto'
import OAuthServer from '@node-oauth/express-oauth-server'
import express from 'express'
import { generateKeyPair, SignJWT } from 'jose'
import { newApp } from '../app.mjs'
import { clientLines } from '../clients.mjs'
import { claimsOf, SCOPES } from '../tokens.mjs'

/** The client credentials model of its documentation over Maps: opaque tokens, or JWTs signed by jose (`jwt`). */
export async function start({ clients: count, jwt = false }) {
  const clients = Array.from({ length: count }, (_, i) => ({
    id: `client_${i}`,
    secret: randomBytes(32).toString('base64url'),
    grants: ['client_credentials'],
  }))
  const known = new Map(clients.map((client) => [client.id, client]))
  const saved = new Map()
  const { privateKey } = await generateKeyPair('ES256')
  const sign = (client) =>
    new SignJWT(claimsOf(client.id, { lifetime: 3600 }))
      .setProtectedHeader({ alg: 'ES256', kid: 'node-oauth', typ: 'at+jwt' })
      .sign(privateKey)

  const model = {
    ...(jwt && { generateAccessToken: sign }),
    async getClient(id, secret) {
      const client = known.get(id)
      return client && (secret === null || client.secret === secret) ? client : false
    },
    getUserFromClient: async (client) => ({ id: client.id }),
    validateScope: async (_user, _client, scope) => scope ?? SCOPES,
    async saveToken(token, client, user) {
      const whole = { ...token, client, user }
      if (!jwt) saved.set(token.accessToken, whole)
      return whole
    },
  }
  const app = newApp()
  app.post('/token', express.urlencoded({ extended: false }), new OAuthServer({ model }).token())
  return { app, lines: clientLines(clients) }
}
