import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError, createPlatformAuth, memoryStore, type PlatformAuthOptions } from '../../../src/index.js'
import { findWeakness } from '../../../src/shared/lib/secret-strength.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { CERTIFICATE } from '../../support/https.js'
import { recordingLogger } from '../../support/platform.js'
import { atEnd } from '../../support/at-end.js'
import { whilePolluted } from '../../support/while-polluted.js'

const VALID_OPTIONS = {
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
}
const SECRET = 'a secret of 32 characters or more'

/** A platform with options that the compiler has not checked. */
function createUnchecked(options: object | undefined) {
  const auth = createPlatformAuth(options as PlatformAuthOptions)
  atEnd(auth.close)
  return auth
}

/** A platform with valid options, except for these. */
function createWith(options: object, logger = recordingLogger()) {
  const auth = createUnchecked({ ...VALID_OPTIONS, store: memoryStore(), logger, ...options })
  return { auth, logger }
}

function messageOfRefusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_configuration' })
    return (error as Error).message
  }
  throw new Error('The call was not refused.')
}

afterEach(() => void vi.unstubAllEnvs())

const SIGNER = { list: async () => [], sign: async (_kid: string, bytes: Uint8Array) => bytes }

describe('an option', () => {
  it.each([
    // The option, a wrong value, and the message.
    ['baseUrl', undefined, /^baseUrl is missing\. It is the absolute address.*"https:\/\/api\.example\.com/],
    ['baseUrl', 'api.example.com', /^baseUrl is "api\.example\.com"\. It is the absolute address/],
    ['baseUrl', '/v1', /^baseUrl is "\/v1"\./],
    ['baseUrl', '//api.example.com', /^baseUrl is /],
    ['baseUrl', 'ftp://api.example.com', /^baseUrl is "ftp:/],
    ['baseUrl', 'localhost:3000', /^baseUrl is "localhost:3000"/],
    ['baseUrl', '', /^baseUrl is ""/],
    ['baseUrl', 3000, /^baseUrl is 3000/],
    ['baseUrl', 'https://', /^baseUrl is /],
    ['baseUrl', 'https://api.example.com//', /^baseUrl is .*two slashes in a row/],
    ['baseUrl', 'https://api.example.com//v1', /two slashes in a row/],
    ['developersUrl', 'https://api.example.com/developers//', /^developersUrl is .*two slashes in a row/],
    ['baseUrl', 'https://api.example.com?v=1', /^baseUrl is .*can't have a query, a fragment or user info/],
    ['baseUrl', 'https://api.example.com/?', /can't have a query/],
    ['baseUrl', 'https://api.example.com/#', /can't have a query, a fragment/],
    ['baseUrl', 'https://api.example.com/#top', /can't have a query, a fragment/],
    ['baseUrl', 'https://ann@api.example.com', /user info/],
    ['baseUrl', 'https://ann:pw@api.example.com', /user info/],

    ['apis', undefined, /^apis is missing\. List the APIs you publish: apis: \{ orders: \{ scheme: 'oauth2' \} \}/],
    ['apis', {}, /^apis is \{\}/],
    ['apis', [], /^apis is \[\]/],
    ['apis', ['orders'], /^apis is \["orders"\]/],
    ['apis', null, /^apis is null/],
    ['apis', 'orders', /^apis is "orders"/],
    ['apis', new Map([['orders', { scheme: 'oauth2' }]]), /^apis is /],

    [
      'store',
      'postgres://ann:password@db',
      /^store is no store\. Give it sqliteStore\(path\) from "express-platform-auth\/stores\/sqlite", or memoryStore\(\)\.$/,
    ],
    ['store', sqliteStore, /^store is no store\./],
    ['store', {}, /^store is no store\./],
    ['store', null, /^store is no store\./],

    ['importUnencrypted', 'yes', /^importUnencrypted is "yes"\. Write true or false\./],
    ['secret', 'short', /^secret is too short\. Use 32 random characters or more/],
    ['secret', 'x'.repeat(31), /^secret is too short/],
    ['secret', '', /^secret is too short/],
    ['secret', 42, /^secret is too short/],
    ['secret', null, /^secret is too short/],
    ['secret', [], /^secret is an empty list\. Put the newest secret first/],
    ['secret', [SECRET, 'short'], /^secret is too short/],
    ['secret', [SECRET, undefined], /^secret is too short/],

    ...[0, -1, 1.5, NaN, Infinity, '60', true, {}].flatMap(
      (value) =>
        [
          ['maxStaleness', value, /^maxStaleness is .*\. Write a whole number of at least 1\./],
          ['tokens', { lifetime: value }, /^tokens\.lifetime is .*\. Write a whole number of at least 1\./],
        ] as const,
    ),
    ['tokens', { lifetime: NaN }, /^tokens\.lifetime is NaN/],
    ['tokens', { clockTolerance: -1 }, /^tokens\.clockTolerance is -1\. Write a whole number of at least 0\./],
    ['tokens', { clockTolerance: 0.5 }, /^tokens\.clockTolerance is 0\.5/],
    ['tokens', { clockTolerance: '5' }, /^tokens\.clockTolerance is "5"/],

    [
      'credentials',
      { prefix: '' },
      /^credentials\.prefix is ""\. Write up to 20 letters, digits and underscores, a letter first\./,
    ],
    ['credentials', { prefix: 'a-b' }, /^credentials\.prefix is "a-b"/],
    ['credentials', { prefix: '1a' }, /^credentials\.prefix is "1a"/],
    ['credentials', { prefix: '_a' }, /^credentials\.prefix is "_a"/],
    ['credentials', { prefix: 'x'.repeat(21) }, /^credentials\.prefix is /],
    ['credentials', { prefix: 'épa' }, /^credentials\.prefix is /],
    ['credentials', { prefix: 7 }, /^credentials\.prefix is 7/],

    ['tokens', null, /^tokens is null/],
    [
      'tokens',
      'ES256',
      /^tokens is a string\. Write an object with lifetime, clockTolerance, algorithm, rotateEvery, publishAhead, signer, or leave it out\./,
    ],
    ['tokens', true, /^tokens is true/],
    ['tokens', { algorithm: 'HS256' }, /^tokens\.algorithm is "HS256"\. Choose one of ES256, .*PS512\./],
    ['tokens', { algorithm: 'none' }, /^tokens\.algorithm is "none"/],
    ['tokens', { algorithm: 'es256' }, /^tokens\.algorithm is "es256"/],
    ['tokens', { algorithm: 'toString' }, /^tokens\.algorithm is "toString"/],
    ['tokens', { rotateEvery: 0 }, /^tokens\.rotateEvery is 0\. Write a whole number of at least 1\./],
    ['tokens', { rotateEvery: '1d' }, /^tokens\.rotateEvery is "1d"/],
    ['tokens', { clockTolerance: 601 }, /^tokens\.clockTolerance is 601\. Write a whole number of at most 600\./],
    ['tokens', { publishAhead: -1 }, /^tokens\.publishAhead is -1\. Write a whole number of at least 0\./],
    [
      'tokens',
      { signer: 'https://vault.example' },
      /^tokens\.signer is a string\. Give it an object with list\(\) and sign/,
    ],
    [
      'tokens',
      { signer: { list: async () => [], token: 'secret-of-vault' } },
      /^tokens\.signer is an object\. Give it/,
    ],
    ['tokens', { signer: null }, /^tokens\.signer is null/],
    [
      'tokens',
      { signer: SIGNER, algorithm: 'ES256' },
      /^tokens\.algorithm is "ES256"\. Leave it out: tokens\.signer decides/,
    ],
    ['tokens', { signer: SIGNER, rotateEvery: 5 }, /^tokens\.rotateEvery is 5\. Leave it out: tokens\.signer decides/],
    ['tokens', { algoritm: 'ES256' }, /^tokens\.algoritm is not an option\. Did you mean "algorithm"\?/],

    ['credentials', 90, /^credentials is 90\. Write an object with prefix, maxAge, or leave it out\./],
    ['credentials', { maxage: 90 }, /^credentials\.maxage is not an option\. Did you mean "maxAge"\?/],
    ...[0, -1, 1.5, '90', null, NaN].map(
      (maxAge) =>
        ['credentials', { maxAge }, /^credentials\.maxAge is .+\. Write a whole number of at least 1\.$/] as const,
    ),
    ['credentials', { maxAge: 36_501 }, /^credentials\.maxAge is 36501\. Write days: at most 36500 \(a century\)\.$/],
    ['apis', { catalog: { scheme: 'apiKey', credentialMaxAge: 0 } }, /^apis\.catalog\.credentialMaxAge is 0\./],
    ['apis', { orders: { scheme: 'oauth2', credentialMaxAge: '90d' } }, /^apis\.orders\.credentialMaxAge is "90d"/],

    ['background', true, /^background is true\. Write an object with auditRetention, or leave it out\.$/],
    ['background', null, /^background is null/],
    ['background', { audit: 90 }, /^background\.audit is not an option\. Did you mean "auditRetention"\?$/],
    ['background', { auditRetention: '90d' }, /^background\.auditRetention is "90d"\. Write a whole number/],
    ['background', { auditRetention: 29 }, /^background\.auditRetention is 29\. Write days: at least 30\.$/],

    ['cache', 5, /^cache is 5/],
    [
      'cache',
      { tokens: 5 },
      /^cache\.tokens is not an option\. There are: applications, accessTokens, revokedAccessTokens\.$/,
    ],
    ...['applications', 'accessTokens', 'revokedAccessTokens'].flatMap((name) =>
      [0, -1, 1.5, '10', Infinity].map(
        (value) =>
          [
            'cache',
            { [name]: value },
            new RegExp(`^cache\\.${name} is .+\\. Write a whole number of at least 1\\.$`),
          ] as const,
      ),
    ),
    ['rateLimits', null, /^rateLimits is null/],
    ['rateLimits', false, /^rateLimits is false/],
    ['rateLimits', 5, /^rateLimits is 5/],
    ['rateLimits', { request: false }, /^rateLimits\.request is not an option\. Did you mean "requests"\?/],
    ...['requests', 'tokenRequests', 'failedAuthentication'].flatMap((name) =>
      (
        [
          [5, ' is 5\\. Write \\{ limit: 100, window: 60 \\}.* or false\\.'],
          [true, ' is true'],
          [[5, 60], ' is \\[5,60\\]'],
          [{}, '\\.limit is missing'],
          [{ limit: 5 }, '\\.window is missing\\. Write a whole number of at least 1'],
          [{ limit: 0, window: 60 }, '\\.limit is 0'],
          [{ limit: 5, window: 0.5 }, '\\.window is 0\\.5'],
          [{ limit: 5, windows: 60 }, '\\.windows is not an option\\. Did you mean "window"'],
        ] as const
      ).map(([value, says]) => ['rateLimits', { [name]: value }, new RegExp(`^rateLimits\\.${name}${says}`)] as const),
    ),

    [
      'rateLimits',
      { redis: 'redis://ann:password@db' },
      /^rateLimits\.redis is no ioredis instance\. Give it new Redis\(url\), where Redis comes from "ioredis"\.$/,
    ],
    ['rateLimits', { redis: null }, /^rateLimits\.redis is no ioredis instance/],
    ['rateLimits', { redis: { host: 'db', port: 6379 } }, /^rateLimits\.redis is no ioredis instance/],
    ['rateLimits', { redis: Redis }, /^rateLimits\.redis is no ioredis instance/],
    ['rateLimits', { redis: { isOpen: true, sendCommand() {}, eval() {} } }, /^rateLimits\.redis is no ioredis inst/],
    ['rateLimits', { headers: 'draft-10' }, /^rateLimits\.headers is "draft-10"\. Write true or false\./],
    ['rateLimits', { header: true }, /^rateLimits\.header is not an option\. Did you mean "headers"\?/],

    ...[null, {}, 'object', { '~standard': {} }, { '~standard': { validate: true } }, () => undefined].map(
      (schema) => ['metadata', schema, /^metadata is not a Standard Schema\. Give it a schema of an object/] as const,
    ),
    [
      'clientAssertions',
      { allow: ['https://jwks.internal'] },
      /^clientAssertions\.allow is "https:\/\/jwks\.internal"/,
    ],
    ...['127.0.0.1:8443', 'jwks.internal/keys', '*.internal', 'me@jwks.internal', '', 'a b'].map(
      (host) => ['clientAssertions', { allow: [host] }, /^clientAssertions\.allow is .*without scheme, port/] as const,
    ),
    ...['/etc/ssl/ca.pem', '-----BEGIN PRIVATE KEY-----', '', 7].map(
      (ca) =>
        ['clientAssertions', { ca }, /^clientAssertions\.ca is no certificate\. Give it the certificates/] as const,
    ),
    ['cors', '*', /^cors is "\*"\. Write \{ origin: 'https:\/\/developers\.example\.com' \}/],
    ['cors', true, /^cors is true/],
    ['cors', null, /^cors is null/],
    ['cors', {}, /^cors\.origin has nothing/],
    ['cors', { origins: '*' }, /^cors\.origins is not an option\. Did you mean "origin"\?/],
    ['cors', { origin: true }, /^cors\.origin has true\. An origin is scheme, host and port, without a path/],
    ['cors', { origin: 'developers.example.com' }, /^cors\.origin has "developers\.example\.com"/],
    ['cors', { origin: 'https://developers.example.com/' }, /^cors\.origin has /],
    ['cors', { origin: 'https://developers.example.com/console' }, /^cors\.origin has /],
    ['cors', { origin: 'https://Developers.example.com' }, /^cors\.origin has /],
    ['cors', { origin: 'https://developers.example.com:443' }, /^cors\.origin has /],
    ['cors', { origin: 'null' }, /^cors\.origin has "null"/],
    ['cors', { origin: ['https://developers.example.com', '*'] }, /^cors\.origin has "\*"/],
    ['cors', { origin: /example/ }, /^cors\.origin has /],

    ['onDenied', 'no', /^onDenied is "no"\. Give it a function, or leave it out\./],
    ['onDenied', null, /^onDenied is null/],
    ['now', 1_700_000_000_000, /^now is 1700000000000\. Give it a function/],
    ['logger', null, /^logger is null\. Give it debug, info, warn and error\./],
    ['logger', 'console', /^logger is "console"/],
    ['logger', {}, /^logger\.debug is missing\. A logger has debug, info, warn and error\./],
    ['logger', { debug() {}, info() {}, warn() {} }, /^logger\.error is missing/],
    ['logger', { debug() {}, info() {}, warn: true, error() {} }, /^logger\.warn is true/],
  ] as readonly (readonly [string, unknown, RegExp])[])('%s refuses %j', (name, value, message) => {
    expect(messageOfRefusal(() => createWith({ [name]: value }))).toMatch(message)
  })

  it.each([
    ['baseURL', 'baseUrl'],
    ['base_url', 'baseUrl'],
    ['api', 'apis'],
    ['stores', 'store'],
    ['secrets', 'secret'],
    ['token', 'tokens'],
    ['ratelimits', 'rateLimits'],
    ['rateLimit', 'rateLimits'],
    ['onDenid', 'onDenied'],
    ['onDenied ', 'onDenied'],
    ['CORS', 'cors'],
    ['credential', 'credentials'],
    ['metaData', 'metadata'],
    ['feature', 'features'],
    ['log', 'logger'],
  ])('%j is refused with the suggestion %j', (name, meant) => {
    expect(messageOfRefusal(() => createWith({ [name]: 'x' }))).toBe(
      `${name} is not an option. Did you mean "${meant}"?`,
    )
  })

  it('whose value is no JSON is refused with its type', () => {
    const circular: { self?: object } = {}
    circular.self = circular
    expect(messageOfRefusal(() => createWith({ maxStaleness: 60n }))).toMatch(/^maxStaleness is bigint/)
    expect(messageOfRefusal(() => createWith({ credentials: { prefix: circular } }))).toMatch(
      /^credentials\.prefix is object/,
    )
  })

  it('that is unknown and similar to none is refused with a list of all', () => {
    expect(messageOfRefusal(() => createWith({ issuer: 'x' }))).toMatch(
      /^issuer is not an option\. There are: baseUrl, apis, store, secret, /,
    )
  })

  it.each([undefined, null, 'https://api.example.com', 7, []])('%j instead of options is refused', (options) => {
    expect(messageOfRefusal(() => createUnchecked(options as object))).toMatch(/baseUrl|options/)
  })

  it.each([
    ['credentials', {}],
    ['credentials', { maxAge: 1 }],
    ['tokens', { lifetime: 1, clockTolerance: 0 }],
    ['maxStaleness', 1],
    ['credentials', { prefix: 'a' }],
    ['credentials', { prefix: 'A_1'.padEnd(20, 'x') }],
    [
      'clientAssertions',
      { allow: ['Jwks.internal', '10.0.0.7', '::1', '[fd00::1]', 'müller.internal'], ca: CERTIFICATE },
    ],
    ['background', false],
    ['background', undefined],
    ['background', {}],
    ['background', { auditRetention: 30 }],
    ['features', []],
    ['features', undefined],
    ['secret', SECRET],
    ['secret', [SECRET]],
    ['secret', [SECRET, 'another secret, of 32 characters or more']],
    ['secret', undefined],
    ['tokens', {}],
    ['tokens', { signer: SIGNER, publishAhead: 60 }],
    [
      'tokens',
      {
        signer: new (class Vault {
          list = SIGNER.list
          sign = SIGNER.sign
        })(),
      },
    ],
    ['tokens', undefined],
    ['tokens', { clockTolerance: 600 }],
    ['tokens', { algorithm: 'EdDSA', rotateEvery: 86_400, publishAhead: 0 }],
    ['tokens', { algorithm: null, publishAhead: null }],
    ['rateLimits', {}],
    ['rateLimits', { requests: false, failedAuthentication: false }],
    ['rateLimits', { tokenRequests: { limit: 1, window: 1 } }],
    ['cors', { origin: '*' }],
    ['cors', { origin: 'http://localhost:3000' }],
    ['cors', { origin: ['https://a.example', 'https://b.example:8443'] }],
    ['onDenied', () => undefined],
    ['now', () => 0],
    ['store', memoryStore()],
  ] as readonly (readonly [string, unknown])[])('%s accepts %j', (name, value) => {
    expect(() => createWith({ [name]: value })).not.toThrow()
  })
})

describe('baseUrl', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.COM:443/V1', 'https://api.example.com/V1'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com/a/b', 'https://api.example.com/a/b'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ])('%s: the APIs are below %s', (baseUrl, base) => {
    const { auth } = createWith({ baseUrl })
    expect(auth.apis.map(({ resource, tokenEndpoint }) => [resource, tokenEndpoint])).toEqual([
      [`${base}/orders`, `${base}/orders/token`],
      [`${base}/catalog`, undefined],
    ])
  })
})

describe('an API', () => {
  const MEMBERS_OF_OBJECT = Object.getOwnPropertyNames(Object.prototype)
  it.each([
    '',
    ' ',
    'a b',
    'a\n',
    'x'.repeat(65),
    ...MEMBERS_OF_OBJECT,
    ...'. .. .a a. -a a- ~ a/b a%2Fb a?b a#b é a:b _a a_ * :name'.split(' '),
  ])('can not have the name %j', (name) => {
    const apis = Object.fromEntries([[name, { scheme: 'oauth2' }]])
    const message = messageOfRefusal(() => createWith({ apis }))
    expect(message).toContain(
      `apis["${name}"] has a name that can not be a path segment. An API's name is its path segment: up to 64 letters, digits and . _ ~ -`,
    )
  })

  it.each(['a', '7', 'Orders', 'a.b', 'a..b', 'a_b~c-d', 'x'.repeat(64), 'token', 'prototype'])(
    'can have the name %j',
    (name) => {
      const { auth } = createWith({ apis: { [name]: { scheme: 'oauth2' } } })
      expect(auth.apis.map((api) => api.name)).toEqual([name])
    },
  )

  it('can not have a name that differs from another in case only', () => {
    const apis = { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' }, Orders: { scheme: 'apiKey' } }
    expect(messageOfRefusal(() => createWith({ apis }))).toBe(
      'apis.Orders and apis.orders differ only in case. Give one of them another name.',
    )
  })

  const [O, K] = [{ scheme: 'oauth2' }, { scheme: 'apiKey' }]
  it.each([
    [null, / is null\. Write \{ scheme: 'oauth2' \} or \{ scheme: 'apiKey' \}\./],
    ['oauth2', / is "oauth2"/],
    [[], / is \[\]/],
    [{}, /\.scheme is missing\. An API's scheme is "oauth2" \(bearer access tokens\) or "apiKey" \(API keys\)\./],
    [{ scheme: 'oauth' }, /\.scheme is "oauth"/],
    [{ scheme: 'OAuth2' }, /\.scheme is "OAuth2"/],
    [{ scheme: 'apikey' }, /\.scheme is "apikey"/],
    [{ ...O, scope: {} }, /\.scope is not an option\. Did you mean "scopes"\?/],
    [{ ...O, tittle: 'x' }, /\.tittle is not an option\. Did you mean "title"\?/],
    [
      { ...O, lifetime: 60 },
      /\.lifetime is not an option\. There are: scheme, title, description, rateLimit, registration, credentialMaxAge, reportOnly, scopes, registrationScopes, hideCredential, introspection, accessTokenLifetime, claims, clientAuthentication, header, defaultScopes\./,
    ],
    [{ ...O, defaultScopes: [] }, /\.defaultScopes is for key APIs\. An oauth2 API has none; leave it out\./],
    [{ ...K, scopes: ['read'] }, /\.scopes is \["read"\]\. Write scope -> what it allows/],
    [
      { ...K, scopes: { read: 'Read' }, defaultScopes: ['write'] },
      /\.defaultScopes has "write"\. List scopes of the API: read\./,
    ],
    [{ ...O, header: 'X-Key' }, /\.header is for key APIs\. An oauth2 API has none; leave it out\./],
    [{ ...K, claims: () => ({}) }, /\.claims is for oauth2 APIs/],
    [{ ...O, claims: { discount: 10 } }, /\.claims is \{"discount":10\}\. Give it a function/],
    [{ ...K, accessTokenLifetime: 60 }, /\.accessTokenLifetime is for oauth2 APIs/],
    [{ ...O, title: 7 }, /\.title is 7\. Write a string\./],
    [{ ...O, description: ['x'] }, /\.description is \["x"\]\. Write a string\./],
    [{ ...O, accessTokenLifetime: 0 }, /\.accessTokenLifetime is 0\. Write a whole number of at least 1\./],
    [{ ...O, accessTokenLifetime: '1h' }, /\.accessTokenLifetime is "1h"/],
    [{ ...O, rateLimit: 5 }, /\.rateLimit is 5\. Write \{ limit: 100, window: 60 \}/],
    [{ ...K, rateLimit: { limit: 5, window: 0 } }, /\.rateLimit\.window is 0/],
    [
      { ...O, scopes: ['orders:read'] },
      /\.scopes is \["orders:read"\]\. Write scope -> what it allows: \{ 'orders:read': 'Read orders' \}\./,
    ],
    [{ ...O, scopes: 'orders:read' }, /\.scopes is "orders:read"/],
    [
      { ...O, scopes: { 'a b': 'x' } },
      /\.scopes\["a b"\] has a character that no scope can have\. A scope is visible ASCII without quote, backslash and space \(RFC 6749 3\.3\)\./,
    ],
    [{ ...O, scopes: { '': 'x' } }, /\.scopes\[""\]/],
    [{ ...O, scopes: { 'a"b': 'x' } }, /\.scopes\["a"b"\]/],
    [{ ...O, scopes: { 'a\\b': 'x' } }, /\.scopes\["a\\b"\]/],
    [{ ...O, scopes: { é: 'x' } }, /\.scopes\["é"\]/],
    [{ ...O, scopes: { 'a\n': 'x' } }, /[^]*A scope is visible ASCII/],
    [{ ...O, scopes: { 'orders:read': true } }, /\.scopes\["orders:read"\] is true\. Write in words what it allows\./],
  ] as readonly (readonly [unknown, RegExp])[])('can not be %j', (api, { source }) => {
    expect(messageOfRefusal(() => createWith({ apis: { orders: api } }))).toMatch(new RegExp(`^apis\\.orders${source}`))
  })

  it('is listed in auth.apis with its options and defaults', () => {
    const apis = {
      orders: {
        scheme: 'oauth2',
        title: 'Orders',
        description: 'All orders.',
        scopes: { 'orders:read': 'Read orders' },
      },
      catalog: { scheme: 'apiKey' },
    }
    expect(createWith({ apis }).auth.apis).toEqual([
      {
        name: 'orders',
        title: 'Orders',
        description: 'All orders.',
        scheme: 'oauth2',
        scopes: { 'orders:read': 'Read orders' },
        tokenEndpoint: 'https://api.example.com/orders/token',
        clientAuthentication: ['client_secret_basic', 'client_secret_post'],
        keyHeaders: [],
        resource: 'https://api.example.com/orders',
      },
      {
        name: 'catalog',
        title: 'catalog',
        description: undefined,
        scheme: 'apiKey',
        scopes: {},
        tokenEndpoint: undefined,
        clientAuthentication: [],
        keyHeaders: ['X-Api-Key'],
        resource: 'https://api.example.com/catalog',
      },
    ])
  })

  it.each([
    ['', /^apis\.catalog\.header is ""\. A header name is 1 to 64 letters, digits, "-" and "_", such as "X-Api-Key"\./],
    ...['a b', 'a:b', 'a\r\nb', 'é', '-key', 'api.key', 'x'.repeat(65), 7, null, {}].map(
      (header) => [header, /A header name is 1 to 64/] as const,
    ),
    ...`Authorization authorization Cookie Host Content-Type content-whatever Connection TE Transfer-Encoding
    Proxy-Authorization Accept Accept-Language Sec-Fetch-Site If-Match X-Forwarded-For User-Agent
    Platform-Auth-Doctor constructor`
      .split(/\s+/)
      .map((header) => [header, /has another meaning in HTTP\. Choose a name of your own/] as const),
    [['X-Key', 'Cookie'], /^apis\.catalog\.header is "Cookie", which has another meaning in HTTP\./],
    [[], /^apis\.catalog\.header is \[\]\. Give one header name or two/],
    [['A', 'B', 'C'], /^apis\.catalog\.header is \["A","B","C"\]\. Give one header name or two/],
    [['A', 7], /^apis\.catalog\.header is 7/],
    [['X-Key', 'x-key'], /^apis\.catalog\.header has "X-Key" twice\. Header names do not depend on case/],
  ] as readonly (readonly [unknown, RegExp])[])('can not have the header %j', (header, message) => {
    expect(messageOfRefusal(() => createWith({ apis: { catalog: { scheme: 'apiKey', header } } }))).toMatch(message)
  })

  it.each([
    [undefined, ['X-Api-Key']],
    ['apikey', ['apikey']],
    ['Ocp-Apim-Subscription-Key', ['Ocp-Apim-Subscription-Key']],
    ['api_key', ['api_key']],
    [['X-Api-Key'], ['X-Api-Key']],
    [
      ['X-Shop-Key', 'apikey'],
      ['X-Shop-Key', 'apikey'],
    ],
    [
      ['X-Shop-Key', 'authorization'],
      ['X-Shop-Key', 'Authorization'],
    ],
  ])('can have the header %j', (header, keyHeaders) => {
    const { auth } = createWith({ apis: { catalog: { scheme: 'apiKey', header } } })
    expect(auth.apis[0]!.keyHeaders).toEqual(keyHeaders)
  })

  it('can not be changed through the options or through auth.apis', () => {
    const scopes: Record<string, string> = { 'orders:read': 'Read orders' }
    const { auth } = createWith({ apis: { orders: { scheme: 'oauth2', scopes } } })
    scopes['orders:all'] = 'Everything'
    expect(auth.apis[0]!.scopes).toEqual({ 'orders:read': 'Read orders' })
    expect(() => Object.assign(auth.apis[0]!, { resource: 'https://evil.example' })).toThrow(TypeError)
    expect(() => Object.assign(auth.apis[0]!.scopes, { 'orders:all': 'Everything' })).toThrow(TypeError)
  })
})

describe('a guard', () => {
  const { auth } = createWith({
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read', 'orders:write': 'Write' } },
      invoices: { scheme: 'oauth2' },
      catalog: { scheme: 'apiKey' },
    },
  })
  const { requireBearer, requireApiKey } = auth as unknown as Record<
    'requireBearer' | 'requireApiKey',
    (...args: unknown[]) => unknown
  >

  const OAUTH2 = 'With the scheme "oauth2" there are: orders, invoices.'
  const ofOrders = (problem: string): string => `requireBearer("orders"): ${problem}`
  const noScope = (scope: string): string =>
    ofOrders(`the API "orders" has no scope ${scope}. There are: orders:read, orders:write.`)

  it.each([
    [() => requireBearer('ordres'), `requireBearer: there is no API "ordres". ${OAUTH2}`],
    [() => requireBearer('Orders'), `requireBearer: there is no API "Orders". ${OAUTH2}`],
    [() => requireBearer('constructor'), `requireBearer: there is no API "constructor". ${OAUTH2}`],
    [() => requireBearer(''), `requireBearer: there is no API "". ${OAUTH2}`],
    [
      () => requireApiKey('katalog'),
      'requireApiKey: there is no API "katalog". With the scheme "apiKey" there are: catalog.',
    ],
    [
      () => requireBearer('catalog'),
      'requireBearer: the scheme of the API "catalog" is "apiKey". Use requireApiKey("catalog").',
    ],
    [
      () => requireApiKey('orders'),
      'requireApiKey: the scheme of the API "orders" is "oauth2". Use requireBearer("orders").',
    ],
    [() => requireBearer(), `requireBearer: name the API. ${OAUTH2}`],
    [() => requireBearer({ scopes: [] }), `requireBearer: name the API. ${OAUTH2}`],
    [() => requireBearer('orders', { scopes: ['orders:reed'] }), noScope('"orders:reed"')],
    [() => requireBearer('orders', { scopes: ['orders:read orders:write'] }), noScope('"orders:read orders:write"')],
    [() => requireBearer('orders', { scopes: ['toString'] }), noScope('"toString"')],
    [() => requireBearer('orders', { scopes: [undefined] }), noScope('without a name')],
    [
      () => requireBearer('invoices', { scopes: ['invoices:read'] }),
      'requireBearer("invoices"): the API "invoices" has no scope "invoices:read". Declare it under apis.invoices.scopes.',
    ],
    [
      () => requireBearer('orders', { scopes: 'orders:read' }),
      ofOrders('scopes is "orders:read". Write a list of scopes, or a list per method: { GET: [...] }.'),
    ],
    [
      () => requireBearer('orders', { scope: ['orders:read'] }),
      ofOrders('scope is not an option. Did you mean "scopes"?'),
    ],
    [
      () => requireBearer('orders', ['orders:read']),
      ofOrders('the options are ["orders:read"]. Write an object: { scopes: [...] }.'),
    ],
    [
      () => requireBearer('orders', 'orders:read'),
      ofOrders('the options are "orders:read". Write an object: { scopes: [...] }.'),
    ],
    [() => requireBearer('orders', { optional: 'yes' }), ofOrders('optional is "yes". Write true or false.')],
    [
      () => requireBearer('orders', { onDenied: true }),
      ofOrders('onDenied is true. Give it a function, or leave it out.'),
    ],
    [
      () => requireApiKey('catalog', { otherIssuers: [] }),
      'requireApiKey("catalog"): otherIssuers is not an option. There are: scopes, anyScope, cost, allow, optional, onDenied, reportOnly.',
    ],
    [
      () => requireApiKey({ optinal: true }),
      'requireApiKey("catalog"): optinal is not an option. Did you mean "optional"?',
    ],
    [() => requireApiKey(7), 'requireApiKey("catalog"): the options are 7. Write an object, or leave them out.'],
  ])('is refused when it is created: %s', (call, message) => {
    expect(messageOfRefusal(call)).toBe(message)
  })

  it('is refused if no API has its scheme', () => {
    const keysOnly = createWith({ apis: { catalog: { scheme: 'apiKey' } } }).auth
    const { requireBearer: none } = keysOnly as unknown as { requireBearer: (api?: string) => unknown }
    expect(messageOfRefusal(() => none())).toBe('requireBearer: name the API. No API has the scheme "oauth2".')
    expect(messageOfRefusal(() => none('orders'))).toBe(
      'requireBearer: there is no API "orders". No API has the scheme "oauth2".',
    )
  })

  it('needs no name if exactly one API has its scheme, and no options', () => {
    for (const guard of [
      requireApiKey(),
      requireApiKey({}),
      requireApiKey({ optional: true }),
      requireApiKey('catalog'),
      requireApiKey('catalog', undefined),
    ]) {
      expect(guard).toBeTypeOf('function')
    }
    expect(requireBearer('orders', { scopes: [], optional: false, onDenied: undefined })).toBeTypeOf('function')
  })

  it.each([
    ['verifyAccessToken', 'ordres', `verifyAccessToken: there is no API "ordres". ${OAUTH2}`],
    [
      'verifyAccessToken',
      'catalog',
      'verifyAccessToken: the scheme of the API "catalog" is "apiKey". Use verifyApiKey("catalog").',
    ],
    [
      'verifyApiKey',
      'orders',
      'verifyApiKey: the scheme of the API "orders" is "oauth2". Use verifyAccessToken("orders").',
    ],
    [
      'verifyApiKey',
      undefined,
      'verifyApiKey: there is no API without a name. With the scheme "apiKey" there are: catalog.',
    ],
  ] as const)('and %s(%j) rejects in the same way', async (name, api, message) => {
    const verify = auth[name] as (api: unknown, credential: string) => Promise<unknown>
    await expect(verify(api, 'x')).rejects.toThrow(expect.objectContaining({ name: 'ConfigurationError', message }))
  })
})

describe('in production', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))

  it('a store is required, and memoryStore() is one', () => {
    const logger = recordingLogger()
    expect(messageOfRefusal(() => createUnchecked({ ...VALID_OPTIONS, logger, secret: SECRET }))).toMatch(
      /^store is missing\. In production say .*sqliteStore\(path\).*memoryStore\(\)/,
    )
    expect(() => createUnchecked({ ...VALID_OPTIONS, logger, store: memoryStore() })).not.toThrow()
    expect(logger.lines).toEqual([])
  })

  it('a secret is required for every store except memory', () => {
    const store = sqliteStore(':memory:')
    expect(messageOfRefusal(() => createWith({ store }))).toMatch(
      /^secret is missing\. In production signing keys and pepper are encrypted at rest/,
    )
    expect(() => createWith({ store, secret: SECRET })).not.toThrow()
  })

  it.each(['http://api.example.com', 'http://10.0.0.1', 'http://localhost.example.com', 'http://127.example.com'])(
    '%s logs one warning',
    (baseUrl) => {
      const { logger } = createWith({ baseUrl })
      expect(logger.lines).toEqual([
        `baseUrl is "${baseUrl}": over http, credentials and access tokens are sent unencrypted. Use https in production.`,
      ])
    },
  )

  it.each([
    'https://api.example.com',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://127.8.9.1:80',
    'http://[::1]:3000',
  ])('%s logs no warning', (baseUrl) => {
    expect(createWith({ baseUrl }).logger.lines).toEqual([])
  })
})

describe('a polluted Object.prototype', () => {
  it.each([
    ['onDenied', 'not a function'],
    ['rateLimits', 5],
    ['limit', 'x'],
    ['requests', 5],
    ['scopes', 5],
    ['algorithm', 'none'],
    ['importUnencrypted', true],
    ['features', 5],
    ['prefix', 5],
    ['lifetime', 'x'],
    ['background', 5],
  ])('provides no option: %s', async (name, value) => {
    const options = { ...VALID_OPTIONS, store: memoryStore(), tokens: {}, credentials: {}, rateLimits: {}, cache: {} }
    const { rateLimits: _, ...withoutLimits } = options
    const given = { ...(name === 'rateLimits' ? withoutLimits : options), logger: recordingLogger() }
    await whilePolluted({ [name]: value }, () => expect(() => createUnchecked(given)).not.toThrow())
  })

  it('provides no argument of a call', async () => {
    const { auth } = createWith({})
    await auth.ready()
    await whilePolluted({ by: 'mallory', scopes: ['other'], overlap: 'x' }, async () => {
      const { application } = await auth.applications.create({ name: 'Shop', apis: ['orders'] })
      await auth.applications.rotateSecret(application.id)
    })
    expect((await auth.audit.list()).items.map(({ by }) => by)).toEqual([undefined, undefined, undefined])
  })
})

describe('a secret that is easy to guess', () => {
  it.each([
    ['x'.repeat(32), 'it repeats itself'],
    ['ab'.repeat(32), 'it has few different characters'],
    ['0123456789abcdef0123456789abcdef', 'it is a sequence'],
    ['12345678901234567890123456789012', 'it is a sequence'],
    [`${'a'.repeat(60)}b`, 'it is a sequence'],
    ['abcdefghijklmnopqrstuvwxyz012345', 'it is a sequence'],
    ['zyxwvutsrqponmlkjihgfedcba987654', 'it is a sequence'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'it is a sequence'],
    ['zyxwvutsrqponmlkjihgfedcba9876543210', 'it is a sequence'],
    ['acegikmoqsuwyACEGIKMOQSUWY024680', 'it is a sequence'],
    ['\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437'.repeat(4), 'it is a sequence'],
    ['x9Kq2vR7x9Kq2vR7x9Kq2vR7x9Kq2vR7', 'it repeats itself'],
    ['aab'.repeat(4) + 'bbbabaabbbabaaababbaba', 'it has few different characters'],
    ['00000000000000000000000000000000', 'it repeats itself'],
  ])('is refused in production, and elsewhere causes a warning that does not show it: %s', (weak, problem) => {
    const [line, ...others] = createWith({ secret: weak }).logger.lines
    expect(line).toMatch(/ In production the platform does not start with it\.$/)
    expect([line!.startsWith(`secret is easy to guess: ${problem}`), line!.includes(weak.slice(0, 16))]).toEqual([
      true,
      false,
    ])
    expect(others).toEqual([])
    vi.stubEnv('NODE_ENV', 'production')
    expect(messageOfRefusal(() => createWith({ secret: weak }))).toMatch(/^secret is easy to guess/)
    expect(messageOfRefusal(() => createWith({ secret: [weak, SECRET] }))).toMatch(/^secret is easy to guess/)
  })

  it('is accepted behind the newest secret, so that it can be replaced', () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(() => createWith({ secret: [SECRET, 'x'.repeat(32)] })).not.toThrow()
  })

  it('is none of 128 random bits, in any usual notation', () => {
    for (let i = 0; i < 200; i++) {
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const secret = randomBytes(encoding === 'hex' ? 16 : 24).toString(encoding)
        expect(findWeakness(secret), secret).toBeUndefined()
      }
      expect(findWeakness(randomUUID())).toBeUndefined()
    }
  })
})

describe('outside production', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', undefined))

  it.each([0, 2, 59])(
    'tokens.publishAhead of %d s, which verifiers elsewhere cannot follow, logs one warning',
    (publishAhead) => {
      expect(createWith({ tokens: { publishAhead } }).logger.lines).toEqual([
        expect.stringMatching(
          new RegExp(
            `^tokens\\.publishAhead is ${publishAhead}: verifiers elsewhere .* Give it 60 seconds or more\\.$`,
          ),
        ),
      ])
    },
  )

  it.each([60, 300, undefined])('tokens.publishAhead of %s logs no warning', (publishAhead) => {
    expect(createWith({ tokens: { publishAhead } }).logger.lines).toEqual([])
  })

  it('a missing store logs one warning', async () => {
    const logger = recordingLogger()
    const auth = createUnchecked({ ...VALID_OPTIONS, logger })
    await auth.ready()
    await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    expect(logger.lines).toEqual([
      'store is missing: applications are kept in memory and lost when the process ends. Give it sqliteStore(path) from "express-platform-auth/stores/sqlite", or memoryStore() if they may be lost.',
    ])
  })

  it('a missing secret for a persistent store logs one warning', async () => {
    const { auth, logger } = createWith({ store: sqliteStore(':memory:') })
    await auth.ready()
    expect(logger.lines).toEqual([
      'secret is missing: signing keys and pepper are stored unencrypted. Set it to 32 random characters or more. In production the platform does not start without it.',
    ])
  })

  it('http and a complete configuration log no warning', async () => {
    const { auth, logger } = createWith({
      baseUrl: 'http://api.example.com',
      store: sqliteStore(':memory:'),
      secret: SECRET,
    })
    await auth.ready()
    expect(logger.lines).toEqual([])
  })
})
