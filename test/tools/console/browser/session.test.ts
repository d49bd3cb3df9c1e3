import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createCredentials } from '../../../../src/core/applications/credentials/credentials.js'
import { readRefusal } from '../../../../src/tools/console/browser/call.js'
import {
  describeCallRefusal,
  describeCalls,
  describeState,
  describeTokenRefusal,
  describeUnreachable,
  readRetryAfter,
} from '../../../../src/tools/console/browser/messages.js'
import { createSession, type ApiAccess } from '../../../../src/tools/console/browser/session.js'

const ORDERS: ApiAccess = {
  name: 'orders',
  scheme: 'oauth2',
  tokenEndpoint: 'https://a/orders/token',
  keyHeader: '',
  resource: 'https://a/orders',
}
const REPORTS: ApiAccess = { ...ORDERS, name: 'reports', tokenEndpoint: 'https://a/reports/token' }
const CATALOG: ApiAccess = {
  name: 'catalog',
  scheme: 'apiKey',
  tokenEndpoint: '',
  keyHeader: 'Shop-Key',
  resource: 'https://a/catalog',
}
const KEY = createCredentials('epa', randomBytes(32)).mint('key', 0).plain
const OK = { status: 200 }

describe('one authorization for all APIs', () => {
  let now = 0
  let requests: string[] = []
  let answer: (url: string) => Response | Promise<Response>
  let session: ReturnType<typeof createSession>

  beforeEach(() => {
    now = 1_000_000
    requests = []
    let count = 0
    answer = () => Response.json({ access_token: `token-${++count}`, expires_in: 60, scope: 'read write' })
    session = createSession({
      now: () => now,
      suspensionUrl: 'https://a/suspended',
      send: async (url) => {
        requests.push(url)
        return answer(url)
      },
    })
  })

  const states = (): string[] => [ORDERS, REPORTS, CATALOG].map((api) => session.describe(api))

  it('is checked at the API where it was entered, and used at the others', async () => {
    expect(await session.authorize(ORDERS, { key: KEY, secret: 's' })).toBeUndefined()
    expect(states()).toEqual(['authorized', 'saved', 'saved'])
    expect(await session.carry(ORDERS)).toEqual({ header: ['Authorization', 'Bearer token-1'] })
    expect(await session.carry(REPORTS)).toEqual({ header: ['Authorization', 'Bearer token-2'] })
    expect(await session.carry(CATALOG)).toEqual({ header: ['Shop-Key', KEY] })
    session.noteAnswer(CATALOG, KEY, OK)
    expect(states()).toEqual(['authorized', 'authorized', 'authorized'])
    expect(session.grantedScopes(ORDERS)).toEqual(['read', 'write'])
  })

  it('is used where it suffices: a key alone gets no access token, an application’s id is no key', async () => {
    await session.authorize(CATALOG, { key: KEY, secret: '' })
    expect(states()).toEqual(['none', 'none', 'saved'])
    expect(await session.carry(ORDERS)).toEqual({})
    await session.authorize(ORDERS, { key: 'app_1', secret: 's' })
    expect(states()).toEqual(['authorized', 'saved', 'none'])
    expect(await session.carry(CATALOG)).toEqual({})
  })

  it('shares one token request among calls that start together, and renews it shortly before it expires', async () => {
    await session.authorize(ORDERS, { key: KEY, secret: 's' })
    now += 57_000
    await session.carry(ORDERS)
    expect(requests).toHaveLength(1)
    now += 1000
    const carried = await Promise.all([session.carry(ORDERS), session.carry(ORDERS)])
    expect(requests).toHaveLength(2)
    for (const each of carried) expect(each).toEqual({ header: ['Authorization', 'Bearer token-2'] })
  })

  it('keeps the key, and not the refused credentials, after a refusal', async () => {
    answer = () => Response.json({ error: 'invalid_client', error_description: 'No' }, { status: 401 })
    expect(await session.authorize(ORDERS, { key: KEY, secret: 'wrong' })).toMatchObject({ error: 'invalid_client' })
    expect([states(), session.lastKey(), session.hasCredentials()]).toEqual([['none', 'none', 'none'], KEY, false])
    answer = () => Promise.reject(new Error('You are offline.'))
    expect(await session.authorize(ORDERS, { key: KEY, secret: 's' })).toEqual({ unreachable: 'You are offline.' })
  })

  it('says that the application is suspended, if the console confirms it', async () => {
    answer = (url) =>
      url.endsWith('/suspended')
        ? Response.json({ suspended: true })
        : Response.json({ error: 'invalid_client' }, { status: 401 })
    expect(await session.authorize(ORDERS, { key: KEY, secret: 's' })).toMatchObject({ suspended: true })
    expect(requests).toEqual(['https://a/orders/token', 'https://a/suspended'])
  })

  it('ends at the API that refuses it, and everywhere if a key is unknown', async () => {
    await session.authorize(ORDERS, { key: KEY, secret: 's' })
    await session.carry(REPORTS)
    expect(session.noteAnswer(ORDERS, 'Bearer token-1', { status: 401 })).toBe(true)
    expect(states()).toEqual(['none', 'authorized', 'saved'])
    expect(session.noteAnswer(CATALOG, KEY, { status: 403, error: 'access_denied' })).toBe(true)
    expect(states()).toEqual(['none', 'authorized', 'none'])
    expect(session.noteAnswer(REPORTS, 'Bearer token-2', { status: 403, error: 'insufficient_scope' })).toBe(false)
    await session.authorize(CATALOG, { key: KEY, secret: '' })
    expect(session.noteAnswer(CATALOG, KEY, { status: 401 })).toBe(true)
    expect([states(), session.lastKey()]).toEqual([['none', 'none', 'none'], KEY])
  })

  it('is not judged by the answer to an earlier credential', async () => {
    await session.authorize(ORDERS, { key: KEY, secret: 's' })
    now += 59_000
    await session.carry(ORDERS)
    expect(session.noteAnswer(ORDERS, 'Bearer token-1', { status: 401 })).toBe(false)
    expect(session.noteAnswer(ORDERS, undefined, { status: 401 })).toBe(false)
    expect(session.describe(ORDERS)).toBe('authorized')
  })

  it('is forgotten completely, even while a token is requested', async () => {
    await session.authorize(ORDERS, { key: KEY, secret: 's' })
    let resolve: (response: Response) => void = () => undefined
    answer = () => new Promise((resolved) => (resolve = resolved))
    const carrying = session.carry(REPORTS)
    session.forget()
    resolve(Response.json({ access_token: 'late' }))
    expect(await carrying).toEqual({})
    expect([states(), session.lastKey(), session.read()]).toEqual([['none', 'none', 'none'], '', undefined])
    answer = () => Response.json({ access_token: 'late' })
    const entering = session.authorize(ORDERS, { key: KEY, secret: 's' })
    session.forget()
    await entering
    expect(states()).toEqual(['none', 'none', 'none'])
  })
})

