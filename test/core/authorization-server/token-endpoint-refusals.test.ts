import { beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  createApplication,
  encodedBasic,
  exchange,
  expectRefusal,
  createTokenForm,
  GRANT,
  post,
  RETRY_AFTER_SECONDS,
  type ClientCredentials,
} from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { request } from '../../support/request.js'
import { audit } from '../../stores/suite/records.js'
import {
  TOKEN,
  FORM,
  CHALLENGE,
  BOTH,
  KiB,
  type KnownApplication,
  UNLIMITED,
  expectToken,
  encode,
} from './token-requests.js'

describe('POST /{api}/token refuses (docs/http.md T1 to T18)', () => {
  onEveryFailingPlatform((host) => {
    let shop: KnownApplication

    beforeAll(async () => {
      shop = await createApplication(host.auth, { orders: {}, invoices: {} })
    })

    it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
      'T1: %s with 405 invalid_request and Allow: POST',
      async (method) => {
        const answer = await exchange(host.app, [`${method} ${TOKEN} HTTP/1.1`])
        expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
      },
    )

    it('T1: HEAD with 405, Allow: POST and no body', async () => {
      const { status, headers, text } = await request(host.app).head(TOKEN)
      expect({ status, allow: headers['allow'], text }).toEqual({ status: 405, allow: 'POST', text: undefined })
    })

    it('T1: another method before everything else that is wrong', async () => {
      const answer = await request(host.app).put(`${TOKEN}?client_secret=x`).type('json').send('{')
      expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
    })

    it.each([
      ['Content-Type', 'application/json', 400],
      ['Content-Type', 'multipart/form-data; boundary=x', 400],
      ['Content-Type', 'text/plain', 400],
      ['Content-Type', 'application/x-www-form-urlencoded-not', 400],
      ['Content-Type', 'application/x-www-form-urlencoded, application/json', 400],
      ['Content-Type', 'form', 400],
      ...['iso-8859-1', 'utf-16', '"windows-1252"', 'us-ascii', ''].map(
        (charset) => ['Content-Type', `${FORM}; charset=${charset}`, 400] as const,
      ),
      ...['gzip', 'deflate', 'br', 'identity', 'nonsense'].map((coding) => ['Content-Encoding', coding, 415] as const),
    ] as const)('T2, T3: %s: %s with %d invalid_request', async (name, value, status) => {
      const answer = await post(host.app, TOKEN, createTokenForm(shop), { [name]: value })
      expectRefusal(answer, status, 'invalid_request')
    })

    it('T2: a request without a media type with 400 invalid_request', async () => {
      expectRefusal(await exchange(host.app, [`POST ${TOKEN} HTTP/1.1`]), 400, 'invalid_request')
    })

    it('T2, T3, T4: another media type before a Content-Encoding, and that before a body over 16 KiB', async () => {
      const large = 'a'.repeat(16 * KiB + 1)
      const headers = { 'Content-Encoding': 'gzip' }
      const other = await post(host.app, TOKEN, large, { ...headers, 'Content-Type': 'text/plain' })
      expectRefusal(other, 400, 'invalid_request')
      expectRefusal(await post(host.app, TOKEN, large, headers), 415, 'invalid_request')
    })

    it('T4, C6: a large body with 413 before it has arrived, and Connection: close', async () => {
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Content-Length: 900000000']
      const answer = await exchange(host.app, head, 'a')
      expectRefusal(answer, 413, 'invalid_request')
      expect(answer.headers.connection).toBe('close')
    })

    it.each(['', 'client_id=a&client_secret=b', 'grant_type=', 'grant_type', '&&=&', 'GRANT_TYPE=client_credentials'])(
      'T6: "%s" without a grant_type with 400 invalid_request',
      async (form) => {
        expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_request')
      },
    )

    it.each(['grant_type', 'client_id', 'client_secret', 'scope', 'resource'])(
      'T5: %s twice with 400 invalid_request, also if both are equal or empty',
      async (name) => {
        const { [name]: value = '', ...rest } = createTokenForm(shop, {
          scope: BOTH,
          resource: 'https://api.example.com/orders',
        })
        for (const twice of [
          [value, value],
          [value, 'x'],
          ['', value],
          ['', ''],
        ]) {
          const form = `${encode(rest)}&${twice.map((each) => `${name}=${encodeURIComponent(each)}`).join('&')}`
          expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_request')
        }
      },
    )

    it('T5: a parameter that is percent-encoded the second time with 400 invalid_request', async () => {
      const form = `${encode(createTokenForm(shop))}&%67rant_type=client_credentials`
      expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_request')
    })

    it.each(['scope=%', 'scope=%f', 'scope=%zz', 'scope=%FF', 'scope=%C3%28', '%E0%A4=1', 'x=%ED%A0%80'])(
      'T5: the invalid encoding %s with 400 invalid_request',
      async (part) => {
        expectRefusal(await post(host.app, TOKEN, `${encode(createTokenForm(shop))}&${part}`), 400, 'invalid_request')
      },
    )

    it('T5: bytes that are not UTF-8 with 400 invalid_request', async () => {
      const body = Buffer.concat([Buffer.from(`${encode(createTokenForm(shop))}&x=`), Buffer.from([0xff, 0xfe])])
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, `Content-Length: ${body.length}`]
      expectRefusal(await exchange(host.app, head, body), 400, 'invalid_request')
    })

    it.each([
      'client_id=a',
      'client_secret=b',
      'client_secret',
      'client%5Fsecret=b',
      'a=1&client_secret=b',
      'a=1?&client_secret=b',
    ])('T7: credentials in the query string ?%s with 400 invalid_request', async (query) => {
      expectRefusal(await post(host.app, `${TOKEN}?${query}`, createTokenForm(shop)), 400, 'invalid_request')
      expectRefusal(await post(host.app, `${TOKEN}?${query}`, GRANT), 400, 'invalid_request')
    })

    it('T8: a secret in the body and in Basic with 400 invalid_request, even if both are right', async () => {
      const Authorization = basic(shop.clientId, shop.clientSecret)
      expectRefusal(await post(host.app, TOKEN, createTokenForm(shop), { Authorization }), 400, 'invalid_request')
      const { client_id: _, ...secretAlone } = createTokenForm(shop)
      expectRefusal(await post(host.app, TOKEN, secretAlone, { Authorization }), 400, 'invalid_request')
    })

    it('T8: a client_id that differs from that of Basic with 400 invalid_request', async () => {
      const other = await createApplication(host.auth, ['orders'])
      const form = { ...GRANT, client_id: other.clientId }
      const Authorization = basic(shop.clientId, shop.clientSecret)
      expectRefusal(await post(host.app, TOKEN, form, { Authorization }), 400, 'invalid_request')
    })

    it('T8: two Authorization headers with 400 invalid_request, also equal ones and other schemes', async () => {
      const right = basic(shop.clientId, shop.clientSecret)
      for (const [one, two] of [
        [right, right],
        [right, 'Basic x'],
        ['Bearer a', right],
        ['Bearer a', 'Digest b'],
      ]) {
        const body = encode(GRANT)
        const answer = await exchange(
          host.app,
          [
            `POST ${TOKEN} HTTP/1.1`,
            `Authorization: ${one}`,
            `authorization: ${two}`,
            `Content-Type: ${FORM}`,
            `Content-Length: ${body.length}`,
          ],
          body,
        )
        expectRefusal(answer, 400, 'invalid_request')
      }
    })

    it.each([
      ['nothing', 'Basic'],
      ['other characters than base64', 'Basic !!!!'],
      ['base64url', `Basic ${Buffer.from('a:\u00ff\u00fe?>').toString('base64url')}`],
      ['text without a colon', `Basic ${Buffer.from('abc').toString('base64')}`],
      ['bytes that are not UTF-8', `Basic ${Buffer.from('a:\u00e9', 'latin1').toString('base64')}`],
      ['a control character', `Basic ${Buffer.from('a:b\u0000').toString('base64')}`],
      ['two words', `${basic('a', 'b')} x`],
      ['padding in the middle', 'Basic YT==Yg=='],
      ['an impossible number of digits', 'Basic YTpiY'],
    ])('T8: Basic with %s with 400 invalid_request', async (_, Authorization) => {
      expectRefusal(await post(host.app, TOKEN, GRANT, { Authorization }), 400, 'invalid_request')
    })

    it.each([
      ['nothing', {}, {}],
      ['a key alone', { client_id: 'epa_key_x' }, {}],
      ['a secret alone', { client_secret: 'epa_sec_x' }, {}],
      ['an empty secret', { client_id: 'epa_key_x', client_secret: '' }, {}],
      ['Bearer', {}, { Authorization: 'Bearer abc' }],
      ['a scheme that begins with Basic', {}, { Authorization: 'Basically YTpi' }],
      ['an empty Authorization', {}, { Authorization: '' }],
    ])('T9: %s instead of credentials with 401 invalid_client and how to send them', async (_, form, headers) => {
      const answer = await post(host.app, TOKEN, { ...GRANT, ...form }, headers)
      expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
      expect((answer.body as { error_description: string }).error_description).toMatch(
        /Basic.*client_id.*client_secret/,
      )
    })

    it('T10: unknown clients, wrong secrets and suspended, deleted and pending applications with the same bytes', async () => {
      const [suspended, deleted, pending] = await Promise.all(
        ['suspended', 'deleted', 'pending'].map((name) => createApplication(host.auth, ['orders'], name)),
      )
      await host.auth.applications.suspend(suspended!.id)
      await host.auth.applications.delete(deleted!.id)
      await makePending(pending!.id)
      const retired = await createApplication(host.auth, ['orders'])
      await host.auth.applications.rotateKey(retired.id, { overlap: 0 })
      const keyAlone = (await host.auth.applications.create({ name: 'Reader', apis: ['catalog'] })).credentials

      const presented: Record<string, ClientCredentials> = {
        unknown: { clientId: `${shop.clientId.slice(0, -7)}AAAAAAA`, clientSecret: shop.clientSecret },
        'no key at all': { clientId: 'someone', clientSecret: 'something' },
        'wrong secret': { ...shop, clientSecret: `${shop.clientSecret}x` },
        'the secret of another': { ...shop, clientSecret: retired.clientSecret },
        'the key as secret': { ...shop, clientSecret: shop.clientId },
        'without a secret': { ...keyAlone, clientSecret: shop.clientSecret },
        'a retired key': retired,
        suspended: suspended!,
        deleted: deleted!,
        pending: pending!,
        'an unknown id': { clientId: `app_${'0'.repeat(32)}`, clientSecret: shop.clientSecret },
        'no id at all': { clientId: 'app_', clientSecret: shop.clientSecret },
        'the id in capitals': { ...shop, clientId: shop.id.toUpperCase() },
        'an id with a wrong secret': { clientId: shop.id, clientSecret: `${shop.clientSecret}x` },
        'an id with the secret of another': { clientId: shop.id, clientSecret: retired.clientSecret },
        ...Object.fromEntries(
          [suspended!, deleted!, pending!].map((client) => [`id of ${client.id}`, { ...client, clientId: client.id }]),
        ),
      }
      const bytes = new Map<string, string>()
      for (const [name, { clientId, clientSecret }] of Object.entries(presented)) {
        for (const how of ['body', 'Basic']) {
          const answer =
            how === 'body'
              ? await post(host.app, TOKEN, createTokenForm({ clientId, clientSecret }))
              : await post(host.app, TOKEN, GRANT, { Authorization: basic(clientId, clientSecret) })
          expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
          const { date: _, ...headers } = answer.headers as Record<string, string>
          bytes.set(`${name} by ${how}`, JSON.stringify([headers, answer.text]))
        }
      }
      expect(new Set(bytes.values()).size, JSON.stringify([...bytes], undefined, 1)).toBe(1)
    })

    it.each(['a:b:c', ':', '::', 'schlüssel', '%', '+', '%2', '\u{1F511}'])(
      'T10: the wrong secret "%s" in Basic with 401 invalid_client, never with 500',
      async (secret) => {
        for (const spell of [basic, encodedBasic]) {
          const answer = await post(host.app, TOKEN, GRANT, { Authorization: spell(shop.clientId, secret) })
          expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
        }
      },
    )

    it('T10: a right secret that is followed by a colon with 401 invalid_client', async () => {
      const Authorization = basic(shop.clientId, `${shop.clientSecret}:`)
      expectRefusal(await post(host.app, TOKEN, GRANT, { Authorization }), 401, 'invalid_client', CHALLENGE)
    })

    it('T10, T12: wrong credentials before an unsupported grant type', async () => {
      const form = { grant_type: 'password', client_id: shop.clientId, client_secret: 'wrong' }
      expectRefusal(await post(host.app, TOKEN, form), 401, 'invalid_client', CHALLENGE)
    })

    it.each([
      ...[
        'password',
        'authorization_code',
        'refresh_token',
        'Client_Credentials',
        'client_credentials ',
        '__proto__',
      ].map((grant_type) => ['T12', { grant_type }, 'unsupported_grant_type'] as const),
      ['T14', { scope: 'orders:delete' }, 'invalid_scope'],
      ['T14', { scope: 'Orders:read' }, 'invalid_scope'],
      ['T14', { scope: 'orders:read"' }, 'invalid_scope'],
      ['T14', { scope: 'orders\\read' }, 'invalid_scope'],
      ['T14', { scope: 'orders:read\torders:write' }, 'invalid_scope'],
      ['T14', { scope: ' ' }, 'invalid_scope'],
      ['T14', { scope: 'constructor' }, 'invalid_scope'],
      ['T14', { scope: 'orders:read,orders:write' }, 'invalid_scope'],
      ['T14', { scope: 'orders:read orders:delete' }, 'invalid_scope'],
      ['T15', { resource: 'https://api.example.com/invoices' }, 'invalid_target'],
      ['T15', { resource: 'https://api.example.com/orders//' }, 'invalid_target'],
      ['T15', { resource: 'https://api.example.com' }, 'invalid_target'],
      ['T15', { resource: 'https://API.example.com/orders' }, 'invalid_target'],
      ['T15', { resource: 'http://api.example.com/orders' }, 'invalid_target'],
      ['T15', { resource: 'orders' }, 'invalid_target'],
      ['T15', { resource: ' ' }, 'invalid_target'],
    ] as const)('%s: %j with 400 %s', async (_, more, error) => {
      expectRefusal(await post(host.app, TOKEN, createTokenForm(shop, more)), 400, error)
    })

    it('T13: an application that may not use the API with 400 unauthorized_client, before its scope and resource', async () => {
      const other = await createApplication(host.auth, ['invoices'])
      const form = createTokenForm(other, { scope: 'nonsense', resource: 'nonsense' })
      expectRefusal(await post(host.app, TOKEN, form), 400, 'unauthorized_client')
      const grant = { ...form, grant_type: 'password' }
      expectRefusal(await post(host.app, TOKEN, grant), 400, 'unsupported_grant_type')
    })

    it('T14: only scopes that the application does not have with 400 invalid_scope', async () => {
      const reader = await createApplication(host.auth, { orders: { scopes: ['orders:read'] } })
      const unscoped = await createApplication(host.auth, { orders: { scopes: [] } })
      for (const [client, scope] of [
        [reader, 'orders:write'],
        [unscoped, BOTH],
      ] as const) {
        expectRefusal(await post(host.app, TOKEN, createTokenForm(client, { scope })), 400, 'invalid_scope')
      }
    })

    it('T14, T15: any scope at an API without scopes with 400 invalid_scope, before the resource', async () => {
      const form = createTokenForm(shop, { scope: 'orders:read', resource: 'https://elsewhere.example' })
      expectRefusal(await post(host.app, '/invoices/token', form), 400, 'invalid_scope')
    })

    it('T17: a client that is not cached with 503 temporarily_unavailable while the store fails', async () => {
      const unseen = await createApplication(host.auth, ['orders'])
      host.store.fail()
      const answer = await post(host.app, TOKEN, createTokenForm(unseen))
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': RETRY_AFTER_SECONDS })
      expect(answer.text).not.toContain('ECONNREFUSED')
      await expectToken(post(host.app, TOKEN, createTokenForm(unseen)))
    })

    it('T18: an unexpected error with 500 server_error, and logs the cause', async () => {
      const unseen = await createApplication(host.auth, ['orders'])
      const { findApplicationByKey } = host.store
      host.logger.lines.length = 0
      Object.assign(host.store, { findApplicationByKey: async () => ({}) })
      const answer = await post(host.app, TOKEN, createTokenForm(unseen))
      Object.assign(host.store, { findApplicationByKey })
      expectRefusal(answer, 500, 'server_error')
      expect(host.logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error TypeError/) as string])
      await expectToken(post(host.app, TOKEN, createTokenForm(unseen)))
    })

    it('a body that ends early, and then answers other requests', async () => {
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Content-Length: 500']
      await exchange(host.app, head, 'grant_type=client', (socket) => setTimeout(() => socket.destroy(), 20)).catch(
        () => undefined,
      )
      await expectToken(post(host.app, TOKEN, createTokenForm(shop)))
    })

    async function makePending(id: string): Promise<void> {
      const record = (await host.store.findApplication(id))!
      // It has no credentials yet. Once it uses credentials, it is not pending any more.
      const pending = { ...record, status: 'pending', keys: [], secrets: [], version: record.version + 1 } as const
      expect(await host.store.saveApplication(pending, audit(id))).toBe(true)
    }
  }, UNLIMITED)
})
