import type { AcceptedCredential, PlatformAuth } from '../../../index.js'
import { UNCOUNTED_APPLICATIONS } from '../../../shared/lib/share-in-process.js'
import { callersFor, createCaller } from '../callers.js'
import { ACTOR, createApplication, findApi } from '../credentials.js'

export interface BadCredential {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

export type TestCredentials = ReturnType<typeof createTestCredentials>

type AcceptedApi = Pick<AcceptedCredential, 'api' | 'scheme'>

export function createTestCredentials(platform: PlatformAuth) {
  const made: string[] = []
  const create: PlatformAuth['applications']['create'] = async (application) => {
    const created = await platform.applications.create(application)
    made.push(created.application.id)
    UNCOUNTED_APPLICATIONS.add(created.application.id)
    return created
  }
  const auth: PlatformAuth = { ...platform, applications: { ...platform.applications, create } }
  const asked = new Map<string, Promise<unknown>>()

  /** What is made once for the same arguments. */
  function once<Given extends readonly unknown[], Made>(kind: string, make: (...given: Given) => Promise<Made>) {
    return (...given: Given): Promise<Made> => {
      const key = JSON.stringify([kind, given])
      const known = (asked.get(key) as Promise<Made> | undefined) ?? make(...given)
      asked.set(key, known)
      return known
    }
  }
  const callersOf = once('callers', (api: string) => callersFor(auth, api))
  const createRestricted = once('restricted', (api: string, scopes: readonly string[]) =>
    createCaller(auth, api, { scopes }),
  )
  const keyOf = once('key', async (api: string) => (await createApplication(auth, api, {})).clientId)

  /** An access token or key without any of these scopes; none if every key has one of them (`defaultScopes`). */
  async function without(name: string, scopes: readonly string[]): Promise<readonly BadCredential[]> {
    const { scheme, scopes: all, defaultScopes = [] } = findApi(auth, name)
    const left = Object.keys(all).filter((scope) => !scopes.includes(scope))
    if (left.length === 0 && defaultScopes.some((scope) => scopes.includes(scope))) return []
    const { headers } = await createRestricted(name, left)
    const lacks = scopes.length === 1 ? `the scope "${scopes[0]}"` : `any of ${scopes.join(', ')}`
    const credential = scheme === 'oauth2' ? 'an access token' : 'a key'
    return [{ name: `${credential} without ${lacks}`, headers }]
  }

  async function otherCredentials(accepted: AcceptedApi, others: readonly AcceptedApi[]): Promise<BadCredential[]> {
    const acceptedApis = [accepted, ...others].map(({ api }) => api)
    const other = auth.apis.find(({ name, scheme }) => scheme === accepted.scheme && !acceptedApis.includes(name))
    const hasOtherScheme = others.some(({ scheme }) => scheme !== accepted.scheme)
    const ofOther = other && {
      name: `a credential of the API "${other.name}"`,
      headers: (await callersOf(other.name)).allowed.headers,
    }
    const ofScheme = hasOtherScheme ? undefined : await createOfOtherScheme(accepted)
    return [ofOther, ofScheme].filter((each) => each !== undefined)
  }

  async function createOfOtherScheme({ api, scheme }: AcceptedApi): Promise<BadCredential | undefined> {
    const other = auth.apis.find((each) => each.scheme !== scheme)
    if (!other && scheme === 'apiKey')
      return { name: 'a bearer token, which no API takes,', headers: { Authorization: `Bearer ${UNKNOWN_TOKENS[0]}` } }
    if (!other)
      return { name: 'the key of an application, which no API takes,', headers: { 'X-Api-Key': await keyOf(api) } }
    const { headers } = (await callersOf(other.name)).allowed
    const [taken] = Object.keys((await callersOf(api)).allowed.headers)
    return Object.keys(headers)[0] === taken ? undefined : { name: 'a credential of the other scheme', headers }
  }

  return {
    /** Credentials that nothing accepts where these are accepted: of the first one's API, of another API, of the other scheme. */
    async bad(accepted: AcceptedApi, others: readonly AcceptedApi[]): Promise<readonly BadCredential[]> {
      const { allowed, suspended, expired, revoked } = await callersOf(accepted.api)
      const noun = accepted.scheme === 'oauth2' ? 'access token' : 'key'
      return [
        { name: `an expired ${noun}`, headers: expired.headers },
        { name: `a revoked ${noun}`, headers: revoked.headers },
        { name: `the ${noun} of a suspended application`, headers: suspended.headers },
        { name: `a forged ${noun}`, headers: forge(allowed.headers) },
        ...(await otherCredentials(accepted, others)),
      ]
    },
    forged: async (api: string) => forge((await callersOf(api)).allowed.headers),
    foreign: async (api: string) => (await callersOf(api)).allowed.headers,
    without,
    async end(): Promise<void> {
      await Promise.allSettled(asked.values())
      for (const id of made) await auth.applications.delete(id, { by: ACTOR })
    },
  }
}

function forge(headers: Readonly<Record<string, string>>): Record<string, string> {
  const change = (value: string): string => {
    const at = value.length - 10
    return value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]))
}

/** Bearer tokens that no platform has issued: `otherIssuers` must refuse both. The second is a JWT without a signature. */
export const UNKNOWN_TOKENS: readonly string[] = [
  'an-opaque-token-that-nobody-issued',
  `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ iss: 'https://unknown.example', sub: 'nobody', exp: 9_999_999_999 })}.`,
]

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
