import { NO_ACCESS_TOKEN, ask, judge, skip, type Check, type CheckContext } from './check.js'
import { basicTokenRequest, bearer, formCredentials, GRANT, postForm, tokenRequest, withHeader } from './drafts.js'
import { ALLOWED, all, header, headerWith, noHeader, refusal, that } from './expectation.js'

const NO_CACHE =
  'Let no cache keep these answers. nginx: no proxy_cache for /{api}/token and guarded paths, or no proxy_ignore_headers Cache-Control and no proxy_cache_methods POST; Varnish: return (pass) for Authorization; a CDN: obey Cache-Control.'
const HEADERS =
  'Let Cache-Control and Pragma through as they are. nginx: no "expires", no add_header Cache-Control, no proxy_hide_header; HAProxy: no set-header Cache-Control.'
const NOT_CHANGED =
  'Leave token answers as they are: compressed secrets can be guessed (BREACH), and an ETag makes caches keep them. nginx: gzip off for /{api}/token; Express: app.use(auth.router) before compression() and other middleware that changes answers.'

const NO_STORE = headerWith('Cache-Control', 'no-store')

/** Headers of token answers, for one oauth2 API. */
export const TOKEN_CACHING_CHECKS: readonly Check[] = [
  ask({
    row: 'C3',
    sends: 'a token request, for Cache-Control of its answer',
    draft: tokenRequest,
    expects: all(NO_STORE, headerWith('Pragma', 'no-cache')),
    fix: HEADERS,
  }),
  ask({
    row: 'C3',
    sends: 'a token request without credentials, for Cache-Control of its refusal',
    draft: (context) => postForm(context, 'token', GRANT),
    expects: NO_STORE,
    fix: HEADERS,
  }),
  ask({
    row: 'C3',
    sends: 'introspection, for Cache-Control of its refusal',
    draft: (context) => postForm(context, 'introspect', formCredentials(context.site.caller)),
    expects: NO_STORE,
    fix: HEADERS,
  }),
  ask({
    row: 'C1',
    sends: 'a token request with Accept: text/html',
    draft: (context) => withHeader(tokenRequest(context), 'Accept', 'text/html'),
    expects: all(
      header('Content-Type', 'application/json; charset=utf-8'),
      header('X-Content-Type-Options', 'nosniff'),
    ),
    fix: 'Let Content-Type and X-Content-Type-Options through, once each. nginx: no add_header X-Content-Type-Options for the app, because it adds a second one.',
  }),
  ask({
    row: 'C4',
    sends: 'a token request, for cookies in its answer',
    draft: tokenRequest,
    expects: noHeader('Set-Cookie'),
    fix: 'Set no cookie here: app.use(auth.router) before sessions; balancers that stick by a cookie (HAProxy: cookie ... insert; a cloud balancer) need none, because every instance answers everything.',
  }),
  ask({
    row: 'C4',
    sends: 'a token request with Accept-Encoding: gzip',
    draft: (context) => withHeader(tokenRequest(context), 'Accept-Encoding', 'gzip, br'),
    expects: all(noHeader('Content-Encoding'), noHeader('ETag')),
    fix: NOT_CHANGED,
  }),
  {
    row: 'T19',
    sends: 'the same token request twice',
    expects: 'two different access tokens',
    fix: NO_CACHE,
    async run(context) {
      const draft = basicTokenRequest(context)
      const [first, second] = [await context.site.send(draft), await context.site.send(draft)]
      if (typeof first.json?.['access_token'] !== 'string') return skip(NO_ACCESS_TOKEN)
      if (first.json['access_token'] !== second.json?.['access_token'] && second.header('age') === undefined)
        return undefined
      return { received: `the same access token twice, or an answer with Age (${second.header('age') ?? 'none'})` }
    },
  },
]

/** Checks caches in front of each API with a guarded route. */
export const GUARD_CACHING_CHECKS: readonly Check[] = [
  {
    row: 'C3',
    sends: 'a request with a credential, then one without',
    expects: '401 with the JSON error "unauthorized"',
    fix: `An answer was given to somebody who may not have it. ${NO_CACHE}`,
    async run(context) {
      const credential = (await getCredential(context)) ?? skip(NO_ACCESS_TOKEN)
      const path = createFreshPath(context)
      await context.site.send({ path, headers: [credential] })
      return judge(context, await context.site.send({ path }), refusal(401, 'unauthorized'))
    },
  },
  {
    row: 'C3',
    sends: 'a request without a credential, then one with it',
    expects: ALLOWED.text,
    fix: `A refusal was kept, and given to somebody else. ${NO_CACHE}`,
    async run(context) {
      const credential = (await getCredential(context)) ?? skip(NO_ACCESS_TOKEN)
      const path = createFreshPath(context)
      await context.site.send({ path })
      return judge(context, await context.site.send({ path, headers: [credential] }), ALLOWED)
    },
  },
  ask({
    row: 'C3',
    sends: 'a request without a credential, for the headers of the refusal',
    draft: ({ route }) => ({ path: route }),
    expects: all(
      NO_STORE,
      noHeader('Set-Cookie'),
      noHeader('Age'),
      that('Content-Type: application/json; charset=utf-8', ({ header }) =>
        (header('content-type') ?? '').startsWith('application/json'),
      ),
    ),
    fix: `${HEADERS} Sessions and balancers that set cookies come behind the guards.`,
  }),
]

/** A credential for the API's guard; undefined if no access token was issued. */
export async function getCredential({
  api,
  site,
}: CheckContext): Promise<readonly [name: string, value: string] | undefined> {
  if (api.scheme === 'apiKey') return [api.keyHeaders[0]!, site.caller.clientId]
  const token = await site.getAccessToken(api, site.caller)
  return token === undefined ? undefined : bearer(token)
}

/** The route with a query of its own, so that nothing is in a cache yet. */
function createFreshPath({ route }: CheckContext): string {
  const query = `prove=${Math.random().toString(36).slice(2)}`
  return `${route}${route.includes('?') ? '&' : '?'}${query}`
}
