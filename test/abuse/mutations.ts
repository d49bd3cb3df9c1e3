import { deflateSync, gzipSync } from 'node:zlib'
import { setHeader, encodeUtf8, type Draft } from './draft.js'
import type { Random } from './random.js'

/** Changes the form of a request. It may remove the credential, and never adds another one. */
type Mutation = (draft: Draft, random: Random) => void

const METHODS =
  'GET HEAD POST PUT DELETE PATCH OPTIONS TRACE PROPFIND MKCOL LOCK SEARCH REPORT PURGE SUBSCRIBE M-SEARCH'.split(' ')
const POLLUTION =
  '__proto__[admin]=1&constructor[prototype][admin]=1&__proto__=x&toString=x&hasOwnProperty=1&a[__proto__][b]=1'
const POLLUTING_JSON =
  '{"__proto__":{"token":"x","name":"x","contact":"a@b.example"},"constructor":{"prototype":{"x":1}},"apis":{"__proto__":{}}}'
const BOMB = gzipSync(Buffer.alloc(4_000_000)).toString('latin1')
const DEFLATED_BOMB = deflateSync(Buffer.alloc(4_000_000)).toString('latin1')
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded; charset=utf-16',
  'application/x-www-form-urlencoded;charset="utf-8"',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
  'application/x-www-form-urlencoded; charset=iso-8859-1',
  'APPLICATION/X-WWW-FORM-URLENCODED',
  'application/json; charset=\xff',
  ';;;;',
  'x'.repeat(4000),
  '*/*',
  'application/x-www-form-urlencoded, application/json',
]

/** Mutations of the request line. */
export const TARGET_MUTATIONS: Readonly<Record<string, Mutation>> = {
  method(draft, random) {
    draft.method = random.pick(METHODS)
    allowAnyRoute(draft)
  },
  badMethod(draft, random) {
    draft.method = random.pick(['get', 'FOO', 'POST\t', '', 'CONNECT', '\xe9', 'PO ST', '__proto__', 'G'.repeat(3000)])
    markUnclear(draft)
  },
  path(draft, random) {
    const { target } = draft
    const position = random.below(target.length)
    const piece = random.pick([
      '//',
      '/./',
      '/../',
      '%2F',
      '%00',
      '%2e%2e/',
      '%',
      '%zz',
      ';a=b',
      '\\',
      '%c0%af',
      '..;/',
      '%25',
      '__proto__',
      '+',
      '%0d%0aX:%20y',
      '~',
      '//evil.example/',
      ':',
      '@',
    ])
    draft.target = target.slice(0, position) + piece + target.slice(position)
    if (!draft.target.startsWith('/')) draft.target = `/${draft.target}`
    allowAnyRoute(draft)
  },
  case(draft, random) {
    draft.target = random.chance(0.5) ? draft.target.toUpperCase() : `${draft.target}/`
    allowAnyRoute(draft)
  },
  absolute(draft, random) {
    draft.target =
      random.pick([
        'http://localhost',
        'https://evil.example',
        'http://user:pass@x',
        'http://[::1]:80',
        'HTTP://X',
        'http://evil.example:99',
        'ftp://x',
      ]) + draft.target
    allowAnyRoute(draft)
  },
  badTarget(draft, random) {
    draft.target = random.pick([
      '*',
      'http://[::1',
      'http://',
      '//',
      '///',
      '/\xff\xfe',
      'orders/token',
      '/orders/token#x',
      '?x',
      `/${'a'.repeat(12_000)}`,
      '/%',
      `/${'%41'.repeat(2000)}`,
      `/${'/'.repeat(5000)}`,
      'http://x:99999999/orders/token',
      '/\x01',
    ])
    allowAnyRoute(draft)
    markUnclear(draft)
  },
  query(draft, random) {
    const text = random.pick([
      'client_secret=x',
      'client_id=x&client_secret=y',
      'access_token=x',
      'token=x',
      POLLUTION,
      '&'.repeat(3000),
      '%',
      '%ff%fe',
      '=',
      '?'.repeat(20),
      'a[]=1&a[b]=2',
      `x=${'y'.repeat(6000)}`,
      'grant_type=client_credentials',
      '\xe9',
    ])
    draft.target += (draft.target.includes('?') ? '&' : '?') + text
    if (text.includes('\xe9')) markUnclear(draft)
  },
  version(draft, random) {
    draft.version = random.pick([
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/2.0',
      'HTTP/9.9',
      'http/1.1',
      'HTTP/1.1 ',
      'HTTP/1.11',
      '',
    ])
    markUnclear(draft)
  },
  parsedFirst(draft) {
    draft.target = `/parsed${draft.target}`
    allowAnyRoute(draft)
  },
}

