import type { AcceptedCredential, PlatformAuth } from '../../index.js'
import { UNCOUNTED_APPLICATIONS } from '../../lib/uncounted-applications.js'
import { callersFor, createCaller, type Caller, type Callers } from '../callers.js'
import { ACTOR, findApi } from '../credentials.js'

/** The headers of a request, and the refusal that they must get. */
export interface BadCredential {
  /** A description for people: "an expired access token". */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly error: string
  /** The scope that it lacks. */
  readonly missingScope?: string
}

export interface CredentialSource {
  /** A good credential with all scopes. */
  good(api: string): Promise<Caller>
  /** A credential of a suspended application. */
  suspended(api: string): Promise<Caller>
  /** Credentials that no guard for exactly these accepts. */
  bad(accepted: AcceptedCredential, others: readonly AcceptedCredential[]): Promise<readonly BadCredential[]>
  /** Access tokens or keys that lack one of these scopes each. */
  missingScopes(api: string, scopes: readonly string[]): Promise<readonly BadCredential[]>
  /** An access token or key without any of these scopes; none if every key has one of them (`defaultScopes`). */
  without(api: string, scopes: readonly string[]): Promise<BadCredential[]>
  /** Deletes the applications that were made. */
  end(): Promise<void>
}

/** Makes the credentials that requests of `expectSecured()` are sent with, each once. */
export function createCredentialSource(platform: PlatformAuth): CredentialSource {
  const made: string[] = []
  const auth = noteApplications(platform, (id) => {
    made.push(id)
    UNCOUNTED_APPLICATIONS.add(id)
  })
  const callers = new Map<string, Promise<Callers>>()
  const restricted = new Map<string, Promise<Caller>>()

  function callersOf(api: string): Promise<Callers> {
    let known = callers.get(api)
    if (!known) callers.set(api, (known = callersFor(auth, api)))
    return known
  }

  async function without(name: string, scopes: readonly string[]): Promise<BadCredential[]> {
    const { scheme, scopes: all, defaultScopes = [] } = findApi(auth, name)
    const left = Object.keys(all).filter((scope) => !scopes.includes(scope))
    if (left.length === 0 && defaultScopes.some((scope) => scopes.includes(scope))) return []
    const { headers } = await createRestricted(name, left)
    const lacks = scopes.length === 1 ? `the scope "${scopes[0]}"` : `any of ${scopes.join(', ')}`
    const credential = scheme === 'oauth2' ? 'an access token' : 'a key'
    return [{ name: `${credential} without ${lacks}`, headers, status: 403, error: 'insufficient_scope' }]
  }

  function createRestricted(api: string, left: readonly string[]): Promise<Caller> {
    const key = JSON.stringify([api, left])
    let known = restricted.get(key)
    if (!known) restricted.set(key, (known = createCaller(auth, api, { scopes: left })))
    return known
  }

  async function otherCredentials(
    accepted: AcceptedCredential,
    others: readonly AcceptedCredential[],
  ): Promise<BadCredential[]> {
    const acceptedApis = [accepted, ...others].map(({ api }) => api)
    const other = auth.apis.find(({ name, scheme }) => scheme === accepted.scheme && !acceptedApis.includes(name))
    const hasOtherScheme = others.some(({ scheme }) => scheme !== accepted.scheme)
    const otherScheme = hasOtherScheme ? undefined : auth.apis.find(({ scheme }) => scheme !== accepted.scheme)
    const headers = async (api: { readonly name: string } | undefined) =>
      api && (await callersOf(api.name)).allowed.headers
    const [ofOther, ofScheme] = [await headers(other), await headers(otherScheme)]
    const refusal = accepted.scheme === 'oauth2' ? INVALID_TOKEN : ACCESS_DENIED
    const isSameHeader =
      ofScheme && Object.keys(ofScheme)[0] === Object.keys((await callersOf(accepted.api)).allowed.headers)[0]
    return [
      ...(ofOther ? [{ name: `a credential of the API "${other!.name}"`, headers: ofOther, ...refusal }] : []),
      ...(ofScheme && !isSameHeader
        ? [{ name: `a credential of the other scheme`, headers: ofScheme, status: 401, error: 'unauthorized' }]
        : []),
    ]
  }

  return {
    good: async (api) => (await callersOf(api)).allowed,
    suspended: async (api) => (await callersOf(api)).suspended,
    async bad(accepted, others) {
      const { allowed, suspended, expired, revoked } = await callersOf(accepted.api)
      const isToken = accepted.scheme === 'oauth2'
      const noun = isToken ? 'access token' : 'key'
      const refusal = isToken ? INVALID_TOKEN : INVALID_KEY
      return [
        { name: `an expired ${noun}`, headers: expired.headers, ...refusal },
        { name: `a revoked ${noun}`, headers: revoked.headers, ...refusal },
        {
          name: `the ${noun} of a suspended application`,
          headers: suspended.headers,
          ...(isToken ? INVALID_TOKEN : ACCESS_DENIED),
        },
        { name: `a forged ${noun}`, headers: forge(allowed.headers), ...refusal },
        ...(await otherCredentials(accepted, others)),
      ]
    },
    async missingScopes(api, scopes) {
      const each = scopes.map(async (scope) =>
        (await without(api, [scope])).map((bad) => ({ ...bad, missingScope: scope })),
      )
      return (await Promise.all(each)).flat()
    },
    without,
    async end() {
      await Promise.allSettled([...callers.values(), ...restricted.values()])
      for (const id of made) await auth.applications.delete(id, { by: ACTOR })
    },
  }
}

/** The same platform. The ids of the applications that are created through it are noted. */
function noteApplications(auth: PlatformAuth, note: (id: string) => void): PlatformAuth {
  const create: PlatformAuth['applications']['create'] = async (application) => {
    const created = await auth.applications.create(application)
    note(created.application.id)
    return created
  }
  return { ...auth, applications: { ...auth.applications, create } }
}

const INVALID_TOKEN = { status: 401, error: 'invalid_token' }
const INVALID_KEY = { status: 401, error: 'invalid_api_key' }
const ACCESS_DENIED = { status: 403, error: 'access_denied' }

/** The same header with another signature or checksum. */
function forge(headers: Readonly<Record<string, string>>): Record<string, string> {
  const change = (value: string): string => {
    const at = value.length - 10
    return value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]))
}

/** Bearer tokens that no platform has issued: `otherIssuers` must refuse both. */
export const UNKNOWN_TOKENS: readonly string[] = [
  'an-opaque-token-that-nobody-issued',
  [
    { alg: 'none', typ: 'JWT' },
    { iss: 'https://unknown.example', sub: 'nobody', exp: 9_999_999_999 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.'),
]
