import { ask, judge, type Check, type CheckContext } from './check.js'
import {
  basic,
  basicTokenRequest,
  bearer,
  GRANT,
  postForm,
  tokenRequest,
  UNKNOWN_KEY,
  withHeader,
  WRONG_SECRET,
} from './drafts.js'
import { all, header, refusal, status, that, TOKEN, type Expectation } from './expectation.js'

const AUTHORIZATION =
  'Pass the Authorization header on as it is sent, each line of it. nginx: no proxy_set_header Authorization; HAProxy: no set-header or del-header Authorization; Apache: CGIPassAuth On; a CDN: forward the header.'
const CHALLENGES =
  'Let WWW-Authenticate through. nginx: no proxy_hide_header WWW-Authenticate, proxy_intercept_errors off; HAProxy: no "http-response del-header"; a CDN or gateway: forward it.'
const QUERIES = 'Let the query string through as it is: no proxy rule that removes or moves parameters.'

function basicChallenge({ api }: CheckContext): Expectation {
  return header('WWW-Authenticate', `Basic realm="${api.name}", charset="UTF-8", error="invalid_client"`)
}

/** How clients send their credentials to the token endpoint, for one oauth2 API. */
export const CREDENTIAL_CHECKS: readonly Check[] = [
  ...['client_id', 'client_secret'].map((name) =>
    ask({
      row: 'T7',
      sends: `a token request with ${name} in the query string`,
      draft: (context) => {
        const draft = tokenRequest(context)
        // The credential is invented, because access logs keep it.
        return { ...draft, path: `${draft.path}?${name}=prove` }
      },
      expects: refusal(400, 'invalid_request'),
      fix: QUERIES,
    }),
  ),
  ask({
    row: 'T8',
    sends: 'a token request with two Authorization headers',
    draft: (context) => {
      const { clientId, clientSecret } = context.site.caller
      const credentials = basic(clientId, clientSecret)
      return postForm(context, 'token', GRANT, [credentials, credentials])
    },
    // A proxy may refuse it by itself, as nginx does.
    expects: status(400),
    fix: AUTHORIZATION,
  }),
  ask({
    row: 'T8',
    sends: 'a token request with HTTP Basic and a client_secret in the form',
    draft: (context) => basicTokenRequest(context, [...GRANT, ['client_secret', WRONG_SECRET]]),
    expects: refusal(400, 'invalid_request'),
    fix: AUTHORIZATION,
  }),
  ask({
    row: 'T8',
    sends: "a token request with HTTP Basic and another client's client_id in the form",
    draft: (context) => basicTokenRequest(context, [...GRANT, ['client_id', context.site.other.clientId]]),
    expects: refusal(400, 'invalid_request'),
    fix: AUTHORIZATION,
  }),
  ask({
    row: 'T8',
    sends: 'a token request with HTTP Basic that cannot be decoded',
    draft: (context) => postForm(context, 'token', GRANT, [['Authorization', 'Basic !']]),
    expects: refusal(400, 'invalid_request'),
    fix: AUTHORIZATION,
  }),
  ask({
    row: 'T9',
    sends: 'a token request with credentials in the form and an Authorization header of another scheme',
    draft: (context) => withHeader(tokenRequest(context), ...bearer('prove')),
    expects: TOKEN,
    fix: 'Let the Authorization header through without judging it: something in front of the app takes it for a token of its own.',
  }),
  ask({
    row: 'T9',
    sends: 'a token request without credentials, for its challenge',
    draft: (context) => postForm(context, 'token', GRANT),
    expects: (context) => all(status(401), basicChallenge(context)),
    fix: CHALLENGES,
  }),
  ask({
    row: 'T10',
    sends: 'a token request with an unknown key',
    draft: (context) =>
      postForm(context, 'token', [...GRANT, ['client_id', UNKNOWN_KEY], ['client_secret', WRONG_SECRET]]),
    expects: refusal(401, 'invalid_client'),
    fix: 'Let the answers of the app through. If a token came back, the server is not this platform.',
  }),
  ask({
    row: 'T10',
    sends: 'a token request with a wrong secret in HTTP Basic',
    draft: (context) => postForm(context, 'token', GRANT, [basic(context.site.caller.clientId, WRONG_SECRET)]),
    expects: (context) => all(refusal(401, 'invalid_client'), basicChallenge(context)),
    fix: CHALLENGES,
  }),
  {
    row: 'T10',
    sends: 'a token request with an unknown key, and one with a wrong secret',
    expects: 'the same bytes for each',
    fix: 'Let refusals through as they are: no page or text of the proxy that depends on the request (nginx: sub_filter, error_page).',
    async run(context) {
      const ask = (clientId: string) =>
        context.site.send(
          postForm(context, 'token', [...GRANT, ['client_id', clientId], ['client_secret', WRONG_SECRET]]),
        )
      const [unknown, wrong] = [await ask(UNKNOWN_KEY), await ask(context.site.caller.clientId)]
      return judge(
        context,
        wrong,
        that(
          'the same answer as for an unknown key',
          ({ status, body }) => status === unknown.status && body === unknown.body,
        ),
      )
    },
  },
  ask({
    row: 'T25',
    sends: "a token request with the application's public id, in the form",
    draft: (context) =>
      postForm(context, 'token', [
        ...GRANT,
        ['client_id', context.site.caller.id],
        ['client_secret', context.site.caller.clientSecret],
      ]),
    expects: TOKEN,
    fix: 'Run the same version of the package on every instance: an older one takes keys only.',
  }),
  ask({
    row: 'T19',
    sends: 'a token request whose Authorization header is called "authorization" and whose scheme is "basic"',
    draft: (context) => {
      const { clientId, clientSecret } = context.site.caller
      const [, value] = basic(clientId, clientSecret)
      return postForm(context, 'token', GRANT, [['authorization', value.replace('Basic', 'basic')]])
    },
    expects: TOKEN,
    fix: 'Compare names of headers and schemes without regard to case (RFC 9110 5.1, 11.1) in rules of proxy and WAF.',
  }),
]
