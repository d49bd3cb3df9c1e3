import { ask, judge, requireAccessToken, requireCredential, type Check, takeAccessToken } from './check.js'
import { HEADERS_TOO_LARGE, METHOD_BLOCKED, NO_CHALLENGE } from './diagnosis.js'
import { bearer, tokenRequest } from './drafts.js'
import { all, challenge, headerWith, NO_BODY, refusal, skip, status, that } from './expectation.js'
import { isForManagement } from '../../operations/operator-calls.js'
import type { Api } from '../../../shared/contracts/api.js'

const NOT_GUARDED =
  'Put the guard in front of the route: app.use(path, auth.requireBearer(api)) or requireApiKey before it. A guard with optional: true, or one that only reports, lets such requests pass; and so does a cache that keeps answers of others (nginx: no proxy_ignore_headers, proxy_cache_bypass $http_authorization).'
const CREDENTIALS =
  'Pass the header with the credential on as it is sent. nginx: no proxy_set_header Authorization, no auth_basic; it drops names with an underscore: underscores_in_headers on; HAProxy: no del-header; Apache: CGIPassAuth On; a CDN: forward the header, and let it be part of the cache key.'
const WRONG_PATH =
  'Correct the path of --route: it counts from baseUrl on, whose own path it does not repeat, and a GET route of the app must be there.'
const SAME_PLATFORM =
  'Start every instance on the same store, with the same secret and baseUrl, and with this --config. Clocks must agree: see NTP.'

/** The first one that is sent to a route. What is wrong with 401 or 403, the others show. */
const ROUTE_CHECK: Check = {
  row: 'G16',
  sends: 'a request with a credential',
  expects: '',
  fix: `${CREDENTIALS} ${SAME_PLATFORM}`,
  async run(context) {
    const { api, route, site, allowed } = context
    const answer = await site.send({ path: route, headers: [await requireCredential(context)] })
    const outcome = judge(context, answer, allowed)
    if (outcome && ![401, 403].includes(answer.status)) site.wrongRoutes.add(api.name)
    return outcome && answer.status === 404 && !isForManagement(api) ? { ...outcome, fix: WRONG_PATH } : outcome
  },
}

function createGuardChecks(row: 'G2' | 'G10', listChallenges: (api: Api) => readonly string[]): readonly Check[] {
  return [
    ROUTE_CHECK,
    ask({
      row,
      sends: 'a request without a credential',
      draft: ({ route }) => ({ path: route }),
      expects: ({ api }) => all(refusal(401, 'unauthorized'), ...listChallenges(api).map(challenge)),
      fix: NOT_GUARDED,
    }),
    ask({
      row,
      sends: 'HEAD without a credential',
      draft: ({ route }) => ({ method: 'HEAD', path: route }),
      expects: all(status(401), NO_BODY),
      fix: METHOD_BLOCKED,
    }),
    ask({
      row: 'X4',
      sends: 'OPTIONS without a credential',
      draft: ({ route }) => ({ method: 'OPTIONS', path: route }),
      // Express answers OPTIONS by itself for a route of one method; a guard of a document refuses the method with JSON.
      expects: that(
        "401, or the app's own answer",
        ({ status, json }) => [200, 204, 401, 404].includes(status) || json?.['error'] === 'method_not_allowed',
      ),
      fix: `${METHOD_BLOCKED} Browsers ask with OPTIONS before they call: put cors() before the guard.`,
    }),
    ask({
      row: 'G16',
      sends: 'a request with a credential, the names of header and scheme in other case',
      async draft(context) {
        const [name, value] = await requireCredential(context)
        const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
        return { path: context.route, headers: [[swapped, value.replace(/^Bearer /, 'bearer ')]] }
      },
      expects: ({ allowed }) => allowed,
      fix: 'Compare names of headers and schemes without regard to case (RFC 9110 5.1, 11.1) in rules of proxy and WAF.',
    }),
    ask({
      row: 'G16',
      sends: 'a request with a credential and 4 KiB of other headers, such as cookies',
      draft: async (context) => ({
        path: context.route,
        headers: [await requireCredential(context), ['X-Prove', 'x'.repeat(4096)]],
      }),
      expects: ({ allowed }) => allowed,
      fix: HEADERS_TOO_LARGE,
    }),
  ]
}

export const BEARER_GUARD_CHECKS: readonly Check[] = [
  ...createGuardChecks('G2', ({ name, resource }) => [
    `Bearer realm="${name}"`,
    // RFC 9728 5.1.
    `resource_metadata="${resource}/.well-known/oauth-protected-resource"`,
  ]),
  ask({
    row: 'G4',
    sends: 'a request with an access token of 7 KiB whose signature is wrong',
    draft: async (context) => ({
      path: context.route,
      headers: [bearer((await requireAccessToken(context)).padEnd(7000, 'A'))],
    }),
    expects: refusal(401, 'invalid_token'),
    fix: HEADERS_TOO_LARGE,
  }),
  ask({
    row: 'G8',
    sends: 'a request with an access token that has no scope of the route',
    async draft({ api, route, site }) {
      const refused = (await site.send({ path: route })).header('www-authenticate') ?? ''
      const needed =
        /Bearer [^\n]*?\bscope="([^"]*)"/.exec(refused)?.[1]?.split(' ') ?? skip('the route needs no scope')
      const scope = Object.keys(api.scopes).find((each) => !needed.includes(each))
      if (scope === undefined) return skip('the route needs every scope of the API')
      const token = takeAccessToken(await site.send(tokenRequest(api, site.caller, [['scope', scope]])))
      return { path: route, headers: [bearer(token)] }
    },
    expects: all(refusal(403, 'insufficient_scope'), challenge('Bearer realm=')),
    fix: NO_CHALLENGE,
  }),
]

export const KEY_GUARD_CHECKS: readonly Check[] = [
  ...createGuardChecks('G10', ({ name, keyHeaders }) => [`ApiKey realm="${name}",`, `header="${keyHeaders[0]}"`]),
  ask({
    row: 'G19',
    sends: 'a request with a key, for the header Vary',
    draft: async (context) => ({ path: context.route, headers: [await requireCredential(context)] }),
    expects: ({ api }) => headerWith('Vary', api.keyHeaders[0]!),
    fix: "Let Vary through: without it a cache gives one application's answer to another. nginx: no proxy_hide_header Vary; a CDN: forward it. In the app, use res.vary() in place of res.set('Vary').",
  }),
]
