import type { RefusalRecord } from '../../contracts/usage.js'

/** The reason of a refusal, and its fix for the application's developer. */
export interface RefusalExplanation {
  /** The problem without a full stop, such as `The access token expired 2 hours ago`. */
  readonly problem: string
  /** The fix in full sentences, such as `Request a new access token.` */
  readonly fix: string
}

type Explanation = readonly [problem: string | ((details: Details) => string), fix: string]

/** The members of a refusal's details, as text. */
interface Details {
  /** The address of the caller in parentheses, after a space; empty if it is not known. */
  readonly address: string
  /** The time since something expired, such as ` 2 hours ago`; empty if that is not known. */
  readonly ago: string
  readonly api: string
  /** The name of a credential in quotes, after a space; empty if that is not known. */
  readonly credential: string
  readonly scopes: string
  readonly seconds: string
}

/** Explains a refusal in words, for the developer of the application, at the time `now` (milliseconds since 1970). */
export function explainRefusal(
  { error, reason, details, address }: Pick<RefusalRecord, 'error' | 'reason' | 'details' | 'address'>,
  now: number,
): RefusalExplanation {
  const [problem, fix] = BY_REASON.get(reason) ?? BY_REASON.get(error) ?? UNKNOWN
  return {
    problem:
      typeof problem === 'string'
        ? problem
        : problem({ ...readDetails(details, now), address: address === undefined ? '' : ` (${address})` }),
    fix,
  }
}

const ASK = 'Ask the provider of the API.'
const UNKNOWN: Explanation = ['The request was refused', `The answer's error_description says more. ${ASK}`]

/** Explanations by the `reason`, or else by the `error`. */
const BY_REASON: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  // These are of guarded requests.
  [
    'expired_token',
    [
      ({ ago }) => `The access token expired${ago}`,
      'Request a new access token. It tells in expires_in how many seconds it lasts.',
    ],
  ],
  [
    'token_of_another_api',
    [
      ({ api }) => `The access token was issued for another API${api}`,
      "Request an access token at this API's own token endpoint.",
    ],
  ],
  ['revoked_token', ['The access token was revoked', 'Request a new access token.']],
  [
    'insufficient_scope',
    [
      ({ scopes }) => `The access token lacks a scope that the request needs${scopes}`,
      'Request an access token with that scope. If the application does not have it, request access.',
    ],
  ],
  ['method_not_allowed', ['No access token allows this method here', 'Use a method that the API has at this address.']],
  [
    'expired_key',
    [
      ({ credential, ago }) => `The API key${credential} expired${ago}`,
      'Use the newest key of the application, or make a new one.',
    ],
  ],
  [
    'restricted_key',
    [
      ({ credential }) => `The API key${credential} may not be used for this API`,
      'Use a key that may be used for this API.',
    ],
  ],
  [
    'network_not_allowed',
    [
      ({ address }) => `The request came from a network from which the credential may not be used${address}`,
      'Call from a network of the list, or ask for the list to be changed.',
    ],
  ],
  ['suspended', ['The application is suspended', ASK]],
  ['not_allowed', ['The application may not use this API', 'Request access to this API.']],
  ['refused_by_host', ['The API itself refused the request', `The answer's error_description says why.`]],
  // These are of token requests.
  [
    'wrong_secret',
    [
      'The client secret is wrong',
      'Use the newest secret of the application, complete and unchanged, or make a new one.',
    ],
  ],
  [
    'expired_secret',
    [
      ({ credential, ago }) => `The client secret${credential} expired${ago}`,
      'Use the newest secret of the application, or make a new one.',
    ],
  ],
  [
    'restricted_secret',
    [
      ({ credential }) => `The client secret${credential} may not be used for this API`,
      'Use a secret that may be used for this API.',
    ],
  ],
  [
    'invalid_scope',
    [
      'None of the requested scopes can be granted',
      'Request scopes that this API has and the application was granted, or leave out `scope`.',
    ],
  ],
  [
    'invalid_target',
    ['The token request names the resource of another API', "Leave out `resource`, or send this API's identifier."],
  ],
  ['invalid_request', ['The request is malformed', "The answer's error_description says what is wrong."]],
  ['unsupported_grant_type', ['The grant type is not supported', 'Send grant_type=client_credentials.']],
  // These are of both.
  [
    'too_many_requests',
    [
      ({ seconds }) => `There were too many requests${seconds}`,
      'Send fewer, and wait for the seconds in Retry-After before the next one.',
    ],
  ],
  [
    'temporarily_unavailable',
    ['The service was temporarily unavailable', 'Try again, at first after the seconds in Retry-After.'],
  ],
  [
    'server_error',
    [
      'The server met an unexpected condition',
      `Try again later. If it happens again: ${ASK.charAt(0).toLowerCase()}${ASK.slice(1)}`,
    ],
  ],
])

function readDetails(details: RefusalRecord['details'], now: number): Omit<Details, 'address'> {
  const { expiredAt, api, credential, scopes, retryAfter } = details
  return {
    ago: typeof expiredAt === 'number' ? ` ${formatAgo(now - expiredAt)}` : '',
    api: typeof api === 'string' ? ` ("${api}")` : '',
    credential: typeof credential === 'string' ? ` "${credential}"` : '',
    scopes: typeof scopes === 'string' && scopes !== '' ? ` (${scopes})` : '',
    seconds: typeof retryAfter === 'number' ? ` (Retry-After: ${retryAfter} seconds)` : '',
  }
}

const UNITS = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest unit alone: `2 hours ago`. */
function formatAgo(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length)
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}