export const HEADER_MUTATIONS: Readonly<Record<string, Mutation>> = {
  junk(draft, random) {
    draft.headers.push(
      random.pick<[string, string]>([
        ['__proto__', 'x'],
        ['constructor', 'x'],
        ['Cookie', 'a=b; '.repeat(500)],
        ['X-Forwarded-For', '::ffff:1.2.3.4, evil, \xff'],
        ['X-Forwarded-For', 'x'.repeat(3000)],
        ['X-Forwarded-Host', 'evil.example'],
        ['X-Forwarded-Proto', 'gopher'],
        ['Forwarded', 'for="[::1]"'],
        ['X-HTTP-Method-Override', 'DELETE'],
        ['Origin', 'http://evil.example'],
        ['Origin', '\xe9'],
        ['Range', 'bytes=0-0,-1,5-1'],
        ['Accept', '\xff/\xfe;q=9'],
        ['Accept-Encoding', 'gzip;q=0, br, *'],
        ['If-None-Match', '*'],
        ['If-Modified-Since', 'never'],
        ['Upgrade', 'h2c'],
        ['TE', 'trailers'],
        ['X-Original-Url', '/'],
        ['Access-Control-Request-Headers', 'x'.repeat(2000)],
        ['Max-Forwards', '-1'],
        ['X-Latin', '\x80\xe9\xff'],
        ['Content-Location', '//x'],
        ['Authorization2', 'Bearer x'],
        ['X-Empty', ''],
      ]),
    )
  },
  many(draft, random) {
    const count = random.below(700)
    for (let i = 0; i < count; i++) draft.headers.push([`X-${i}`, ''])
  },
  tooMany(draft) {
    for (let i = 0; i < 3000; i++) draft.headers.push([`X-${i}`, 'y'])
    markUnclear(draft)
  },
  huge(draft) {
    draft.headers.push(['X-Huge', 'x'.repeat(20_000)])
    markUnclear(draft)
  },
  malformed(draft, random) {
    const line = random.pick([
      'X-Fold: a\r\n b',
      ' Leading: x',
      'No colon',
      'Space : x',
      ': nameless',
      'X-Nul: a\0b',
      'X-Bare: a\rb',
      'X-Line: a\nSecond: b',
      'H\xe9: x',
      'X-Del: \x7f',
      '(): x',
      'X-Tab:\t\tx',
    ])
    draft.headers.splice(random.below(draft.headers.length + 1), 0, ['', line])
    markUnclear(draft)
  },
  host(draft, random) {
    draft.headers = draft.headers.filter(([name]) => name !== 'Host')
    const host = random.pick<string | undefined>([
      undefined,
      '',
      'evil.example',
      'a b',
      '\xff',
      'x:99999999',
      '[::1',
      'a,b',
    ])
    if (host !== undefined)
      draft.headers.push(['Host', host], ...(random.chance(0.2) ? [['Host', 'second'] as [string, string]] : []))
    markUnclear(draft)
  },
  expectation(draft, random) {
    draft.headers.push(['Expect', random.pick(['100-continue', 'the-impossible', ''])])
    markUnclear(draft)
  },
  connection(draft, random) {
    draft.headers.push([
      'Connection',
      random.pick(['close', 'upgrade', 'close, keep-alive', 'X-Number, Authorization', '\xff']),
    ])
    markUnclear(draft)
  },
  contentType(draft, random) {
    setHeader(draft, 'Content-Type', random.pick(TYPES))
  },
  contentEncoding(draft, random) {
    draft.headers.push(['Content-Encoding', random.pick(['gzip', 'br', 'identity', 'deflate', 'x', ''])])
  },
}

