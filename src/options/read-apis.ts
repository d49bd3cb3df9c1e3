import type { Api, ApiOptions, Limit, Registration } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'
import { isObject, readLimit, refuseUnknown, show, wholeNumber } from './checks.js'

/** An API with every default filled in. */
export interface ApiSettings extends Api {
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly rateLimit: Limit | false
  readonly registration: Registration
  /** What a registration may grant. */
  readonly registrationScopes: readonly string[]
}

interface ApiDefaults {
  readonly baseUrl: string
  readonly accessTokenLifetime: number
  readonly requests: Limit | false
}

/** Checks the option `apis` and fills in its defaults; refuses by name and with the cure. */
export function readApis(apis: unknown, defaults: ApiDefaults): Map<string, ApiSettings> {
  if (!isObject(apis) || Object.keys(apis).length === 0) {
    throw new ConfigurationError(
      `apis is ${show(apis)}. List the APIs you publish: apis: { orders: { scheme: 'oauth2' } }.`,
    )
  }
  const read = new Map<string, ApiSettings>()
  const lowerCased = new Map<string, string>()
  for (const [name, options] of Object.entries(apis)) {
    const twin = lowerCased.get(name.toLowerCase())
    if (twin !== undefined)
      throw new ConfigurationError(`apis.${name} and apis.${twin} differ only in case. Give one of them another name.`)
    lowerCased.set(name.toLowerCase(), name)
    read.set(name, readApi(name, options, defaults))
  }
  return read
}

const API_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._~-]{0,62}[A-Za-z0-9])?$/

function readApi(name: string, options: unknown, { baseUrl, accessTokenLifetime, requests }: ApiDefaults): ApiSettings {
  if (!API_NAME.test(name) || name in Object.prototype) {
    throw new ConfigurationError(
      `apis["${name}"]: an API's name is its path segment: up to 64 letters, digits and . _ ~ - between them, and no name that every object has, such as "constructor".`,
    )
  }
  if (!isObject(options))
    throw new ConfigurationError(
      `apis.${name} is ${show(options)}. Write { scheme: 'oauth2' } or { scheme: 'apiKey' }.`,
    )
  const api = options as unknown as ApiOptions
  if (api.scheme !== 'oauth2' && api.scheme !== 'apiKey') {
    throw new ConfigurationError(
      `apis.${name}.scheme is ${show((api as { scheme?: unknown }).scheme)}. An API's scheme is "oauth2" (bearer access tokens) or "apiKey" (X-Api-Key).`,
    )
  }
  for (const option of OAUTH2_OPTIONS) {
    if (api.scheme !== 'apiKey' || !Object.hasOwn(api, option)) continue
    throw new ConfigurationError(`apis.${name}.${option} is for oauth2 APIs. A key API has none; leave it out.`)
  }
  refuseUnknown(`apis.${name}.`, api, [...COMMON_OPTIONS, ...OAUTH2_OPTIONS])
  for (const text of ['title', 'description'] as const) {
    if (api[text] !== undefined && typeof api[text] !== 'string')
      throw new ConfigurationError(`apis.${name}.${text} is ${show(api[text])}. Write a string.`)
  }
  const resource = `${baseUrl}/${name}`
  const scopes = api.scheme === 'oauth2' ? readScopes(name, api.scopes ?? {}) : {}
  return {
    name,
    title: api.title ?? name,
    description: api.description,
    scheme: api.scheme,
    scopes,
    tokenEndpoint: api.scheme === 'oauth2' ? `${resource}/token` : undefined,
    resource,
    accessTokenLifetime: wholeNumber(
      `apis.${name}.accessTokenLifetime`,
      (api.scheme === 'oauth2' ? api.accessTokenLifetime : undefined) ?? accessTokenLifetime,
      1,
    ),
    rateLimit: readLimit(`apis.${name}.rateLimit`, api.rateLimit ?? requests),
    registration: readRegistration(name, api.registration ?? (api.scheme === 'oauth2' ? 'manual' : 'automatic')),
    registrationScopes: readRegistrationScopes(
      name,
      api.registrationScopes ?? Object.keys(scopes),
      Object.keys(scopes),
    ),
  }
}

const COMMON_OPTIONS = ['scheme', 'title', 'description', 'rateLimit', 'registration']
const OAUTH2_OPTIONS = ['scopes', 'registrationScopes', 'accessTokenLifetime']

function readRegistration(api: string, registration: unknown): Registration {
  if (registration === 'automatic' || registration === 'manual' || registration === 'closed') return registration
  throw new ConfigurationError(
    `apis.${api}.registration is ${show(registration)}. Applications register "automatic" (at once), "manual" (after approve()), or the API is "closed" to registration.`,
  )
}

function readRegistrationScopes(api: string, scopes: unknown, known: readonly string[]): readonly string[] {
  const wrong = Array.isArray(scopes) ? (scopes as unknown[]).find((scope) => !known.includes(scope as string)) : scopes
  if (Array.isArray(scopes) && wrong === undefined) return known.filter((scope) => scopes.includes(scope))
  throw new ConfigurationError(
    `apis.${api}.registrationScopes has ${show(wrong)}. List scopes of the API: ${known.join(', ')}.`,
  )
}

/** RFC 6749 3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/

function readScopes(api: string, scopes: unknown): Readonly<Record<string, string>> {
  if (!isObject(scopes))
    throw new ConfigurationError(
      `apis.${api}.scopes is ${show(scopes)}. Write scope -> what it allows: { '${api}:read': 'Read ${api}' }.`,
    )
  for (const [scope, meaning] of Object.entries(scopes)) {
    if (!SCOPE.test(scope))
      throw new ConfigurationError(
        `apis.${api}.scopes["${scope}"]: a scope is visible ASCII without quote, backslash and space (RFC 6749 3.3).`,
      )
    if (typeof meaning !== 'string')
      throw new ConfigurationError(`apis.${api}.scopes["${scope}"] is ${show(meaning)}. Write in words what it allows.`)
  }
  return Object.freeze({ ...scopes }) as Readonly<Record<string, string>>
}
