import type { Api, ApiOptions, ClientAuthenticationMethod, Limit, Registration } from '../../shared/contracts/api.js'
import { estimateAccessTokenLength, MAX_ACCESS_TOKEN_LENGTH } from '../../shared/contracts/access-token-size.js'
import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import {
  describeValue,
  invalidOption,
  readBoolean,
  readDays,
  readLimit,
  readOptionalFunction,
  readWholeNumber,
  refuseUnknown,
  wrongOption,
} from '../../shared/lib/option-checks.js'
import { readReportOnlyOption, type ReportOnlySettings } from './read-report-only.js'
import type { ApiSettings } from './settings.js'

interface ApiDefaults {
  readonly baseUrl: string
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly requests: Limit | false
  readonly reportOnly: ReportOnlySettings
  readonly warn: (warning: ConfigurationProblem) => unknown
}

export function readApis(apis: unknown, defaults: ApiDefaults): Map<string, ApiSettings> {
  if (!isObject(apis) || Object.keys(apis).length === 0)
    throw invalidOption('apis', apis, "List the APIs you publish: apis: { orders: { scheme: 'oauth2' } }.")
  const read = new Map<string, ApiSettings>()
  const lowerCased = new Map<string, string>()
  for (const [name, options] of Object.entries(apis)) {
    const twin = lowerCased.get(name.toLowerCase())
    if (twin !== undefined)
      throw new ConfigurationError({
        problem: `apis.${name} and apis.${twin} differ only in case`,
        fix: 'Give one of them another name.',
      })
    lowerCased.set(name.toLowerCase(), name)
    const api = readApi(name, options, defaults)
    warnOfLongTokens(api, defaults.warn)
    read.set(name, api)
  }
  return read
}

function readApi(name: string, options: unknown, defaults: ApiDefaults): ApiSettings {
  const { baseUrl, accessTokenLifetime, requests } = defaults
  if (!API_NAME.test(name) || name in Object.prototype)
    throw new ConfigurationError({
      option: `apis["${name}"]`,
      problem: 'has a name that can not be a path segment',
      fix: 'An API\'s name is its path segment: up to 64 letters, digits and . _ ~ - between them, and no name that every object has, such as "constructor".',
    })
  const api = checkApiOptions(name, options)
  const resource = `${baseUrl}/${name}`
  const isOAuth2 = api.scheme === 'oauth2'
  const scopes = readScopes(name, api.scopes ?? {})
  return {
    name,
    title: api.title ?? name,
    description: api.description,
    scheme: api.scheme,
    scopes,
    defaultScopes: api.defaultScopes && readScopeList(name, 'defaultScopes', api.defaultScopes, scopes),
    hideCredential:
      api.hideCredential === undefined ? undefined : readBoolean(`apis.${name}.hideCredential`, api.hideCredential),
    clientAuthentication: isOAuth2 ? readClientAuthentication(name, api.clientAuthentication) : [],
    tokenEndpoint: isOAuth2 ? `${resource}/token` : undefined,
    keyHeaders: isOAuth2 ? [] : readKeyHeaders(`apis.${name}.header`, api.header),
    resource,
    reportOnly: readReportOnlyOption(`apis.${name}.`, api, defaults.reportOnly),
    accessTokenLifetime: readWholeNumber(
      `apis.${name}.accessTokenLifetime`,
      (isOAuth2 ? api.accessTokenLifetime : undefined) ?? accessTokenLifetime,
      1,
    ),
    credentialMaxAge:
      api.credentialMaxAge === undefined ? undefined : readDays(`apis.${name}.credentialMaxAge`, api.credentialMaxAge),
    introspection: readIntrospection(name, api.introspection),
    rateLimit: readLimit(`apis.${name}.rateLimit`, api.rateLimit ?? requests),
    registration: readRegistration(name, api.registration ?? (isOAuth2 ? 'manual' : 'automatic')),
    registrationScopes: readScopeList(
      name,
      'registrationScopes',
      api.registrationScopes ?? Object.keys(scopes),
      scopes,
    ),
    claims: isOAuth2 ? readOptionalFunction(`apis.${name}.claims`, api.claims) : undefined,
  }
}

