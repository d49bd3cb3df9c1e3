import { generateKeyPairSync } from 'node:crypto'
import { createSocket } from 'node:dgram'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createKeySetFetcher, createLookUp } from '../../../src/core/key-sets/fetch-key-set.js'
import { waitUntil } from '../../support/wait-until.js'
import { SWITCH } from '../../support/http.js'
import { CERTIFICATE, listenHttps } from '../../support/https.js'

const JWK = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'a' }
const SET = JSON.stringify({ keys: [JWK] })
const JSON_TYPE = { 'Content-Type': 'application/json' }

type Answer = (req: IncomingMessage, res: ServerResponse) => void
const send =
  (body: string, headers: Record<string, string> = {}, status = 200): Answer =>
  (_req, res) =>
    void res.writeHead(status, { ...JSON_TYPE, ...headers }).end(body)

let port: number
let close: () => Promise<void>
let answer: Answer = send(SET)
let requests = 0
beforeAll(async () => {
  const server = await listenHttps((req, res) => {
    requests += 1
    answer(req, res)
  })
  ;({ port, close } = server)
})
afterAll(() => close())

/** Finds the given addresses, one list for each look-up. */
function resolving(...answers: readonly (readonly string[])[]) {
  let count = 0
  return async () => {
    const addresses = answers[Math.min(count++, answers.length - 1)]!
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

const local = createKeySetFetcher({ allow: ['127.0.0.1'], ca: CERTIFICATE })
const read = (path = '/jwks') => local(`https://127.0.0.1:${port}${path}`, true)

describe('a key set at an address', () => {
  it('is read', async () => {
    answer = send(SET, { 'Content-Type': 'application/jwk-set+json; charset=utf-8' })
    expect(await read()).toEqual({ keys: [JWK], maxAge: 60 })
  })

  it.each([
    [{}, 60],
    [{ 'Cache-Control': 'public, max-age=600' }, 600],
    [{ 'Cache-Control': 'max-age=600', Age: '200' }, 400],
    [{ 'Cache-Control': 'max-age=1' }, 60],
    [{ 'Cache-Control': 'max-age=999999' }, 3600],
    [{ 'Cache-Control': 'no-store, max-age=600' }, 60],
    [{ 'Cache-Control': 'max-age=1e9' }, 60],
    [{ 'Cache-Control': 's-maxage=600' }, 60],
  ])('is kept as %j says', async (headers, maxAge) => {
    answer = send(SET, headers)
    expect(await read()).toMatchObject({ maxAge })
  })

  it.each<readonly [string, Answer, string]>([
    ['a redirect', send('', { Location: 'https://127.0.0.1/' }, 302), 'status 302'],
    ['an error', send(SET, {}, 500), 'status 500'],
    ['HTML', send(SET, { 'Content-Type': 'text/html' }), 'Content-Type'],
    ['compressed content', send(SET, { 'Content-Encoding': 'gzip' }), 'Content-Encoding'],
    ['no JSON', send('{'), 'no JSON'],
    ['a private key', send(JSON.stringify({ keys: [{ ...JWK, d: 'AQ' }] })), 'private key'],
    ['more than 64 KiB', send(`${SET}${' '.repeat(65 * 1024)}`), '65536 bytes'],
    [
      'a body without an end',
      (_req, res) => {
        res.writeHead(200, JSON_TYPE)
        const more = (): void => void (res.writable && res.write(' '.repeat(16_384), more))
        more()
      },
      '65536 bytes',
    ],
    [
      'headers without an end',
      ({ socket }) => {
        const more = (): void => void (socket.writable && socket.write(`X-More: ${'x'.repeat(1000)}\r\n`, more))
        socket.write('HTTP/1.1 200 OK\r\n', more)
      },
      'could not be reached (HPE_HEADER_OVERFLOW)',
    ],
    ['a connection that ends', ({ socket }) => void socket.destroy(), 'could not be reached (ECONNRESET)'],
    ['another protocol', ({ socket }) => void socket.write(SWITCH), 'ended the connection without an answer'],
  ])('is refused with %s', async (_name, given, problem) => {
    answer = given
    await expect(read()).rejects.toThrow(problem)
  })

  it.each<readonly [string, Answer]>([
    ['the answer', () => undefined],
    ['the end of the body', (_req, res) => void res.writeHead(200, JSON_TYPE).write('{')],
  ])('is given up after 3 seconds without %s', async (_name, given) => {
    answer = given
    await expect(read()).rejects.toThrow('did not answer within 3 seconds')
  })
})

const HIDDEN =
  `127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 198.18.0.1 192.0.0.1
203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1
::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:db8::1 3fff::1 ::127.0.0.1 100::1 5f00::1`.split(
    /\s+/,
  )

describe('an address that is not public', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))

  it.each([...HIDDEN, ...own.map((address) => address.replace(/%.*$/, ''))])('%s gets no request', async (address) => {
    requests = 0
    const host = address.includes(':') ? `[${address}]` : address
    await expect(createKeySetFetcher({ ca: CERTIFICATE })(`https://${host}:${port}/`, true)).rejects.toThrow(
      'not public',
    )
    // The same as the answer of DNS, alone and beside a public one.
    for (const found of [[address], ['93.184.215.14', address], [address, '93.184.215.14']]) {
      const fetchKeySet = createKeySetFetcher({ ca: CERTIFICATE, lookUp: resolving(found) })
      await expect(fetchKeySet(`https://jwks.partner.test:${port}/`, true)).rejects.toThrow('not public')
    }
    expect(requests).toBe(0)
  })

  it.each(['2130706433', '0x7f.1', '017700000001', '127.1', '0'])('is recognized in the spelling %s', async (host) => {
    await expect(createKeySetFetcher({})(`https://${host}:${port}/`, true)).rejects.toThrow('not public')
  })

  it('is judged in the look-up that the connection uses', async () => {
    requests = 0
    // Nothing answers at the first address. A second look-up would lead here.
    const lookUp = resolving(['2a00::1'], ['127.0.0.1'])
    const fetchKeySet = createKeySetFetcher({ ca: CERTIFICATE, lookUp })
    await expect(fetchKeySet(`https://jwks.partner.test:${port}/`, true)).rejects.toThrow(
      /could not be reached|did not answer/,
    )
    await expect(fetchKeySet(`https://jwks.partner.test:${port}/`, true)).rejects.toThrow('not public')
    expect(requests).toBe(0)
  })

  it.each([
    ['http://partner.test/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['data:application/json,{}', 'https://'],
    ['https://user:pass@partner.test/', 'user name'],
    ['https://partner.test/#keys', 'fragment'],
    ['//partner.test', 'no URL'],
    [`https://partner.test/${'x'.repeat(2000)}`, '2000 characters'],
  ])('%s is refused', async (address, problem) => {
    await expect(createKeySetFetcher({})(address, true)).rejects.toThrow(problem)
  })
})

