import { describe, expect, it } from 'vitest'
import { REGISTERED_CLAIMS, selectCustomClaims, stringifyClaims } from '../../../src/core/tokens/custom-claims.js'

const stringify = (claims: unknown): string | undefined => stringifyClaims('apis.orders.claims', claims)

describe('the claims that a platform adds', () => {
  it('are any JSON object, and none if it is empty', () => {
    expect(stringify({ discount: 10, 'https://shop.example/tier': ['gold'] })).toBe(
      '{"discount":10,"https://shop.example/tier":["gold"]}',
    )
    expect(stringify({})).toBeUndefined()
  })

  it.each([
    'iss',
    'sub',
    'aud',
    'exp',
    'nbf',
    'iat',
    'jti', // RFC 7519
    'client_id',
    'scope',
    'auth_time',
    'acr',
    'amr',
    'groups',
    'roles',
    'entitlements', // RFC 9068
    'cnf',
    'act',
    'may_act',
    'active',
    'token_type',
    'username',
    'authorization_details',
    'azp',
    'sid',
  ])('never have the registered name %s', (name) => {
    expect(REGISTERED_CLAIMS.has(name)).toBe(true)
    expect(() => stringify({ discount: 10, [name]: 'x' })).toThrow(
      `The result of apis.orders.claims has "${name}", which other specifications define. Choose another name.`,
    )
  })

  it('may have a registered name within another claim', () => {
    expect(stringify({ parent: { sub: 'x' } })).toBe('{"parent":{"sub":"x"}}')
  })

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'The result of apis.orders.claims must be a JSON object, and is undefined.'],
    ['a list', [], 'The result of apis.orders.claims must be a JSON object, and is a list.'],
    ['a member that is missing', { discount: undefined }, 'The result of apis.orders.claims.discount is undefined.'],
    ['a Date', { since: new Date() }, 'The result of apis.orders.claims.since is a Date.'],
    ['more than 2 KiB', { a: 'x'.repeat(2041) }, 'The result of apis.orders.claims is larger than 2048 bytes of JSON.'],
  ])('are never %s', (_, claims, message) => {
    expect(() => stringify(claims)).toThrow(message)
  })

  it('are at most 2 KiB', () => {
    expect(stringify({ a: 'x'.repeat(2040) })).toHaveLength(2048)
  })
})

it('the claims of an access token that are not of RFC 9068 are kept as JSON text', () => {
  const issued = { iss: 'a', aud: 'a', sub: 'b', client_id: 'b', iat: 1, exp: 2, jti: 'c', scope: 'd' }
  expect(selectCustomClaims(issued)).toBeUndefined()
  expect(selectCustomClaims({ ...issued, discount: 10, tags: [] })).toBe('{"discount":10,"tags":[]}')
})
