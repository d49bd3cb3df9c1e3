import { gzipSync } from 'node:zlib'
import { ask, type Check } from './check.js'
import { FORM, GRANT, postForm, tokenRequest } from './drafts.js'
import { refusal, that, TOKEN } from './expectation.js'

const PARSERS =
  'Put app.use(auth.router) before body parsers and upload middleware (multer, busboy), and let the proxy pass the body on as it is.'
const CONTENT_TYPES =
  'Let Content-Type and Content-Encoding through as they are: no middleware or proxy rule that sets, removes or interprets them.'

const INVALID = refusal(400, 'invalid_request')

/** Media types that clients send. */
const MEDIA_TYPE_CHECKS: readonly Check[] = (
  [
    ['whose Content-Type is plain text', 'text/plain', INVALID],
    ['whose Content-Type is multipart/form-data', 'multipart/form-data; boundary=prove', INVALID],
    ['whose Content-Type is a form in ISO 8859-1', 'application/x-www-form-urlencoded; charset=iso-8859-1', INVALID],
    ['with charset=UTF-8 in its Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8', TOKEN],
    ['whose Content-Type is in capital letters', 'APPLICATION/X-WWW-FORM-URLENCODED', TOKEN],
  ] as const
).map(([name, type, expects]) =>
  ask({
    row: 'T2',
    sends: `a token request ${name}`,
    draft: (context) => ({ ...tokenRequest(context), headers: [['Content-Type', type]] }),
    expects,
    fix: CONTENT_TYPES,
  }),
)

const PADDING = 'x'.repeat(17 * 1024)
const SIZES =
  'Let bodies of up to 64 KiB reach the app, which refuses larger ones itself. nginx: client_max_body_size 1m, proxy_request_buffering on; HAProxy: no rule on req.body_size; Express: no smaller "limit" of a parser before auth.router.'

const BODY_CHECKS: readonly Check[] = [
  ask({
    row: 'T2',
    sends: 'a token request as JSON',
    draft: (context) => ({
      ...tokenRequest(context),
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    }),
    expects: refusal(400, 'invalid_request'),
    fix: CONTENT_TYPES,
  }),
  ask({
    row: 'T3',
    sends: 'a token request with Content-Encoding: gzip',
    draft: (context) => {
      const draft = tokenRequest(context)
      return { ...draft, headers: [FORM, ['Content-Encoding', 'gzip']], body: gzipSync(draft.body!) }
    },
    expects: refusal(415, 'invalid_request'),
    fix: CONTENT_TYPES,
  }),
  ask({
    row: 'T4',
    sends: 'a token request of 17 KiB',
    draft: (context) => postForm(context, 'token', [...GRANT, ['padding', PADDING]]),
    expects: refusal(413, 'invalid_request'),
    fix: SIZES,
  }),
  ask({
    row: 'T4',
    sends: 'a token request of 15 KiB',
    draft: (context) => tokenRequest(context, [...GRANT, ['padding', PADDING.slice(0, 15_000)]]),
    expects: TOKEN,
    fix: SIZES,
  }),
  ask({
    row: 'T19',
    sends: 'a token request in chunks, without Content-Length',
    draft: (context) => ({ ...tokenRequest(context), chunked: true }),
    expects: TOKEN,
    fix: 'Let bodies with Transfer-Encoding: chunked through. nginx: proxy_http_version 1.1; HAProxy: no rule on Content-Length.',
  }),
  ask({
    row: 'T19',
    sends: 'a token request with Expect: 100-continue, as curl and .NET send',
    draft: (context) => ({ ...tokenRequest(context), headers: [FORM, ['Expect', '100-continue']] }),
    expects: TOKEN,
    fix: 'Let requests with Expect: 100-continue through: answer 100 at the proxy, or pass it on.',
  }),
  ask({
    row: 'T5',
    sends: 'a token request that is not valid percent-encoding',
    draft: (context) => ({ ...tokenRequest(context), body: 'grant_type=client_credentials&client_id=%E4%zz' }),
    // If a body parser of the app has read the body, the text is an unknown key.
    expects: that(
      '400 or 401 with a JSON error',
      ({ status, json }) => (status === 400 || status === 401) && typeof json?.['error'] === 'string',
    ),
    fix: PARSERS,
  }),
  ask({
    row: 'T6',
    sends: 'a token request with an empty body',
    draft: (context) => postForm(context, 'token', []),
    expects: refusal(400, 'invalid_request'),
    fix: PARSERS,
  }),
  ask({
    row: 'T6',
    sends: 'a token request without grant_type',
    draft: (context) => tokenRequest(context, []),
    expects: refusal(400, 'invalid_request'),
    fix: PARSERS,
  }),
  ...['grant_type', 'client_id', 'client_secret', 'scope'].map((name) =>
    ask({
      row: 'T5',
      sends: `a token request with ${name} twice`,
      draft: (context) => tokenRequest(context, [...GRANT, [name, 'a'], [name, 'b']]),
      expects: refusal(400, 'invalid_request'),
      fix: PARSERS,
    }),
  ),
]

/** Media types, encodings and sizes of token requests, for one oauth2 API. */
export const TOKEN_BODY_CHECKS: readonly Check[] = [...MEDIA_TYPE_CHECKS, ...BODY_CHECKS]
