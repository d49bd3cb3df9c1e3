import type { Response } from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/index.js'
import { createBrowser, readHiddenFields, ROOT } from './browser.js'
import { addApplication, nextSignInEmail, openLink, usePortal, usePortalOf, signInByLink } from './portal-app.js'
import { request } from '../../support/request.js'

const CONTACT = 'dev@shop.example'
const STRANGER = 'foo@shop.example'

/** An answer without what is random or was entered. */
function withoutRandom({ status, headers, text }: Response, contact: string): object {
  const { date: _, 'set-cookie': __, ...rest } = headers as Record<string, unknown>
  const random = Object.values(readHiddenFields(text))
  return {
    status,
    rest,
    text: [...random, contact].reduce((all, value) => all.replaceAll(value, '*'.repeat(value.length)), text),
  }
}

describe('a stranger learns nothing about an address', () => {
  it('P65, P67: from answers to requests, right and wrong codes, and their lengths', async () => {
    const host = await usePortalOf(CONTACT)
    const answers: object[][] = []
    for (const contact of [CONTACT, STRANGER]) {
      const browser = createBrowser(host.app)
      await browser.get()
      const asked = await browser.submit('/sign-in', { contact })
      const guesses: object[] = []
      for (let guess = 0; guess < 7; guess++) {
        guesses.push(withoutRandom(await browser.submit('/sign-in/code', { code: 'BBBB-BBBB' }), contact))
      }
      answers.push([withoutRandom(asked, contact), ...guesses])
    }
    expect(answers[1]).toEqual(answers[0])
  })

  it('P66: from the limit of a mailbox, which is counted for unknown ones too and not shown', async () => {
    const memory = memoryStore()
    let lookups = 0
    // Not the look-ups of the platform's own work, which a slow machine does meanwhile.
    const listApplications: Store['listApplications'] = async (query) => {
      if (query.contact !== undefined) lookups++
      return memory.listApplications(query)
    }
    const store = Object.create(memory, { listApplications: { value: listApplications } }) as typeof memory
    const host = await usePortalOf(
      CONTACT,
      { store, rateLimits: { signIn: { limit: 2, window: 3600 } } },
      {
        // Every request from another address.
        prepare: (app) => app.set('trust proxy', true),
      },
    )
    lookups = 0
    let address = 0
    async function ask(contact: string): Promise<object> {
      const browser = createBrowser(host.app)
      const { csrf } = readHiddenFields((await browser.get()).text)
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': `192.0.2.${++address}` }
      return withoutRandom(await browser.post(`${ROOT}/sign-in`, { contact, csrf: csrf! }, headers), contact)
    }
    const first = await ask(CONTACT)
    for (let i = 0; i < 7; i++) expect(await ask(i % 2 ? CONTACT : CONTACT.toUpperCase())).toEqual(first)
    for (let i = 0; i < 8; i++) expect(await ask(STRANGER)).toEqual(first)
    // Six requests of each mailbox were looked up, after their answers: as many as three addresses may send.
    await expect.poll(() => lookups).toBe(12)
    await nextSignInEmail(host.mailer, 5)
    expect(host.mailer.emails).toHaveLength(6)
  })

  it('P66: from the limit of the own address, which is the same for every mailbox', async () => {
    const host = await usePortalOf(CONTACT, { rateLimits: { signIn: { limit: 5, window: 3600 } } })
    const browser = createBrowser(host.app)
    const statuses: number[] = []
    for (const contact of [
      CONTACT,
      STRANGER,
      'a@shop.example',
      'b@shop.example',
      'c@shop.example',
      CONTACT,
      STRANGER,
    ]) {
      await browser.get()
      statuses.push((await browser.submit('/sign-in', { contact })).status)
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429])
    expect(Number(browser.page.headers['retry-after'])).toBeGreaterThan(3500)
  })
})

