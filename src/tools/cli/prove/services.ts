import type { Api } from '../../../index.js'
import { SCOPES } from '../../operations/operator-calls.js'
import { ask, judge, requireAccessToken, type Check, type CheckContext, type CheckOutcome } from './check.js'
import { METHOD_BLOCKED } from './diagnosis.js'
import { bearer, formCredentials, postForm, requireMethod, withHeader } from './drafts.js'
import type { ProbeAnswer } from './exchange.js'
import { all, header, headerWith, refusal, status, that, type Expectation } from './expectation.js'

const REACHES =
  'Let POST {baseUrl}/{api}/check and /introspect, and {baseUrl}/_resource-server/ for key APIs, reach the app with body and Authorization as they are sent, and their answers come back as they are. nginx: no proxy_pass_request_body off, no proxy_set_header Authorization "", proxy_intercept_errors off; HAProxy: no del-header Authorization.'
const NEVER_CACHED =
  'Let no cache answer here, and nothing in front answer 2xx itself: the answer to one credential was given to another. nginx: no proxy_cache with proxy_cache_methods POST for /{api}/check, /{api}/introspect and /_resource-server/.'
const KEPT_HEADERS =
  'Let Cache-Control and Max-Age through as they are. nginx: no "expires", no proxy_hide_header; HAProxy: no del-header.'

const NO_STORE = headerWith('Cache-Control', 'no-store')
const HAS_AGE = that('Max-Age', ({ header: read }) => /^\d+$/.test(read('max-age') ?? ''))
const isActive = (active: boolean): Expectation =>
  that(`200 with "active":${active}`, ({ status: given, json }) => given === 200 && json?.['active'] === active)

async function send(context: CheckContext, endpoint: 'check' | 'introspect', given?: string): Promise<ProbeAnswer> {
  const { api, site } = context
  const { clientId, clientSecret } = site.caller
  if (api.scheme === 'apiKey') {
    const form = [['token', given ?? clientId], ['api', api.name], ...formCredentials(site.caller)] as const
    return site.send({ ...postForm(api, endpoint, form), path: `/_resource-server/${endpoint}` })
  }
  requireMethod(api, 'client_secret_basic')
  const draft = postForm(api, endpoint, [['token', given ?? (await requireAccessToken(context))]])
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return site.send(withHeader(draft, 'Authorization', `Basic ${credentials}`))
}

/** A credential that is good, one that is none, and the good one again: no answer may be that to another. */
function createCheck(
  check: Pick<Check, 'row' | 'sends' | 'fix'> & {
    readonly endpoint: 'check' | 'introspect'
    readonly refuses?: true
    readonly expects: Expectation
  },
): Check {
  const { endpoint, refuses, expects, ...described } = check
  return {
    ...described,
    expects: expects.text,
    async run(context): Promise<CheckOutcome> {
      // The other one comes first, for what a cache has kept.
      await send(context, endpoint, refuses ? undefined : 'prove')
      const outcome = judge(
        { ...context, route: '' },
        await send(context, endpoint, refuses ? 'prove' : undefined),
        expects,
      )
      return outcome && { ...outcome, fix: described.fix }
    },
  }
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
    expects: all(NO_STORE, HAS_AGE),
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

/** Whether an API is that of management over HTTP, whose operations then are guarded routes. */
export function isManagement({ scheme, scopes }: Api): boolean {
  return scheme === 'oauth2' && Object.keys(SCOPES).every((scope) => Object.hasOwn(scopes, scope))
}

const PROBLEM = 'application/problem+json'

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
    expects: all(refusal(403, 'protected_application'), headerWith('Content-Type', PROBLEM), NO_STORE),
    fix: `Mount management() where the API is, and let every method, JSON bodies and its problems through. ${METHOD_BLOCKED} Nothing in front may replace 403 by a page or change Content-Type.`,
    isOwnFix: true,
  }),
]