/** Warns of long tokens: an application with all scopes gets them all, unless a request names fewer. */
function warnOfLongTokens({ name, scheme, resource, scopes }: ApiSettings, warn: ApiDefaults['warn']): void {
  if (scheme === 'apiKey') return
  const length = estimateAccessTokenLength(resource, Object.keys(scopes))
  if (length <= MAX_ACCESS_TOKEN_LENGTH) return
  warn({
    option: `apis.${name}.scopes`,
    problem: `has ${Object.keys(scopes).length} scopes: an access token with all of them would have about ${length} characters, and headers carry ${MAX_ACCESS_TOKEN_LENGTH}`,
    fix: 'Applications with so many scopes must request fewer in each token request, or get invalid_scope. Shorter or fewer scopes avoid that.',
  })
}

const API_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._~-]{0,62}[A-Za-z0-9])?$/

const COMMON_OPTIONS = [
  'scheme',
  'title',
  'description',
  'rateLimit',
  'registration',
  'credentialMaxAge',
  'reportOnly',
  'scopes',
  'registrationScopes',
  'hideCredential',
  'introspection',
]
const OAUTH2_OPTIONS = ['accessTokenLifetime', 'claims', 'clientAuthentication']
const API_KEY_OPTIONS = ['header', 'defaultScopes']

function checkApiOptions(name: string, options: unknown): ApiOptions {
  const option = `apis.${name}`
  if (!isObject(options)) throw invalidOption(option, options, "Write { scheme: 'oauth2' } or { scheme: 'apiKey' }.")
  const { scheme } = options
  if (scheme !== 'oauth2' && scheme !== 'apiKey')
    throw invalidOption(
      `${option}.scheme`,
      scheme,
      'An API\'s scheme is "oauth2" (bearer access tokens) or "apiKey" (API keys).',
    )
  const misplaced = (scheme === 'apiKey' ? OAUTH2_OPTIONS : API_KEY_OPTIONS).find((each) =>
    Object.hasOwn(options, each),
  )
  if (misplaced !== undefined) {
    const [other, kind] = scheme === 'apiKey' ? ['oauth2', 'A key API'] : ['key', 'An oauth2 API']
    throw wrongOption(`${option}.${misplaced}`, `is for ${other} APIs`, `${kind} has none; leave it out.`)
  }
  refuseUnknown(`${option}.`, options, [...COMMON_OPTIONS, ...OAUTH2_OPTIONS, ...API_KEY_OPTIONS])
  for (const text of ['title', 'description']) {
    if (options[text] === undefined || typeof options[text] === 'string') continue
    throw invalidOption(`${option}.${text}`, options[text], 'Write a string.')
  }
  return ownMembers(options) as unknown as ApiOptions
}

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const
const METHODS: readonly ClientAuthenticationMethod[] = [...SECRET_METHODS, 'private_key_jwt']

function readClientAuthentication(api: string, given: unknown): readonly ClientAuthenticationMethod[] {
  if (given === undefined) return SECRET_METHODS
  if (Array.isArray(given) && given.length > 0) {
    const methods = METHODS.filter((method) => given.includes(method))
    if (methods.length === new Set(given).size) return methods
  }
  throw invalidOption(`apis.${api}.clientAuthentication`, given, `List some of ${METHODS.join(', ')}.`)
}

function readIntrospection(api: string, given: unknown = []): ApiSettings['introspection'] {
  const known = ['externalId', 'metadata'] as const
  if (Array.isArray(given) && given.every((each) => known.includes(each as 'metadata')))
    return known.filter((each) => given.includes(each))
  throw invalidOption(`apis.${api}.introspection`, given, `List some of ${known.join(', ')}.`)
}

function readRegistration(api: string, registration: unknown): Registration {
  if (registration === 'automatic' || registration === 'manual' || registration === 'closed') return registration
  throw invalidOption(
    `apis.${api}.registration`,
    registration,
    'Applications register "automatic" (at once), "manual" (after approve()), or the API is "closed" to registration.',
  )
}

function readScopeList(api: string, option: string, scopes: unknown, all: Readonly<Record<string, string>>) {
  const known = Object.keys(all)
  const wrong = Array.isArray(scopes) ? (scopes as unknown[]).find((scope) => !known.includes(scope as string)) : scopes
  if (Array.isArray(scopes) && wrong === undefined) return known.filter((scope) => scopes.includes(scope))
  throw new ConfigurationError({
    option: `apis.${api}.${option}`,
    problem: `has ${describeValue(wrong, 'nothing')}`,
    fix: `List scopes of the API: ${known.join(', ')}.`,
  })
}

