import type { Express } from 'express'
import { JSDOM } from 'jsdom'
import { describe, expect, it, vi } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { listen } from '../../support/http.js'
import { request } from '../../support/request.js'
import {
  GOOD,
  openRegistration,
  PATH,
  postJson,
  expectPage,
  expectRefusal,
  useRegistration,
} from './registration-app.js'
import { formatTime } from '../../../src/features/emails/layout.js'

const express = EXPRESSES['Express 4']

describe('The page of a claim link', () => {
  const { app } = useRegistration(express)

  it('R9: has no credential and loads nothing, with and without a token in the query string', async () => {
    const page = await request(app).get(`${PATH}/claim`).expect(200)
    expectPage(page)
    // The theme's and its own.
    expect(page.text.match(/<script>/g)).toHaveLength(2)
    expect(page.text).not.toMatch(/epa_/)
    const withToken = await request(app)
      .get(`${PATH}/claim?token=${'x'.repeat(43)}`)
      .expect(200)
    expect(withToken.text).toBe(page.text)
  })

  it('R9: has the language that the browser prefers', async () => {
    const page = await request(app).get(`${PATH}/claim`).set('Accept-Language', 'it, fr-CA;q=0.8, de;q=0.5')
    expect(page.text).toContain('<html lang="fr">')
    expect(page.text).toContain('Afficher mes identifiants')
    expect(page.text).not.toMatch(/Show my|All APIs|Switch between/)
    expect(page.headers['vary']).toContain('Accept-Language')
  })

  it('R12: shows when the credentials expire, as they were saved', async () => {
    const claiming = openRegistration(express, { delivery: 'claim-link', credentials: { maxAge: 90 } })
    await postJson(claiming.app, GOOD)
    await vi.waitFor(() => expect(claiming.mailer.emails).toHaveLength(1), 60_000)
    const page = await openInBrowser(claiming.app, /#([A-Za-z0-9_-]{43})$/m.exec(claiming.mailer.emails[0]!.text)![1]!)
    await page.click()
    await vi.waitFor(() => expect(page.text()).toContain('It expires at'), 60_000)
    const [application] = (await claiming.auth.applications.list()).items
    const ends = [...page.window.document.querySelectorAll('time')].map(({ dateTime }) => dateTime)
    const saved = [...application!.keys, ...application!.secrets].map(({ expiresAt }) => expiresAt!.toISOString())
    expect(saved).toHaveLength(2)
    expect(ends).toEqual(saved)
    expect(page.text()).toContain(formatTime(new Date(saved[0]!), 'en'))
    await page.close()
    await claiming.auth.close()
  })

  it.each([
    ['an unknown token', { token: 'x'.repeat(43) }, /used, has expired, or was replaced/],
    ['no token', {}, /not complete/],
    ['an empty one', { token: '' }, /not complete/],
    ['a number', { token: 7 }, /not complete/],
    ['a list', { token: ['x'] }, /not complete/],
  ])('R10, R11: answers %s with 400', async (_, document, says) => {
    const answer = await request(app).post(`${PATH}/claim`).send(document)
    expect(answer.status).toBe(400)
    expectRefusal(answer, 'invalid_request', says)
  })

  it('refuses a form, which another site could send', async () => {
    const answer = await request(app).post(`${PATH}/claim`).type('form').send('token=x')
    expect(answer.status).toBe(400)
    expectRefusal(answer, 'invalid_request', /application\/json/)
  })
})

/** The page of a claim link in jsdom, and the requests that it sends. */
async function openInBrowser(app: Express, token: string) {
  const { port, close } = await listen(app)
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
      await close()
    },
  }
}
