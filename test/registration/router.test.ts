import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import bodyParser1 from 'body-parser1'
import bodyParser2 from 'body-parser2'
import type { Express, RequestHandler } from 'express'
import helmet from 'helmet'
import { JSDOM } from 'jsdom'
import request, { type Response } from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createPlatformAuth, memoryStore, type PlatformAuthOptions } from '../../src/index.js'
import { memoryMailer } from '../../src/testing/index.js'
import { EXPRESSES, recordingLogger, SECRET } from '../support/platform.js'

const APIS = {
  orders: { scheme: 'oauth2', title: 'Orders <b>&"\'', description: 'All <i>orders</i>', registration: 'automatic' },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  weather: { scheme: 'apiKey', title: 'Weather', registration: 'manual' },
  payroll: { scheme: 'apiKey', title: 'Payroll', registration: 'closed' },
} as const

const GOOD = { name: 'Shop', contact: 'dev@customer.example', apis: ['orders', 'catalog'] }
const NO_LIMIT = { rateLimits: { registration: false } } as const

/** A platform that anybody may register at, in an app of that Express. */
function open(
  express: (typeof EXPRESSES)['Express 5'],
  options: Partial<PlatformAuthOptions> = {},
  before: RequestHandler[] = [],
) {
  const mailer = memoryMailer()
  const logger = recordingLogger()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    developersUrl: 'https://example.com/developers',
    secret: SECRET,
    store: memoryStore(),
    mailer,
    logger,
    ...NO_LIMIT,
    ...(options as object),
    apis: APIS,
  })
  const app = express()
  app.disable('x-powered-by')
  for (const handler of before) app.use(handler)
  app.use('/developers/register', auth.registrationRouter)
  app.use((_req, res) => void res.status(404).json({ host: true }))
  return { app, auth, mailer, logger }
}

const PATH = '/developers/register'

function postForm(app: Express, fields: readonly (readonly [string, string])[] | string): Promise<Response> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields as [string, string][]).toString()
  return request(app)
    .post(PATH)
    .type('form')
    .send(body)
    .then((response) => response)
}

const FORM = [['name', 'Shop'], ['contact', 'dev@customer.example'], ['apis', 'orders'], ['apis', 'catalog']] as const // prettier-ignore

async function postJson(app: Express, document: unknown): Promise<Response> {
  return request(app).post(PATH).type('json').send(JSON.stringify(document))
}

