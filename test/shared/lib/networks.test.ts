import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from 'node:http'
import { readIpAddress } from '../../../src/shared/lib/request.js'
import { containsNetwork, HAS_EVERY_IPV4, isInNetworks, readNetwork } from '../../../src/shared/lib/networks.js'

describe('readNetwork()', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2000::/3', '2000::/3'],
    ['::/96', '::/96'],
    ['64:ff9b:1::/48', '64:ff9b:1::/48'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/128', '203.0.113.7/32'],
    ['::ffff:8000:0/97', '128.0.0.0/1'],
    ['64:ff9b::/97', '0.0.0.0/1'],
    ['64:ff9b::cb00:7100/120', '203.0.113.0/24'],
    ['64:FF9B::203.0.113.7', '203.0.113.7/32'],
    ['0064:ff9b:0:0:0:0:203.0.113.0/120', '203.0.113.0/24'],
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

  it.each('64:ff9b::/96 64:ff9b::/95 64:ff9b::/32 64::/16 ::ffff:0:0/96 ::/80 ::/64 ::/1 ::/0'.split(' '))(
    'reads %s as a network that has every IPv4 address',
    (text) => expect(readNetwork(text)).toBe(HAS_EVERY_IPV4),
  )

  it('has every address of a request that an entry names, in whatever form both are written', () => {
    const forms = [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '::ffff:cb00:7107',
      '64:ff9b::203.0.113.7',
      '64:ff9b::cb00:7107',
    ]
    const others = ['2001:db8::203.0.113.7', '::203.0.113.7', '2002:cb00:7107::', '64:ff9b:1::203.0.113.7']
    const read = (ip: string): string => readIpAddress({ ip, headers: {} } as unknown as IncomingMessage)
    for (const listed of [...forms, ...others])
      for (const sent of [...forms, ...others]) {
        const isSame = listed === sent || (forms.includes(listed) && forms.includes(sent))
        expect([listed, sent, isInNetworks(read(sent), [String(readNetwork(listed))])]).toEqual([listed, sent, isSame])
      }
  })
})

describe('isInNetworks()', () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32']

  it.each([
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['198.51.100.7', true],
    ['2001:db8::1', true],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['203.0.112.255', false],
    ['203.0.114.0', false],
    ['198.51.100.8', false],
    ['2001:db9::', false],
    ['::1', false],
    ['unknown', false],
    ['', false],
    ['203.0.113.1, 203.0.113.2', false],
  ])('has %j: %s', (address, isIn) => expect(isInNetworks(address, networks)).toBe(isIn))

  it.each([
    ['::/0', '198.51.100.7', false],
    ['::/64', '198.51.100.7', false],
    ['::/0', '2001:db8::1', true],
    ['0.0.0.0/0', '198.51.100.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('with %s has %s: %s', (network, address, isIn) =>
    expect(isInNetworks(address, ['203.0.113.0/24', network])).toBe(isIn),
  )
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
