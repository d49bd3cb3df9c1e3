import { afterAll, beforeAll, expect, it } from 'vitest'
import { TEXTS } from '../../../src/tools/operator/texts/languages.js'
import { openOperator, type OperatorApp } from './operator-app.js'

let host: OperatorApp
let denied: string | undefined
beforeAll(async () => {
  host = await openOperator({ can: (_, action) => action !== denied })
  await host.auth.applications.create({ name: 'Confidential', contact: 'dev@example.org', apis: { orders: {} } })
})
afterAll(() => host.auth.close())

it('shows each kind of e-mail in each language, in a frame where nothing of it can run, with nothing real in it', async () => {
  const subjects = new Set<string>()
  for (const language of ['en', 'de', 'fr', 'es'] as const) {
    for (const purpose of Object.keys(TEXTS.en.purposes)) {
      const search = `?purpose=${purpose}&language=${language}`
      const page = await host.get(`/preview${search}`, { 'Accept-Language': 'de' })
      const [, framed = '', subject = ''] =
        /<iframe[^>]* sandbox src="([^"]*)"[^>]*title="([^"]*)"/.exec(page.text) ?? []
      expect([page.status, framed]).toEqual([200, `/staff/operator/preview.html${search.replace('&', '&#38;')}`])
      subjects.add(`${language} ${subject}`)
      const frame = await host.get(`/preview.html${search}`)
      expect([frame.status, frame.headers['cache-control']]).toEqual([200, 'no-store'])
      expect(frame.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'self'; sandbox$/)
      expect(frame.text).toContain(`<html lang="${language}"`)
      for (const { text } of [page, frame]) expect(text).not.toMatch(/epa_(?:key|sec)_|Confidential|example\.org/)
    }
  }
  expect(subjects.size).toBeGreaterThan(4 * 10)
  expect(host.mailer.emails.filter(({ to }) => to === 'dev@example.com')).toEqual([])
  expect(host.logger.lines.filter((line) => line.includes('compose'))).toEqual([])
  const chosen = await host.get('/preview?purpose=%22%3E&language=constructor', { 'Accept-Language': 'fr' })
  expect(chosen.text).toContain('preview.html?purpose=registration&#38;language=fr"')
})

it('shows it to whoever may see the queue', async () => {
  denied = 'emails.list'
  expect((await host.get('/preview')).status).toBe(403)
  expect((await host.get('/preview.html')).status).toBe(403)
  denied = undefined
  expect((await host.get('/emails')).text).toContain('href="/staff/operator/preview"')
})

it('misses a credential that the host leaves out, whatever a polluted prototype has in the place of one', async () => {
  const compose = () => ({ subject: 'Welcome', text: 'polluted', html: 'polluted' })
  const composing = await openOperator({}, undefined, { compose })
  const preview = composing.core.find('emails')!.preview
  const prototype = Object.prototype as Record<string, unknown>
  const members = { code: 'polluted', links: { approve: 'polluted' }, link: 'polluted', usableAt: ['x'], granted: {} }
  for (const [name, value] of Object.entries(members)) {
    prototype[name] = value
    try {
      for (const purpose of ['registration', 'secret', 'signIn'] as const)
        expect([name, purpose, (await preview(purpose, 'en')).subject]).not.toContain('Welcome')
      expect((await preview('suspended', 'en')).subject).toBe('Welcome')
    } finally {
      delete prototype[name]
    }
  }
  await composing.auth.close()
})
