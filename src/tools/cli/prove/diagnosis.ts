import { ownMembers } from '../../../shared/lib/own-members.js'
import type { ProbeAnswer } from './exchange.js'

/** What to change in front of the app, by the answer alone. Undefined if the platform answered, or it tells nothing. */
export function diagnose(answer: ProbeAnswer): string | undefined {
  const { status, failure } = answer
  if (failure !== undefined) return diagnoseFailure(failure)
  if (status >= 300 && status < 400 && status !== 304) return REDIRECTED
  const error = answer.json?.['error'] ?? answer.json?.['code']
  const isJson = /^application\/(?:problem\+)?json/.test(answer.header('content-type') ?? '')
  if (status === 401 && isJson && answer.header('www-authenticate') === undefined) return NO_CHALLENGE
  if (typeof error === 'string') return ownMembers(PLATFORM_ERRORS)[error]
  // An answer to HEAD has no body.
  if (isJson && answer.body === '') return undefined
  if (TOO_LARGE.test(answer.body) || status === 431 || status === 414) return HEADERS_TOO_LARGE
  if (status === 413) return BODY_TOO_LARGE
  if (status >= 502 && status <= 504) return GATEWAY
  if (status === 404) return NOT_MOUNTED
  if (status === 401) return REWRITTEN
  if (status === 403 || status === 406) return BLOCKED
  if (status === 405) return METHOD_BLOCKED
  return undefined
}

const TOO_LARGE = /header or cookie too large|header fields too large/i

export const NO_CHALLENGE =
  'Let WWW-Authenticate through: clients learn from it what to send. nginx: no proxy_hide_header WWW-Authenticate, proxy_intercept_errors off; HAProxy: no "http-response del-header WWW-Authenticate"; a CDN or gateway: forward it.'
const REDIRECTED =
  'Answer at this address, without a redirect: clients drop the body or the Authorization header on the way. Use the https address in baseUrl and --url; redirect pages only (nginx: no "return 301" in front of APIs; HAProxy: no "redirect scheme").'
export const HEADERS_TOO_LARGE =
  'Let header lines of 8 KiB and header sections of 16 KiB through: access tokens are long. nginx: large_client_header_buffers 4 16k; HAProxy: tune.bufsize 32768; Node: --max-http-header-size; a WAF: no limit for Authorization.'
export const BODY_TOO_LARGE =
  'Let bodies of up to 64 KiB reach the app, which refuses larger ones itself. nginx: client_max_body_size 1m, proxy_request_buffering on; HAProxy: no rule on req.body_size; Express: no smaller "limit" of a parser before auth.router.'
const GATEWAY =
  'The proxy reaches no instance, or lost the connection. Check the addresses of the upstream, and that every instance runs and answers /healthz. nginx: proxy_http_version 1.1, proxy_request_buffering on.'
const NOT_MOUNTED =
  'The request reaches the app under another path, or not at all. Mount auth.router where the path of baseUrl arrives. nginx: proxy_pass http://api; without a path, or "location /v1/" with "proxy_pass http://api/;", both with a slash at the end.'
const REWRITTEN =
  'Something in front of the app sends a 401 of its own. nginx: proxy_intercept_errors off, no auth_basic; HAProxy: no errorfile or http-error for 401; a WAF: let the answers of the app pass.'
const BLOCKED =
  'A rule in front of the app blocks the request: nginx (deny, limit_except, "return 403", or error_page 403 with proxy_intercept_errors on), HAProxy (http-request deny), or a WAF (ModSecurity: exclude these paths, and the headers Authorization and X-Api-Key, from its rules; access tokens are long).'
export const METHOD_BLOCKED =
  'Something in front of the app refuses the method: let every method reach it, HEAD and OPTIONS too. nginx: no limit_except or "if ($request_method ...)"; HAProxy: no rule on "method"; Express: no middleware that answers methods before auth.router and the guards.'

/** Errors that are the fault of the deployment, whatever was sent. */
const PLATFORM_ERRORS: Readonly<Record<string, string>> = {
  server_error:
    "The app's log has the cause. If a middleware reads the form before the platform does and leaves nothing on req.body (multer, busboy, a proxy's parser), put app.use(auth.router) before it.",
  temporarily_unavailable:
    'The instance that answered does not reach the store, or has another secret than the others: its log says which. Start every instance with the same options store and secret: [newest, ...older].',
  too_many_requests:
    'The limit was reached by these checks: repeat them a minute later, or with a lower --rate. If it comes at once, everybody shares one address: see the option "trust proxy".',
}

function diagnoseFailure(failure: string): string {
  if (/certificate|self.signed|issuer|altname|CERT_/i.test(failure))
    return 'Use a certificate for this host name that callers trust, with its intermediate certificates. For a certificate authority of your own: NODE_EXTRA_CA_CERTS=ca.pem.'
  if (/ENOTFOUND|EAI_AGAIN/.test(failure)) return 'Check the host name in baseUrl or --url, and its DNS record.'
  if (/ECONNREFUSED/.test(failure))
    return 'Start the server, and check the port in baseUrl or --url, the firewall, and what the proxy listens on.'
  return 'The connection was ended without an answer. Check the logs of the proxy and of the app: time-outs, limits for requests or connections, or an instance that has ended.'
}
