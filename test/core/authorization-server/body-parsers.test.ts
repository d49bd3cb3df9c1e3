import { gzipSync } from 'node:zlib'
import bodyParser1 from 'body-parser1'
import bodyParser2 from 'body-parser2'
import type { Express, RequestHandler } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { basic, createApplication, exchange, expectRefusal, createTokenForm, GRANT, post } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { EXPRESSES, usePlatform } from '../../support/platform.js'

const TOKEN = '/orders/token'
const FORM = 'application/x-www-form-urlencoded'
const KiB = 1024

/** All tests share one platform. The apps differ in the middleware before its router. */
const { auth, logger } = usePlatform({ rateLimits: { failedAuthentication: false } })
let shop: Awaited<ReturnType<typeof createApplication>>

beforeAll(async () => {
  shop = await createApplication(auth, ['orders'])
})

interface Upstream {
  readonly handlers: readonly RequestHandler[]
  /** Whether it decodes the form itself, maybe less strictly than we do. */
  readonly decodes?: boolean
}

type Parsers = typeof bodyParser1

function listParsers(name: string, { json, urlencoded, text, raw }: Parsers): [string, Upstream][] {
  return [
    [`${name} json()`, { handlers: [json()] }],
    [`${name} urlencoded({ extended: false })`, { handlers: [urlencoded({ extended: false })], decodes: true }],
    [`${name} urlencoded({ extended: true })`, { handlers: [urlencoded({ extended: true })], decodes: true }],
    [`${name} text({ type: '*/*' })`, { handlers: [text({ type: '*/*' })] }],
    [`${name} raw({ type: '*/*' })`, { handlers: [raw({ type: '*/*' })] }],
    [
      `${name} json(), urlencoded(), text() and raw()`,
      { handlers: [json(), urlencoded({ extended: true }), text(), raw()], decodes: true },
    ],
  ]
}

