import { describe, expect, it } from 'vitest'
import { type RegistrationTerms } from '../../../src/features/registration/index.js'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import {
  expectRefusal,
  expectRefusedOption,
  FORM,
  GOOD,
  PATH,
  postForm,
  postJson,
  useRegistration,
} from './registration-app.js'

const TERMS = { url: 'https://example.com/terms?a=1&b=2', version: '2026-11' }

for (const [name, express] of Object.entries(EXPRESSES)) {
  describe(`registration.terms on ${name} (docs/http.md R22)`, () => {
    const open = (terms: RegistrationTerms = TERMS) => {
      const opened = useRegistration(express, { registration: { terms } })
      return { ...opened, last: async () => (await opened.list()).at(-1) }
    }

    it('asks to accept them, with a link that keeps the form open', async () => {
      const { app } = open({ ...TERMS, label: { en: 'I agree', de: 'Einverstanden' } })
      const page = (await request(app).get(PATH)).text.replaceAll(/\s+/g, ' ')
      expect(page).toMatch(
        /<input type="checkbox" value="2026-11" id="terms" name="terms" required *\/> *<span>I agree *<a href/,
      )
      expect(page).toContain(
        '<a href="https://example.com/terms?a=1&#38;b=2" target="_blank" rel="noopener">(version 2026-11, opens a new tab)</a>',
      )
      expect((await request(app).get(PATH).set('Accept-Language', 'de')).text).toContain('Einverstanden')
      expect((await request(open().app).get(PATH)).text).toContain('I accept the terms of use')
    })

    it('stores the version that was accepted and when, and lists it', async () => {
      const { app, auth, last } = open()
      const before = Date.now()
      for (const answer of [
        await postForm(app, [...FORM, ['terms', '2026-11']]),
        await postJson(app, { ...GOOD, terms: '2026-11' }),
      ]) {
        expect([202, 303]).toContain(answer.status)
        const { id, acceptedTerms } = (await last())!
        expect(acceptedTerms).toEqual({ ...TERMS, at: expect.any(Date) })
        expect(acceptedTerms!.at.getTime()).toBeGreaterThanOrEqual(before)
        const { items } = await auth.audit.list({ applicationId: id })
        expect(items[0]!.details).toMatchObject({ acceptedTerms: TERMS })
      }
    })

    it('stores what the provider says that a contact has accepted, and refuses another version', async () => {
      const { auth, last } = open()
      const given = { name: 'Shop', contact: 'dev@customer.example', apis: ['catalog'] } as const
      const { application } = await auth.registration.register({ ...given, terms: '2026-11' })
      expect(application.acceptedTerms).toEqual({ ...TERMS, at: expect.any(Date) })
      expect((await last())!.acceptedTerms).toEqual(application.acceptedTerms)
      expect((await auth.registration.register(given)).application.acceptedTerms).toBeUndefined()
      const refused = { code: 'invalid_argument', message: 'The registration accepts another version than "2026-11".' }
      await expect(auth.registration.register({ ...given, terms: '2025-01' })).rejects.toMatchObject(refused)
      const without = useRegistration(express, {})
      await expect(without.auth.registration.register({ ...given, terms: '2026-11' })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'The registration accepts terms, and the option terms has none.',
      })
      expect(await without.list()).toEqual([])
    })

    it('refuses a registration that accepts nothing, or another version', async () => {
      const { app, last } = open()
      const page = await postForm(app, FORM)
      expect([page.status, page.text]).toEqual([
        400,
        expect.stringContaining('id="terms-problem">Accept the terms of use.'),
      ])
      const old = await postForm(app, [...FORM, ['terms', '2025-01']])
      expect([old.status, old.text]).toEqual([
        400,
        expect.stringContaining('id="terms-problem">The terms of use have changed.'),
      ])
      expect(old.text).not.toMatch(/id="terms" [^>]*checked/)
      expect(old.text).toContain('value="dev@customer.example"')
      for (const terms of [undefined, null, true, '', '2025-01', ['2026-11'], { version: '2026-11' }]) {
        const answer = await postJson(app, { ...GOOD, terms })
        expect(answer.status).toBe(400)
        expectRefusal(answer, 'invalid_request', /^terms: .*terms of use/)
      }
      expect(await last()).toBeUndefined()
    })

    it('stores nothing without the option, whatever is sent', async () => {
      const { app, list } = useRegistration(express)
      expect((await postJson(app, { ...GOOD, terms: '2026-11' })).status).toBe(202)
      expect((await list())[0]!.acceptedTerms).toBeUndefined()
    })
  })
}

it.each([
  [{ url: '/terms', version: '1' }, 'url'],
  [{ url: 'javascript:alert(1)', version: '1' }, 'url'],
  [{ ...TERMS, version: 1 }, 'version'],
  [{ ...TERMS, version: ' 1' }, 'version'],
  [{ ...TERMS, version: 'x'.repeat(51) }, 'version'],
  [{ ...TERMS, version: 'a\nb' }, 'version'],
  [{ ...TERMS, label: 5 }, 'label'],
  [{ ...TERMS, text: 'x' }, 'text'],
])('refuses registration.terms %j by name', (terms, option) => {
  expectRefusedOption({ terms }, `terms.${option}`)
})
