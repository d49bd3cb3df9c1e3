import { ask, judge, skip, type Check, type CheckContext } from './check.js'
import { bearer, get, UNKNOWN_KEY } from './drafts.js'
import { ALLOWED, all, challenge, headerWith, refusal, status, that, NO_BODY } from './expectation.js'
import { NOT_GUARDED } from './guards.js'

const KEY_HEADER =
  'Pass the header of API keys on as it is sent. nginx drops names with an underscore: underscores_in_headers on; HAProxy: no del-header; a CDN: forward the header, and let it be part of the cache key.'
const REFUSALS =
  'Let refusals of the app through as they are: status, headers and body. nginx: proxy_intercept_errors off, no proxy_hide_header WWW-Authenticate. If the guard has an onDenied of its own, name another route.'

const REFUSED = that('401 or 400', ({ status }) => status === 401 || status === 400)

function header({ api }: CheckContext): string {
  return api.keyHeaders[0] ?? 'X-Api-Key'
}

/** The checks of each apiKey API with a guarded route. */
export const API_KEY_CHECKS: readonly Check[] = [
  ask({
    row: 'G10',
    sends: 'a request without a key',
    draft: (context) => get(context),
    expects: refusal(401, 'unauthorized'),
    fix: NOT_GUARDED,
  }),
  ask({
    row: 'G10',
    sends: 'a request without a key, for its challenge',
    draft: (context) => get(context),
    expects: ({ api }) => all(challenge(`ApiKey realm="${api.name}",`), challenge(`header="${api.keyHeaders[0]}"`)),
    fix: 'Let WWW-Authenticate through. nginx: no proxy_hide_header WWW-Authenticate, proxy_intercept_errors off; HAProxy: no "http-response del-header WWW-Authenticate".',
  }),
  ask({
    row: 'G10',
    sends: 'HEAD without a key',
    draft: (context) => ({ ...get(context), method: 'HEAD' }),
    expects: all(status(401), challenge('ApiKey realm='), NO_BODY),
    fix: 'Let HEAD reach the app, and pass its answer on. nginx: no limit_except or "if ($request_method ...)"; HAProxy: no rule on "method"; Express: no app.head() before the guard.',
  }),
  ask({
    row: 'G10',
    sends: 'a request with the key in Authorization',
    draft: (context) => get(context, bearer(context.site.caller.clientId)),
    expects: ({ api }) => (api.keyHeaders[1] === 'Authorization' ? ALLOWED : REFUSED),
    fix: NOT_GUARDED,
  }),
  ask({
    row: 'G9',
    sends: 'a request with two keys',
    draft: (context) => {
      const { clientId } = context.site.caller
      return get(context, [header(context), clientId], [header(context), clientId])
    },
    expects: status(400),
    fix: KEY_HEADER,
  }),
  ask({
    row: 'G11',
    sends: 'a request with an unknown key',
    draft: (context) => get(context, [header(context), UNKNOWN_KEY]),
    expects: all(refusal(401, 'invalid_api_key'), challenge('ApiKey realm=')),
    fix: `${KEY_HEADER} ${REFUSALS}`,
  }),
  ask({
    row: 'G11',
    sends: "a request with the application's public id as key",
    draft: (context) => get(context, [header(context), context.site.caller.id]),
    expects: refusal(401, 'invalid_api_key'),
    fix: REFUSALS,
  }),
  ask({
    row: 'G16',
    sends: 'a request with a key',
    draft: (context) => get(context, [header(context), context.site.caller.clientId]),
    expects: ALLOWED,
    fix: `${KEY_HEADER} The server must run with this --config: the same store and secret.`,
  }),
  ask({
    row: 'G25',
    sends: 'a request with a key, the name of the header in other case',
    draft: (context) => get(context, [swapCase(header(context)), context.site.caller.clientId]),
    expects: ALLOWED,
    fix: 'Compare names of headers without regard to case (RFC 9110 5.1) in rules of proxy and WAF.',
  }),
  ask({
    row: 'G19',
    sends: 'a request with a key, for the header Vary',
    draft: (context) => get(context, [header(context), context.site.caller.clientId]),
    expects: (context) => headerWith('Vary', header(context)),
    fix: "Let Vary through: without it a cache gives one application's answer to another. nginx: no proxy_hide_header Vary; a CDN: forward it. In the app, use res.vary() in place of res.set('Vary').",
  }),
  {
    row: 'G12',
    sends: 'a request with the key of an application that may not use the API',
    expects: '403 with the JSON error "access_denied"',
    fix: REFUSALS,
    async run(context) {
      const { platform, other, send } = context.site
      const application = await platform.applications.get(other.id)
      if (Object.hasOwn(application?.apis ?? {}, context.api.name)) return skip('there is only this API')
      const denied = all(refusal(403, 'access_denied'), challenge('ApiKey realm='))
      return judge(context, await send(get(context, [header(context), other.clientId])), denied)
    },
  },
]

function swapCase(name: string): string {
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
}
