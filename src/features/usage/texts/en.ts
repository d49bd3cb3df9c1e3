const ASK = 'Ask the provider of the API.'
const NEWEST_KEY = 'Use the newest key of the application, or make a new one.'
const NEWEST_SECRET = 'Use the newest secret of the application, or make a new one.'
const ANOTHER_METHOD = 'Use a method that the API has at this address.'

/**
 * The words of refusals in English: for each reason, or error that needs no more detail, the problem, without a full stop, and the fix;
 * `unknown` is every other. `{ago}`, `{api}`, `{credential}`, `{scopes}`, `{seconds}` and `{address}` begin with a space, and are empty
 * if they are not known.
 */
export const en = {
  justNow: 'just now',
  quote: '"{text}"',
  seconds: '{count} seconds',
  reasons: {
    expired_token: [
      'The access token expired{ago}',
      'Request a new access token. It tells in expires_in how many seconds it lasts.',
    ],
    token_of_another_api: [
      'The access token was issued for another API{api}',
      "Request an access token at this API's own token endpoint.",
    ],
    revoked_token: ['The access token was revoked', 'Request a new access token.'],
    insufficient_scope: [
      'The access token lacks a scope that the request needs{scopes}',
      'Request an access token without `scope`, or with that scope. If the application does not have it, request access.',
    ],
    method_not_allowed: ['No access token allows this method here', ANOTHER_METHOD],
    insufficient_scope_of_key: [
      'The API key lacks a scope that the request needs{scopes}',
      'Use a key that has the scope. If the application does not have it, request access.',
    ],
    method_not_allowed_of_key: ['No API key allows this method here', ANOTHER_METHOD],
    expired_key: ['The API key{credential} expired{ago}', NEWEST_KEY],
    restricted_key: [
      'The API key{credential} may not be used for this API',
      'Use a key that may be used for this API.',
    ],
    network_not_allowed: [
      'The request came from a network from which the credential may not be used{address}',
      'Call from a network of the list, or ask for the list to be changed.',
    ],
    suspended: ['The application is suspended', ASK],
    not_allowed: ['The application may not use this API', 'Request access to this API.'],
    refused_by_host: ['The API itself refused the request', "The answer's error_description says why."],
    wrong_secret: [
      'The client secret is wrong',
      'Use the newest secret of the application, complete and unchanged, or make a new one.',
    ],
    expired_secret: ['The client secret{credential} expired{ago}', NEWEST_SECRET],
    wrong_assertion: [
      'The client assertion is signed by none of the keys of the application',
      'Sign with a key of the newest key set of the application.',
    ],
    expired_key_set: [
      'The key set{credential} expired{ago}',
      'Sign with a key of the newest key set of the application.',
    ],
    replayed_assertion: [
      'The client assertion was used before',
      'Give each request an assertion with a jti of its own.',
    ],
    restricted_secret: [
      'The client secret{credential} may not be used for this API',
      'Use a secret that may be used for this API.',
    ],
    invalid_scope: [
      'None of the requested scopes can be granted',
      'Request scopes that this API has and the application was granted, or leave out `scope`.',
    ],
    invalid_target: [
      'The token request names the resource of another API',
      "Leave out `resource`, or send this API's identifier.",
    ],
    invalid_request: ['The request is malformed', "The answer's error_description says what is wrong."],
    unsupported_grant_type: ['The grant type is not supported', 'Send grant_type=client_credentials.'],
    too_many_requests: [
      'There were too many requests{seconds}',
      'Send fewer, and wait for the seconds in Retry-After before the next one.',
    ],
    quota_exceeded: [
      'The quota of the application’s plan was used up{seconds}',
      'Wait for the seconds in Retry-After, or ask the provider for another plan.',
    ],
    cost_above_limit: [
      'The request costs more than a limit of the application’s plan allows at a time',
      'Ask for less in one request, or ask the provider for another plan. It never passes as it is.',
    ],
    temporarily_unavailable: [
      'The service was temporarily unavailable',
      'Try again, at first after the seconds in Retry-After.',
    ],
    server_error: [
      'The server met an unexpected condition',
      'Try again later. If it happens again: ask the provider of the API.',
    ],
    unknown: ['The request was refused', `The answer's error_description says more. ${ASK}`],
  } satisfies Readonly<Record<string, readonly [problem: string, fix: string]>>,
}

export type RefusalTexts = typeof en
