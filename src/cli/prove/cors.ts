import { ask, skip, type Check, type CheckContext } from './check.js'
import { tokenRequest, withHeader } from './drafts.js'
import { all, header, noHeader, refusal, status, that, type Expectation } from './expectation.js'

const ONCE =
  'Let the app alone set Access-Control-Allow-Origin: browsers refuse an answer that has it twice. nginx: no add_header Access-Control-*; HAProxy: no add-header; Express: no cors() before auth.router.'
const NOT_ALLOWED =
  'The option "cors" is not set, so that pages of other origins cannot read tokens: remove what else allows it (nginx: add_header Access-Control-Allow-Origin; Express: cors() before auth.router), or set the option.'

const ORIGIN = 'https://prove.invalid'

/** An origin that the option allows; undefined if it is not set. */
function findAllowedOrigin({ site }: CheckContext): string | undefined {
  const origin = site.options.cors?.origin
  const [first] = origin === undefined ? [] : [origin].flat()
  return first === '*' ? ORIGIN : first
}

function requireAllowedOrigin(context: CheckContext): string {
  return findAllowedOrigin(context) ?? skip('the option "cors" is not set')
}

const DOCUMENT_PATHS = [
  ['authorization server metadata', 'oauth-authorization-server'],
  ['protected resource metadata', 'oauth-protected-resource'],
  ['key set', 'jwks.json'],
] as const

/** The checks of one oauth2 API. */
export const CORS_CHECKS: readonly Check[] = [
  ...DOCUMENT_PATHS.map(([title, name]) =>
    ask({
      row: 'X3',
      sends: `GET for the ${title} from a page of another origin`,
      draft: ({ api }) => ({ path: `/${api.name}/.well-known/${name}`, headers: [['Origin', ORIGIN]] }),
      expects: header('Access-Control-Allow-Origin', '*'),
      fix: ONCE,
    }),
  ),
  ask({
    row: 'X1',
    sends: 'a token request from a page of another origin, without the option "cors"',
    draft: (context) => {
      if (findAllowedOrigin(context) !== undefined) return skip('the option "cors" is set')
      return withHeader(tokenRequest(context), 'Origin', ORIGIN)
    },
    expects: noHeader('Access-Control-Allow-Origin'),
    fix: NOT_ALLOWED,
  }),
  ask({
    row: 'T1',
    sends: 'OPTIONS to the token endpoint, without the option "cors"',
    draft: (context) =>
      findAllowedOrigin(context) === undefined ? preflight(context, ORIGIN) : skip('the option "cors" is set'),
    expects: all(refusal(405, 'invalid_request'), noHeader('Access-Control-Allow-Origin')),
    fix: NOT_ALLOWED,
  }),
  ask({
    row: 'X2',
    sends: 'OPTIONS to the token endpoint from an allowed origin',
    draft: (context) => preflight(context, requireAllowedOrigin(context)),
    expects: (context) => all(status(204), allows(context), header('Access-Control-Allow-Methods', 'POST')),
    fix: ONCE,
  }),
  ask({
    row: 'X2',
    sends: 'a token request from an allowed origin',
    draft: (context) => withHeader(tokenRequest(context), 'Origin', requireAllowedOrigin(context)),
    expects: (context) =>
      all(
        allows(context),
        that('Access-Control-Expose-Headers with WWW-Authenticate', ({ header }) =>
          (header('access-control-expose-headers') ?? '').includes('WWW-Authenticate'),
        ),
      ),
    fix: ONCE,
  }),
]

function allows(context: CheckContext): Expectation {
  const origin = context.site.options.cors?.origin
  return header('Access-Control-Allow-Origin', origin === '*' ? '*' : (findAllowedOrigin(context) ?? ''))
}

function preflight({ api }: CheckContext, origin: string) {
  const headers = [
    ['Origin', origin],
    ['Access-Control-Request-Method', 'POST'],
    ['Access-Control-Request-Headers', 'authorization'],
  ] as const
  return { method: 'OPTIONS', path: `/${api.name}/token`, headers }
}
