import { ERROR_DESCRIPTION } from '../support/http.js'
import type { Answer } from './answers.js'
import type { Draft, Route } from './draft.js'

/** The statuses that docs/http.md allows for each endpoint, for any request. */
const STATUSES: Readonly<Record<Route, readonly number[]>> = {
  token: [200, 400, 401, 405, 413, 415, 429],
  revoke: [200, 400, 401, 413, 415, 429],
  introspect: [200, 400, 401, 413, 415, 429],
  metadata: [200],
  authorize: [400],
  registration: [202, 303, 400, 403, 413, 415, 429],
  claim: [400, 403, 413, 415, 429],
  console: [200, 307, 404],
  bearer: [200, 400, 401],
  optional: [200, 400, 401],
  apiKey: [200, 400, 401, 403, 429],
  // A mutated path may reach the host's 404, a page or a form. Express answers 304, 412 and 416 to conditions and ranges.
  anything: [200, 202, 204, 303, 304, 307, 400, 401, 403, 404, 405, 412, 413, 415, 416, 417, 429],
}
/** The answers of Node to malformed HTTP. */
const NODE_STATUSES = [400, 408, 413, 417, 431, 505]

const CHALLENGES: Readonly<Partial<Record<Route, RegExp>>> = {
  token: /^Basic realm="orders", charset="UTF-8", error="invalid_client"$/,
  revoke: /^Basic realm="orders", charset="UTF-8", error="invalid_client"$/,
  introspect: /^Basic realm="orders", charset="UTF-8", error="invalid_client"$/,
  bearer:
    /^Bearer realm="orders",(?: error="\w+", error_description="[^"\\]+",)?(?: scope="orders:read",)? resource_metadata="http:\/\/localhost\/orders\/\.well-known\/oauth-protected-resource"$/,
  apiKey: /^ApiKey realm="catalog",(?: error="\w+", error_description="[^"\\]+",)? header="X-Api-Key"$/,
  anything: /^(?:Basic|Bearer|ApiKey) realm="\w+"/,
}
const INTERNALS = /\n\s+at |node_modules|\.[cm]?[jt]s:\d|(?:^|[\s"'(])\/(?:home|tmp|work|usr)\/|SQLITE|PRIVATE KEY/

type Body = Record<string, unknown>

/** The problem with the answer to a request; undefined if there is none. */
export function checkAnswer(draft: Draft, number: number, answer: Answer): string | undefined {
  const { status, headers, body } = answer
  if (status >= 500) return `it is answered with ${status}`
  if (headers['set-cookie'] !== undefined) return 'there is a cookie'
  if (INTERNALS.test(body)) return 'it shows internals'

  const isOwnAnswer = headers['x-number'] === String(number)
  if (!isOwnAnswer) {
    // Express answers 404 before any middleware if it cannot parse the target.
    const unreadable = status === 404 && draft.mutations.includes('absolute')
    if (draft.framing === 'clear' && !unreadable) return `it has the number ${headers['x-number']}`
    // An answer of Node, or one to a request that a wrong length produced. That request has no credential.
    if (body === '' && NODE_STATUSES.includes(status)) return undefined
    return /"handled":true|"access_token"|"active":true/.test(body) ? 'a smuggled request is let in' : undefined
  }
  const isNodeAnswer = draft.framing === 'unclear' && NODE_STATUSES.includes(status)
  // An answer of Express to a condition, behind a guard that let the request pass.
  const passes = draft.owner !== undefined || draft.route === 'optional'
  if (status === 304 && passes && draft.headers.some(([name]) => name === 'If-None-Match')) return undefined
  if (!STATUSES[draft.route].includes(status) && !isNodeAnswer)
    return `${status} is no answer of this endpoint (${draft.route})`
  // A form that registered leads to a page of its own, beside it.
  const isThanks = status === 303 && /^\.\/(?:register\/)?thanks\?for=[\w-]+$/.test(headers['location'] ?? '')
  if (headers['location'] !== undefined && status !== 307 && !isThanks) return 'there is a redirect'
  if (draft.method === 'HEAD') return undefined

  const json = headers['content-type']?.startsWith('application/json') ? readJson(body) : {}
  if (!json) return 'its JSON is broken'
  return (
    checkRefusal(draft, answer, json) ??
    checkIdentity(draft, json) ??
    (draft.honest ? checkHonestAnswer(draft, status, json) : undefined)
  )
}

function checkRefusal({ route, framing }: Draft, { status, headers }: Answer, json: Body): string | undefined {
  if (json['error'] === undefined) {
    const isPlatformRoute = route !== 'anything' && route !== 'registration' && route !== 'console'
    return status >= 400 && isPlatformRoute && framing === 'clear' ? 'the refusal has no error' : undefined
  }
  if (Object.keys(json).join() !== 'error,error_description') return 'the refusal has other members'
  if (!ERROR_DESCRIPTION.test(String(json['error_description'])))
    return 'its description has characters that RFC 6749 does not allow'
  const expected: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  for (const name in expected) if (headers[name] !== expected[name]) return `its ${name} is ${headers[name]}`
  if (status === 401) {
    const form = CHALLENGES[route] ?? CHALLENGES.anything!
    if (!form.test(headers['www-authenticate'] ?? '')) return `its challenge is ${headers['www-authenticate']}`
  }
  if (status === 429 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) return 'it has no Retry-After'
  if (status === 405 && headers['allow'] !== 'POST') return 'it has no Allow'
  return undefined
}

function checkIdentity({ owner, target }: Draft, json: Body): string | undefined {
  const { handled, application, access_token: token, active, client_id: clientId } = json
  if (handled === true && application === null && !/maybe/i.test(target)) return 'the handler ran without an identity'
  if (handled === true && application !== null && application !== owner)
    return `it is let in as ${JSON.stringify(application)}`
  if (token !== undefined && (owner === undefined || readSubject(token) !== owner)) return 'it got an access token'
  if (active === true && clientId !== owner) return 'it introspected a token'
  return json['client_secret'] === undefined ? undefined : 'it got a secret'
}

function checkHonestAnswer({ route, owner }: Draft, status: number, json: Body): string | undefined {
  if (status !== 200) return `an honest request is answered with ${status}`
  if (route === 'token') return json['token_type'] === 'bearer' ? undefined : 'an honest client got no access token'
  if (route === 'introspect') return json['active'] === true ? undefined : "an honest client's token is not active"
  if (route === 'revoke' || route === 'metadata') return undefined
  return json['application'] === owner ? undefined : 'an honest request has no identity'
}

function readJson(text: string): Body | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Body) : undefined
  } catch {
    return undefined
  }
}

function readSubject(token: unknown): unknown {
  const [, claims = ''] = typeof token === 'string' ? token.split('.') : []
  return readJson(Buffer.from(claims, 'base64url').toString())?.['sub']
}