export const BODY_MUTATIONS: Readonly<Record<string, Mutation>> = {
  noise(draft, random) {
    const length = random.below(600)
    let noise = ''
    for (let i = 0; i < length; i++) noise += String.fromCharCode(random.below(256))
    draft.body = noise
  },
  broken(draft, random) {
    const { body = '' } = draft
    const position = random.below(body.length + 1)
    draft.body =
      body.slice(0, position) +
      random.pick([
        '%',
        '%f',
        '%ff',
        '\0',
        '\xff\xfe',
        '&&&',
        '=',
        '\r\n',
        '%00',
        '+',
        encodeUtf8('\u{1f600}'),
        ';',
        '[]',
        '%ED%A0%80',
      ]) +
      body.slice(position)
  },
  repeated(draft, random) {
    draft.body = `${draft.body ?? ''}&${random.pick(['grant_type=x', 'client_id=', 'client_secret=x&client_secret=y', 'scope=a&scope=b', 'token=1&token=2', 'name=a&name=b', 'resource=x&resource=y', 'grant_type=client_credentials'])}`
  },
  parameters(draft, random) {
    draft.body = `${draft.body ?? ''}&${random.pick([POLLUTION, 'a&'.repeat(7000), 'a=b&'.repeat(3000), `${'a[b]'.repeat(900)}=1`, 'scope=orders:read+orders:read', 'scope=%00', `scope=${'x+'.repeat(4000)}`, 'resource=http://localhost/orders', 'resource=//x', 'refresh_token=x', 'audience=x', 'apis=__proto__&apis=orders', 'apis[]=orders'])}`
  },
  json(draft, random) {
    setHeader(draft, 'Content-Type', 'application/json')
    draft.body = random.pick([
      '{',
      '[]',
      'null',
      '""',
      '0',
      '1e999',
      POLLUTING_JSON,
      '['.repeat(8000),
      '{"a":'.repeat(2500),
      '{"token":{"toString":1}}',
      '{"token":["x"]}',
      '{"token":"\\ud800"}',
      `{"token":"${'t'.repeat(15_000)}"}`,
      '\xef\xbb\xbf{}',
      '{"name":"a","contact":"a@b.example","apis":{"__proto__":{}}}',
      '{"name":"a","contact":"a@b.example","apis":["toString"]}',
      '{"name":{},"contact":"a@b.example","apis":["catalog"]}',
      '{"name":"a","contact":{"toLowerCase":1},"apis":1}',
      '{"name":"a\\u0000\\ud800","contact":"a@b.example","apis":["catalog"]}',
      '{"name":"a","contact":"a@b.example\\r\\nBcc: x@y.example","apis":["catalog"]}',
      '{"name":"a","contact":"a@b.example","apis":{"orders":{"scopes":{"length":1}}}}',
      '{"name":"a","contact":"a@b.example","apis":{"orders":null}}',
    ])
  },
  large(draft, random) {
    draft.body = `${draft.body ?? ''}&x=${'y'.repeat(16_000 + random.below(20_000))}`
  },
  bomb(draft, random) {
    const gzip = random.chance(0.5)
    draft.body = gzip ? BOMB : DEFLATED_BOMB
    draft.headers.push(['Content-Encoding', gzip ? 'gzip' : 'deflate'])
  },
  longer(draft, random) {
    const { body = '' } = draft
    draft.rawBody = body
    draft.headers.push([
      'Content-Length',
      random.pick([
        String(body.length + 1 + random.below(50)),
        '104857600',
        '99999999999999',
        '9007199254740993',
        '18446744073709551617',
      ]),
    ])
    markUnclear(draft)
  },
  shorter(draft, random) {
    const { body = '' } = draft
    draft.rawBody = `${body}GET /orders/items HTTP/1.1\r\n\r\n`
    draft.headers.push([
      'Content-Length',
      random.pick([
        '0',
        String(Math.max(0, body.length - 1 - random.below(9))),
        '-1',
        '1, 1',
        '0x10',
        '+5',
        ' ',
        '1e3',
      ]),
    ])
    markUnclear(draft)
  },
  chunked(draft, random) {
    const { body = '' } = draft
    const cut = random.below(body.length + 1)
    const chunk = (text: string): string => (text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`)
    draft.headers.push(['Transfer-Encoding', 'chunked'])
    draft.rawBody = `${chunk(body.slice(0, cut))}${chunk(body.slice(cut))}0\r\n\r\n`
    // The connection is closed if the request is refused before all of it was read.
    markUnclear(draft)
  },
  badChunks(draft, random) {
    const { body = '' } = draft
    draft.headers.push([
      'Transfer-Encoding',
      random.pick(['chunked', 'chunked', 'gzip, chunked', 'chunked, chunked', 'identity', 'xchunked', '\tchunked']),
    ])
    if (random.chance(0.2)) draft.headers.push(['Content-Length', '5'])
    draft.rawBody = random.pick([
      'zz\r\n',
      `ffffffffffffffff\r\n${body}`,
      `${body.length.toString(16)};${'e'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
      `5\r\n${body}`,
      '-1\r\n\r\n',
      `1\n${body}`,
      `0\r\nX-Trailer: ${'t'.repeat(17_000)}\r\n\r\n`,
      '0\r\n',
      `${body.length.toString(16)}\r\n${body}`,
    ])
    markUnclear(draft)
  },
}

function allowAnyRoute(draft: Draft): void {
  draft.route = 'anything'
}

/** The server may not find the end of the request, or may close the connection after it. */
function markUnclear(draft: Draft): void {
  draft.framing = 'unclear'
}
