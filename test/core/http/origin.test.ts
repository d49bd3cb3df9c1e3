import type { IncomingMessage } from 'node:http'
import { createHash } from 'node:crypto'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { readOrigin } from '../../../src/core/http/origin.js'
import { basic, createTokenForm, GRANT, post } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { recordEvents } from '../../support/record-events.js'

const read = (id: unknown, headers: object = {}, ip = '192.0.2.1', keyHeaders: string[] = []) =>
  readOrigin({ id, headers, ip } as unknown as IncomingMessage, keyHeaders)

describe('readOrigin()', () => {
  it.each([
    'Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=1',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'b6f2a1de-2b1c-4b1f-9c86-2f3d1f2b8e11',
    '/orders/items?page=1',
    'demo_key_',
    'the monkey_sec_tion',
    'eyJ',
    7,
    0,
  ])('keeps the id %s whole', (id) => {
    expect(read(id, { authorization: 'Bearer some-token-of-another', 'x-api-key': 'a-key-of-another' }).requestId).toBe(
      String(id),
    )
  })

  it.each([
    ['a key', 'demo_key_abcdefghijABCDEFGHIJ01234567890123', {}],
    ['a secret in the middle', 'x-epa_sec_abcdefghijABCDEFGHIJ01234567890123-1', {}],
    ['a key, percent-encoded', 'demo%5Fkey%5FabcdefghijABCDEFGHIJ01234567890123', {}],
    ['a JWT', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln', {}],
    ['a bearer token of another issuer', 'Root=opaque-token-1', { authorization: 'Bearer opaque-token-1' }],
    ['an Authorization header', 'Token opaque-token-1', { authorization: 'Token opaque-token-1' }],
    ['a key as user name of Basic', 'my-old-key', { authorization: basic('my-old-key', '') }],
    ['the password of Basic', 'pass word 1', { authorization: basic('shop', 'pass word 1') }],
    ['the password of Basic, encoded', 'pass%20word%201', { authorization: basic('shop', 'pass word 1') }],
    ['the whole of Basic', basic('shop', 'pass word').slice(6), { authorization: basic('shop', 'pass word') }],
    ['an imported key', 'id-of-0123456789abcdef', { 'x-api-key': '0123456789abcdef' }],
    ['a key in a header of the host', '0123456789abcdef', { 'shop-credential': '0123456789abcdef' }],
  ])('leaves out an id that holds %s', (_, id, headers) => {
    expect(read(id, headers, undefined, ['Shop-Credential', 'Authorization']).requestId).toBeUndefined()
  })

  it.each([
    ['198.51.100.7:50123', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['64:ff9b::198.51.100.7', '198.51.100.7'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    [`1.2.3.4${'x'.repeat(100)}`, undefined],
  ])('has the address %s as %s', (ip, address) => {
    expect(read(undefined, {}, ip)).toEqual({ requestId: undefined, address })
  })
})

describe('requestId in events', () => {
  it('is left out where it holds what the request presented, in the header and in the body', async () => {
    const { auth } = openPlatform({
      imports: true,
      apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey', header: 'Shop-Credential' } },
    })
    afterAll(() => auth.close())
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    const [key, secret] = ['imported-key-0123456789', 'imported secret 0123456789']
    const line = { externalId: '1', name: 'Shop', apis: ['orders', 'catalog'] as const, clientId: 'shop-1' }
    const credentials = { keys: [{ sha256: sha256(key) }], secrets: [{ sha256: sha256(secret) }] }
    expect(await auth.imports.run([{ ...line, ...credentials }] as never, { confirm: true })).toMatchObject({
      refused: 0,
    })
    const events = recordEvents(auth, 'token.issued', 'token.refused', 'request.allowed', 'request.denied')
    const app = express()
    app.use((req, _res, next) => {
      Object.assign(req, { id: req.headers['x-request-id'] })
      next()
    })
    app.use(auth.router)
    app.get('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
    for (const clientSecret of [secret, `${secret}-wrong`]) {
      const id = { 'X-Request-Id': `r ${clientSecret}` }
      await post(app, '/orders/token', createTokenForm({ clientId: 'shop-1', clientSecret }), id)
      await post(app, '/orders/token', GRANT, { ...id, Authorization: basic('shop-1', clientSecret) })
    }
    for (const presented of [key, `${key}-wrong`])
      await request(app).get('/catalog').set('Shop-Credential', presented).set('X-Request-Id', presented)
    expect(events.map(({ type }) => type)).toEqual([
      'token.issued',
      'token.issued',
      'token.refused',
      'token.refused',
      'request.allowed',
      'request.denied',
    ])
    expect(events.map(({ requestId }) => requestId)).toEqual(events.map(() => undefined))
    expect(JSON.stringify(events)).not.toMatch(/imported/)
    await request(app).get('/catalog').set('Shop-Credential', key).set('X-Request-Id', 'Root=1-2;Parent=3')
    expect(events.at(-1)?.requestId).toBe('Root=1-2;Parent=3')
  })
})
