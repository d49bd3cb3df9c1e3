import { ConfigurationError } from '../../shared/contracts/errors.js'
import { invalidOption } from '../../shared/lib/option-checks.js'

const DEFAULT_KEY_HEADER = 'X-Api-Key'

export function readKeyHeaders(option: string, header: unknown = DEFAULT_KEY_HEADER): readonly string[] {
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
  if (isReserved(name.toLowerCase()))
    throw new ConfigurationError({
      option,
      problem: `is ${JSON.stringify(name)}, which has another meaning in HTTP`,
      fix: `Choose a name of your own, such as "${DEFAULT_KEY_HEADER}"${isAuthorization(name) ? `, and this second: ['${DEFAULT_KEY_HEADER}', '${AUTHORIZATION}']` : ''}.`,
    })
  return name
}

/** Names that browsers, proxies, caches, Node or this package use: a key there would be changed, logged or lost. */
function isReserved(name: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix)) || RESERVED.has(name) || name in Object.prototype
}

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