/** A page as it must be: kept by nobody, framed by nobody, and with nothing in it that the policy forbids or that comes from elsewhere. */
function expectPage({ headers, text }: Response): void {
  const got = headers as Record<string, string>
  expect(got).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  expect(got['set-cookie']).toBeUndefined()
  const policy = new Map(
    got['content-security-policy']!.split('; ').map((part) => [part.split(' ')[0]!, part.split(' ').slice(1)]),
  )
  expect(Object.fromEntries(policy)).toMatchObject({
    'default-src': ["'none'"],
    'form-action': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  })
  const hashed = (kind: string): string[] =>
    [...text.matchAll(new RegExp(`<${kind}>(.*?)</${kind}>`, 'gs'))].map(
      ([, inner]) => `'sha256-${createHash('sha256').update(inner!).digest('base64')}'`,
    )
  for (const kind of ['style', 'script']) {
    for (const hash of hashed(kind)) expect(policy.get(`${kind}-src`)).toContain(hash)
  }
  expect(hashed('style')).toHaveLength(1)
  // Nothing is loaded or sent before somebody acts.
  const loaded = text.replaceAll('<a href="https://example.com/developers">', '')
  expect(loaded).not.toMatch(
    /<(?:script|style|link|img|iframe)\s|\sstyle=|\son\w+=|["']javascript:|(?:src|href|action)=|https?:|url\(|@import/i,
  )
}

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`auth.registrationRouter on ${name}`, () => {
    const { app, auth, mailer, logger } = open(express)
    beforeAll(() => auth.ready())
    afterAll(() => auth.close())

    const applications = async () => (await auth.applications.list({ limit: 1000 })).items

    it('shows a form with the APIs that take registrations', async () => {
      const page = await request(app).get(PATH).expect(200)
      expectPage(page)
      for (const api of ['orders', 'catalog', 'weather']) expect(page.text).toContain(`name="apis" value="${api}"`)
      expect(page.text).not.toMatch(/payroll/i)
      expect(page.text).toContain('Orders &#60;b&#62;&#38;&#34;&#39;')
      expect(page.text).toContain('All &#60;i&#62;orders&#60;/i&#62;')
      expect(page.text.match(/We look at each request/g)).toHaveLength(1)
      expect(page.text).toContain('What happens next')
      const head = await request(app).head(PATH).expect(200)
      expect(head.headers).toMatchObject({ 'content-length': String(Buffer.byteLength(page.text)) })
    })

    it('takes a form, and says the same whether the contact is known or not', async () => {
      const first = await postForm(app, FORM)
      expect(first.status).toBe(202)
      expectPage(first)
      expect(first.text).not.toContain('dev@customer.example')
      const again = await postForm(app, FORM)
      const another = await postForm(app, [
        ...FORM.slice(0, 1),
        ['contact', 'nobody@customer.example'],
        ...FORM.slice(2),
      ])
      const manual = await postForm(app, [...FORM, ['apis', 'weather']])
      for (const answer of [again, another, manual]) {
        expect([answer.status, answer.text, withoutDate(answer)]).toEqual([202, first.text, withoutDate(first)])
      }
      const registered = (await applications()).slice(-4)
      expect(registered.map(({ contact, apis }) => [contact, Object.keys(apis)])).toEqual([
        ['dev@customer.example', ['orders', 'catalog']],
        ['dev@customer.example', ['orders', 'catalog']],
        ['nobody@customer.example', ['orders', 'catalog']],
        ['dev@customer.example', ['orders', 'catalog', 'weather']],
      ])
    })

    it('takes JSON, and says the same whether the contact is known or not', async () => {
      const first = await postJson(app, GOOD)
      expect([first.status, first.text]).toEqual([202, '{"status":"accepted"}'])
      expect(first.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      const again = await postJson(app, GOOD)
      const another = await postJson(app, { ...GOOD, contact: 'else@customer.example', apis: { weather: {} } })
      for (const answer of [again, another]) {
        expect([answer.status, answer.text, withoutDate(answer)]).toEqual([202, first.text, withoutDate(first)])
      }
    })

    it('mails what it was asked for', async () => {
      const sent = mailer.emails.length
      await postJson(app, { ...GOOD, contact: 'mailed@customer.example' })
      await vi.waitFor(() => expect(mailer.emails).toHaveLength(sent + 1))
      expect(mailer.emails.at(-1)).toMatchObject({ to: 'mailed@customer.example' })
    })

    const bad: [what: string, changed: object, says: RegExp][] = [
      ['no name', { name: undefined }, /name must be/],
      ['a name of two lines', { name: 'two\nlines' }, /name must be/],
      ['two names', { name: ['Shop', 'Another'] }, /name must be/],
      ['no contact', { contact: undefined }, /contact must be/],
      ['two contacts', { contact: ['a@customer.example', 'b@customer.example'] }, /contact must be/],
      ['a contact that is two', { contact: 'a@customer.example,b@customer.example' }, /contact must be/],
      ['no API', { apis: [] }, /apis is empty/],
      ['an unknown API', { apis: ['<script>alert("1")</script>'] }, /There is no API .*alert/],
      ['a closed API', { apis: ['payroll'] }, /takes no registrations/],
      ['an API that is an object’s own', { apis: ['constructor'] }, /There is no API/],
    ]

    it.each(bad)('refuses %s in a form, on the page', async (_, changed, says) => {
      const before = (await applications()).length
      const fields = Object.entries({ ...GOOD, ...changed } as Record<string, string | string[] | undefined>)
      const pairs = fields.flatMap(([field, value]) =>
        [value ?? []].flat().map((each): [string, string] => [field, each]),
      )
      const page = await postForm(app, pairs)
      expect(page.status).toBe(400)
      expectPage(page)
      const problem = /<p class="problem" role="alert">(.*?)<\/p>/s.exec(page.text)?.[1] ?? ''
      expect(problem).toMatch(says)
      expect(problem).not.toMatch(/[<>"]/)
      expect(await applications()).toHaveLength(before)
    })

    it.each([
      ...bad,
      ['an API that is a list', { apis: [['catalog']] }, /apis must be/],
      ['scopes that are no list', { apis: { orders: { scopes: 'all' } } }, /scopes of 'orders' must be a list/],
      ['a grant that is none', { apis: { orders: false, catalog: true } }, /apis.orders must be/],
      ['apis that are a name', { apis: 'catalog' }, /apis must be/],
      ['a name that is a number', { name: 7 }, /name must be/],
      [
        'what no reader can fathom',
        { apis: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as unknown },
        /apis must be/,
      ],
      [
        'a contact that no reader can fathom',
        { contact: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as unknown },
        /contact must be/,
      ],
    ] as typeof bad)('refuses %s in JSON', async (_, changed, says) => {
      const before = (await applications()).length
      const answer = await postJson(app, { ...GOOD, ...changed })
      expect(answer.status).toBe(400)
      expectRefusal(answer, 'invalid_request', says)
      expect(await applications()).toHaveLength(before)
    })

    it.each([
      ['no JSON', '{"name":', 'application/json', 400],
      ['JSON that is a list', '[]', 'application/json', 400],
      ['JSON that is null', 'null', 'application/json', 400],
      ['JSON that is a text', '"catalog"', 'application/json', 400],
      ['nothing', '', 'application/json', 400],
      ['text', 'name=Shop', 'text/plain', 400],
      ['a form in parts', '--x\r\n', 'multipart/form-data; boundary=x', 400],
      ['no UTF-8', Buffer.from('7b226e616d65223a22ff227d', 'hex'), 'application/json', 400],
      ['more than 16 KiB', `{"name":"${'x'.repeat(17_000)}"}`, 'application/json', 413],
    ])('refuses %s', async (_, body, type, status) => {
      const answer = await request(app).post(PATH).set('Content-Type', type).send(body)
      expect(answer.status).toBe(status)
      expectRefusal(answer, 'invalid_request', /./)
    })

    it.each([
      ['what can not be decoded', 'name=%FF&contact=dev%40customer.example', 400],
      ['more than 16 KiB', `name=${'x'.repeat(17_000)}`, 413],
      ['nothing', '', 400],
    ])('refuses a form with %s, on the page', async (_, body, status) => {
      const page = await postForm(app, body)
      expect(page.status).toBe(status)
      expectPage(page)
      expect(page.text).toContain('class="problem"')
    })

    it('leaves every other path and method to the host', async () => {
      const host = { host: true }
      for (const path of [`${PATH}/other`, `${PATH}/claim/`, `${PATH}/Claim`, '/developers'])
        await request(app).get(path).expect(404, host)
      await request(app).put(PATH).expect(404, host)
      await request(app).delete(`${PATH}/claim`).expect(404, host)
      await request(app).options(PATH).expect(404, host)
    })

    it('is found with and without a slash at its end, and with a query', async () => {
      await request(app).get(`${PATH}/`).expect(200)
      await request(app).get(`${PATH}?utm_source=email`).expect(200)
      await request(app).get(`${PATH}/claim?x=1`).expect(200)
      await request(app).post(`${PATH}/`).send(GOOD).expect(202)
    })

    it('tells a developer why it refused, and nobody who registered', async () => {
      await postForm(app, [...FORM.slice(0, 1), ['contact', 'secret-contact']])
      await postJson(app, { ...GOOD, contact: 'secret-contact' })
      const told = logger.lines.filter((line) => line.includes('contact must be one plain'))
      expect(told.length).toBeGreaterThanOrEqual(2)
      expect(logger.lines.join('\n')).not.toContain('secret-contact')
      expect(logger.lines.join('\n')).not.toContain('customer.example')
    })

    describe('the page of a claim link', () => {
      it('has no credential and asks nobody else, with or without a token in its address', async () => {
        const page = await request(app).get(`${PATH}/claim`).expect(200)
        expectPage(page)
        expect(page.text.match(/<script>/g)).toHaveLength(1)
        expect(page.text).not.toMatch(/epa_/)
        const withToken = await request(app)
          .get(`${PATH}/claim?token=${'x'.repeat(43)}`)
          .expect(200)
        expect(withToken.text).toBe(page.text)
      })

      it('shows key and secret once, to who clicks, and forgets the token at once', async () => {
        const claiming = open(express, { delivery: 'claim-link' })
        await postJson(claiming.app, GOOD)
        await vi.waitFor(() => expect(claiming.mailer.emails).toHaveLength(1))
        const token = /#([A-Za-z0-9_-]{43})$/m.exec(claiming.mailer.emails[0]!.text)![1]!
        const first = await openInBrowser(claiming.app, token)
        expect(first.window.location.hash).toBe('')
        expect(first.text()).not.toMatch(/epa_|x{43}/)
        expect(first.window.document.getElementById('credentials')!.hidden).toBe(true)
        await first.click()
        await vi.waitFor(() => expect(first.text()).toMatch(/epa_key_\w{34}.*epa_sec_\w{49}/s))
        expect(first.window.document.getElementById('show')!.hidden).toBe(true)
        expect(first.requests).toEqual([`POST ${PATH}/claim`])

        const second = await openInBrowser(claiming.app, token)
        await second.click()
        await vi.waitFor(() => expect(second.text()).toContain('The link has been used, has expired'))
        expect(second.text()).not.toMatch(/epa_/)
        await first.close()
        await second.close()
        await claiming.auth.close()
      })

      it.each([
        ['a token that nobody has', { token: 'x'.repeat(43) }, /used, has expired, or was replaced/],
        ['no token', {}, /not complete/],
        ['an empty one', { token: '' }, /not complete/],
        ['a number', { token: 7 }, /not complete/],
        ['a list', { token: ['x'] }, /not complete/],
      ])('answers %s with 400', async (_, document, says) => {
        const answer = await request(app).post(`${PATH}/claim`).send(document)
        expect(answer.status).toBe(400)
        expectRefusal(answer, 'invalid_request', says)
      })

      it('takes no form, which another site could send', async () => {
        const answer = await request(app).post(`${PATH}/claim`).type('form').send('token=x')
        expect(answer.status).toBe(400)
        expectRefusal(answer, 'invalid_request', /application\/json/)
      })
    })
  })

  describe(`auth.registrationRouter on ${name}, behind other middleware,`, () => {
    type Parsers = typeof bodyParser1
    const parsers = (from: string, { json, urlencoded, text, raw }: Parsers): [string, RequestHandler[]][] => [
      [`${from} json()`, [json()]],
      [`${from} urlencoded({ extended: false })`, [urlencoded({ extended: false })]],
      [`${from} urlencoded({ extended: true })`, [urlencoded({ extended: true })]],
      [`${from} text({ type: '*/*' })`, [text({ type: '*/*' })]],
      [`${from} raw({ type: '*/*' })`, [raw({ type: '*/*' })]],
      [`all of ${from}`, [json(), urlencoded({ extended: true }), text(), raw()]],
    ]
    it.each([
      ['nothing', []],
      ['something that takes a while', [(_req, _res, next) => void setTimeout(next, 5)]],
      ...parsers("Express's", express),
      ...parsers("body-parser 1's", bodyParser1),
      ...parsers("body-parser 2's", bodyParser2),
    ] as [string, RequestHandler[]][])('registers as well behind %s', async (_, before) => {
      const { app, auth } = open(express, {}, before)
      expect((await postForm(app, FORM)).status).toBe(202)
      expect((await postForm(app, FORM.slice(0, 3))).status).toBe(202)
      expect((await postJson(app, GOOD)).status).toBe(202)
      const many = Array.from({ length: 30 }, (): [string, string] => ['apis', 'catalog'])
      expect((await postForm(app, [...FORM.slice(0, 2), ...many])).status).toBe(202)
      const { items: applications } = await auth.applications.list()
      expect(applications.map(({ name: called, contact, apis }) => [called, contact, Object.keys(apis)])).toEqual([
        ['Shop', 'dev@customer.example', ['orders', 'catalog']],
        ['Shop', 'dev@customer.example', ['orders']],
        ['Shop', 'dev@customer.example', ['orders', 'catalog']],
        ['Shop', 'dev@customer.example', ['catalog']],
      ])
      expect((await postForm(app, FORM.slice(0, 2))).status).toBe(400)
      expect((await postJson(app, {})).status).toBe(400)
      await auth.close()
    })

    it('says for the log what has read the body, and answers 500', async () => {
      const eating: RequestHandler = (req, _res, next) => void req.resume().on('end', () => next())
      const { app, auth, logger } = open(express, {}, [eating])
      expectRefusal(await postJson(app, GOOD), 'server_error', /unexpected/)
      const page = await postForm(app, FORM)
      expect(page.status).toBe(500)
      expectPage(page)
      expect(logger.lines.filter((line) => line.includes('read the request body before auth.router'))).toHaveLength(2)
      await auth.close()
    })

    it('has its own policy in place of helmet’s', async () => {
      const { app, auth } = open(express, {}, [helmet()])
      for (const path of [PATH, `${PATH}/claim`]) {
        const page = await request(app).get(path).expect(200)
        expectPage(page)
        expect(page.headers).toHaveProperty('x-frame-options')
      }
      await auth.close()
    })
  })

  describe(`auth.registrationRouter on ${name}, when it is asked too often,`, () => {
    const LIMITED = { rateLimits: { registration: { limit: 2, window: 600 } } }
    const numbered = (i: number) => ({ ...GOOD, contact: `dev-${i}@customer.example` })

    it('refuses an address for a while, in JSON and on the page', async () => {
      const { app, auth } = open(express, LIMITED)
      for (const i of [1, 2]) expect((await postJson(app, numbered(i))).status).toBe(202)
      const refused = await postJson(app, numbered(3))
      expect(refused.status).toBe(429)
      expectRefusal(refused, 'too_many_requests', /try again in \d+ seconds/)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(590)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
      const page = await postForm(app, FORM)
      expect(page.status).toBe(429)
      expectPage(page)
      expect(page.headers['retry-after']).toMatch(/^\d+$/)
      expect(page.text).toMatch(/Too many requests, try again in \d+ seconds/)
      // Looking is free.
      await request(app).get(PATH).expect(200)
      expect((await auth.applications.list()).items).toHaveLength(2)
      await auth.close()
    })

    it('refuses a contact for a while, from wherever it is named and however it is written', async () => {
      const { app, auth } = open(express, LIMITED)
      app.set('trust proxy', true)
      const from = (address: string, document: object) =>
        request(app).post(PATH).set('X-Forwarded-For', address).send(document)
      await from('198.51.100.1', GOOD).expect(202)
      await from('198.51.100.2', { ...GOOD, contact: 'DEV@Customer.Example' }).expect(202)
      await from('198.51.100.3', GOOD).expect(429)
      await from('198.51.100.4', numbered(1)).expect(202)
      await auth.close()
    })

    it('counts an address apart from others, and IPv6 by its network', async () => {
      const { app, auth } = open(express, LIMITED)
      app.set('trust proxy', true)
      let i = 0
      const from = async (address: string) =>
        (await request(app).post(PATH).set('X-Forwarded-For', address).send(numbered(i++))).status
      expect([
        await from('198.51.100.1'),
        await from('198.51.100.1'),
        await from('198.51.100.1'),
        await from('198.51.100.2'),
      ]).toEqual([202, 202, 429, 202])
      expect([
        await from('2001:db8:1:2::1'),
        await from('2001:db8:1:2::2'),
        await from('2001:db8:1:2:3::3'),
        await from('2001:db8:1:3::1'),
      ]).toEqual([202, 202, 429, 202])
      await auth.close()
    })

    it('does not count a contact that is none', async () => {
      const { app, auth } = open(express, LIMITED)
      for (let i = 0; i < 5; i++) expect((await postJson(app, { ...GOOD, contact: 'nobody' })).status).toBe(400)
      for (const i of [1, 2]) expect((await postJson(app, numbered(i))).status).toBe(202)
      await auth.close()
    })

    it('goes by 5 in an hour if nothing else is said', async () => {
      const { app, auth } = open(express, { rateLimits: {} })
      for (let i = 0; i < 5; i++) expect((await postJson(app, numbered(i))).status).toBe(202)
      const refused = await postJson(app, numbered(6))
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3590)
      await auth.close()
    })
  })

  it(`auth.registrationRouter on ${name} leaves all to the host where there is no mailer`, async () => {
    const { app, auth } = open(express, { mailer: undefined })
    await request(app).get(PATH).expect(404, { host: true })
    await request(app).post(PATH).send(GOOD).expect(404, { host: true })
    await request(app).get(`${PATH}/claim`).expect(404, { host: true })
    await auth.close()
  })

  it(`auth.registrationRouter on ${name} answers 503 while the store is out of reach`, async () => {
    const working = memoryStore()
    let failing = false
    const store = {
      ...working,
      saveApplication: (...args: Parameters<typeof working.saveApplication>) =>
        failing ? Promise.reject(new Error('connect ECONNREFUSED')) : working.saveApplication(...args),
    }
    const { app, auth } = open(express, { store })
    await auth.ready()
    failing = true
    const answer = await postJson(app, GOOD)
    expect(answer.status).toBe(503)
    expectRefusal(answer, 'temporarily_unavailable', /try again later/)
    expect(answer.headers['retry-after']).toBe('1')
    const page = await postForm(app, FORM)
    expect(page.status).toBe(503)
    expectPage(page)
    expect(page.headers['retry-after']).toBe('1')
    failing = false
    expect((await postForm(app, FORM)).status).toBe(202)
    await auth.close()
  })
}

/** The page of a claim link as a browser has it, with what it asks the server for. */
async function openInBrowser(app: Express, token: string) {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}${PATH}/claim`
  const requests: string[] = []
  const { window } = new JSDOM(await (await fetch(address)).text(), {
    url: `${address}#${token}`,
    runScripts: 'dangerously',
    beforeParse(page) {
      page.fetch = (path: string, options: RequestInit) => {
        requests.push(`${options.method} ${path}`)
        return fetch(new URL(path, address), options)
      }
    },
  })
  return {
    window,
    requests,
    click: async () => window.document.getElementById('show')!.click(),
    text: () => window.document.getElementById('claim')!.textContent,
    async close() {
      window.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function expectRefusal({ headers, body }: Response, error: string, says: RegExp): void {
  const document = body as { error: string; error_description: string }
  expect(Object.keys(document)).toEqual(['error', 'error_description'])
  expect(document.error).toBe(error)
  expect(document.error_description).toMatch(says)
  // RFC 6749 5.2
  expect(document.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

function withoutDate({ headers }: Response): object {
  const { date: _, ...rest } = headers as Record<string, string>
  return rest
}
