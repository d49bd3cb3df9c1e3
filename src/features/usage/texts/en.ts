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
    expired_token: {
      problem: 'The access token expired{ago}',
      fix: 'Request a new access token. It tells in expires_in how many seconds it lasts.',
    },
    token_of_another_api: {
      problem: 'The access token was issued for another API{api}',
      fix: "Request an access token at this API's own token endpoint.",
    },
    revoked_token: { problem: 'The access token was revoked', fix: 'Request a new access token.' },
    insufficient_scope: {
      problem: 'The access token lacks a scope that the request needs{scopes}',
      fix: 'Request an access token without `scope`, or with that scope. If the application does not have it, request access.',
    },
    method_not_allowed: { problem: 'No access token allows this method here', fix: ANOTHER_METHOD },
    insufficient_scope_of_key: {
      problem: 'The API key lacks a scope that the request needs{scopes}',
      fix: 'Use a key that has the scope. If the application does not have it, request access.',
    },
    method_not_allowed_of_key: { problem: 'No API key allows this method here', fix: ANOTHER_METHOD },
    expired_key: { problem: 'The API key{credential} expired{ago}', fix: NEWEST_KEY },
    restricted_key: {
      problem: 'The API key{credential} may not be used for this API',
      fix: 'Use a key that may be used for this API.',
    },
    network_not_allowed: {
      problem: 'The request came from a network from which the credential may not be used{address}',
      fix: 'Call from a network of the list, or ask for the list to be changed.',
    },
    suspended: { problem: 'The application is suspended', fix: ASK },
    not_allowed: { problem: 'The application may not use this API', fix: 'Request access to this API.' },
    refused_by_host: { problem: 'The API itself refused the request', fix: "The answer's error_description says why." },
    wrong_secret: {
      problem: 'The client secret is wrong',
      fix: 'Use the newest secret of the application, complete and unchanged, or make a new one.',
    },
    expired_secret: { problem: 'The client secret{credential} expired{ago}', fix: NEWEST_SECRET },
    wrong_assertion: {
      problem: 'The client assertion is signed by none of the keys of the application',
      fix: 'Sign with a key of the newest key set of the application.',
    },
    expired_key_set: {
      problem: 'The key set{credential} expired{ago}',
      fix: 'Sign with a key of the newest key set of the application.',
    },
    replayed_assertion: {
      problem: 'The client assertion was used before',
      fix: 'Give each request an assertion with a jti of its own.',
    },
    restricted_secret: {
      problem: 'The client secret{credential} may not be used for this API',
      fix: 'Use a secret that may be used for this API.',
    },
    invalid_scope: {
      problem: 'None of the requested scopes can be granted',
      fix: 'Request scopes that this API has and the application was granted, or leave out `scope`.',
    },
    invalid_target: {
      problem: 'The token request names the resource of another API',
      fix: "Leave out `resource`, or send this API's identifier.",
    },
    invalid_request: { problem: 'The request is malformed', fix: "The answer's error_description says what is wrong." },
    unsupported_grant_type: { problem: 'The grant type is not supported', fix: 'Send grant_type=client_credentials.' },
    too_many_requests: {
      problem: 'There were too many requests{seconds}',
      fix: 'Send fewer, and wait for the seconds in Retry-After before the next one.',
    },
    quota_exceeded: {
      problem: 'The quota of the application’s plan was used up{seconds}',
      fix: 'Wait for the seconds in Retry-After, or ask the provider for another plan.',
    },
    cost_above_limit: {
      problem: 'The request costs more than a limit of the application’s plan allows at a time',
      fix: 'Ask for less in one request, or ask the provider for another plan. It never passes as it is.',
    },
    temporarily_unavailable: {
      problem: 'The service was temporarily unavailable',
      fix: 'Try again, at first after the seconds in Retry-After.',
    },
    server_error: {
      problem: 'The server met an unexpected condition',
      fix: 'Try again later. If it happens again: ask the provider of the API.',
    },
    unknown: { problem: 'The request was refused', fix: `The answer's error_description says more. ${ASK}` },
  },
}

export type RefusalTexts = typeof en