it('a host that is allowed may have any address, and no other certificate', async () => {
  answer = send(SET)
  await expect(createKeySetFetcher({ allow: ['127.0.0.1'] })(`https://127.0.0.1:${port}/`, true)).rejects.toThrow(
    'could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
  )
})

it('the certificates of own hosts count for no others', async () => {
  const given = https.request
  const used: unknown[] = []
  https.request = ((url: URL, options: RequestOptions) => {
    used.push(options.ca)
    return given(url, options)
  }) as typeof given
  syncBuiltinESMExports()
  onTestFinished(() => {
    https.request = given
    syncBuiltinESMExports()
  })
  answer = send(SET)
  await read()
  const fetchKeySet = createKeySetFetcher({ allow: ['127.0.0.1'], ca: CERTIFICATE, lookUp: resolving(['127.0.0.1']) })
  await expect(fetchKeySet('https://partner.test/', true)).rejects.toThrow('not public')
  expect(used).toEqual([CERTIFICATE, undefined])
})

it('a host is looked up in the form that Node asks for', async () => {
  const given = getDefaultAutoSelectFamily()
  onTestFinished(() => setDefaultAutoSelectFamily(given))
  const fetchKeySet = createKeySetFetcher({ lookUp: resolving(['2a00::1']) })
  for (const tries of [true, false]) {
    setDefaultAutoSelectFamily(tries)
    // Nothing answers there.
    await expect(fetchKeySet('https://jwks.partner.test/', false)).rejects.not.toThrow('ERR_INVALID_IP_ADDRESS')
  }
})

it('DNS that never answers ends the read after 3 seconds, and keeps no thread of the process busy', async () => {
  const dns = createSocket('udp4')
  let asked = 0
  dns.on('message', () => void (asked += 1))
  await new Promise<void>((resolve) => void dns.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void dns.close())
  const fetchKeySet = createKeySetFetcher({ lookUp: createLookUp([`127.0.0.1:${dns.address().port}`]) })
  const read = fetchKeySet('https://stranger.test/', false)
  read.catch(() => undefined)
  await waitUntil(() => asked > 0)
  // Node's own look-up has a thread until DNS answers.
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
  await expect(read).rejects.toThrow(/did not answer|could not be reached/)
})

it('a host that is allowed is refused where somebody else than an operator named it', async () => {
  await expect(createKeySetFetcher({ allow: ['127.0.0.1'] })(`https://127.0.0.1:${port}/`, false)).rejects.toThrow(
    'not public',
  )
})
