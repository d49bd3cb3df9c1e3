import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError, OAuthError } from '../../../src/index.js'
import { type AllowRegistration } from '../../../src/features/registration/index.js'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import {
  expectPage,
  expectPatience,
  expectRefusal,
  FORM,
  GOOD,
  useRegistration,
  PATH,
  postForm,
  postJson,
} from './registration-app.js'
import { throwing } from '../../support/throwing.js'

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`registration.allow on ${name} (docs/http.md R16, R17)`, () => {
    const open = (allow: unknown, rateLimits: object = { registration: false, allRegistrations: false }) =>
      useRegistration(express, { registration: { allow: allow as AllowRegistration }, rateLimits })

    it('gets the valid registration, the address and the request, and its answer decides', async () => {
      const allow = vi.fn<AllowRegistration>(({ contact }) => Promise.resolve(contact.endsWith('@partner.example')))
      const { app, list, mailer } = open(allow)
      app.set('trust proxy', true)
      const send = (contact: string) =>
        request(app)
          .post(PATH)
          .set('X-Forwarded-For', '2001:db8::7')
          .send({ ...GOOD, name: ' Shop ', contact })
      const accepted = await send('dev@partner.example')
      expect([accepted.status, accepted.body]).toEqual([202, { status: 'accepted' }])
      const refused = await send('dev@elsewhere.example')
      expect(refused.status).toBe(403)
      expectRefusal(refused, 'access_denied', /^This registration is not accepted$/)

      expect(allow.mock.calls.map(([candidate]) => candidate)).toEqual(
        ['dev@partner.example', 'dev@elsewhere.example'].map((contact) => ({
          name: 'Shop',
          contact,
          apis: { orders: { scopes: [] }, catalog: { scopes: [] } },
          address: '2001:db8::7',
        })),
      )
      expect(allow.mock.calls[0]).toHaveLength(2)
      await vi.waitFor(() => expect(mailer.emails).toHaveLength(1), 60_000)
      expect(await list()).toHaveLength(1)
    })

    it('answers a form that it refuses with the form and what was entered', async () => {
      const { app } = open(() => false)
      const page = await postForm(app, FORM)
      expect(page.status).toBe(403)
      expectPage(page)
      expect(page.text).toContain('This registration is not accepted.')
      expect(page.text).toContain('value="dev@customer.example"')
    })

    it.each([
      ['throws', throwing(new Error('the list of domains is not loaded'))],
      ['rejects', () => Promise.reject(new Error('the list of domains is not loaded'))],
      [
        'throws an error that would be sent',
        throwing(new OAuthError('invalid_request', 'the list of domains is not loaded')),
      ],
      ['answers undefined', () => undefined],
      ['answers a string', () => 'true'],
      ['answers a promise of 1', () => Promise.resolve(1)],
    ])('registers nothing, answers 500 and logs the cause if it %s', async (_, allow) => {
      const { app, list, logger } = open(allow)
      const answer = await postJson(app, GOOD)
      expect(answer.status).toBe(500)
      expectRefusal(answer, 'server_error', /unexpected/)
      expect(logger.lines.join('\n')).toMatch(/the list of domains is not loaded|registration\.allow answered/)
      expect(await list()).toEqual([])
    })

    it('registers nothing, answers 503 and logs it if it does not answer within 5 seconds, or finds the store unavailable', async () => {
      const { app, logger } = open(() => Promise.reject(new StoreUnavailableError('down')))
      const unavailable = await postJson(app, GOOD)
      expect([unavailable.status, unavailable.headers['retry-after']]).toEqual([503, '1'])
      expect(logger.lines.join('\n')).toContain('registration.allow failed')

      let asked = 0
      const silent = open(() => new Promise(() => void asked++))
      await expectPatience(
        silent,
        () => postJson(silent.app, GOOD),
        () => asked === 1,
      )
      expect(silent.logger.lines.join('\n')).toContain('did not answer within 5 seconds')
      expect(await silent.list()).toEqual([])
    })

    it('is asked at most as often as the limit of the address allows, and counts for no contact what it refuses', async () => {
      let answer = false
      const allow = vi.fn<() => boolean>(() => answer)
      const { app } = open(allow, { registration: { limit: 2, window: 600 } })
      app.set('trust proxy', true)
      const from = async (address: string) =>
        (await request(app).post(PATH).set('X-Forwarded-For', address).send(GOOD)).status
      expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]).toEqual([403, 403, 429])
      expect(allow).toHaveBeenCalledTimes(2)
      answer = true
      expect([await from('192.0.2.2'), await from('192.0.2.3'), await from('192.0.2.4')]).toEqual([202, 202, 429])
    })

    it('does not decide about auth.registration.register(), which the host calls itself', async () => {
      const { auth } = open(() => false)
      await expect(auth.registration.register({ ...GOOD, apis: ['catalog'] })).resolves.toHaveProperty('application')
    })
  })
}
