import request from 'supertest'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessToken,
  basic,
  createApplication,
  encodedBasic,
  exchange,
  expectRefusal,
  formOf,
  GRANT,
  post,
  SECONDS,
  type ClientCredentials,
} from '../support/http.js'
import { onEveryFailingPlatform } from '../support/outage.js'
import { onEveryPlatform } from '../support/platform.js'

const TOKEN = '/orders/token'
const FORM = 'application/x-www-form-urlencoded'
const CHALLENGE = { 'www-authenticate': 'Basic realm="orders", charset="UTF-8", error="invalid_client"' }
const BOTH = 'orders:read orders:write'
const KiB = 1024

type Known = ClientCredentials & { readonly id: string }

/** Without limits, so that a hundred failures in a row stay failures. */
const UNLIMITED = { rateLimits: { failedAuthentication: false } } as const

describe('POST /{api}/token answers 200', () => {
  onEveryPlatform((host) => {
    let shop: Known

    beforeAll(async () => {
      shop = await createApplication(host.auth, { orders: {}, invoices: {} })
    })

    it('with access_token, token_type, expires_in and scope, and nothing else', async () => {
      const answer = await post(host.app, TOKEN, formOf(shop)).then(whole)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'scope'])
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
        token_type: 'bearer',
        expires_in: 3600,
        scope: BOTH,
      })
    })

    it('as JSON that nobody stores or sniffs', async () => {
      const answer = await post(host.app, TOKEN, formOf(shop)).then(whole)
      expect(answer.headers).toEqual({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-length': String(answer.text.length),
        date: expect.any(String) as string,
        connection: 'close',
      })
    })

    it('without scope, and without any null, where the API has none', async () => {
      const { body, text } = await post(host.app, '/invoices/token', formOf(shop)).then(whole)
      expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in'])
      expect(text).not.toContain('null')
    })

    it('without scope where the application has been granted none', async () => {
      const unscoped = await createApplication(host.auth, { orders: { scopes: [] } })
      const { status, body } = await post(host.app, TOKEN, formOf(unscoped)).then(whole)
      expect({ status, members: Object.keys(body) }).toEqual({
        status: 200,
        members: ['access_token', 'token_type', 'expires_in'],
      })
    })

    it.each(['text/html', 'application/xml;q=0.9, text/plain', 'image/gif, */*; q=.2'])(
      'in JSON to a client that accepts %s',
      async (Accept) => {
        const { status, headers } = await post(host.app, TOKEN, formOf(shop), { Accept })
        expect({ status, type: headers['content-type'] }).toEqual({
          status: 200,
          type: 'application/json; charset=utf-8',
        })
      },
    )

    it.each([
      ['raw', basic],
      ['form-encoded', encodedBasic],
    ])('to Basic credentials, %s', async (_, spell) => {
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization: spell(shop.clientId, shop.clientSecret) }))
    })

    it.each([
      ['the key percent-encoded to the last character', (text: string) => escapeAll(text), (text: string) => text],
      ['the secret percent-encoded to the last character', (text: string) => text, (text: string) => escapeAll(text)],
      ['both percent-encoded in lower case', escapeAll, (text: string) => escapeAll(text).toLowerCase()],
      ['_ escaped alone, as openid-client does', (text: string) => text.replaceAll('_', '%5F'), escapeUnderscores],
    ])('to Basic with %s', async (_, spellId, spellSecret) => {
      const Authorization = basic(spellId(shop.clientId), spellSecret(shop.clientSecret))
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization }))
    })

    it.each(['basic', 'BASIC', 'bAsIc'])('to the scheme spelt %s', async (scheme) => {
      const Authorization = basic(shop.clientId, shop.clientSecret).replace('Basic', scheme)
      await expectToken(post(host.app, TOKEN, GRANT, { Authorization }))
    })

    it('to the client_id in the body beside Basic, where they are the same', async () => {
      const form = { ...GRANT, client_id: shop.clientId }
      await expectToken(post(host.app, TOKEN, form, { Authorization: basic(shop.clientId, shop.clientSecret) }))
      const Authorization = basic(escapeUnderscores(shop.clientId), shop.clientSecret)
      await expectToken(post(host.app, TOKEN, form, { Authorization }))
    })

    it('to an empty client_secret beside Basic: an empty parameter is none', async () => {
      const Authorization = basic(shop.clientId, shop.clientSecret)
      await expectToken(post(host.app, TOKEN, { ...GRANT, client_secret: '' }, { Authorization }))
    })

    it.each(['Bearer abc', 'Digest username="x"', 'Negotiate', ''])(
      'to credentials in the body, whatever Authorization: %s is',
      async (Authorization) => {
        await expectToken(post(host.app, TOKEN, formOf(shop), { Authorization }))
      },
    )

    it.each(['; charset=UTF-8', ';charset=utf-8', '; charset="utf-8"', '; foo=bar', ' ;  CHARSET=utf-8'])(
      `to the Content-Type ${FORM}%s`,
      async (parameters) => {
        await expectToken(post(host.app, TOKEN, formOf(shop), { 'Content-Type': FORM + parameters }))
      },
    )

    it('to the media type in capitals', async () => {
      await expectToken(post(host.app, TOKEN, formOf(shop), { 'Content-Type': FORM.toUpperCase() }))
    })

    it('whatever unknown parameters there are, in the body and in the query string', async () => {
      const form = `${encode(formOf(shop))}&audience=x&audience=y&code=&__proto__=1&constructor=2`
      await expectToken(post(host.app, `${TOKEN}?tenant=a&tenant=b&grant_type=password`, form))
    })

    it.each([
      ['all that the application has, asked for none', {}, BOTH],
      ['all that the application has, asked for an empty scope', { scope: '' }, BOTH],
      ['the scopes asked for', { scope: 'orders:write' }, 'orders:write'],
      ['the scopes in the order asked for', { scope: 'orders:write orders:read' }, 'orders:write orders:read'],
      ['a scope asked for twice, once', { scope: 'orders:read orders:read' }, 'orders:read'],
    ])('with %s', async (_, more, scope) => {
      const { status, body } = await post(host.app, TOKEN, formOf(shop, more)).then(whole)
      expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope })
    })

    it('with the scopes that the application was granted, not all of the API', async () => {
      const reader = await createApplication(host.auth, { orders: { scopes: ['orders:read'] } })
      expect((await post(host.app, TOKEN, formOf(reader))).body).toMatchObject({ scope: 'orders:read' })
    })

    it("to the API's own resource", async () => {
      await expectToken(post(host.app, TOKEN, formOf(shop, { resource: 'https://api.example.com/orders' })))
      await expectToken(post(host.app, TOKEN, formOf(shop, { resource: '' })))
    })

    it('to the old secret and the new one until the overlap ends, and to either with either key', async () => {
      const first = await createApplication(host.auth, ['orders'])
      const rotated = (await host.auth.applications.rotateSecret(first.id, { overlap: 60 })).credentials
      const renamed = (await host.auth.applications.rotateKey(first.id, { overlap: 60 })).credentials
      const both = [first.clientSecret, rotated.clientSecret]
      for (const clientId of [first.clientId, renamed.clientId]) {
        for (const clientSecret of both) await expectToken(post(host.app, TOKEN, formOf({ clientId, clientSecret })))
      }
      host.clock.advance(60)
      const old = await post(host.app, TOKEN, formOf({ ...renamed, clientSecret: first.clientSecret }))
      expectRefusal(old, 401, 'invalid_client', CHALLENGE)
      const oldKey = await post(host.app, TOKEN, formOf({ ...first, ...rotated }))
      expectRefusal(oldKey, 401, 'invalid_client', CHALLENGE)
      await expectToken(post(host.app, TOKEN, formOf({ ...renamed, ...rotated })))
    })

    it('to the third secret and the second; the first ends with the third rotation', async () => {
      const first = await createApplication(host.auth, ['orders'])
      const second = (await host.auth.applications.rotateSecret(first.id)).credentials
      const third = (await host.auth.applications.rotateSecret(first.id)).credentials
      expectRefusal(await post(host.app, TOKEN, formOf(first)), 401, 'invalid_client', CHALLENGE)
      await expectToken(post(host.app, TOKEN, formOf({ ...first, ...second })))
      await expectToken(post(host.app, TOKEN, formOf({ ...first, ...third })))
    })

    it('to the new secret alone after a rotation without overlap', async () => {
      const first = await createApplication(host.auth, ['orders'])
      const second = (await host.auth.applications.rotateSecret(first.id, { overlap: 0 })).credentials
      expectRefusal(await post(host.app, TOKEN, formOf(first)), 401, 'invalid_client', CHALLENGE)
      await expectToken(post(host.app, TOKEN, formOf({ ...first, ...second })))
    })

    it('again after suspend and resume', async () => {
      const again = await createApplication(host.auth, ['orders'])
      await host.auth.applications.suspend(again.id)
      expectRefusal(await post(host.app, TOKEN, formOf(again)), 401, 'invalid_client', CHALLENGE)
      await host.auth.applications.resume(again.id)
      await expectToken(post(host.app, TOKEN, formOf(again)))
    })

    it('and tells its listeners, with the API, the application and the id that the host gave the request', async () => {
      const seen: object[] = []
      const keep = (event: object): void => void seen.push(event)
      const { events } = host.auth
      events.on('token.issued', keep).on('token.refused', keep)
      const app = host.express().use((req, _res, next) => next(void Object.assign(req, { id: 7 })), host.app)
      await expectToken(post(app, TOKEN, formOf(shop)))
      await post(app, TOKEN, formOf(shop, { scope: 'x' }))
      await post(app, TOKEN, formOf({ ...shop, clientSecret: 'wrong' }))
      events.off('token.issued', keep).off('token.refused', keep)
      const told = { at: new Date(host.clock.now()), api: 'orders', requestId: '7' }
      expect(seen).toEqual([
        { ...told, type: 'token.issued', applicationId: shop.id },
        { ...told, type: 'token.refused', applicationId: shop.id, reason: 'invalid_scope' },
        { ...told, type: 'token.refused', applicationId: undefined, reason: 'invalid_client' },
      ])
    })

    it('whatever a listener throws or rejects', async () => {
      const fail = (): never => {
        throw new Error('of the listener')
      }
      // TypeScript takes it for void; JavaScript's async listeners are common.
      const reject = (() => Promise.reject(new Error('of the listener'))) as () => void
      host.auth.events.on('token.issued', fail).on('token.issued', reject)
      await expectToken(post(host.app, TOKEN, formOf(shop)))
      host.auth.events.off('token.issued', fail).off('token.issued', reject)
      expect(host.logger.lines.filter((line) => line.includes('of the listener'))).toHaveLength(2)
    })

    it('with an access token of its own each time', async () => {
      const tokens = await Promise.all(Array.from({ length: 5 }, () => accessToken(host.app, 'orders', shop)))
      expect(new Set(tokens).size).toBe(5)
    })
  }, UNLIMITED)
})

