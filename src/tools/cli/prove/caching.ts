import { ask, requireCredential, takeAccessToken, type Check, type CheckContext } from './check.js'
import { basicRequest, tokenRequest, withHeader } from './drafts.js'
import { all, headerWith, noHeader, NO_STORE, refusal } from './expectation.js'
import { isForManagement } from '../../operations/operator-calls.js'
import { readAccessToken } from './site.js'

const NO_CACHE =
  'Let no cache keep these answers. nginx: no proxy_cache for /{api}/token and guarded paths, or no proxy_ignore_headers Cache-Control and no proxy_cache_methods POST; Varnish: return (pass) for Authorization; a CDN: obey Cache-Control.'
const HEADERS =
  'Let Cache-Control and Pragma through as they are. nginx: no "expires", no add_header Cache-Control, no proxy_hide_header; HAProxy: no set-header Cache-Control.'

export const TOKEN_CACHING_CHECKS: readonly Check[] = [
  ask({
    row: 'C3',
    sends: 'a token request, for Cache-Control of its answer',
    draft: ({ api, site }) => tokenRequest(api, site.caller),
    expects: all(NO_STORE, headerWith('Pragma', 'no-cache')),
    fix: HEADERS,
  }),
  ask({
    row: 'C4',
    sends: 'a token request, for cookies in its answer',
    draft: ({ api, site }) => tokenRequest(api, site.caller),
    expects: noHeader('Set-Cookie'),
    fix: 'Set no cookie here: app.use(auth.router) before sessions; balancers that stick by a cookie (HAProxy: cookie ... insert; a cloud balancer) need none, because every instance answers everything.',
  }),
  ask({
    row: 'C4',
    sends: 'a token request with Accept-Encoding: gzip',
    draft: ({ api, site }) => withHeader(tokenRequest(api, site.caller), 'Accept-Encoding', 'gzip, br'),
    expects: all(noHeader('Content-Encoding'), noHeader('ETag')),
    fix: 'Leave token answers as they are: compressed secrets can be guessed (BREACH), and an ETag makes caches keep them. nginx: gzip off for /{api}/token; Express: app.use(auth.router) before compression() and other middleware that changes answers.',
  }),
  {
    row: 'T19',
    sends: 'the same token request twice',
    expects: 'two different access tokens',
    fix: NO_CACHE,
    async run({ api, site }) {
      const draft = basicRequest(api, site.caller)
      const [first, second] = [await site.send(draft), await site.send(draft)]
      if (takeAccessToken(first) !== readAccessToken(second) && second.header('age') === undefined) return undefined
      return { received: `the same access token twice, or an answer with Age (${second.header('age') ?? 'none'})` }
    },
  },
]

export const GUARD_CACHING_CHECKS: readonly Check[] = [
  ask({
    row: 'C3',
    sends: 'a request with a credential, then one without',
    async draft(context) {
      const path = createFreshPath(context)
      await context.site.send({ path, headers: [await requireCredential(context)] })
      return { path }
    },
    expects: refusal(401, 'unauthorized'),
    fix: `An answer was given to somebody who may not have it. ${NO_CACHE}`,
  }),
  ask({
    row: 'C3',
    sends: 'a request without a credential, then one with it',
    async draft(context) {
      const [credential, path] = [await requireCredential(context), createFreshPath(context)]
      await context.site.send({ path })
      return { path, headers: [credential] }
    },
    expects: ({ allowed }) => allowed,
    fix: `A refusal was kept, and given to somebody else. ${NO_CACHE}`,
  }),
  ask({
    row: 'C3',
    sends: 'a request without a credential, for the headers of the refusal',
    draft: ({ route }) => ({ path: route }),
    expects: all(NO_STORE, noHeader('Set-Cookie'), noHeader('Age')),
    fix: `${HEADERS} Sessions and balancers that set cookies come behind the guards.`,
  }),
]

function createFreshPath({ api, route }: CheckContext): string {
  const query = `${isForManagement(api) ? 'name' : 'prove'}=${Math.random().toString(36).slice(2)}`
  return `${route}${route.includes('?') ? '&' : '?'}${query}`
}
