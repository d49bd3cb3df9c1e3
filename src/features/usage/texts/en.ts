const ASK = 'Ask the provider of the API.'
const NEWEST_KEY = 'Use the newest key of the application, or make a new one.'
const NEWEST_SECRET = 'Use the newest secret of the application, or make a new one.'
const ANOTHER_METHOD = 'Use a method that the API has at this address.'

/**
 * The words of refusals in English: for each reason, or error that needs no more detail, the problem as a title, and the fix;
 * `unknown` is every other. `{api}`, `{credential}`, `{scopes}`, `{seconds}` and `{address}` begin with a space, and are empty
 * if they are not known.
 */
export const en = {
  quote: '"{text}"',
  seconds: '{count} seconds',
  reasons: {
    expired_token: {
      problem: 'Expired access token',
      fix: 'Request a new access token: `expires_in` says how many seconds it lasts.',
    },
    token_of_another_api: {
      problem: 'Access token of another API{api}',
      fix: "Request an access token at this API's own token endpoint.",
    },
    revoked_token: { problem: 'Revoked access token', fix: 'Request a new access token.' },
    insufficient_scope: {
      problem: 'Access token without a required scope{scopes}',
      fix: 'Request an access token without `scope`, or with that scope. If the application does not have it, request access.',
    },
    method_not_allowed: { problem: 'Method not allowed for access tokens', fix: ANOTHER_METHOD },
    insufficient_scope_of_key: {
      problem: 'API key without a required scope{scopes}',
      fix: 'Use a key that has the scope. If the application does not have it, request access.',
    },
    method_not_allowed_of_key: { problem: 'Method not allowed for API keys', fix: ANOTHER_METHOD },
    expired_key: { problem: 'Expired API key{credential}', fix: NEWEST_KEY },
    restricted_key: {
      problem: 'API key{credential} not for this API',
      fix: 'Use a key that may be used for this API.',
    },
    network_not_allowed: {
      problem: 'Network not allowed{address}',
      fix: 'Call from a network of the list, or ask for the list to be changed.',
    },
    suspended: { problem: 'Suspended application', fix: ASK },
    not_allowed: { problem: 'No access to this API', fix: 'Request access to this API.' },
    refused_by_host: { problem: 'Refused by the API itself', fix: '`error_description` in the answer says why.' },
    wrong_secret: {
      problem: 'Wrong client secret',
      fix: 'Use the newest secret of the application, complete and unchanged, or make a new one.',
    },
    expired_secret: { problem: 'Expired client secret{credential}', fix: NEWEST_SECRET },
    wrong_assertion: {
      problem: 'Client assertion signed with an unknown key',
      fix: 'Sign with a key of the newest key set of the application.',
    },
    expired_key_set: {
      problem: 'Expired key set{credential}',
      fix: 'Sign with a key of the newest key set of the application.',
    },
    replayed_assertion: {
      problem: 'Client assertion used before',
      fix: 'Give each request an assertion with a `jti` of its own.',
    },
    restricted_secret: {
      problem: 'Client secret{credential} not for this API',
      fix: 'Use a secret that may be used for this API.',
    },
    invalid_scope: {
      problem: 'No scope that can be granted',
      fix: 'Request scopes that this API has and the application was granted, or leave out `scope`.',
    },
    invalid_target: {
      problem: 'Resource of another API',
      fix: "Leave out `resource`, or send this API's identifier.",
    },
    invalid_request: { problem: 'Malformed request', fix: '`error_description` in the answer says what is wrong.' },
    unsupported_grant_type: { problem: 'Unsupported grant type', fix: 'Send `grant_type=client_credentials`.' },
    too_many_requests: {
      problem: 'Too many requests{seconds}',
      fix: 'Send fewer, and wait for the seconds in `Retry-After` before the next one.',
    },
    quota_exceeded: {
      problem: 'Quota used up{seconds}',
      fix: 'Wait for the seconds in `Retry-After`, or ask the provider for another plan.',
    },
    cost_above_limit: {
      problem: 'Request above a limit of the plan',
      fix: 'Ask for less in one request, or ask the provider for another plan. It never passes as it is.',
    },
    temporarily_unavailable: {
      problem: 'Service temporarily unavailable',
      fix: 'Try again, at first after the seconds in `Retry-After`.',
    },
    server_error: {
      problem: 'Unexpected error on the server',
      fix: 'Try again later. If it happens again: ask the provider of the API.',
    },
    unknown: { problem: 'Refused request', fix: `\`error_description\` in the answer says more. ${ASK}` },
  },
}

export type RefusalTexts = typeof en