describe('a cookie that was not made for this session is worth nothing', () => {
  it('if it was changed anywhere, cut or lengthened', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    const [[name, value]] = [...browser.cookies] as [[string, string]]
    const other = (character: string): string => (character === 'A' ? 'B' : 'A')
    const changed = Array.from({ length: Math.ceil(value.length / 7) }, (_, i) => i * 7).map(
      (at) => value.slice(0, at) + other(value[at]!) + value.slice(at + 1),
    )
    for (const forged of [
      ...changed,
      value.slice(0, -4),
      value.slice(4),
      `${value}AAAA`,
      '',
      'A',
      'A'.repeat(5000),
      value.slice(0, 38),
      '%00',
      '"',
      '{}',
    ]) {
      const { text } = await request(host.app).get(ROOT).set('Cookie', `${name}=${forged}`)
      expect(text, forged).not.toContain('Sign out')
    }
    expect((await request(host.app).get(ROOT).set('Cookie', `a=b; ${name}=${value};c`)).text).toContain('Sign out')
  })

  it('if another platform on the same store has made it', async () => {
    const store = memoryStore()
    const [host, other] = [usePortal({ store }), usePortal({ store, developersUrl: 'https://example.com/others' })]
    await addApplication(host.auth, CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    const visitor = createBrowser(other.app)
    await visitor.get()
    const [name] = [...visitor.cookies.keys()] as [string]
    const [value] = [...browser.cookies.values()] as [string]
    expect((await request(other.app).get(ROOT).set('Cookie', `${name}=${value}`)).text).not.toContain('Sign out')
  })

  it('if it is from before the sign-in (session fixation)', async () => {
    const host = await usePortalOf(CONTACT)
    const attacker = createBrowser(host.app)
    await attacker.get()
    const victim = createBrowser(host.app)
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    await openLink(victim, await host.auth.portal.link({ contact: CONTACT }))
    expect(victim.page.text).toContain('Sign out')
    expect((await attacker.get()).text).not.toContain('Sign out')
    // The token of the attacker's page is not that of the victim's session.
    const { csrf } = readHiddenFields(attacker.page.text)
    expect((await victim.post(`${ROOT}/sign-out`, { csrf: csrf! })).status).toBe(403)
    expect((await victim.get()).text).toContain('Sign out')
  })
})

describe('forms of other sites do nothing', () => {
  it.each([
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
    [{ 'Sec-Fetch-Site': 'none' }],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://example.com' }],
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'http://example.com' }],
    [{ Origin: 'https://example.com.evil.example' }],
    [{ Origin: 'null' }],
    [{}],
  ])('P70: %j', async (headers) => {
    const host = await usePortalOf(CONTACT)
    const token = new URL(await host.auth.portal.link({ contact: CONTACT })).hash.slice(1)
    const browser = createBrowser(host.app)
    const { csrf } = readHiddenFields((await browser.get()).text)
    for (const [path, fields] of [
      ['sign-in', { contact: CONTACT }],
      ['sign-in/link', { token }],
      ['sign-out', {}],
    ] as const) {
      const answer = await browser.post(`${ROOT}/${path}`, { ...fields, csrf: csrf! }, headers)
      expect(answer).toMatchObject({
        status: 403,
        text: expect.stringContaining('not sent from a page of this site') as unknown,
      })
    }
    // It is still unused.
    expect(
      (await browser.post(`${ROOT}/sign-in/link`, { token, csrf: csrf! }, { Origin: 'https://example.com' })).status,
    ).toBe(303)
  })

  it('P71: a form without the token of its page, or with that of another browser', async () => {
    const host = await usePortalOf(CONTACT)
    const token = new URL(await host.auth.portal.link({ contact: CONTACT })).hash.slice(1)
    const [browser, other] = [createBrowser(host.app), createBrowser(host.app)]
    const { csrf } = readHiddenFields((await browser.get()).text)
    await other.get()
    for (const fields of [{}, { csrf: '' }, { csrf: 'x'.repeat(43) }, { csrf: csrf! }]) {
      const answer = await other.post(`${ROOT}/sign-in/link`, { ...fields, token })
      expect(answer).toMatchObject({
        status: 403,
        text: expect.stringContaining('We send you a link and a code.') as unknown,
      })
    }
    expect((await browser.post(`${ROOT}/sign-in/link`, { csrf: csrf!, token })).status).toBe(303)
  })
})

it.each([
  '//evil.example',
  '///evil.example/x',
  '/\\evil.example',
  '/%2F%2Fevil.example',
  '/https://evil.example',
  '/..//evil.example',
  '/a+b%20c',
])('P14: %s redirects to the portal itself', async (path) => {
  const host = usePortal()
  const { status, headers } = await request(host.app)
    .get(ROOT + path)
    .redirects(0)
  expect({ status, location: headers['location'] }).toEqual({ status: 303, location: ROOT })
})

it('P13: refuses bodies that are too large, compressed, repeated or no forms, with pages', async () => {
  const host = usePortal()
  const post = (type: string, body: string, headers = {}) =>
    request(host.app)
      .post(`${ROOT}/sign-in`)
      .set({ 'Sec-Fetch-Site': 'same-origin', 'Content-Type': type, ...headers })
      .send(body)
  const form = 'application/x-www-form-urlencoded'
  const answers = await Promise.all([
    post('application/json', '{}'),
    post(form, 'csrf=%ff'),
    post(form, `a=${'x'.repeat(17_000)}`),
    post(form, 'a=b', { 'Content-Encoding': 'gzip' }),
    post(form, 'csrf=a&csrf=b'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 413, 415, 400])
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/)
  }
})

it.each(['/%00', '/app_%0d%0aSet-Cookie:a=b', '/%ff', '/%'])(
  '%s is no address, for contacts and strangers',
  async (path) => {
    const host = await usePortalOf(CONTACT)
    for (const browser of [createBrowser(host.app), await signInByLink(host, { contact: CONTACT })]) {
      expect((await browser.get(ROOT + path)).status).toBe(400)
    }
  },
)
