import type { Api } from '../../index.js'
import type { CheckContext } from './check.js'
import type { RequestDraft } from './exchange.js'
import type { TemporaryApplication } from './temporary-applications.js'

type Header = readonly [name: string, value: string]

export const FORM: Header = ['Content-Type', 'application/x-www-form-urlencoded']

/** Parameters of a form, in their order; a name may occur several times. */
type Parameters = readonly (readonly [name: string, value: string])[]

/** `POST /{api}/token` with the credentials of the caller in the form. */
export function tokenRequest(context: CheckContext, parameters: Parameters = GRANT): RequestDraft {
  return postForm(context, 'token', [...parameters, ...formCredentials(context.site.caller)])
}

/** `POST /{api}/token` with the credentials of the caller in HTTP Basic. */
export function basicTokenRequest(context: CheckContext, parameters: Parameters = GRANT): RequestDraft {
  const { clientId, clientSecret } = context.site.caller
  return postForm(context, 'token', parameters, [basic(clientId, clientSecret)])
}

/** `POST /{api}/{endpoint}` with a form. */
export function postForm(
  { api }: { readonly api: Pick<Api, 'name'> },
  endpoint: string,
  parameters: Parameters,
  headers: readonly Header[] = [],
): RequestDraft {
  const body = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()
  return { method: 'POST', path: `/${api.name}/${endpoint}`, headers: [FORM, ...headers], body }
}

/** A request with one more header. */
export function withHeader(draft: RequestDraft, ...header: Header): RequestDraft {
  return { ...draft, headers: [...(draft.headers ?? []), header] }
}

/** GET for the guarded path. */
export function get({ route }: CheckContext, ...headers: readonly Header[]): RequestDraft {
  return { path: route, headers }
}

/** The parameter that each token request has. */
export const GRANT: Parameters = [['grant_type', 'client_credentials']]

export function formCredentials({ clientId, clientSecret }: TemporaryApplication): Parameters {
  return [
    ['client_id', clientId],
    ['client_secret', clientSecret],
  ]
}

export function basic(name: string, password: string): Header {
  return ['Authorization', `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`]
}

export function bearer(token: string): Header {
  return ['Authorization', `Bearer ${token}`]
}

/** A key of the right form that no application has. */
export const UNKNOWN_KEY = `epa_key_${'0'.repeat(34)}`

/** A secret of the right form that no application has. */
export const WRONG_SECRET = `epa_sec_${'0'.repeat(49)}`

/** The access token with other claims, or another header, and the signature that it had. */
export function forge(token: string, changes: { header?: object; claims?: object }): string {
  const [header = '', claims = '', signature = ''] = token.split('.')
  return [changePart(header, changes.header), changePart(claims, changes.claims), signature].join('.')
}

function changePart(part: string, changes: object | undefined): string {
  if (changes === undefined) return part
  return Buffer.from(JSON.stringify({ ...readPart(part), ...changes })).toString('base64url')
}

/** The claims of an access token, unverified. */
export function readClaims(token: string): Readonly<Record<string, unknown>> {
  return readPart(token.split('.')[1] ?? '')
}

/** The id of the key that an access token names. */
export function readKeyId(token: string): unknown {
  return readPart(token.split('.')[0] ?? '')['kid']
}

function readPart(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}