/** RFC 6749 3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/

const MAX_SCOPE_LENGTH = 512

function readScopes(api: string, scopes: unknown): Readonly<Record<string, string>> {
  if (!isObject(scopes))
    throw invalidOption(
      `apis.${api}.scopes`,
      scopes,
      `Write scope -> what it allows: { '${api}:read': 'Read ${api}' }.`,
    )
  for (const [scope, meaning] of Object.entries(scopes)) {
    const option = `apis.${api}.scopes["${scope}"]`
    if (!SCOPE.test(scope))
      throw new ConfigurationError({
        option,
        problem: 'has a character that no scope can have',
        fix: 'A scope is visible ASCII without quote, backslash and space (RFC 6749 3.3).',
      })
    if (scope.length > MAX_SCOPE_LENGTH) {
      const problem = `has ${scope.length} characters`
      throw wrongOption(option, problem, `A scope has at most ${MAX_SCOPE_LENGTH}: headers hold it.`)
    }
    if (typeof meaning !== 'string') throw invalidOption(option, meaning, 'Write in words what it allows.')
  }
  return Object.freeze({ ...scopes }) as Readonly<Record<string, string>>
}

/** The members of an API that the host sees: not its limits and lifetimes. */
export function toPublicApi({
  reportOnly: _reportOnly,
  accessTokenLifetime: _lifetime,
  credentialMaxAge: _maxAge,
  introspection: _introspection,
  rateLimit: _rateLimit,
  registration: _registration,
  registrationScopes: _scopes,
  claims: _claims,
  ...api
}: ApiSettings): Api {
  return Object.freeze(api)
}

const DEFAULT_KEY_HEADER = 'X-Api-Key'

function readKeyHeaders(option: string, header: unknown = DEFAULT_KEY_HEADER): readonly string[] {
  const names: readonly unknown[] = Array.isArray(header) ? header : [header]
  const [first, second, ...others] = names
  if (others.length > 0 || names.length === 0)
    throw invalidOption(option, header, `Give one header name or two: header: '${DEFAULT_KEY_HEADER}'.`)
  const checked = names.map((name, at) =>
    at === 1 && isAuthorization(name) ? AUTHORIZATION : checkHeaderName(option, name),
  )
  if (second !== undefined && checked[0]!.toLowerCase() === checked[1]!.toLowerCase())
    throw new ConfigurationError({
      option,
      problem: `has ${JSON.stringify(first)} twice`,
      fix: 'Header names do not depend on case: leave one out.',
    })
  return Object.freeze(checked)
}

/** The header that access tokens have too, as it is written in `Vary` and in messages. */
const AUTHORIZATION = 'Authorization'

function isAuthorization(name: unknown): boolean {
  return typeof name === 'string' && name.toLowerCase() === 'authorization'
}

/** The characters that RFC 9110 16.3.1 recommends for names, and `_`. nginx drops a header with another one. */
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

function checkHeaderName(option: string, name: unknown): string {
  if (typeof name !== 'string' || !HEADER_NAME.test(name))
    throw invalidOption(
      option,
      name,
      `A header name is 1 to 64 letters, digits, "-" and "_", such as "${DEFAULT_KEY_HEADER}".`,
    )
  const header = name.toLowerCase()
  const isReserved = RESERVED.has(header) || RESERVED_PREFIXES.some((prefix) => header.startsWith(prefix))
  if (isReserved || header in Object.prototype)
    throw new ConfigurationError({
      option,
      problem: `is ${JSON.stringify(name)}, which has another meaning in HTTP`,
      fix: `Choose a name of your own, such as "${DEFAULT_KEY_HEADER}"${isAuthorization(name) ? `, and this second: ['${DEFAULT_KEY_HEADER}', '${AUTHORIZATION}']` : ''}.`,
    })
  return name
}

/** Names that browsers, proxies, caches, Node or this package use: a key there would be changed, logged or lost. */
const RESERVED_PREFIXES = ['accept-', 'access-control-', 'content-', 'if-', 'proxy-', 'sec-', 'x-forwarded-']
const RESERVED = new Set(
  (
    'accept age allow alt-svc alt-used authentication-info authorization baggage cache-control connection cookie cookie2 date dnt dpop ' +
    'early-data etag expect expires forwarded from host http2-settings keep-alive last-event-id last-modified link location ' +
    'max-forwards origin platform-auth-doctor pragma prefer priority range referer retry-after save-data server set-cookie ' +
    'set-cookie2 signature signature-input te traceparent tracestate trailer transfer-encoding upgrade ' +
    'upgrade-insecure-requests user-agent vary via warning www-authenticate x-http-method x-http-method-override ' +
    'x-method-override x-real-ip x-request-id'
  ).split(' '),
)
