import { ask, requireAccessToken, type Check, type CheckContext } from './check.js'
import { METHOD_BLOCKED } from './diagnosis.js'
import { bearer, formCredentials, postForm, withBasic } from './drafts.js'
import { all, header, headerWith, refusal, status, that, type Expectation, NO_STORE, isActive } from './expectation.js'

const REACHES =
  'Let POST {baseUrl}/{api}/check and /introspect, and {baseUrl}/_resource-server/ for key APIs, reach the app with body and Authorization as they are sent, and their answers come back as they are. nginx: no proxy_pass_request_body off, no proxy_set_header Authorization "", proxy_intercept_errors off; HAProxy: no del-header Authorization.'
const NEVER_CACHED =
  'Let no cache answer here, and nothing in front answer 2xx itself: the answer to one credential was given to another. nginx: no proxy_cache with proxy_cache_methods POST for /{api}/check, /{api}/introspect and /_resource-server/.'
const KEPT_HEADERS =
  'Let Cache-Control and Max-Age through as they are. nginx: no "expires", no proxy_hide_header; HAProxy: no del-header.'

type Endpoint = 'check' | 'introspect'

/** A question about the caller's own credential, or about one that is none. */
async function draftQuestion(context: CheckContext, endpoint: Endpoint, isGood: boolean) {
  const { api, site } = context
  if (api.scheme === 'apiKey') {
    const token = isGood ? site.caller.clientId : 'prove'
    const form = postForm(api, endpoint, [['token', token], ['api', api.name], ...formCredentials(site.caller)])
    return { ...form, path: `/_resource-server/${endpoint}` }
  }
  const token = isGood ? await requireAccessToken(context) : 'prove'
  return withBasic(postForm(api, endpoint, [['token', token]]), api, site.caller)
}

/** A credential that is good, one that is none, and the good one again: no answer may be that to another. */
function createCheck(
  check: Pick<Check, 'row' | 'sends' | 'fix'> & {
    readonly endpoint: Endpoint
    readonly refuses?: true
    readonly expects: Expectation
  },
): Check {
  const { endpoint, refuses = false, ...asked } = check
  return ask({
    ...asked,
    isOwnFix: true,
    async draft(context) {
      // The other one comes first, for what a cache has kept.
      await context.site.send(await draftQuestion(context, endpoint, refuses))
      return draftQuestion(context, endpoint, !refuses)
    },
  })
}

export const RESOURCE_SERVER_CHECKS: readonly Check[] = [
  createCheck({
    endpoint: 'check',
    row: 'S9',
    sends: 'a check of a good credential, after one of a wrong one',
    expects: status(204),
    fix: `${REACHES} ${NEVER_CACHED}`,
  }),
  createCheck({
    endpoint: 'check',
    row: 'S9',
    sends: 'a check of a good credential, for the headers of its answer',
    expects: all(
      NO_STORE,
      that('Max-Age', ({ header: read }) => /^\d+$/.test(read('max-age') ?? '')),
    ),
    fix: KEPT_HEADERS,
  }),
  createCheck({
    endpoint: 'check',
    row: 'S10',
    sends: 'a check of a wrong credential, after one of a good one',
    refuses: true,
    expects: all(status(401), header('Max-Age', '0'), NO_STORE),
    fix: `${NEVER_CACHED} ${REACHES}`,
  }),
  createCheck({
    endpoint: 'introspect',
    row: 'S7',
    sends: 'introspection of a good credential by a resource server, after one of a wrong one',
    expects: all(isActive(true), NO_STORE),
    fix: `${REACHES} ${NEVER_CACHED}`,
  }),
  createCheck({
    endpoint: 'introspect',
    row: 'S8',
    sends: 'introspection of a wrong credential by a resource server, after one of a good one',
    refuses: true,
    expects: all(isActive(false), NO_STORE),
    fix: `${NEVER_CACHED} ${REACHES}`,
  }),
]

/** For an API of management. Nobody changes the application of the checks there, so a change of it shows that requests arrive. */
export const MANAGEMENT_CHECKS: readonly Check[] = [
  ask({
    row: 'G18',
    sends: 'PATCH with a merge patch, for an application that management does not change',
    draft: async (context) => ({
      method: 'PATCH',
      path: `/${context.api.name}/applications/${context.site.caller.id}`,
      headers: [bearer(await requireAccessToken(context)), ['Content-Type', 'application/merge-patch+json']],
      body: '{"name":"prove"}',
    }),
    expects: all(
      refusal(403, 'protected_application'),
      headerWith('Content-Type', 'application/problem+json'),
      NO_STORE,
    ),
    fix: `Mount management() where the API is, and let every method, JSON bodies and its problems through. ${METHOD_BLOCKED} Nothing in front may replace 403 by a page or change Content-Type.`,
    isOwnFix: true,
  }),
]
