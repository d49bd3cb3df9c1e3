import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { EXPRESSES } from '../support/platform.js'
import {
  GOOD,
  openRegistration,
  PATH,
  postForm,
  FORM,
  postJson,
  expectPage,
  expectRefusal,
} from './registration-app.js'

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`auth.registrationRouter on ${name} with the registration limit`, () => {
    const LIMITED = { rateLimits: { registration: { limit: 2, window: 600 } } }
    const numbered = (i: number) => ({ ...GOOD, contact: `dev-${i}@customer.example` })

    it('R6: answers 429 to an address over the limit, with JSON and with the form', async () => {
      const { app, auth } = openRegistration(express, LIMITED)
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
      // Showing the form is not limited.
      await request(app).get(PATH).expect(200)
      expect((await auth.applications.list()).items).toHaveLength(2)
      await auth.close()
    })

    it('R6: answers 429 for a contact over the limit, from any address and in any case', async () => {
      const { app, auth } = openRegistration(express, LIMITED)
      app.set('trust proxy', true)
      const from = (address: string, document: object) =>
        request(app).post(PATH).set('X-Forwarded-For', address).send(document)
      await from('198.51.100.1', GOOD).expect(202)
      await from('198.51.100.2', { ...GOOD, contact: 'DEV@Customer.Example' }).expect(202)
      await from('198.51.100.3', GOOD).expect(429)
      await from('198.51.100.4', numbered(1)).expect(202)
      await auth.close()
    })

    it('R6: counts per address, and per /64 network of an IPv6 address', async () => {
      const { app, auth } = openRegistration(express, LIMITED)
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

    it('does not count requests with an invalid contact', async () => {
      const { app, auth } = openRegistration(express, LIMITED)
      for (let i = 0; i < 5; i++) expect((await postJson(app, { ...GOOD, contact: 'invalid' })).status).toBe(400)
      for (const i of [1, 2]) expect((await postJson(app, numbered(i))).status).toBe(202)
      await auth.close()
    })

    it('R6: allows 5 in an hour by default', async () => {
      const { app, auth } = openRegistration(express, { rateLimits: {} })
      for (let i = 0; i < 5; i++) expect((await postJson(app, numbered(i))).status).toBe(202)
      const refused = await postJson(app, numbered(6))
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3590)
      await auth.close()
    })
  })
}
