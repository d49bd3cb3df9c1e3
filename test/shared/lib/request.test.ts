import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { parsePath, readClientAddress, readIpAddress } from '../../../src/shared/lib/request.js'
import { openPlatform } from '../../support/platform.js'

it.each([
  ['/a/b?c=/d', '/a/b'],
  ['http://host/a/b?c', '/a/b'],
  ['http://host', '/'],
  ['http://host?a', '/'],
  ['HTTPS://host:1/a/../b/./%2e', '/a/../b/./%2e'],
  ['*', '*'],
])('the path of %s is %s', (target, path) => {
  expect(parsePath(target)).toBe(path)
})

const requestFrom = (ip: string) => ({ ip, headers: {} }) as unknown as IncomingMessage

it.each([
  ['192.0.2.16', '192.0.2.16'],
  ['192.0.2.16:50123', '192.0.2.16'],
  ['::ffff:192.0.2.16', '192.0.2.16'],
  ['::FFFF:192.0.2.16', '192.0.2.16'],
  ['::ffff:c000:210', '192.0.2.16'],
  ['0:0:0:0:0:ffff:c000:0210', '192.0.2.16'],
  ['[::ffff:192.0.2.16]:443', '192.0.2.16'],
  ['64:ff9b::192.0.2.16', '192.0.2.16'],
  ['64:ff9b::c000:210', '192.0.2.16'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:8443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['::', '::'],
  ['::1', '::1'],
  ['64:ff9b:1::1', '64:ff9b:1::1'],
  ['unknown', 'unknown'],
  ['_hidden', '_hidden'],
  ['192.0.2.999:80', '192.0.2.999'],
])('reads the address %s as %s', (sent, address) => {
  expect(readIpAddress(requestFrom(sent))).toBe(address)
})

it('counts the addresses of a network as one, and bounds what is no address', () => {
  const count = (...addresses: string[]) =>
    new Set(addresses.map((address) => readClientAddress(requestFrom(address)))).size
  expect(count('2001:db8::1', '2001:db8::ffff:1', '[2001:DB8::2]:443', '2001:db8::192.0.2.1')).toBe(1)
  expect(count('2001:db8::1', '2001:db8:0:1::1')).toBe(2)
  expect(count('192.0.2.1', '192.0.2.1:1', '::ffff:c000:201', '64:ff9b::192.0.2.1')).toBe(1)
  expect(readClientAddress(requestFrom('x'.repeat(10_000)))).toHaveLength(64)
  // With too much trust in a proxy, a stranger's header would join the queue of a resource server.
  expect(readClientAddress(requestFrom('app_server 192.0.2.1'))).toBe('app_server_192.0.2.1')
})

it('answers requests that a test tool made, without raw headers, headers or socket', async () => {
  const { auth } = openPlatform()
  afterAll(() => auth.close())
  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  const status = (members: object, ofResponse: object = {}) =>
    new Promise((resolve) => {
      const res = {
        headersSent: false,
        setHeader: () => undefined,
        getHeader: () => undefined,
        hasHeader: () => false,
        end: () => resolve(res.statusCode),
        statusCode: 200,
        ...ofResponse,
      }
      const req = { method: 'GET', url: '/', ...members } as unknown as IncomingMessage
      auth.requireApiKey('catalog')(req, res as unknown as ServerResponse, (error?: unknown) =>
        resolve(error ?? 'next'),
      )
    })
  expect(await status({})).toBe(401)
  expect(await status({ headers: {} })).toBe(401)
  expect(await status({ headers: { 'x-api-key': 'wrong' } })).toBe(401)
  // What is missing is an error of the test's own request, never silence or an unhandled rejection.
  const cannotCheck = { hasHeader: undefined }
  expect(await status({ headers: { 'x-api-key': credentials.clientId } }, cannotCheck)).toBeInstanceOf(TypeError)
  expect(await status({ headers: { 'x-api-key': credentials.clientId } })).toBe('next')
})
