import { ask, judge, requireAccessToken, type Check, type CheckContext } from './check.js'
import { basic, formCredentials, postForm, WRONG_SECRET } from './drafts.js'
import type { RequestDraft } from './exchange.js'
import { all, headerWith, refusal, status, that, NO_BODY, type Expectation } from './expectation.js'
import type { TemporaryApplication } from './temporary-applications.js'

const ROUTE_BOTH =
  'Route POST {baseUrl}/{api}/introspect and /revoke to the app as the token endpoint is: rules of the proxy name /token only, or a WAF blocks long forms.'
const SAME_INSTANCES = 'Start every instance on the same store, and with this --config.'

const INACTIVE: Expectation = that(
  '200 {"active":false}',
  ({ status, json }) => status === 200 && json?.['active'] === false,
)
const EMPTY: Expectation = all(status(200), NO_BODY)

/** Revocation and introspection, for one oauth2 API. */
export const INTROSPECTION_CHECKS: readonly Check[] = [
  ...(['introspect', 'revoke'] as const).flatMap((endpoint) => createEndpointChecks(endpoint)),
  {
    row: 'I6',
    sends: "introspection of the application's own access token",
    expects: '200 "active":true with the claims of the token',
    fix: SAME_INSTANCES,
    async run(context) {
      const { api, site } = context
      const draft = await askAbout(context, 'introspect', site.caller, site.caller)
      const isActive = ({ status, json }: { status: number; json?: Readonly<Record<string, unknown>> | undefined }) =>
        status === 200 &&
        json?.['active'] === true &&
        json['iss'] === api.resource &&
        json['client_id'] === site.caller.id
      return judge(context, await site.send(draft), that('200 "active":true with the claims of the token', isActive))
    },
  },
  ask({
    row: 'I7',
    sends: "introspection of another application's access token",
    draft: (context) => askAbout(context, 'introspect', context.site.other, context.site.caller),
    expects: INACTIVE,
    fix: SAME_INSTANCES,
  }),
  ask({
    row: 'I7',
    sends: 'introspection of something that is no access token',
    draft: (context) => askWith(context, 'introspect', context.site.caller, 'prove'),
    expects: INACTIVE,
    fix: ROUTE_BOTH,
  }),
  ask({
    row: 'I9',
    sends: 'revocation of something that is no access token',
    draft: (context) => askWith(context, 'revoke', context.site.caller, 'prove'),
    expects: EMPTY,
    fix: ROUTE_BOTH,
  }),
  {
    row: 'I9',
    sends: "revocation of another application's access token, then its introspection",
    expects: 'the token is still active',
    fix: SAME_INSTANCES,
    async run(context) {
      const { other, caller, send } = context.site
      const revocation = await askAbout(context, 'revoke', other, caller)
      const introspection = await askAbout(context, 'introspect', other, other)
      await send(revocation)
      return judge(
        context,
        await send(introspection),
        that('"active":true', ({ json }) => json?.['active'] === true),
      )
    },
  },
]

function createEndpointChecks(endpoint: 'introspect' | 'revoke'): Check[] {
  const noun = endpoint === 'introspect' ? 'introspection' : 'revocation'
  return [
    ask({
      row: 'I1',
      sends: `${noun} as JSON`,
      draft: (context) => ({
        ...askWith(context, endpoint, context.site.caller, 'prove'),
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify({ token: 'prove' }),
      }),
      expects: refusal(400, 'invalid_request'),
      fix: ROUTE_BOTH,
    }),
    ask({
      row: 'I2',
      sends: `${noun} without a token`,
      draft: (context) => postForm(context, endpoint, formCredentials(context.site.caller)),
      expects: refusal(400, 'invalid_request'),
      fix: ROUTE_BOTH,
    }),
    ask({
      row: 'I3',
      sends: `${noun} with the token in the query string`,
      draft: (context) => {
        const draft = askWith(context, endpoint, context.site.caller, 'prove')
        return { ...draft, path: `${draft.path}?token=prove` }
      },
      expects: refusal(400, 'invalid_request'),
      fix: ROUTE_BOTH,
    }),
    ask({
      row: 'I4',
      sends: `${noun} without credentials`,
      draft: (context) => postForm(context, endpoint, [['token', 'prove']]),
      expects: all(refusal(401, 'invalid_client'), headerWith('Cache-Control', 'no-store')),
      fix: ROUTE_BOTH,
    }),
    ask({
      row: 'I4',
      sends: `${noun} with a wrong secret in HTTP Basic`,
      draft: (context) =>
        postForm(context, endpoint, [['token', 'prove']], [basic(context.site.caller.clientId, WRONG_SECRET)]),
      expects: refusal(401, 'invalid_client'),
      fix: ROUTE_BOTH,
    }),
  ]
}

/** A request about an access token of `owner`. */
async function askAbout(
  context: CheckContext,
  endpoint: 'introspect' | 'revoke',
  owner: TemporaryApplication,
  client: TemporaryApplication,
): Promise<RequestDraft> {
  return askWith(context, endpoint, client, await requireAccessToken(context, owner))
}

function askWith(
  context: CheckContext,
  endpoint: 'introspect' | 'revoke',
  client: TemporaryApplication,
  token: string,
): RequestDraft {
  return postForm(context, endpoint, [['token', token], ...formCredentials(client)])
}
