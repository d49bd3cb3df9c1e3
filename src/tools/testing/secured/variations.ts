import type { Ask } from './prober.js'

/** What is tried besides the lists below. */
export interface AlsoTry {
  /** Further addresses, such as paths that a function compares: `'/orders/dump'`. They must be no less protected than routes. */
  readonly paths?: readonly string[]
  /** Names -> values, each sent as a header, a query parameter, a cookie and a member of the body: `{ 'x-caller': 'backoffice' }`. */
  readonly names?: Readonly<Record<string, string | readonly string[]>>
  /** Values of `Host`. */
  readonly hosts?: readonly string[]
  /** Addresses of clients, also in `X-Forwarded-For`. */
  readonly addresses?: readonly string[]
}

export interface Variation {
  readonly name: string
  readonly change: Partial<Ask>
  /** What is changed together, each with its own description, to be tried one by one if the app refuses the whole. */
  readonly parts?: readonly Variation[]
  /** The request may be for something else, so that a 404 is that of the app. */
  readonly mayLeadElsewhere?: boolean
}

/** Request headers of RFC 9110, 9111 and 6265, of browsers, and those of proxies. Those of a line are sent together. */
const HEADERS = [
  `If-Match: "a" | If-None-Match: "a" | If-Modified-Since: Tue, 01 Jan 2030 00:00:00 GMT |
    If-Unmodified-Since: Tue, 01 Jan 2030 00:00:00 GMT | If-Range: "a" | Range: bytes=0-5`,
  `Accept-Charset: utf-8 | Accept-Encoding: gzip | Accept-Language: en | Cache-Control: no-cache |
    Date: Tue, 01 Jan 2030 00:00:00 GMT | DNT: 1 | Expect: 100-continue | From: admin@example.com | Keep-Alive: timeout=5 | Max-Forwards: 0 |
    Pragma: no-cache | Priority: u=1 | Proxy-Authorization: Basic YTph | Sec-GPC: 1 | TE: trailers |
    Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 | Trailer: X-Trailer | Upgrade: websocket |
    Upgrade-Insecure-Requests: 1 | Via: 1.1 proxy | Warning: 199 - "a" | X-CSRF-Token: 1 | X-Request-Id: 1`,
  `Accept: text/html | X-Requested-With: XMLHttpRequest | Origin: http://localhost |
    Referer: http://localhost/ | Sec-Fetch-Site: same-origin | Sec-Fetch-Mode: navigate | User-Agent: Mozilla/5.0`,
  `CF-Connecting-IP: 127.0.0.1 | Client-IP: 127.0.0.1 | Forwarded: for=127.0.0.1;proto=https |
    True-Client-IP: 127.0.0.1 | X-Client-Cert: 1 | X-Client-IP: 127.0.0.1 | X-Cluster-Client-IP: 127.0.0.1 |
    X-Forwarded-Client-Cert: 1 | X-Forwarded-Email: admin@example.com | X-Forwarded-For: 127.0.0.1 |
    X-Forwarded-Host: localhost | X-Forwarded-Port: 443 | X-Forwarded-Prefix: /internal | X-Forwarded-Proto: https |
    X-Forwarded-Server: localhost | X-Forwarded-User: admin | X-Real-IP: 127.0.0.1 | X-Remote-User: admin |
    X-Ssl-Client-Verify: SUCCESS`,
  `Accept-Version: 2 | X-Admin: 1 | X-Api-Version: 2 | X-Caller: 1 | X-Dbg: 1 | X-Debug: 1 | X-Internal: 1 | X-Internal-Request: 1 |
    X-Role: 1 | X-Service: 1 | X-Skip-Auth: 1 | X-Test: 1 | X-User: 1 | X-User-Id: 1`,
  // Other values of what is above, and what concerns bodies.
  `Accept: text/event-stream | Authorization: Digest username="a" | Content-Language: en | Origin: null |
    User-Agent: kube-probe/1.30 GoogleHC/1.0 ELB-HealthChecker/2.0`,
  `Accept: text/csv | Authorization: Basic YTph | Content-Encoding: gzip | Origin: https://admin.example.com |
    User-Agent: Googlebot/2.1 (+http://www.google.com/bot.html)`,
  'Accept: application/xml | Authorization: Negotiate YTph | Content-Type: multipart/form-data; boundary=x',
  'Authorization: Token a | Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg== | Content-Type: text/plain',
  'Content-Type: application/xml',
  'Content-Type: application/octet-stream',
]

export const OFTEN_USED = (
  'admin api-docs backup config debug download dump events export export/1 files graphql health import info internal ' +
  'items items/1 login logs me metrics openapi.json ping private public report search settings stats status ' +
  'swagger.json test upload users version webhook'
).split(' ')
export const REPLACED_PATHS = ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Path']
const HOSTS = '127.0.0.1 10.0.0.1 admin.local internal.local app.internal admin.example.com internal.example.com'
const ADDRESSES = '127.0.0.1 ::1 10.0.0.1 172.16.0.1 192.168.0.1'
/** Names of query parameters, cookies and members of a body. */
const NAMES = (
  'access_token admin api_key apikey auth bypass callback dbg debug dev format internal key ' +
  'preview public role secret session sid skip test token user v version connect.sid jwt PHPSESSID remember_me'
).split(' ')
const PUBLIC_PATHS = '/public/health/login/docs/static/.well-known/token'
const HAS_BODY = /^(?:POST|PUT|PATCH|DELETE)$/

