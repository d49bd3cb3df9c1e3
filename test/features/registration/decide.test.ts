import type { Express } from 'express'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { failingStore, saveAtOneMoment } from '../../support/failing-store.js'
import { EXPRESSES, type TestOptions } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import { expectPage, PATH, postJson, useRegistration } from './registration-app.js'

const OPERATORS = ['apis@example.com', 'second@example.com']
const MANUAL = { name: 'Shop & <b>Sons</b>', contact: 'dev@customer.example', apis: ['catalog', 'weather'] }
const REASON = 'Please ask <your> account manager first.\nThank you.'

type Fields = Readonly<Record<string, string>>

async function post(app: Express, fields: Fields | string): Promise<Response> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
  return request(app).post(`${PATH}/decide`).type('form').send(body)
}

/** A registration that waits for the operators of a platform: its id and their links. */
async function register({ app, auth, mailer }: ReturnType<typeof useRegistration>) {
  const sent = mailer.emails.length
  const findAsked = () => mailer.emails.slice(sent).filter(({ to }) => OPERATORS.includes(to))
  expect((await postJson(app, MANUAL)).status).toBe(202)
  await vi.waitFor(() => expect(findAsked()).toHaveLength(OPERATORS.length), 60_000)
  const { id } = (await auth.applications.list({ status: 'pending' })).items.at(-1)!
  const asked = findAsked()
  const [link, otherLink] = OPERATORS.map((operator) => readToken(asked.find(({ to }) => to === operator)!.text))
  return { id, link: link!, otherLink: otherLink!, asked }
}

/** A platform of its own, with such a registration. */
async function openWaiting(express: (typeof EXPRESSES)['Express 5'], options: TestOptions = {}) {
  const opened = useRegistration(express, { operators: OPERATORS, ...options })
  return { ...opened, ...(await register(opened)) }
}

/** The fields that both forms of a page have. */
async function readForms(app: Express, link: string): Promise<Fields> {
  const { text } = await post(app, { link })
  const versions = Array.from(text.matchAll(/name="version" value="(\d+)"/g), ([, version]) => version!)
  expect(new Set(versions).size, text).toBe(1)
  return { link, version: versions[0]! }
}

function readToken(text: string): string {
  return /\/register\/decide#([\w-]+\.[\w-]{43})\s/.exec(text)![1]!
}

it('A page shows what was entered in the provider’s own fields, by their labels, and the accepted terms', async () => {
  const label = (en: string) => ({ de: `${en} (de)`, en })
  const { app, auth, mailer } = useRegistration(EXPRESSES['Express 5'], {
    operators: OPERATORS,
    registration: {
      terms: { url: 'https://example.com/terms', version: '2026 <11>' },
      fields: {
        inputs: {
          company: { label: label('Company <i>') },
          use: { label: 'Use', type: 'textarea' },
          size: { label: 'Size', type: 'select', options: [{ value: 's', label: label('Small & new') }] },
          test: { label: 'Test only', type: 'checkbox' },
          unused: { label: 'Left out' },
        },
      },
    },
  })
  const fields = { company: '<script>x</script> & Co', use: 'First <b>\nsecond', size: 's', test: true }
  const body = { ...MANUAL, language: 'de', fields, terms: '2026 <11>' }
  expect((await postJson(app, body)).status).toBe(202)
  await vi.waitFor(() => expect(mailer.emails).toHaveLength(OPERATORS.length), 60_000)
  const link = readToken(mailer.emails[0]!.text)
  const read = async (): Promise<string> => (await post(app, { link })).text.replaceAll(/>\s+</g, '><')
  const text = await read()
  for (const shown of [
    '<dt>Company &#60;i&#62;</dt><dd><div class="quote">&#60;script&#62;x&#60;/script&#62; &#38; Co</div></dd>',
    '<dt>Use</dt><dd><div class="quote">First &#60;b&#62;\nsecond</div></dd>',
    '<dt>Size</dt><dd><div class="quote">Small &#38; new</div></dd>',
    '<dt>Test only</dt><dd><div class="quote">true</div></dd>',
    '<dt>Accepted terms</dt><dd>2026 &#60;11&#62;</dd>',
  ])
    expect(text).toContain(shown)
  expect(text).not.toContain('Left out')
  // A schema, or an operator meanwhile, may have made something else of a field.
  const { id } = (await auth.applications.list({ waiting: true })).items[0]!
  await auth.applications.update(id, { metadata: { company: { '<b>': [1] }, size: 'gone', other: 'internal' } })
  const changed = await read()
  expect(changed).toContain('<dd><div class="quote">{&#34;&#60;b&#62;&#34;:[1]}</div></dd>')
  expect(changed).toContain('<dd><div class="quote">gone</div></dd>')
  expect(changed).not.toMatch(/internal|constructor/)
})