for (const [expressName, express] of Object.entries(EXPRESSES)) {
  const upstreams: [string, Upstream][] = [
    ['no parser', { handlers: [] }],
    ['a slow middleware', { handlers: [(_req, _res, next) => void setTimeout(next, 5)] }],
    ...listParsers("Express's", express),
    // Express 4 has body-parser 1, and Express 5 has body-parser 2: the other one can be installed beside them.
    ...(IS_LONG_LANE
      ? [...listParsers("body-parser 1's", bodyParser1), ...listParsers("body-parser 2's", bodyParser2)]
      : listParsers("the other body-parser's", expressName === 'Express 4' ? bodyParser2 : bodyParser1).slice(-1)),
  ]

  describe.each(upstreams)(
    `The token endpoint of an ${expressName} app behind %s (docs/http.md T2 to T6, T22)`,
    (_, { handlers, decodes = false }) => {
      let app: Express

      beforeAll(() => {
        app = express()
          .disable('x-powered-by')
          .use(...handlers, (_req, _res, next) => next(), auth.router)
      })

      it('issues access tokens for credentials in the form and in Basic', async () => {
        await expectToken(post(app, TOKEN, createTokenForm(shop)))
        const Authorization = basic(shop.clientId, shop.clientSecret)
        await expectToken(post(app, TOKEN, GRANT, { Authorization }))
      })

      it('decodes percent-encoding and +', async () => {
        const escaped = encode(createTokenForm(shop)).replaceAll('_', '%5f')
        const { body } = await expectToken(post(app, TOKEN, `${escaped}&scope=orders%3Awrite+orders:read`))
        expect(body).toMatchObject({ scope: 'orders:write orders:read' })
      })

      it('reads a form that arrives in chunks', async () => {
        const [one = '', two = ''] = encode(createTokenForm(shop)).split('=client')
        const chunks = [one, `=client${two}`].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
        const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Transfer-Encoding: chunked']
        expect((await exchange(app, head, `${chunks.join('')}0\r\n\r\n`)).status).toBe(200)
      })

      it('refuses every known parameter that occurs twice', async () => {
        for (const name of ['grant_type', 'client_id', 'client_secret', 'scope', 'resource']) {
          const { [name]: value = 'x', ...rest } = createTokenForm(shop)
          const form = `${encode(rest)}&${name}=${value}&${name}=${value}`
          expectRefusal(await post(app, TOKEN, form), 400, 'invalid_request')
        }
      })

      it('ignores unknown parameters, also repeated ones and ones with brackets', async () => {
        await expectToken(post(app, TOKEN, `${encode(createTokenForm(shop))}&a=1&a=2&b[]=3&c[d]=4&e`))
      })

      it('ignores the names of members of Object.prototype, and does not pollute it', async () => {
        const names = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', '__proto__[x]']
        const form = `${encode(createTokenForm(shop))}&${names.map((name) => `${name}=polluted`).join('&')}`
        await expectToken(post(app, TOKEN, form))
        expect(({} as { x?: unknown }).x).toBeUndefined()
      })

      it('does not read parameters from a prototype', async () => {
        const { grant_type: _grantType, ...credentials } = createTokenForm(shop)
        for (const name of ['__proto__[grant_type]', 'constructor[prototype][grant_type]']) {
          const form = `${encode(credentials)}&${encodeURIComponent(name)}=client_credentials`
          expectRefusal(await post(app, TOKEN, form), 400, 'invalid_request')
        }
      })

      it('refuses an empty body, with and without a length', async () => {
        expectRefusal(await post(app, TOKEN, ''), 400, 'invalid_request')
        const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`]
        expectRefusal(await exchange(app, head), 400, 'invalid_request')
        expectRefusal(await exchange(app, [...head, 'Content-Length: 0']), 400, 'invalid_request')
        expectRefusal(await exchange(app, [...head, 'Transfer-Encoding: chunked'], '0\r\n\r\n'), 400, 'invalid_request')
      })

      it('refuses a body over 16 KiB, with a length and in chunks', async () => {
        const form = `${encode(createTokenForm(shop))}&padding=`
        await expectToken(post(app, TOKEN, form.padEnd(16 * KiB, 'x')))
        expectRefusal(await post(app, TOKEN, form.padEnd(16 * KiB + 1, 'x')), 413, 'invalid_request')
        const large = form.padEnd(17 * KiB, 'x')
        const head = [`POST ${TOKEN} HTTP/1.1`, `Content-Type: ${FORM}`, 'Transfer-Encoding: chunked']
        const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`
        expectRefusal(await exchange(app, head, chunks), 413, 'invalid_request')
      })

      it('refuses a body that cannot be decoded', async () => {
        for (const value of ['%', '%zz', '%FF', '%C3%28']) {
          const { client_id: _, ...rest } = createTokenForm(shop)
          const answer = await post(app, TOKEN, `${encode(rest)}&client_id=${value}`)
          // A parser of the host has decoded it to the name of an unknown client.
          if (decodes) expectRefusal(answer, 401, 'invalid_client', { 'www-authenticate': /^Basic / })
          else expectRefusal(answer, 400, 'invalid_request')
        }
      })

      it('refuses a compressed body, even if a parser has decompressed it', async () => {
        const body = gzipSync(encode(createTokenForm(shop)))
        const head = [
          `POST ${TOKEN} HTTP/1.1`,
          `Content-Type: ${FORM}`,
          'Content-Encoding: gzip',
          `Content-Length: ${body.length}`,
        ]
        expectRefusal(await exchange(app, head, body), 415, 'invalid_request')
      })

      it.each(['; charset=utf-8', ';charset=UTF-8', '; charset="UTF-8"'])(`reads ${FORM}%s`, async (charset) => {
        await expectToken(post(app, TOKEN, createTokenForm(shop), { 'Content-Type': FORM + charset }))
      })

      it('answers another charset with 400, or the parser refuses it first', async () => {
        const answer = await post(app, TOKEN, createTokenForm(shop), { 'Content-Type': `${FORM}; charset=utf-16` })
        if (decodes) expect([400, 415]).toContain(answer.status)
        else expectRefusal(answer, 400, 'invalid_request')
      })

      it('reads revocation and introspection requests too', async () => {
        const form = createTokenForm(shop, { token: 'x' })
        expect((await post(app, '/orders/introspect', form)).body).toEqual({ active: false })
        expect((await post(app, '/orders/revoke', form)).status).toBe(200)
      })
    },
  )

  describe(`A body that another middleware has read, in an ${expressName} app (docs/http.md T18),`, () => {
    const consume: RequestHandler = (req, _res, next) => void req.resume().on('end', next)
    const consumers: [string, RequestHandler[]][] = [
      ['to its end', [consume]],
      ['to its first chunk', [(req, _res, next) => void req.once('data', () => req.pause() && next())]],
      ['to its end, leaving undefined on req.body', [consume, (req, _res, next) => next((req.body = undefined))]],
      ['through a data listener', [(req, _res, next) => void req.once('data', () => next())]],
      ["to its end, after body-parser 2's json()", [bodyParser2.json(), consume]],
    ]

    it.each(consumers)('%s, is answered with 500 server_error, and the cause is logged', async (_, handlers) => {
      const app = express()
        .disable('x-powered-by')
        .use(...handlers, (_req, _res, next) => next(), auth.router)
      logger.lines.length = 0
      for (const path of [TOKEN, '/orders/revoke', '/orders/introspect']) {
        expectRefusal(await post(app, path, createTokenForm(shop, { token: 'x' })), 500, 'server_error')
      }
      expect(logger.lines).toHaveLength(3)
      for (const line of logger.lines) expect(line).toMatch(/read the request body before.*Mount auth\.router before/)
    })

    it("after body-parser 1's json() counts as an empty form, since an empty object is on req.body", async () => {
      const app = express().use(bodyParser1.json(), consume, auth.router)
      expectRefusal(await post(app, TOKEN, createTokenForm(shop)), 400, 'invalid_request')
    })

    it('is used if it is on req.body as text, bytes or an object', async () => {
      const form = encode(createTokenForm(shop))
      for (const body of [form, Buffer.from(form), new Uint8Array(Buffer.from(form)), createTokenForm(shop)]) {
        const leave: RequestHandler = (req, _res, next) => next((req.body = body) && undefined)
        await expectToken(post(express().use(consume, leave, auth.router), TOKEN, form))
      }
    })
  })
}

async function expectToken(asked: ReturnType<typeof post>): Promise<Awaited<ReturnType<typeof post>>> {
  const answer = await asked
  expect({ status: answer.status, body: answer.body as unknown }).toMatchObject({
    status: 200,
    body: { access_token: expect.any(String) as string },
  })
  return answer
}

function encode(form: Record<string, string>): string {
  return new URLSearchParams(form).toString()
}