export function listVariations(
  method: string,
  target: string,
  { names = {}, hosts = [], addresses = [] }: AlsoTry,
): Variation[] {
  /** A name as a header, and as whatever else may have it. */
  const listPlaces = (all: readonly string[], value: string): Variation[] => [
    {
      name: `the query parameters ${all.join(', ')} = ${value}`,
      change: { target: addQuery(target, fillNames(all, value)) },
    },
    {
      name: `the cookies ${all.join(', ')} = ${value}`,
      change: { headers: { Cookie: all.map((name) => `${name}=${value}`).join('; ') } },
    },
    ...(HAS_BODY.test(method) ? listBodies(fillNames(all, value)) : []),
  ]
  return [
    ...HEADERS.map((line) =>
      together(line.split('|').map((each) => header(...(each.trim().split(/: (.*)/s) as [string, string])))),
    ),
    together(REPLACED_PATHS.map((name) => header(name, target))),
    ...[...HOSTS.split(' '), ...hosts].map((host) => ({
      name: `the host ${host}`,
      change: { headers: { Host: host, 'X-Forwarded-Host': host } },
      mayLeadElsewhere: true,
    })),
    ...[...ADDRESSES.split(' '), ...addresses].map((address) => ({
      name: `the client address ${address}`,
      change: { address, headers: { 'X-Forwarded-For': address } },
    })),
    ...['1', 'true', '1000'].flatMap((value) => listPlaces(NAMES, value)),
    { name: 'a long query with paths', change: { target: `${target}?x=${PUBLIC_PATHS}/${'a'.repeat(400)}` } },
    { name: 'HTTP/1.0', change: { version: '1.0' } },
    ...Object.entries(names).flatMap(([name, values]) =>
      [values].flat().flatMap((value) => [header(name, value), ...listPlaces([name], value)]),
    ),
  ]
}

function header(name: string, value: string): Variation {
  return { name: `the header ${name}: ${value}`, change: { headers: { [name]: value } } }
}

function together(parts: readonly Variation[]): Variation {
  const headers = Object.assign({}, ...parts.map(({ change }) => change.headers)) as Record<string, string>
  return { name: `the headers ${Object.keys(headers).join(', ')}`, change: { headers }, parts }
}

const METHOD_HEADERS = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']
const METHOD_NAMES = ['_method', '_m', 'method']

export function listReplacements(target: string, method: string): readonly Variation[] {
  const parameters = fillNames(METHOD_NAMES, method)
  const change = { target: addQuery(target, parameters) }
  const bodies = listBodies(parameters).map((body) => ({ ...body, change: { ...body.change, method: 'POST' } }))
  return [
    { name: METHOD_HEADERS.join(', '), change: { method: 'POST', headers: fillNames(METHOD_HEADERS, method) } },
    { name: 'the query', change: { ...change, method: 'POST' } },
    ...bodies,
    { name: 'the query', change },
  ]
}

function fillNames(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]))
}

function listBodies(members: Readonly<Record<string, string>>): Variation[] {
  const [json, form] = [JSON.stringify(members), new URLSearchParams(members).toString()]
  return [
    { name: 'a body of JSON', change: { headers: { 'Content-Type': 'application/json' }, body: json } },
    { name: 'a form', change: { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: form } },
  ]
}

function addQuery(target: string, parameters: Readonly<Record<string, string>>): string {
  return `${target}${target.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

/** Values that ids may have, and that code may treat as words of its own. */
const IDS = '1 12345 1.css 1.js all default latest me new public 00000000-0000-4000-8000-000000000000'.split(' ')

export interface Spelling {
  readonly name: string
  readonly target: string
  /** A random address in the same spelling, which the app may refuse everywhere. */
  readonly unknownTarget?: string
}

/** The path with other values for its parameters. `path` is that of the route, such as `/orders/items/:id`. */
export function listOtherIds(path: string, given: Readonly<Record<string, string>>): Spelling[] {
  // Any other value would not do.
  if ([...path.matchAll(/:(\w+)/g)].some(([, name]) => Object.hasOwn(given, name!))) return []
  const isPlain = /^(?:\/(?:[\w.-]+|:\w+))+$/.test(path) && path.includes('/:')
  return isPlain ? IDS.map((id) => ({ name: 'with another id', target: path.replaceAll(/:\w+/g, id) })) : []
}

const encode = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`
const replaceLastSlash = (target: string, text: string): string => target.replace(/\/(?=[^/]*$)/, text)

const SPELLINGS: Readonly<Record<string, (target: string) => string>> = {
  'in capital letters': (target) => target.toUpperCase(),
  'with a slash at the end': (target) => `${target.replace(/\/$/, '')}/`,
  'with a second slash at the start': (target) => `/${target}`,
  'with two slashes between its segments': (target) => target.replaceAll(/(?<=.)\//g, '//'),
  'with a second slash at the end': (target) => `${target}//`,
  'with its first segment percent-encoded': (target) => target.replace(/[A-Za-z]/, encode),
  'with its last segment percent-encoded': (target) => target.replace(/[A-Za-z](?=[^/]*$)/, encode),
  'with a percent-encoded slash': (target) => replaceLastSlash(target, '%2F'),
  'with a dot segment': (target) => `/.${target}`,
  'with a dot segment of two dots': (target) => `/x/..${target}`,
  'with a dot segment at its last slash': (target) => replaceLastSlash(target, '/./'),
  'with the origin': (target) => `http://localhost${target}`,
}

/** Other spellings of a path. Express, middleware before it or a framework's router may take each for the same path. */
export function listSpellings(path: string, unknownPath: string): Spelling[] {
  const all = Object.entries(SPELLINGS).map(([name, spell]) => {
    return { name, target: spell(path), unknownTarget: spell(unknownPath) }
  })
  // %2F instead of the only slash would be no path.
  return all.filter(({ target }) => target !== path && /^(?:\/|http:)/.test(target))
}