describe.each(Object.entries(EXPRESSES))('On %s', (_, express) => {
  const platform = useRegistration(express, { operators: OPERATORS })
  const { app, auth, mailer } = platform
  beforeAll(() => auth.ready())

  const statusOf = async (id: string) => (await auth.applications.get(id))?.status

  describe('the decision about a registration', () => {
    it('A1: shows a form for the link, the same for everybody', async () => {
      const { link } = await register(platform)
      const page = await request(app).get(`${PATH}/decide`).expect(200)
      expectPage(page)
      // The theme's and its own.
      expect(page.text.match(/<script>/g)).toHaveLength(2)
      expect(page.text).toContain('<noscript>')
      const withToken = await request(app).get(`${PATH}/decide?link=${link}&decision=approve`).expect(200)
      expect(withToken.text).toBe(page.text)
      await request(app).head(`${PATH}/decide`).expect(200)
    })

    it('sends each operator who asks, for what and from where, and nobody else', async () => {
      const { asked } = await register(platform)
      expect(asked.map(({ to }) => to).toSorted()).toEqual(OPERATORS)
      for (const { subject, text, html } of asked) {
        expect(subject).not.toContain('Shop')
        for (const part of ['Shop & <b>Sons</b>', 'dev@customer.example', /catalog/i, /weather/i, '127.0.0.1'])
          expect(text).toMatch(part)
        expect(html).not.toContain('<b>Sons')
        expect(html).toContain('https://example.com/developers/register/decide#')
      }
    })

    it('A5: shows the request, and decides nothing, however often', async () => {
      const { id, link } = await register(platform)
      const first = await post(app, { link })
      const again = await post(app, { link: `https://example.com/developers/register/decide#${link}` })
      expect([first.status, again.status]).toEqual([200, 200])
      expectPage(first)
      expect(again.text).toBe(first.text)
      for (const part of [
        'Shop &#38; &#60;b&#62;Sons',
        'dev@customer.example',
        'Catalog',
        'Weather',
        '127.0.0.1',
        'just now',
        id,
      ])
        expect(first.text).toContain(part)
      expect(await statusOf(id)).toBe('pending')
      expect((await auth.audit.list({ applicationId: id })).items.map(({ type }) => type)).not.toContain(
        'application.approved',
      )
    })

    it('A8, A7: approves once, and says later who has decided, and when', async () => {
      const { id, link, otherLink } = await register(platform)
      const approved = await post(app, { link, decision: 'approve' })
      expect(approved.status).toBe(200)
      expectPage(approved)
      await vi.waitFor(async () => expect(await statusOf(id)).toBe('active'), 60_000)
      const { items } = await auth.audit.list({ applicationId: id })
      expect(items.find(({ type }) => type === 'application.approved')).toMatchObject({
        by: 'operator:apis@example.com',
        details: { address: '127.0.0.1' },
      })
      const late = [
        await post(app, { link, decision: 'approve' }),
        await post(app, { link: otherLink, decision: 'deny', reason: REASON }),
      ]
      for (const answer of late) {
        expect(answer.status).toBe(409)
        expect(answer.text).toMatch(
          /This request was approved on \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC by apis@example\.com\./,
        )
      }
      expect((await post(app, { link: otherLink })).status).toBe(200)
    })

    it('A8: denies with a reason, which the contact gets, and deletes the registration', async () => {
      const { id, link, otherLink } = await register(platform)
      const denied = await post(app, { link, decision: 'deny', reason: REASON.replace('\n', '\r\n') })
      expect(denied.status).toBe(200)
      const findDenial = () =>
        mailer.emails.find((each) => each.to === MANUAL.contact && each.text.includes('Please ask'))
      await vi.waitFor(() => expect(findDenial()).toBeDefined(), 60_000)
      const { text, html } = findDenial()!
      for (const line of [...REASON.split('\n'), 'Shop & <b>Sons</b>']) expect(text).toContain(line)
      expect(html).not.toMatch(/<your>|<b>Sons/)
      expect(await auth.applications.get(id)).toMatchObject({ status: 'deleted', name: '', contact: undefined })
      const { items } = await auth.audit.list({ applicationId: id })
      expect(items.find(({ type }) => type === 'application.deleted')).toMatchObject({
        by: 'operator:apis@example.com',
        details: { denied: true, reason: REASON },
      })
      const late = await post(app, { link: otherLink, decision: 'approve' })
      expect(late.status).toBe(409)
      expect(late.text).toMatch(/This request was denied on .* by apis@example\.com\./)
      expect(late.text).toContain('Please ask &#60;your&#62; account manager first.')
    })

    it('A7: one of two operators decides, if both do at one moment', async () => {
      const store = failingStore(memoryStore())
      const { app: own, auth: ownAuth, id, link, otherLink } = await openWaiting(express, { store })
      // Nothing else is saved then.
      await vi.waitFor(async () => expect((await ownAuth.emails.list({ state: 'due' })).items).toEqual([]), 60_000)
      const answers = await saveAtOneMoment(store, [
        () => post(own, { link, decision: 'approve' }),
        () => post(own, { link: otherLink, decision: 'deny', reason: REASON }),
      ])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
      const { items } = await ownAuth.audit.list({ applicationId: id })
      const decided = items.filter(({ by }) => by?.startsWith('operator:'))
      expect(decided.map(({ type }) => type)).toEqual([
        answers[0]!.status === 200 ? 'application.approved' : 'application.deleted',
      ])
    })

    it('A7: denies nothing that was approved, also before its e-mail is sent', async () => {
      const { id, link, otherLink } = await register(platform)
      const send = vi.spyOn(mailer, 'send').mockRejectedValue(Object.assign(new Error('busy'), { refused: true }))
      onTestFinished(() => send.mockRestore())
      expect((await post(app, { link, decision: 'approve' })).status).toBe(200)
      expect(await statusOf(id)).toBe('pending')
      expect((await post(app, { link: otherLink, decision: 'deny', reason: REASON })).status).toBe(409)
      expect(await statusOf(id)).toBe('pending')
    })

    it('A6: refuses a denial without a good reason, and shows it again', async () => {
      const { id, link } = await register(platform)
      for (const reason of ['', ' \r\n ', 'x'.repeat(501), 'a\u0000b', 'a\u2028b']) {
        const answer = await post(app, { link, decision: 'deny', reason })
        expect(answer.status).toBe(400)
        expectPage(answer)
        expect(answer.text).toContain('aria-invalid="true"')
      }
      expect(await statusOf(id)).toBe('pending')
    })

    it('A6: refuses another decision', async () => {
      const { id, link } = await register(platform)
      for (const decision of ['Approve', 'constructor', '__proto__', 'true']) {
        expect((await post(app, { link, decision })).status).toBe(400)
      }
      expect(await statusOf(id)).toBe('pending')
    })

    it('A10: decides nothing about what has changed since the page was made, and shows what it is now', async () => {
      const { id, link, otherLink } = await register(platform)
      const forms = await readForms(app, link)
      await auth.applications.disallow(id, 'weather')
      for (const decision of [{ decision: 'approve' }, { decision: 'deny', reason: REASON }]) {
        const stale = await post(app, { ...forms, ...decision })
        expect(stale.status).toBe(409)
        expectPage(stale)
        expect(stale.text).toMatch(/role="alert"[^>]*>Nothing was decided: .* has changed/)
        expect(stale.text).toContain('Catalog')
        expect(stale.text).not.toContain('Weather')
        // What was written stays, and the page has one place that is read out first.
        expect(stale.text.includes('Please ask &#60;your&#62; account manager')).toBe(decision.reason !== undefined)
        expect(stale.text.match(/ autofocus/g)).toHaveLength(1)
      }
      const refused = await post(app, { ...forms, decision: 'deny', reason: '' })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Nothing was decided')])
      expect(await statusOf(id)).toBe('pending')

      const now = await readForms(app, otherLink)
      expect((await post(app, { ...now, decision: 'approve' })).status).toBe(200)
      await vi.waitFor(async () => expect(await statusOf(id)).toBe('active'), 60_000)
      expect(Object.keys((await auth.applications.get(id))!.apis)).toEqual(['catalog'])
      const late = await post(app, { ...now, decision: 'approve' })
      expect([late.status, late.text]).toEqual([409, expect.stringContaining('This request was approved on')])
    })

    it('A10: decides nothing about what changes while the decision is saved', async () => {
      const store = failingStore(memoryStore())
      const { app: own, auth: ownAuth, id, link } = await openWaiting(express, { store })
      await vi.waitFor(async () => expect((await ownAuth.emails.list({ state: 'due' })).items).toEqual([]), 60_000)
      const forms = await readForms(own, link)
      const [, answer] = await saveAtOneMoment(store, [
        async (): Promise<unknown> => ownAuth.applications.disallow(id, 'weather'),
        async () => post(own, { ...forms, decision: 'approve' }),
      ])
      expect(answer).toMatchObject({ status: 409, text: expect.stringContaining('Nothing was decided') })
      expect(await ownAuth.applications.get(id)).toMatchObject({ status: 'pending', apis: { catalog: {} } })
    })

    it('A7: says that a registration was decided elsewhere, deleted, or is suspended', async () => {
      const approved = await register(platform)
      await auth.applications.approve(approved.id, { by: 'alice' })
      expect((await post(app, { link: approved.link })).text).toMatch(/was approved on .* by alice\./)
      const deleted = await register(platform)
      await auth.applications.delete(deleted.id)
      expect((await post(app, { link: deleted.link })).text).toMatch(/This application was deleted on [^b]*\./)
      const { id, link } = await register(platform)
      await auth.applications.suspend(id)
      const late = await post(app, { link, decision: 'approve' })
      expect([late.status, late.text]).toEqual([409, expect.stringContaining('does not wait for a decision')])
      await auth.applications.resume(id)
      expect((await post(app, { link, decision: 'approve' })).status).toBe(200)
    })
  })

  describe('the decision about a request for access', () => {
    const by = 'contact:dev@customer.example'

    async function requestAccess(id: string): Promise<string> {
      const sent = mailer.emails.length
      await auth.registration.requestAccess(id, { api: 'weather', by })
      const findAsked = () => mailer.emails.slice(sent).find(({ to }) => to === OPERATORS[0])
      await vi.waitFor(() => expect(findAsked()).toBeDefined(), 60_000)
      return readToken(findAsked()!.text)
    }

    it('A5, A8: shows what is requested and what the application may use, and decides about that request only', async () => {
      const given = { name: 'Till', contact: 'dev@customer.example', apis: ['catalog'] } as const
      const { id } = (await auth.applications.create(given)).application
      const former = await requestAccess(id)
      const shown = await post(app, { link: former })
      expect(shown.text).toMatch(/<h1>Till requests access<.*Requests access to.*Weather.*May use now.*Catalog/s)
      expect(shown.text).toContain(by)
      expect((await post(app, { link: former, decision: 'deny', reason: REASON })).status).toBe(200)
      expect(await auth.applications.get(id)).toMatchObject({ status: 'active', apis: { catalog: {} } })

      // A request is known by its time.
      const deniedAt = Date.now()
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(deniedAt), 60_000)
      const link = await requestAccess(id)
      expect((await post(app, { link: former, decision: 'approve' })).text).toMatch(
        /was denied on .* by apis@example\.com/,
      )
      expect(Object.keys((await auth.applications.get(id))!.apis)).toEqual(['catalog'])
      expect((await post(app, { link, decision: 'approve' })).status).toBe(200)
      expect(Object.keys((await auth.applications.get(id))!.apis)).toEqual(['catalog', 'weather'])
      expect((await post(app, { link, decision: 'deny', reason: REASON })).text).toMatch(/was approved on/)
    })

    it('A10: decides nothing about an application that has changed since the page was made', async () => {
      const given = { name: 'Till', contact: 'dev@customer.example', apis: ['catalog'] } as const
      const { id } = (await auth.applications.create(given)).application
      const forms = await readForms(app, await requestAccess(id))
      await auth.applications.update(id, { name: 'Cash desk' })
      for (const decision of [{ decision: 'approve' }, { decision: 'deny', reason: REASON }]) {
        const stale = await post(app, { ...forms, ...decision })
        expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('Nothing was decided')])
        expect(stale.text).toContain('<h1>Cash desk requests access<')
      }
      expect((await auth.applications.get(id))!.accessRequests).toHaveLength(1)
      expect((await post(app, { ...(await readForms(app, forms['link']!)), decision: 'approve' })).status).toBe(200)
    })
  })

  describe('a link that decides nothing', () => {
    it.each([
      ['no link', '', /not complete/],
      ['an empty one', 'link=', /not complete/],
      ['an unknown one', `link=${'x'.repeat(100)}.${'x'.repeat(43)}`, /not valid/],
      ['a long one', `link=${'x'.repeat(15_000)}`, /not valid/],
      ['two', 'link=a&link=b', /must be given once/],
      ['a list', 'link[]=a', /not complete/],
    ])('A3: is refused: %s', async (__, body, says) => {
      const answer = await post(app, body)
      expect(answer.status).toBe(400)
      expectPage(answer)
      expect(answer.text).toMatch(says)
    })

    it('A2: refuses what is not a form', async () => {
      const json = await request(app).post(`${PATH}/decide`).send({ link: 'x', decision: 'approve' })
      const large = await post(app, `link=${'x'.repeat(20_000)}`)
      const encoded = await request(app)
        .post(`${PATH}/decide`)
        .type('form')
        .set('Content-Encoding', 'gzip')
        .send('link=x')
      expect([json.status, large.status, encoded.status]).toEqual([400, 413, 415])
      for (const answer of [json, large, encoded]) expectPage(answer)
    })

    it('A3: is refused 14 days after the registration, and when its operator is removed', async () => {
      const store = memoryStore()
      let time = Date.now()
      const waiting = await openWaiting(express, { store, now: () => time })
      const other = useRegistration(express, { store, operators: [OPERATORS[1]!], now: () => time })
      await other.auth.ready()
      const removed = await post(other.app, { link: waiting.link, decision: 'approve' })
      expect([removed.status, removed.text]).toEqual([400, expect.stringContaining('not an operator any more')])
      expect((await post(other.app, { link: waiting.otherLink })).status).toBe(200)
      time += 14 * 24 * 3600 * 1000
      const expired = await post(waiting.app, { link: waiting.link, decision: 'approve' })
      expect([expired.status, expired.text]).toEqual([400, expect.stringContaining('expired')])
      expect((await waiting.auth.applications.get(waiting.id))?.status).toBe('pending')
    })

    it('A4: is counted, and a good one is not', async () => {
      const limit = { limit: 2, window: 60 }
      const waiting = await openWaiting(express, { rateLimits: { failedAuthentication: limit } })
      const bad = { link: `${'x'.repeat(100)}.${'x'.repeat(43)}` }
      const statuses = []
      for (let attempt = 0; attempt < 3; attempt++) statuses.push(await post(waiting.app, bad))
      expect(statuses.map(({ status }) => status)).toEqual([400, 400, 429])
      expect(statuses[2]!.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) as string })
      for (let view = 0; view < 3; view++) expect((await post(waiting.app, { link: waiting.link })).status).toBe(200)
    })

    it('A9: offers to try again while the store is unavailable', async () => {
      const store = memoryStore()
      const waiting = await openWaiting(express, { store })
      const find = vi.spyOn(store, 'findApplication').mockRejectedValue(new Error('gone'))
      const answer = await post(waiting.app, { link: waiting.link, decision: 'approve' })
      expect(answer.status).toBe(503)
      expectPage(answer)
      expect(answer.text).toContain(`value="${waiting.link}"`)
      find.mockRestore()
    })

    it('is not answered here without the option operators', async () => {
      const plain = useRegistration(express)
      expect((await request(plain.app).get(`${PATH}/decide`)).body).toEqual({ host: true })
      expect((await post(plain.app, { link: 'x' })).body).toEqual({ host: true })
    })
  })
})
