import { ask, type Check, type CheckContext } from './check.js'
import { tokenRequest, withHeader } from './drafts.js'
import { all, header, noHeader, status, that, type Expectation, skip } from './expectation.js'

const ONCE =
  'Let the app alone set Access-Control-Allow-Origin: browsers refuse an answer that has it twice. nginx: no add_header Access-Control-*; HAProxy: no add-header; Express: no cors() before auth.router.'

const ORIGIN = 'https://prove.invalid'

export const CORS_CHECKS: readonly Check[] = [
  ask({
    row: 'X1',
    sends: 'a token request from a page of another origin, without the option "cors"',
    draft: ({ api, site }) =>
      site.options.cors
        ? skip('the option "cors" is set')
        : withHeader(tokenRequest(api, site.caller), 'Origin', ORIGIN),
    expects: noHeader('Access-Control-Allow-Origin'),
    fix: 'The option "cors" is not set, so that pages of other origins cannot read tokens: remove what else allows it (nginx: add_header Access-Control-Allow-Origin; Express: cors() before auth.router), or set the option.',
  }),
  ask({
    row: 'X2',
    sends: 'OPTIONS to the token endpoint from an allowed origin',
    draft: (context) => ({
      method: 'OPTIONS',
      path: `/${context.api.name}/token`,
      headers: [
        ['Origin', requireAllowedOrigin(context)],
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'authorization'],
      ],
    }),
    expects: (context) => all(status(204), allows(context), header('Access-Control-Allow-Methods', 'POST')),
    fix: ONCE,
  }),
  ask({
    row: 'X2',
    sends: 'a token request from an allowed origin',
    draft: (context) =>
      withHeader(tokenRequest(context.api, context.site.caller), 'Origin', requireAllowedOrigin(context)),
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

function requireAllowedOrigin({ site }: CheckContext): string {
  const { origin } = site.options.cors ?? skip('the option "cors" is not set')
  const [first = ''] = [origin].flat()
  return first === '*' ? ORIGIN : first
}

function allows(context: CheckContext): Expectation {
  const isForAll = context.site.options.cors?.origin === '*'
  return header('Access-Control-Allow-Origin', isForAll ? '*' : requireAllowedOrigin(context))
}
