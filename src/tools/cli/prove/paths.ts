import { ask, type Check } from './check.js'
import { GRANT, postForm } from './drafts.js'
import { that } from './expectation.js'

/** Other spellings of the path of the token endpoint, for one oauth2 API. */
const SPELLINGS: readonly (readonly [name: string, spell: (api: string) => string])[] = [
  ['a double slash before it', (api) => `//${api}/token`],
  ['a double slash in it', (api) => `/${api}//token`],
  ['a slash at its end', (api) => `/${api}/token/`],
  ['an encoded letter', (api) => `/${api}/%74oken`],
  ['a dot segment', (api) => `/${api}/./token`],
  ['capital letters', (api) => `/${api}/TOKEN`],
]

export const PATH_CHECKS: readonly Check[] = SPELLINGS.map(([name, spell]) =>
  ask({
    row: 'P12',
    sends: `a token request to its path with ${name}`,
    draft: ({ api }) => ({ ...postForm(api, 'token', GRANT), path: spell(api.name) }),
    // Any other answer may come: the host's app decides.
    expects: that(
      'no answer of the token endpoint',
      ({ status, json }) => status > 0 && !['invalid_client', 'invalid_request'].includes(String(json?.['error'])),
    ),
    fix: 'Pass the path on exactly as it is sent: rules of the proxy that look at paths are bypassed by other spellings of them otherwise. nginx: proxy_pass http://api; without a path, or merge_slashes off; HAProxy: no normalize-uri; Express: auth.router compares exactly by itself.',
  }),
)
