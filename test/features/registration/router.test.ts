import bodyParser1 from 'body-parser1'
import bodyParser2 from 'body-parser2'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import {
  GOOD,
  PATH,
  postForm,
  FORM,
  postJson,
  expectPage,
  expectRefusal,
  useRegistration,
  withoutDate,
} from './registration-app.js'
import { joinWords } from '../portal/browser.js'

const LINK = /^\.\/register\/thanks\?for=[\w-]+$/

/** A platform whose operators take their time, with an API that has scopes. */
function openPatient(express: (typeof EXPRESSES)['Express 5']) {
  const { auth, clock } = openPlatform({
    developersUrl: 'https://example.com/developers',
    mailer: memoryMailer(),
    registration: { decisionDays: 3 },
    apis: {
      orders: {
        scheme: 'oauth2',
        scopes: { read: 'Read <b>orders</b>', admin: 'Everything' },
        registrationScopes: ['read'],
      },
    },
  })
  return { auth, clock, app: express().use(PATH, auth.registration.router) }
}

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`auth.registration.router on ${name}`, () => {
    const { app, auth } = useRegistration(express)
    beforeAll(() => auth.ready())

    const applications = async () => (await auth.applications.list({ limit: 1000 })).items

    it('R1: shows a form with the APIs that are open to registration', async () => {
      const page = await request(app).get(PATH).expect(200)
      expectPage(page)
      for (const api of ['orders', 'catalog', 'weather']) expect(page.text).toContain(`name="apis" value="${api}"`)
      expect(page.text).not.toMatch(/payroll/i)
      expect(page.text).toContain('Orders &#60;b&#62;&#38;&#34;&#39;')
      expect(page.text).toContain('All &#60;i&#62;orders&#60;/i&#62;')
      expect(page.text.match(/Needs our approval/g)).toHaveLength(1)
      expect(page.text).toContain('What happens next')
      const head = await request(app).head(PATH).expect(200)
      expect(head.headers).toMatchObject({ 'content-length': String(Buffer.byteLength(page.text)) })
    })

    it('R8: accepts a form, with the same answer for known and unknown contacts', async () => {
      const first = await postForm(app, FORM)
      expect([first.status, first.headers['location']]).toEqual([303, expect.stringMatching(LINK)])
      const thanks = await request(app)
        .get(`${PATH}/thanks`)
        .expect(200, /We have received your registration/)
      expectPage(thanks)
      expect(thanks.text).not.toContain('dev@customer.example')
      const named = await request(app).get(String(first.headers['location']).replace('./register', PATH))
      expectPage(named)
      expect(named.text).toContain('We send the credentials to <strong>dev@customer.example</strong>.')
      const again = await postForm(app, FORM)
      const another = await postForm(app, [
        ...FORM.slice(0, 1),
        ['contact', 'another@customer.example'],
        ...FORM.slice(2),
      ])
      const manual = await postForm(app, [...FORM, ['apis', 'weather']])
      for (const answer of [again, another, manual]) {
        // The link is encrypted, and as long as the address that was entered.
        const { location, ...headers } = withoutDate(answer) as Record<string, string>
        const { location: link, ...others } = withoutDate(first) as Record<string, string>
        expect([answer.status, answer.text, headers]).toEqual([303, first.text, others])
        expect(location).toMatch(LINK)
        if (answer === again) expect(location).toHaveLength(link!.length)
      }
      const registered = (await applications()).slice(-4)
      expect(registered.map(({ contact, apis }) => [contact, Object.keys(apis)])).toEqual([
        ['dev@customer.example', ['orders', 'catalog']],
        ['dev@customer.example', ['orders', 'catalog']],
        ['another@customer.example', ['orders', 'catalog']],
        ['dev@customer.example', ['orders', 'catalog', 'weather']],
      ])
    })

    it('R1, R8: takes the language of e-mails from the registration, else from Accept-Language', async () => {
      const german = 'fr;q=0.5, xx, de-AT;q=0.9, en;q=0'
      const page = await request(app).get(PATH).set('Accept-Language', german)
      expect(page.text.match(/<option [^>]*selected/g)?.map((option) => option.slice(0, 18))).toEqual([
        '<option value="de"',
      ])
      const register = async (body: object, header: string) => {
        await request(app)
          .post(PATH)
          .set('Accept-Language', header)
          .send({ ...GOOD, ...body })
          .expect(202)
        return (await applications()).at(-1)?.language
      }
      expect(await register({}, german)).toBe('de')
      expect(await register({ language: 'es' }, german)).toBe('es')
      expect(await register({}, 'xx, en;q=0, de;q=0.0')).toBeUndefined()
      expect((await postForm(app, [...FORM, ['language', 'fr']])).status).toBe(303)
      expect((await applications()).at(-1)?.language).toBe('fr')
    })

    it.each([
      ['de-AT, en;q=0.5', 'de', 'Anwendung registrieren', 'Geben Sie einen Namen ein.', 'Vielen Dank'],
      ['fr', 'fr', 'Enregistrer une application', 'Saisissez un nom.', 'Merci'],
      ['es-MX', 'es', 'Registrar una aplicación', 'Escriba un nombre.', 'Gracias'],
      ['it', 'en', 'Register an application', 'Enter a name.', 'Thank you'],
    ])('R1, R7, R21: its pages are in the language that %s prefers', async (header, lang, title, problem, thanks) => {
      const form = await request(app).get(PATH).set('Accept-Language', header)
      expect(form.text).toContain(`<html lang="${lang}">`)
      expect(form.text).toContain(`<h1>${title}</h1>`)
      expect(form.headers).toMatchObject({ vary: 'Accept-Language' })
      const refused = await request(app).post(PATH).set('Accept-Language', header).type('form').send('name=')
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)])
      expect((await request(app).get(`${PATH}/thanks`).set('Accept-Language', header)).text).toContain(`<h1>${thanks}`)
    })

    it('R1, R21: lists scopes, and says what approval means and how long it usually takes', async () => {
      const { app: asking, auth: other, clock } = openPatient(express)
      onTestFinished(() => other.close())
      const page = (await request(asking).get(PATH)).text.replaceAll(/\s+/g, ' ')
      expect(page).toContain(
        '<span class="scope"><code class="chip">read</code> <span>Read &#60;b&#62;orders&#60;/b&#62;</span></span>',
      )
      expect(page).not.toContain('<code class="chip">admin')
      expect(page).toContain('one of us reads your registration and decides, usually within 3 working days.')
      const answer = await postForm(asking, FORM.slice(0, 3))
      const link = String(answer.headers['location']).replace('./register', PATH)
      expect((await request(asking).get(link)).text).toContain(
        'decides, usually within 3 working days. After it is approved, we send the credentials to <strong>dev@customer.example</strong>.',
      )
      const expectNobody = async (path: string) => {
        const { status, text } = await request(asking).get(path)
        expect([status, joinWords(text)]).toEqual([200, expect.stringContaining('the e-mail address that you gave.')])
      }
      for (const forged of ['', 'x', link.slice(-40), 'A'.repeat(2000), '%E0%A4']) {
        await expectNobody(`${PATH}/thanks?for=${forged}`)
      }
      clock.advance(600)
      await expectNobody(link)
    })

    it.each(['xx', '', 'toString', ['de']])('R7: refuses the language %j', async (language) => {
      expectRefusal(await postJson(app, { ...GOOD, language }), 'invalid_request', /^language must be one of/)
      const form = await postForm(app, [...FORM, ['language', String(language) + '-']])
      expect(form.status).toBe(400)
      expect(form.text).toContain('Choose one of these languages.')
    })

    it('R8: accepts JSON, with the same answer for known and unknown contacts', async () => {
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

    it('R8: ignores metadata and an external id: strangers cannot set them', async () => {
      const operatorData = { externalId: 'C-1', metadata: { discount: 100 } }
      const form = [...FORM, ['externalId', 'C-1'], ['metadata', '{"discount":100}']] as const
      for (const answer of [await postJson(app, { ...GOOD, ...operatorData }), await postForm(app, form)]) {
        expect([202, 303]).toContain(answer.status)
        expect((await applications()).at(-1)).toMatchObject({ externalId: undefined, metadata: undefined })
      }
    })

    // The same for unknown and closed APIs, and without the names of closed ones.
    const NOT_OPEN = /^apis has an API that is not open to registration\. There are: orders, catalog, weather\.$/
    const bad: [what: string, changed: object, says: RegExp][] = [
      ['no name', { name: undefined }, /name must be/],
      ['a name of two lines', { name: 'two\nlines' }, /name must be/],
      ['two names', { name: ['Shop', 'Another'] }, /name must be/],
      ['no contact', { contact: undefined }, /contact must be/],
      ['two contacts', { contact: ['a@customer.example', 'b@customer.example'] }, /contact must be/],
      ['a contact that is two', { contact: 'a@customer.example,b@customer.example' }, /contact must be/],
      ['a name with a web address', { name: 'Verify at https://evil.example' }, /name must not have .*web address/],
      ...(
        'r@localhost r@192.0.2.7 r@a.localhost r@a.localdomain r@db.internal r@nas.home.arpa r@customer.c ' +
        'r@xn--.example. a+b=c@customer.example $reboot@customer.example'
      )
        .split(' ')
        .map((contact): (typeof bad)[0] => [`the contact ${contact}`, { contact }, /contact must /]),
      ['no API', { apis: [] }, /apis is empty/],
      ['an unknown API', { apis: ['<script>alert("1")</script>'] }, NOT_OPEN],
      ['a closed API', { apis: ['catalog', 'payroll'] }, NOT_OPEN],
      ['an API with the name of a member of Object.prototype', { apis: ['constructor'] }, NOT_OPEN],
    ]

    it.each([
      ...bad,
      ['an API that is a list', { apis: [['catalog']] }, /apis must be/],
      ['scopes that are not a list', { apis: { orders: { scopes: 'all' } } }, /scopes of 'orders' must be a list/],
      ['a grant that is not an object', { apis: { orders: false, catalog: true } }, /apis.orders must be/],
      ['apis that are a name', { apis: 'catalog' }, /apis must be/],
      ['a name that is a number', { name: 7 }, /name must be/],
      ['deeply nested apis', { apis: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as unknown }, /apis must be/],
      [
        'a deeply nested contact',
        { contact: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as unknown },
        /contact must be/,
      ],
    ] as typeof bad)('R5, R7: answers %s in JSON with 400', async (_, changed, says) => {
      const before = (await applications()).length
      const answer = await postJson(app, { ...GOOD, ...changed })
      expect(answer.status).toBe(400)
      expectRefusal(answer, 'invalid_request', says)
      expect(await applications()).toHaveLength(before)
    })

    it.each([
      ['invalid JSON', '{"name":', 'application/json', 400],
      ['JSON that is a list', '[]', 'application/json', 400],
      ['JSON that is null', 'null', 'application/json', 400],
      ['JSON that is a string', '"catalog"', 'application/json', 400],
      ['an empty body', '', 'application/json', 400],
      ['plain text', 'name=Shop', 'text/plain', 400],
      ['a multipart form', '--x\r\n', 'multipart/form-data; boundary=x', 400],
      ['bytes that are not UTF-8', Buffer.from('7b226e616d65223a22ff227d', 'hex'), 'application/json', 400],
      ['more than 16 KiB', `{"name":"${'x'.repeat(17_000)}"}`, 'application/json', 413],
    ])('R2, R3, R4: refuses %s', async (_, body, type, status) => {
      const answer = await request(app).post(PATH).set('Content-Type', type).send(body)
      expect(answer.status).toBe(status)
      expectRefusal(answer, 'invalid_request', /./)
    })

    it.each([
      ['invalid percent-encoding', 'name=%FF&contact=dev%40customer.example', 400],
      ['more than 16 KiB', `name=${'x'.repeat(17_000)}`, 413],
      ['no fields', '', 400],
    ])('R3, R4: answers a form with %s with the form', async (_, body, status) => {
      const page = await postForm(app, body)
      expect(page.status).toBe(status)
      expectPage(page)
      expect(page.text).toContain('class="problem"')
    })

    it('R14: passes every other path and method on to the host', async () => {
      const host = { host: true }
      for (const path of [`${PATH}/other`, `${PATH}/claim/`, `${PATH}/Claim`, '/developers'])
        await request(app).get(path).expect(404, host)
      await request(app).put(PATH).expect(404, host)
      await request(app).delete(`${PATH}/claim`).expect(404, host)
      await request(app).options(PATH).expect(404, host)
    })

    it('answers with and without a trailing slash, and with a query string', async () => {
      await request(app).get(`${PATH}/`).expect(200)
      await request(app).get(`${PATH}?utm_source=email`).expect(200)
      await request(app).get(`${PATH}/claim?x=1`).expect(200)
      await request(app).post(`${PATH}/`).send(GOOD).expect(202)
    })

    it('logs why a registration was refused in development, without the contact', async () => {
      vi.stubEnv('NODE_ENV', 'development')
      const developed = useRegistration(express)
      vi.unstubAllEnvs()
      await postForm(developed.app, [...FORM.slice(0, 1), ['contact', 'secret-contact']])
      await postJson(developed.app, { ...GOOD, contact: 'secret-contact' })
      const { lines } = developed.logger
      const refusals = lines.filter((line) => /contact must be one plain|Enter one e-mail address/.test(line))
      expect(refusals.length).toBeGreaterThanOrEqual(2)
      expect(lines.join('\n')).not.toContain('secret-contact')
      expect(lines.join('\n')).not.toContain('customer.example')
    })
  })

  describe(`auth.registration.router on ${name}, behind other middleware`, () => {
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
      ['no middleware', []],
      ['a slow middleware', [(_req, _res, next) => void setTimeout(next, 5)]],
      ...parsers("Express's", express),
      ...parsers("body-parser 1's", bodyParser1),
      ...parsers("body-parser 2's", bodyParser2),
    ] as [string, RequestHandler[]][])('accepts forms and JSON behind %s', async (_, before) => {
      const { app, list } = useRegistration(express, {}, before)
      expect((await postForm(app, FORM)).status).toBe(303)
      expect((await postForm(app, FORM.slice(0, 3))).status).toBe(303)
      expect((await postJson(app, GOOD)).status).toBe(202)
      const many = Array.from({ length: 30 }, (): [string, string] => ['apis', 'catalog'])
      expect((await postForm(app, [...FORM.slice(0, 2), ...many])).status).toBe(303)
      expect((await list()).map(({ name: called, contact, apis }) => [called, contact, Object.keys(apis)])).toEqual([
        ['Shop', 'dev@customer.example', ['orders', 'catalog']],
        ['Shop', 'dev@customer.example', ['orders']],
        ['Shop', 'dev@customer.example', ['orders', 'catalog']],
        ['Shop', 'dev@customer.example', ['catalog']],
      ])
      expect((await postForm(app, FORM.slice(0, 2))).status).toBe(400)
      expect((await postJson(app, {})).status).toBe(400)
    })

    it('R13: answers 500 if another middleware has read the body, and logs the cause', async () => {
      const consume: RequestHandler = (req, _res, next) => void req.resume().on('end', () => next())
      const { app, logger } = useRegistration(express, {}, [consume])
      expectRefusal(await postJson(app, GOOD), 'server_error', /unexpected/)
      const page = await postForm(app, FORM)
      expect(page.status).toBe(500)
      expectPage(page)
      expect(logger.lines.filter((line) => line.includes('read the request body before auth.router'))).toHaveLength(2)
    })

    it('sends its own Content-Security-Policy instead of that of helmet', async () => {
      const { app } = useRegistration(express, {}, [helmet()])
      for (const path of [PATH, `${PATH}/claim`]) {
        const page = await request(app).get(path).expect(200)
        expectPage(page)
        expect(page.headers).toHaveProperty('x-frame-options')
      }
    })
  })

  it(`auth.registration.router on ${name} passes requests for claim links on, and auth.emails.router all others`, async () => {
    const { auth } = useRegistration(express)
    const passOn: RequestHandler = (_req, res) => void res.status(404).json({ host: true })
    const registrations = express().use(PATH, auth.registration.router, passOn)
    await request(registrations).get(PATH).expect(200)
    await request(registrations).get(`${PATH}/claim`).expect(404, { host: true })
    const emails = express().use(PATH, auth.emails.router, passOn)
    await request(emails).get(`${PATH}/claim`).expect(200)
    await request(emails).get(PATH).expect(404, { host: true })
    await request(emails).post(PATH).send(GOOD).expect(404, { host: true })
  })

  it(`auth.registration.router on ${name} answers 503 while the store fails`, async () => {
    const working = memoryStore()
    let failing = false
    const store = {
      ...working,
      saveApplication: (...args: Parameters<typeof working.saveApplication>) =>
        failing ? Promise.reject(new Error('connect ECONNREFUSED')) : working.saveApplication(...args),
    }
    const { app, auth } = useRegistration(express, { store })
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
    expect((await postForm(app, FORM)).status).toBe(303)
  })
}
