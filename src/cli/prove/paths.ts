import { getCredential } from './caching.js'
import { ask, skip, type Check } from './check.js'
import { GRANT, postForm } from './drafts.js'
import { status, that, type Expectation } from './expectation.js'

const EXACT_PATHS =
  'Pass the path on exactly as it is sent: rules of the proxy that look at paths are bypassed by other spellings of them otherwise. nginx: proxy_pass http://api; without a path, or merge_slashes off; HAProxy: no normalize-uri; Express: auth.router compares exactly by itself.'

/** Any answer but the token endpoint's: the host's app decides. */
const NOT_TOKEN_ENDPOINT: Expectation = that(
  'no answer of the token endpoint',
  ({ status, json }) => status > 0 && !['invalid_client', 'invalid_request'].includes(String(json?.['error'])),
)

/** Other spellings of the path of the token endpoint, for one oauth2 API. */
const SPELLINGS: readonly (readonly [name: string, spell: (api: string) => string])[] = [
  ['a double slash before it', (api) => `//${api}/token`],
  ['a double slash in it', (api) => `/${api}//token`],
  ['a slash at its end', (api) => `/${api}/token/`],
  ['an encoded letter', (api) => `/${api}/%74oken`],
  ['a dot segment', (api) => `/${api}/./token`],
  ['capital letters', (api) => `/${api}/TOKEN`],
]

export const PATH_CHECKS: readonly Check[] = [
  ...SPELLINGS.map(([name, spell]) =>
    ask({
      row: 'P12',
      sends: `a token request to its path with ${name}`,
      draft: ({ api }) => ({ ...postForm({ api }, 'token', GRANT), path: spell(api.name) }),
      expects: NOT_TOKEN_ENDPOINT,
      fix: EXACT_PATHS,
    }),
  ),
  ask({
    row: 'P12',
    sends: 'a token request with a query string',
    draft: ({ api }) => ({ ...postForm({ api }, 'token', GRANT), path: `/${api.name}/token?prove=1` }),
    expects: status(401),
    fix: 'Route by the path alone, without the query string.',
  }),
  ask({
    row: 'P11',
    sends: 'a token request to an unknown API',
    draft: () => ({ ...postForm({ api: { name: 'prove-unknown' } }, 'token', GRANT) }),
    expects: NOT_TOKEN_ENDPOINT,
    fix: 'Pass the path on as it is: a rule of the proxy sends other paths to a token endpoint.',
  }),
]

/** Other spellings of a guarded path, for each API with a guarded route. */
const GUARDED_SPELLINGS: readonly (readonly [name: string, spell: (route: string) => string])[] = [
  ['a double slash before it', (route) => `/${route}`],
  ['a slash at its end', (route) => `${route}/`],
  [
    'an encoded letter',
    (route) => route.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ],
  ['a dot segment', (route) => `/.${route}`],
  ['capital letters', (route) => route.toUpperCase()],
  ['a parameter at its end', (route) => `${route};prove`],
]

export const GUARDED_PATH_CHECKS: readonly Check[] = GUARDED_SPELLINGS.map(([name, spell]) => ({
  row: 'G2',
  sends: `a request without a credential to the guarded path with ${name}`,
  expects: 'anything but the answer for those who have a credential',
  fix: 'The app serves the route under this path too, past its guard: put the guard on the route itself or on the router, not on a path; "Guards" in docs/http.md names guards that compare exactly. nginx: proxy_pass http://api; without a path; no rule that guards by path.',
  async run(context) {
    const { route, site } = context
    const credential = await getCredential(context)
    const allowed = credential && (await site.send({ path: route, headers: [credential] }))
    if (!allowed || allowed.status !== 200 || allowed.body === '')
      return skip('no answer with a credential to compare with')
    const answer = await site.send({ path: spell(route) })
    return answer.status === 200 && answer.body === allowed.body ? { received: site.describe(answer) } : undefined
  },
}))
