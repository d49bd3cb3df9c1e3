import { describe, expect, it } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { GOOD, PATH, postForm, FORM, postJson, expectPage, expectRefusal, useRegistration } from './registration-app.js'

const express = EXPRESSES['Express 5']

const numbered = (i: number) => ({ ...GOOD, contact: `dev-${i}@customer.example` })

describe('auth.registration.router with the registration limit', () => {
  const LIMITED = { rateLimits: { registration: { limit: 2, window: 600 } } }

  it('R6: answers 429 to an address over the limit, with JSON and with the form', async () => {
    const { app, list } = useRegistration(express, LIMITED)
    for (const i of [1, 2]) expect((await postJson(app, numbered(i))).status).toBe(202)
    const refused = await postJson(app, numbered(3))
    expect(refused.status).toBe(429)
    expectRefusal(refused, 'too_many_requests', /try again in 10 minutes$/)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(590)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
    const page = await postForm(app, FORM)
    expect(page.status).toBe(429)
    expectPage(page)
    expect(page.headers['retry-after']).toMatch(/^\d+$/)
    expect(page.text).toContain('Too many requests, try again in 10 minutes.')
    expect(page.text).toContain('value="dev@customer.example"')
    for (const [language, wait] of [
      ['de', 'in 10 Minuten'],
      ['fr', 'dans 10 minutes'],
      ['es', 'dentro de 10 minutos'],
    ] as const)
      await request(app)
        .post(PATH)
        .type('form')
        .set('Accept-Language', language)
        .send(FORM.map((pair) => pair.join('=')).join('&'))
        .expect(429, new RegExp(wait))
    // Showing the form is not limited.
    await request(app).get(PATH).expect(200)
    expect(await list()).toHaveLength(2)
  })

  it('R6: answers 429 for a contact over the limit, from any address and in any case', async () => {
    const { app } = useRegistration(express, LIMITED)
    app.set('trust proxy', true)
    const from = (address: string, document: object) =>
      request(app).post(PATH).set('X-Forwarded-For', address).send(document)
    await from('198.51.100.1', GOOD).expect(202)
    await from('198.51.100.2', { ...GOOD, contact: 'DEV@Customer.Example' }).expect(202)
    await from('198.51.100.3', GOOD).expect(429)
    await from('198.51.100.4', numbered(1)).expect(202)
  })

  it('R6: counts per address, and per /64 network of an IPv6 address', async () => {
    const { app } = useRegistration(express, LIMITED)
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
  })

  it.each([
    ['contact', 'invalid'],
    ['contact', 'root@localhost'],
    ['name', ''],
    ['name', 'Verify at https://evil.example'],
    ['apis', []],
    ['apis', ['unknown']],
    ['apis', ['payroll']],
  ])('R5, R7: counts no mistake, neither for the address nor for the contact: %s %j', async (field, value) => {
    const { app } = useRegistration(express, LIMITED)
    const wrong = { ...GOOD, [field]: value }
    const fields = Object.entries(wrong).flatMap(([key, values]) => [values].flat().map((each) => [key, each] as const))
    for (let i = 0; i < 3; i++) {
      expect((await postJson(app, wrong)).status).toBe(400)
      expect((await postForm(app, fields)).status).toBe(400)
    }
    for (let i = 0; i < 2; i++) expect((await postJson(app, GOOD)).status).toBe(202)
  })

  it('R6: counts all contacts with a +tag as one, and the IPv6 network of that size, if the options say so', async () => {
    const registration = { foldTags: true, ipv6Prefix: 48 } as const
    const { app } = useRegistration(express, { ...LIMITED, registration })
    app.set('trust proxy', true)
    const from = async (address: string, contact: string) =>
      (
        await request(app)
          .post(PATH)
          .set('X-Forwarded-For', address)
          .send({ ...GOOD, contact })
      ).status
    expect([
      await from('198.51.100.1', 'victim+1@customer.example'),
      await from('198.51.100.2', 'Victim+2+3@customer.example'),
      await from('198.51.100.3', 'victim@customer.example'),
    ]).toEqual([202, 202, 429])
    expect([
      await from('2001:db8:1:2::1', 'a@customer.example'),
      await from('2001:db8:1:ffff::1', 'b@customer.example'),
      await from('2001:db8:1::1', 'c@customer.example'),
      await from('2001:db8:2:2::1', 'd@customer.example'),
    ]).toEqual([202, 202, 429, 202])
  })

  it('R6: allows 5 in an hour by default', async () => {
    const { app } = useRegistration(express, { rateLimits: {} })
    for (let i = 0; i < 5; i++) expect((await postJson(app, numbered(i))).status).toBe(202)
    const refused = await postJson(app, numbered(6))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3590)
    expectRefusal(refused, 'too_many_requests', /^Too many requests, try again in an hour$/)
  })
})

// Many requests, and nothing of it depends on the version of Express.
describe('auth.registration.router with the limit for all registrations together', () => {
  it('R6: answers 429 when all addresses and contacts together are over allRegistrations, 100 in an hour by default', async () => {
    const { app } = useRegistration(EXPRESSES['Express 5'], { rateLimits: {} })
    app.set('trust proxy', true)
    const statuses: number[] = []
    for (let i = 0; i < 101; i++) {
      const test = request(app).post(PATH).set('X-Forwarded-For', `198.51.100.${i}`).send(numbered(i))
      statuses.push((await test).status)
    }
    expect(statuses).toEqual([...Array<number>(100).fill(202), 429])
  })

  it('R6: has no limit for all together by default if registration is false', async () => {
    const { app } = useRegistration(EXPRESSES['Express 5'], { rateLimits: { registration: false } })
    const statuses = new Set<number>()
    for (let i = 0; i < 101; i++) statuses.add((await postJson(app, numbered(i))).status)
    expect([...statuses]).toEqual([202])
  })
})
