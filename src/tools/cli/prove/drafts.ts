import { randomUUID } from 'node:crypto'
import type { Api } from '../../../index.js'
import type { Header, RequestDraft } from './exchange.js'
import { skip } from './expectation.js'

type Parameters = readonly Header[]
type Client = Readonly<Record<'clientId' | 'clientSecret', string>>

export const GRANT: Parameters = [['grant_type', 'client_credentials']]

/** `POST /{api}/token` with the credentials in the form; in HTTP Basic where the API takes no other secret. */
export function tokenRequest(api: Api, client: Client, parameters: Parameters = []): RequestDraft {
  if (!api.clientAuthentication.includes('client_secret_post')) return basicRequest(api, client, parameters)
  return postForm(api, 'token', [...GRANT, ...parameters, ...formCredentials(client)])
}

export function basicRequest(api: Api, client: Client, parameters: Parameters = []): RequestDraft {
  return withBasic(postForm(api, 'token', [...GRANT, ...parameters]), api, client)
}

export function withBasic(draft: RequestDraft, api: Api, { clientId, clientSecret }: Client): RequestDraft {
  requireMethod(api, 'client_secret_basic')
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return withHeader(draft, 'Authorization', `Basic ${credentials}`)
}

export function requireMethod({ clientAuthentication }: Api, method: 'client_secret_basic' | 'client_secret_post') {
  if (!clientAuthentication.includes(method))
    skip(`clients authenticate with ${clientAuthentication.join(' or ')} only`)
}

export function postForm(api: Api, endpoint: string, parameters: Parameters): RequestDraft {
  const body = new URLSearchParams(parameters.map((each): [string, string] => [...each])).toString()
  const headers: readonly Header[] = [['Content-Type', 'application/x-www-form-urlencoded']]
  return { method: 'POST', path: `/${api.name}/${endpoint}`, headers, body }
}

/** A request for the key set that tells how addresses arrive. Its query, which the server ignores, keeps caches from answering. */
export function freshKeySet(headers: readonly Header[] = []): RequestDraft {
  const path = `/.well-known/jwks.json?prove=${randomUUID()}`
  return { path, headers: [['Platform-Auth-Doctor', '1'], ...headers] }
}

export function formCredentials({ clientId, clientSecret }: Client): Parameters {
  return [
    ['client_id', clientId],
    ['client_secret', clientSecret],
  ]
}

export function withHeader(draft: RequestDraft, ...header: Header): RequestDraft {
  return { ...draft, headers: [...(draft.headers ?? []), header] }
}

export function bearer(token: string): Header {
  return ['Authorization', `Bearer ${token}`]
}