describe('a message', () => {
  it('names the credentials by the beginning of the key', () => {
    expect(describeState('none', '')).toBe('Not authorized')
    expect(describeState('authorized', 'epa_key_5395abcdefgh')).toBe('Authorized as epa_key_5395…')
    expect(describeState('authorized', 'a_long_prefix_key_5395abcdefgh')).toBe('Authorized as a_long_prefix_key_5395…')
    expect(describeState('saved', 'app_0123456789abcdef')).toBe('app_01234567… saved, not checked yet')
  })

  it('says how far credentials are checked', () => {
    expect(describeCalls('none', 'oauth2')).toBe('Calls need the key and the secret of your application.')
    expect(describeCalls('none', 'apiKey')).toBe('Calls need the key of your application.')
    expect(describeCalls('saved', 'apiKey')).toBe(
      'The key is saved, not checked yet. Calls carry the key until you leave the console.',
    )
    expect(describeCalls('authorized', 'oauth2')).toBe(
      'Authorized. Calls carry the access token until you leave the console.',
    )
  })

  it.each([
    [
      { status: 401, error: 'invalid_client', description: 'Client authentication failed' },
      'The key or the secret is wrong.',
    ],
    [{ status: 401, error: 'invalid_client', suspended: true }, 'This application is suspended.'],
    [{ status: 429, error: 'too_many_requests', retryAfter: 40 }, 'Too many attempts. Try again in 40 seconds.'],
    [{ status: 503 }, 'The platform cannot check credentials at the moment. Try again later.'],
    [{ status: 400, error: 'unauthorized_client', description: 'No' }, 'No.'],
    [{ status: 502 }, 'The token endpoint answered 502.'],
    [{ unreachable: 'You are offline.' }, 'You are offline.'],
  ])('says why there is no access token: %j', (refusal, text) => {
    expect(describeTokenRefusal(refusal).text).toBe(text)
  })

  it.each([
    [{ status: 401, authorized: false }, 'The call carried no credential.'],
    [{ status: 403, error: 'insufficient_scope' }, 'The access token lacks the scope orders:write. Ask for it'],
    [{ status: 403, error: 'access_denied' }, 'its application is suspended or may not use this API'],
    [{ status: 429, retryAfter: 90 }, 'Too many calls. Try again in 2 minutes.'],
    [{ status: 503, error: 'temporarily_unavailable' }, 'cannot check the access token at the moment'],
  ])('says what to do about %j', (refusal, text) => {
    const call = { scheme: 'oauth2', authorized: true, missingScopes: ['orders:write'], ...refusal } as const
    expect(describeCallRefusal(call)?.text).toContain(text)
  })

  it('says which scopes an operation needs of a key, whose scopes the console does not know', () => {
    const call = { status: 403, error: 'insufficient_scope', scheme: 'apiKey', authorized: true } as const
    expect(describeCallRefusal({ ...call, missingScopes: ['teas:read', 'teas:write'] })?.text).toBe(
      'The key lacks a scope that this operation needs: teas:read, teas:write. Ask for it, then send the call again.',
    )
    expect(describeCallRefusal({ ...call, missingScopes: [] })?.text).toContain('that this operation needs. Ask for it')
  })

  it('leaves other answers to the API', () => {
    const call = { scheme: 'oauth2', authorized: true, missingScopes: [] } as const
    for (const status of [200, 400, 403, 404, 500, 503])
      expect(describeCallRefusal({ ...call, status })).toBeUndefined()
  })

  it('tells being offline from a server that does not answer, and from CORS', () => {
    const page = { origin: 'https://developers.example.com', online: true }
    expect(describeUnreachable('https://api.example.com/x', { ...page, online: false })).toContain('You are offline.')
    expect(describeUnreachable(`${page.origin}/x`, page)).toBe('https://developers.example.com does not answer.')
    expect(describeUnreachable('https://api.example.com/x', page)).toContain(
      `must allow the origin ${page.origin} (CORS)`,
    )
  })

  it('reads Retry-After as seconds and as a date', () => {
    const now = Date.parse('2027-01-31T10:00:00Z')
    expect(readRetryAfter('7', now)).toBe(7)
    expect(readRetryAfter('Sun, 31 Jan 2027 10:01:00 GMT', now)).toBe(60)
    for (const missing of [null, '', 'soon']) expect(readRetryAfter(missing, now)).toBeUndefined()
  })
})

it('reads the refusal of a guard from its challenge, or from its body where CORS hides the challenge', () => {
  const body = new TextEncoder().encode('{"error":"invalid_token","error_description":"No"}')
  const challenge = 'Bearer realm="orders", error="insufficient_scope", scope="a b", resource_metadata="https://x"'
  const headers = new Headers({ 'WWW-Authenticate': challenge, 'Retry-After': '3' })
  expect(readRefusal({ status: 403, headers }, body)).toMatchObject({ error: 'insufficient_scope', scopes: ['a', 'b'] })
  expect(readRefusal({ status: 401, headers: new Headers() }, body)).toMatchObject({ error: 'invalid_token' })
  for (const text of ['null', '"x"', 'no JSON', '{"error":5}'])
    expect(readRefusal({ status: 401, headers: new Headers() }, new TextEncoder().encode(text)).error).toBeUndefined()
})
