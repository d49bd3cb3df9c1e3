import { describe, expect, it } from 'vitest'
import { containsNetwork, isInNetworks, readNetwork } from '../../src/lib/networks.js'

describe('readNetwork()', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
  ])('reads %s as %s', (text, network) => expect(readNetwork(text)).toBe(network))

  it.each([
    '',
    '/',
    '/24',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/24/24',
    '203.0.113.0/24 ',
    '203.0.113.0 /24',
    '203.0.113.1/24',
    '203.0.113/24',
    '203.0.113.*',
    '0203.0.113.0/24',
    '2001:db8::1/32',
    '2001:db8::/129',
    'fe80::1%eth0',
    '[2001:db8::1]',
    'example.com',
    '203.0.113.0-203.0.113.9',
    '1e1',
  ])('reads no network in %j', (text) => expect(readNetwork(text)).toBeUndefined())
})

describe('isInNetworks()', () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32']

  it.each(['203.0.113.0', '203.0.113.255', '198.51.100.7', '2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'])(
    'has %s',
    (address) => expect(isInNetworks(address, networks)).toBe(true),
  )

  it.each([
    '203.0.112.255',
    '203.0.114.0',
    '198.51.100.8',
    '2001:db9::',
    '::1',
    'unknown',
    '',
    '203.0.113.1, 203.0.113.2',
  ])('does not have %j', (address) => expect(isInNetworks(address, networks)).toBe(false))
})

describe('isInNetworks() with networks of all addresses of a kind', () => {
  it.each([
    ['::/0', '198.51.100.7', false],
    ['::/64', '198.51.100.7', false],
    ['::/0', '2001:db8::1', true],
    ['0.0.0.0/0', '198.51.100.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%s has %s: %s', (network, address, isIn) => expect(isInNetworks(address, ['203.0.113.0/24', network])).toBe(isIn))
})

describe('containsNetwork()', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24', true],
    ['203.0.113.0/24', '203.0.113.128/25', true],
    ['203.0.113.0/25', '203.0.113.128/25', false],
    ['203.0.113.0/24', '203.0.112.0/23', false],
    ['0.0.0.0/0', '2001:db8::/32', false],
    ['::/0', '203.0.113.0/24', false],
    ['2001:db8::/32', '2001:db8:1::/48', true],
    ['2001:db8::/32', '2001:db9::/48', false],
  ])('%s and %s: %s', (outer, inner, contains) => expect(containsNetwork(outer, inner)).toBe(contains))
})
