import { describe, expect, it, vi } from 'vitest'
import { type VerifyCaptcha } from '../../../src/features/registration/index.js'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import {
  expectPage,
  expectPatience,
  expectRefusal,
  expectRefusedOption,
  FORM,
  GOOD,
  useRegistration,
  PATH,
  postForm,
  postJson,
} from './registration-app.js'
import { throwing } from '../../support/throwing.js'

const WIDGET = '<div class="widget" data-sitekey="key"></div>'
const SERVICE = 'https://captcha.example'
const SOLVED = [...FORM, ['widget-response', 'solved']] as const

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`registration.captcha on ${name} (docs/http.md R22, R23)`, () => {
    const open = (verify: unknown, limit?: number) => {
      const opened = useRegistration(express, {
        registration: {
          captcha: {
            html: WIDGET,
            field: 'widget-response',
            sources: { 'script-src': [SERVICE], 'frame-src': [SERVICE, 'https://*.captcha.example'] },
            verify: verify as VerifyCaptcha,
          },
        },
        ...(limit !== undefined && { rateLimits: { registration: { limit, window: 600 }, allRegistrations: false } }),
      })
      return { ...opened, count: async () => (await opened.list()).length }
    }

    it('shows the widget, and allows its sources in the policy of the form alone', async () => {
      const { app } = open(() => true)
      const page = await request(app).get(PATH)
      expect(page.text).toContain(WIDGET)
      expect(page.text).toMatch(/<noscript><p>The check that you are a person needs JavaScript/)
      const directives = (page.headers['content-security-policy'] as string).split('; ')
      expect(directives).toContainEqual(expect.stringMatching(/^script-src 'sha256-.* https:\/\/captcha\.example$/))
      expect(directives).toContain(`frame-src ${SERVICE} https://*.captcha.example`)
      expect(directives).toContain("default-src 'none'")
      const thanks = await request(app).get(`${PATH}/thanks`)
      expectPage(thanks)
      expect(thanks.headers['content-security-policy']).not.toContain('captcha.example')
    })

    it('gives verify what the widget filled in, and registers if it answers true', async () => {
      const verify = vi.fn<VerifyCaptcha>((response) => Promise.resolve(response === 'solved'))
      const { app, count } = open(verify)
      expect((await postForm(app, SOLVED)).status).toBe(303)
      expect((await postJson(app, { ...GOOD, captcha: 'solved' })).status).toBe(202)
      expect(verify.mock.calls.map(([response, req]) => [response, req.method])).toEqual([
        ['solved', 'POST'],
        ['solved', 'POST'],
      ])
      expect(await count()).toBe(2)
    })

    it('refuses what it does not accept, and keeps what was entered', async () => {
      const { app, count } = open((response: string) => response === 'other')
      const page = await postForm(app, SOLVED)
      expect(page.status).toBe(400)
      expect(page.text).toContain('id="captcha-problem">The check that you are a person has failed.')
      expect(page.text).toContain('value="dev@customer.example"')
      expect(page.text).not.toContain('solved')
      expectRefusal(await postJson(app, { ...GOOD, captcha: 'solved' }), 'invalid_request', /has failed/)
      expect(await count()).toBe(0)
    })

    it('is not asked without an answer, with another mistake, or above the limit', async () => {
      const verify = vi.fn<VerifyCaptcha>(() => true)
      const { app, count } = open(verify, 1)
      const page = await postForm(app, FORM)
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('id="captcha-problem"')])
      expect((await postForm(app, SOLVED.slice(1))).status).toBe(400)
      for (const captcha of [undefined, '', 7, ['solved'], { response: 'solved' }, null]) {
        const answer = await postJson(app, { ...GOOD, captcha })
        expect(answer.status).toBe(400)
        expectRefusal(answer, 'invalid_request', /Complete the check/)
      }
      expect(verify).not.toHaveBeenCalled()
      expect((await postForm(app, SOLVED)).status).toBe(303)
      expect((await postForm(app, SOLVED)).status).toBe(429)
      expect(verify).toHaveBeenCalledTimes(1)
      expect(await count()).toBe(1)
    })

    it.each([
      ['throws', throwing(new Error('no route to host')), 503],
      ['rejects', () => Promise.reject(new TypeError('fetch failed')), 503],
      ['answers what the service has sent', () => Promise.resolve({ success: false }), 500],
      ['answers undefined', () => undefined, 500],
      ['answers a string', () => 'true', 500],
    ] as readonly (readonly [string, () => unknown, number])[])(
      'registers nothing, and says so in the log, if it %s',
      async (_, verify, status) => {
        const { app, logger, count } = open(verify)
        const page = await postForm(app, SOLVED)
        expect(page.status).toBe(status)
        expect(page.text).toContain('value="dev@customer.example"')
        if (status === 503) expect(page.headers['retry-after']).toBe('1')
        expect((await postJson(app, { ...GOOD, captcha: 'solved' })).status).toBe(status)
        expect(logger.lines.join('\n')).toMatch(/registration\.captcha\.verify (?:failed|answered)/)
        expect(await count()).toBe(0)
      },
    )

    it('answers 503 if it does not answer within 5 seconds', async () => {
      let asked = 0
      const opened = open(() => new Promise(() => void asked++))
      await expectPatience(
        opened,
        () => postForm(opened.app, SOLVED),
        () => asked === 1,
      )
      expect(await opened.count()).toBe(0)
    })
  })
}

const RIGHT = { html: WIDGET, field: 'response', verify: () => true }

it.each([
  [{ ...RIGHT, html: '' }, 'html'],
  [{ ...RIGHT, field: 'contact' }, 'field'],
  [{ ...RIGHT, field: 'a b' }, 'field'],
  [{ ...RIGHT, verify: undefined }, 'verify'],
  [{ ...RIGHT, verify: true }, 'verify'],
  [{ ...RIGHT, sources: { 'default-src': ['*'] } }, 'sources.default-src'],
  [{ ...RIGHT, sources: { 'script-src': 'https://a.example' } }, 'sources.script-src'],
  [{ ...RIGHT, sources: { 'script-src': ["'self'; report-uri /"] } }, 'sources.script-src'],
  [{ ...RIGHT, sources: { 'script-src': ['https://a.example,https://b.example'] } }, 'sources.script-src'],
  [{ ...RIGHT, siteKey: 'key' }, 'siteKey'],
])('refuses registration.captcha %j by name', (captcha, option) => {
  expectRefusedOption({ captcha }, `captcha.${option}`)
})