describe('The token endpoint, row by row of contract 3.1,', () => {
  onEveryFailingPlatform((host) => {
    let shop: Known

    beforeAll(async () => {
      shop = await createApplication(host.auth, { orders: {}, invoices: {} })
    })

    it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
      'other method: %s is 405 invalid_request with Allow: POST',
      async (method) => {
        const answer = await exchange(host.app, [`${method} ${TOKEN} HTTP/1.1`])
        expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
      },
    )

    it('other method: HEAD is 405 with Allow: POST and no body', async () => {
      const { status, headers, text } = await request(host.app).head(TOKEN)
      expect({ status, allow: headers['allow'], text }).toEqual({ status: 405, allow: 'POST', text: undefined })
    })

    it('other method comes before whatever else is wrong', async () => {
      const answer = await request(host.app).put(`${TOKEN}?client_secret=x`).type('json').send('{')
      expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
    })

    it.each([
      'application/json',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/x-www-form-urlencoded-not',
      'application/x-www-form-urlencoded, application/json',
      'form',
    ])('other media type: %s is 400 invalid_request', async (type) => {
      const answer = await post(host.app, TOKEN, formOf(shop), { 'Content-Type': type })
      expectRefusal(answer, 400, 'invalid_request')
    })

    it('other media type: none at all is 400 invalid_request', async () => {
      expectRefusal(await exchange(host.app, [`POST ${TOKEN} HTTP/1.1`]), 400, 'invalid_request')
    })

    it('JSON: the right members in a JSON body are 400 invalid_request', async () => {
      const answer = await request(host.app).post(TOKEN).send(formOf(shop))
      expectRefusal(answer, 400, 'invalid_request')
    })

    it.each(['iso-8859-1', 'utf-16', '"windows-1252"', 'us-ascii', ''])(
      'charset other than UTF-8: "%s" is 400 invalid_request',
      async (charset) => {
        const answer = await post(host.app, TOKEN, formOf(shop), { 'Content-Type': `${FORM}; charset=${charset}` })
        expectRefusal(answer, 400, 'invalid_request')
      },
    )

    it.each(['gzip', 'deflate', 'br', 'identity', 'nonsense'])(
      'Content-Encoding: %s is 415 invalid_request',
      async (coding) => {
        const answer = await post(host.app, TOKEN, formOf(shop), { 'Content-Encoding': coding })
        expectRefusal(answer, 415, 'invalid_request')
      },
    )

    it('other media type comes before Content-Encoding, and that before a body over 16 KiB', async () => {
      const large = 'a'.repeat(16 * KiB + 1)
      const headers = { 'Content-Encoding': 'gzip' }
      const other = await post(host.app, TOKEN, large, { ...headers, 'Content-Type': 'text/plain' })
      expectRefusal(other, 400, 'invalid_request')
      expectRefusal(await post(host.app, TOKEN, large, headers), 415, 'invalid_request')
    })

    it('body over 16 KiB is 413 invalid_request, and one of 16 KiB is not', async () => {
      const form = `${encode(formOf(shop))}&padding=`
      await expectToken(post(host.app, TOKEN, form.padEnd(16 * KiB, 'x')))
      expectRefusal(await post(host.app, TOKEN, form.padEnd(16 * KiB + 1, 'x')), 413, 'invalid_request')
    })

    it('body over 16 KiB, in chunks, is 413 invalid_request', async () => {
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Transfer-Encoding: chunked']
      const chunk = `1000\r\n${'a'.repeat(4096)}\r\n`
      const answer = await exchange(host.app, head, `${chunk.repeat(5)}0\r\n\r\n`)
      expectRefusal(answer, 413, 'invalid_request')
    })

    it('body over 16 KiB is 413 before it has been sent, and ends the connection', async () => {
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Content-Length: 900000000']
      const answer = await exchange(host.app, head, 'a')
      expectRefusal(answer, 413, 'invalid_request')
      expect(answer.headers.connection).toBe('close')
    })

    it.each(['', 'client_id=a&client_secret=b', 'grant_type=', 'grant_type', '&&=&', 'GRANT_TYPE=client_credentials'])(
      'grant_type missing: "%s" is 400 invalid_request',
      async (form) => {
        expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_request')
      },
    )

    it.each(['grant_type', 'client_id', 'client_secret', 'scope', 'resource'])(
      'any known parameter twice: %s is 400 invalid_request, equal and empty ones too',
      async (name) => {
        const { [name]: value = '', ...rest } = formOf(shop, {
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

    it('any known parameter twice: a name that is percent-encoded the second time is the same name', async () => {
      const form = `${encode(formOf(shop))}&%67rant_type=client_credentials`
      expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_request')
    })

    it.each(['scope=%', 'scope=%f', 'scope=%zz', 'scope=%FF', 'scope=%C3%28', '%E0%A4=1', 'x=%ED%A0%80'])(
      'undecodable: %s is 400 invalid_request',
      async (part) => {
        expectRefusal(await post(host.app, TOKEN, `${encode(formOf(shop))}&${part}`), 400, 'invalid_request')
      },
    )

    it('undecodable: bytes that are no UTF-8 are 400 invalid_request', async () => {
      const body = Buffer.concat([Buffer.from(`${encode(formOf(shop))}&x=`), Buffer.from([0xff, 0xfe])])
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
    ])('credentials in the query string: ?%s is 400 invalid_request', async (query) => {
      expectRefusal(await post(host.app, `${TOKEN}?${query}`, formOf(shop)), 400, 'invalid_request')
      expectRefusal(await post(host.app, `${TOKEN}?${query}`, GRANT), 400, 'invalid_request')
    })

    it('secret in the body and Basic is 400 invalid_request, right as both may be', async () => {
      const Authorization = basic(shop.clientId, shop.clientSecret)
      expectRefusal(await post(host.app, TOKEN, formOf(shop), { Authorization }), 400, 'invalid_request')
      const { client_id: _, ...secretAlone } = formOf(shop)
      expectRefusal(await post(host.app, TOKEN, secretAlone, { Authorization }), 400, 'invalid_request')
    })

    it("body client_id that differs from Basic's is 400 invalid_request", async () => {
      const other = await createApplication(host.auth, ['orders'])
      const form = { ...GRANT, client_id: other.clientId }
      const Authorization = basic(shop.clientId, shop.clientSecret)
      expectRefusal(await post(host.app, TOKEN, form, { Authorization }), 400, 'invalid_request')
    })

    it('two Authorization headers are 400 invalid_request, equal ones and other schemes too', async () => {
      const right = basic(shop.clientId, shop.clientSecret)
      for (const [one, two] of [
        [right, right],
        [right, 'Basic x'],
        ['Bearer a', right],
        ['Bearer a', 'Digest b'],
      ]) {
        const body = encode(GRANT)
        const answer = await exchange(host.app, [
          `POST ${TOKEN} HTTP/1.1`,
          `Authorization: ${one}`,
          `authorization: ${two}`,
          `Content-Type: ${FORM}`,
          `Content-Length: ${body.length}`,
        ], body) // prettier-ignore
        expectRefusal(answer, 400, 'invalid_request')
      }
    })

    it.each([
      ['nothing', 'Basic'],
      ['no base64', 'Basic !!!!'],
      ['base64url', `Basic ${Buffer.from('a:\u00ff\u00fe?>').toString('base64url')}`],
      ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
      ['no UTF-8', `Basic ${Buffer.from('a:\u00e9', 'latin1').toString('base64')}`],
      ['a control character', `Basic ${Buffer.from('a:b\u0000').toString('base64')}`],
      ['two words', `${basic('a', 'b')} x`],
      ['padding in the middle', 'Basic YT==Yg=='],
      ['a number of digits that no text has', 'Basic YTpiY'],
    ])('Basic that can not be decoded: %s is 400 invalid_request', async (_, Authorization) => {
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
    ])('no client credentials: %s is 401 invalid_client that says how to send them', async (_, form, headers) => {
      const answer = await post(host.app, TOKEN, { ...GRANT, ...form }, headers)
      expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
      expect((answer.body as { error_description: string }).error_description).toMatch(
        /Basic.*client_id.*client_secret/,
      )
    })

    it('unknown, wrong, suspended, deleted, still pending: 401 invalid_client, the same bytes for each', async () => {
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
      }
      const bytes = new Map<string, string>()
      for (const [name, { clientId, clientSecret }] of Object.entries(presented)) {
        for (const how of ['body', 'Basic']) {
          const answer =
            how === 'body'
              ? await post(host.app, TOKEN, formOf({ clientId, clientSecret }))
              : await post(host.app, TOKEN, GRANT, { Authorization: basic(clientId, clientSecret) })
          expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
          const { date: _, ...headers } = answer.headers as Record<string, string>
          bytes.set(`${name} by ${how}`, JSON.stringify([headers, answer.text]))
        }
      }
      expect(new Set(bytes.values()).size, JSON.stringify([...bytes], undefined, 1)).toBe(1)
    })

    it.each(['a:b:c', ':', '::', 'schlüssel', '%', '+', '%2', '\u{1F511}'])(
      'wrong: the secret "%s" in Basic is 401 invalid_client, never an error of ours',
      async (secret) => {
        for (const spell of [basic, encodedBasic]) {
          const answer = await post(host.app, TOKEN, GRANT, { Authorization: spell(shop.clientId, secret) })
          expectRefusal(answer, 401, 'invalid_client', CHALLENGE)
        }
      },
    )

    it('wrong: a right secret with anything behind a colon is another secret', async () => {
      const Authorization = basic(shop.clientId, `${shop.clientSecret}:`)
      expectRefusal(await post(host.app, TOKEN, GRANT, { Authorization }), 401, 'invalid_client', CHALLENGE)
    })

    it('wrong credentials come before an unsupported grant type', async () => {
      const form = { grant_type: 'password', client_id: shop.clientId, client_secret: 'wrong' }
      expectRefusal(await post(host.app, TOKEN, form), 401, 'invalid_client', CHALLENGE)
    })

    it.each([
      'password',
      'authorization_code',
      'refresh_token',
      'Client_Credentials',
      'client_credentials ',
      '__proto__',
    ])('grant_type other than client_credentials: "%s" is 400 unsupported_grant_type', async (grant_type) => {
      expectRefusal(await post(host.app, TOKEN, formOf(shop, { grant_type })), 400, 'unsupported_grant_type')
    })

    it('the application may not use this API: 400 unauthorized_client, before its scope and resource are looked at', async () => {
      const other = await createApplication(host.auth, ['invoices'])
      const form = formOf(other, { scope: 'nonsense', resource: 'nonsense' })
      expectRefusal(await post(host.app, TOKEN, form), 400, 'unauthorized_client')
      const grant = { ...form, grant_type: 'password' }
      expectRefusal(await post(host.app, TOKEN, grant), 400, 'unsupported_grant_type')
    })

    it('the application may not use this API: 400 unauthorized_client from the next request on after disallow', async () => {
      const other = await createApplication(host.auth, ['orders', 'invoices'])
      await expectToken(post(host.app, TOKEN, formOf(other)))
      await host.auth.applications.disallow(other.id, 'orders')
      expectRefusal(await post(host.app, TOKEN, formOf(other)), 400, 'unauthorized_client')
      await host.auth.applications.allow(other.id, 'orders')
      await expectToken(post(host.app, TOKEN, formOf(other)))
    })

    it.each([
      ["that the API doesn't have", 'orders:delete'],
      ['in another case', 'Orders:read'],
      ['with a quote', 'orders:read"'],
      ['with a backslash', 'orders\\read'],
      ['between two spaces', 'orders:read  orders:write'],
      ['after a space', ' orders:read'],
      ['before a space', 'orders:read '],
      ['beside a tab', 'orders:read\torders:write'],
      ['that is a space', ' '],
      ['that every object has', 'constructor'],
      ['in a list with commas', 'orders:read,orders:write'],
    ])('a scope %s is 400 invalid_scope', async (_, scope) => {
      const form = formOf(shop, { scope })
      expectRefusal(await post(host.app, TOKEN, form), 400, 'invalid_scope')
    })

    it("a scope that the application doesn't have is 400 invalid_scope, beside one that it has too", async () => {
      const reader = await createApplication(host.auth, { orders: { scopes: ['orders:read'] } })
      for (const scope of ['orders:write', BOTH]) {
        expectRefusal(await post(host.app, TOKEN, formOf(reader, { scope })), 400, 'invalid_scope')
      }
    })

    it('any scope at an API without scopes is 400 invalid_scope, and comes before the resource', async () => {
      const form = formOf(shop, { scope: 'orders:read', resource: 'https://elsewhere.example' })
      expectRefusal(await post(host.app, '/invoices/token', form), 400, 'invalid_scope')
    })

    it.each([
      'https://api.example.com/invoices',
      'https://api.example.com/orders/',
      'https://api.example.com',
      'https://API.example.com/orders',
      'http://api.example.com/orders',
      'orders',
      ' ',
    ])('resource given, and not this API\'s identifier: "%s" is 400 invalid_target', async (resource) => {
      expectRefusal(await post(host.app, TOKEN, formOf(shop, { resource })), 400, 'invalid_target')
    })

    it('store out of reach: 503 temporarily_unavailable with Retry-After for whoever must be looked up', async () => {
      const unseen = await createApplication(host.auth, ['orders'])
      host.store.fail()
      const answer = await post(host.app, TOKEN, formOf(unseen))
      host.store.recover()
      expectRefusal(answer, 503, 'temporarily_unavailable', { 'retry-after': SECONDS })
      expect(answer.text).not.toContain('ECONNREFUSED')
      await expectToken(post(host.app, TOKEN, formOf(unseen)))
    })

    it('anything unexpected: 500 server_error, the cause only in the log', async () => {
      const unseen = await createApplication(host.auth, ['orders'])
      const { findApplicationByKey } = host.store
      host.logger.lines.length = 0
      Object.assign(host.store, { findApplicationByKey: async () => ({}) })
      const answer = await post(host.app, TOKEN, formOf(unseen))
      Object.assign(host.store, { findApplicationByKey })
      expectRefusal(answer, 500, 'server_error')
      expect(host.logger.lines).toEqual([expect.stringMatching(/^orders: 500 server_error TypeError/) as string])
      await expectToken(post(host.app, TOKEN, formOf(unseen)))
    })

    it('an unfinished body is refused, harms nobody, and hangs nothing', async () => {
      const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Content-Length: 500']
      await exchange(host.app, head, 'grant_type=client', (socket) => setTimeout(() => socket.destroy(), 20)).catch(
        () => undefined,
      )
      await expectToken(post(host.app, TOKEN, formOf(shop)))
    })

    async function makePending(id: string): Promise<void> {
      const record = (await host.store.findApplication(id))!
      const entry = { at: 0, type: 'application.updated', by: undefined, applicationId: id, details: {} } as const
      // Its credentials are yet to be made; those that a email has brought end this state by their use.
      const pending = { ...record, status: 'pending', keys: [], secrets: [], version: record.version + 1 } as const
      expect(await host.store.saveApplication(pending, entry)).toBe(true)
    }
  }, UNLIMITED)
})

describe('The same after too many failures', () => {
  onEveryPlatform(
    (host) => {
      let shop: Known
      const from = (address: string): { 'X-Forwarded-For': string } => ({ 'X-Forwarded-For': address })
      const fail = (client: ClientCredentials, address: string) =>
        post(host.app, TOKEN, formOf({ ...client, clientSecret: 'wrong' }), from(address))

      beforeAll(async () => {
        host.app.set('trust proxy', true)
        shop = await createApplication(host.auth, ['orders'])
      })

      it('is 429 too_many_requests with Retry-After, and a right secret always passes', async () => {
        for (let i = 0; i < 3; i++) expect((await fail(shop, '192.0.2.1')).status).toBe(401)
        const refused = await fail(shop, '192.0.2.1')
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': SECONDS })
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
        await expectToken(post(host.app, TOKEN, formOf(shop), from('192.0.2.1')))
        await expectToken(post(host.app, TOKEN, formOf(shop), from('192.0.2.9')))
        const Authorization = basic(shop.clientId, shop.clientSecret)
        await expectToken(post(host.app, TOKEN, GRANT, { Authorization, ...from('192.0.2.1') }))
      })

      it('is counted per known client: another one fails from the same address with 401', async () => {
        for (let i = 0; i < 4; i++) await fail(shop, '192.0.2.2')
        expect((await fail(await createApplication(host.auth, ['orders']), '192.0.2.2')).status).toBe(401)
      })

      it('is counted per address: the same client fails from another address with 401', async () => {
        for (let i = 0; i < 4; i++) await fail(shop, '192.0.2.3')
        expect((await fail(shop, '192.0.2.4')).status).toBe(401)
      })

      it('is counted for unknown clients of an address together', async () => {
        const statuses = []
        for (const clientId of ['a', 'b', 'c', 'd']) {
          statuses.push((await fail({ clientId, clientSecret: '' }, '192.0.2.5')).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429])
        expect((await fail(shop, '192.0.2.5')).status).toBe(401)
      })

      it('is counted per /64 of an IPv6 address, however it is spelt', async () => {
        const spellings = [
          '2001:db8:1:2::1',
          '2001:DB8:1:2:ffff::',
          '2001:0db8:0001:0002:0:0:0:9',
          '2001:db8:1:2::a%eth0',
        ]
        const statuses = []
        for (const address of spellings) statuses.push((await fail(shop, address)).status)
        expect(statuses).toEqual([401, 401, 401, 429])
        expect((await fail(shop, '2001:db8:1:3::1')).status).toBe(401)
      })

      it('takes an IPv4 address in IPv6 for that address', async () => {
        const statuses = []
        for (const address of ['192.0.2.6', '::ffff:192.0.2.6', '::FFFF:192.0.2.6', '192.0.2.6']) {
          statuses.push((await fail(shop, address)).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429])
        expect((await fail(shop, '::ffff:192.0.2.7')).status).toBe(401)
      })

      it('is counted at every endpoint that authenticates clients', async () => {
        const wrong = formOf({ ...shop, clientSecret: 'wrong' }, { token: 'x' })
        for (let i = 0; i < 3; i++)
          expect((await post(host.app, '/orders/revoke', wrong, from('192.0.2.8'))).status).toBe(401)
        const refused = await post(host.app, '/orders/introspect', wrong, from('192.0.2.8'))
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': SECONDS })
      })

      it('does not count what came without credentials, or could not be read', async () => {
        for (let i = 0; i < 5; i++) await post(host.app, TOKEN, GRANT, from('192.0.2.10'))
        for (let i = 0; i < 5; i++) {
          await post(host.app, TOKEN, GRANT, { Authorization: 'Basic !', ...from('192.0.2.10') })
        }
        expect((await fail({ clientId: 'a', clientSecret: '' }, '192.0.2.10')).status).toBe(401)
      })
    },
    { rateLimits: { failedAuthentication: { limit: 3, window: 60 } } },
  )
})

describe('Failed authentication without any option', () => {
  onEveryPlatform((host) => {
    it('is limited to 20 in 60 seconds', async () => {
      const wrong = { ...GRANT, client_id: 'a', client_secret: 'b' }
      const statuses = []
      for (let i = 0; i < 21; i++) statuses.push((await post(host.app, TOKEN, wrong)).status)
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429])
    })

    it('goes by the peer, not by X-Forwarded-For, where the host trusts no proxy', async () => {
      const wrong = { ...GRANT, client_id: 'a', client_secret: 'b' }
      expect((await post(host.app, TOKEN, wrong, { 'X-Forwarded-For': '192.0.2.77' })).status).toBe(429)
    })
  })
})

describe('Over tokenRequests', () => {
  onEveryPlatform(
    (host) => {
      it('is 429 too_many_requests with Retry-After, per application and API', async () => {
        const shop = await createApplication(host.auth, ['orders', 'invoices'])
        await expectToken(post(host.app, TOKEN, formOf(shop)))
        await expectToken(post(host.app, TOKEN, formOf(shop)))
        const refused = await post(host.app, TOKEN, formOf(shop))
        expectRefusal(refused, 429, 'too_many_requests', { 'retry-after': SECONDS })
        await expectToken(post(host.app, '/invoices/token', formOf(shop)))
        await expectToken(post(host.app, TOKEN, formOf(await createApplication(host.auth, ['orders']))))
      })

      it('comes last: what is wrong with a request is said, and is not counted', async () => {
        const shop = await createApplication(host.auth, ['orders'])
        for (let i = 0; i < 3; i++) {
          expectRefusal(await post(host.app, TOKEN, formOf(shop, { scope: 'x' })), 400, 'invalid_scope')
          expectRefusal(await post(host.app, TOKEN, formOf(shop, { resource: 'x' })), 400, 'invalid_target')
        }
        await expectToken(post(host.app, TOKEN, formOf(shop)))
        await expectToken(post(host.app, TOKEN, formOf(shop)))
        expectRefusal(await post(host.app, TOKEN, formOf(shop, { resource: 'x' })), 400, 'invalid_target')
        expect((await post(host.app, TOKEN, formOf(shop))).status).toBe(429)
      })
    },
    { rateLimits: { tokenRequests: { limit: 2, window: 60 } } },
  )
})

interface WholeAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
  readonly text: string
}

function whole(answer: request.Response): WholeAnswer {
  return answer
}

async function expectToken(asked: Promise<request.Response>): Promise<void> {
  const { status, body, text } = await asked
  expect({ status, body: body as unknown }, text).toMatchObject({
    status: 200,
    body: { access_token: expect.any(String) as string, token_type: 'bearer', expires_in: 3600 },
  })
}

function encode(form: Record<string, string>): string {
  return new URLSearchParams(form).toString()
}

function escapeAll(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

function escapeUnderscores(text: string): string {
  return text.replaceAll('_', '%5F')
}
