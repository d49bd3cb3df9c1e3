import express from 'express'
import { describe, expect, it } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { createBrowser, readHiddenFields, ROOT } from './browser.js'
import { addApplication, nextSignInEmail, openLink, usePortal, usePortalOf, signInByLink } from './portal-app.js'

const CONTACT = 'Dev@Shop.example'
const SIGNED_OUT = 'We send you a link and a code.'

describe.each(Object.entries(EXPRESSES))('the sign-in at the portal, on %s', (_, makeApp) => {
  it('P60, P64, P65: sends a link and a code to a contact, and the link signs in', async () => {
    const host = await usePortalOf(CONTACT, {}, { express: makeApp })
    const browser = createBrowser(host.app)
    expect((await browser.get()).text).toContain(SIGNED_OUT)
    const answer = await browser.submit('/sign-in', { contact: CONTACT.toUpperCase() })
    expect(answer.status).toBe(202)
    const email = await nextSignInEmail(host.mailer, 0)
    // As it is stored, not as it was entered.
    expect(email.to).toBe(CONTACT)
    expect(email.link).toMatch(/^https:\/\/example\.com\/developers\/applications\/sign-in#/)

    const other = createBrowser(host.app)
    await openLink(other, email.link)
    expect(other.page.status).toBe(200)
    expect(other.page.text).toContain('dev@shop.example')
    await other.submit('/sign-out')
    expect(other.page.text).toContain(SIGNED_OUT)
  })

  it('P63: accepts the code without scripts, however it is typed', async () => {
    const host = await usePortalOf(CONTACT, {}, { express: makeApp })
    const browser = createBrowser(host.app)
    await browser.get()
    await browser.submit('/sign-in', { contact: CONTACT })
    const { code } = await nextSignInEmail(host.mailer, 0)
    await browser.submit('/sign-in/code', { code: ` ${code.replace('-', ' ').toLowerCase()} ` })
    expect(browser.page.text).toContain('Sign out')
  })

  it.each([
    ['express.urlencoded', express.urlencoded({ extended: true })],
    ['express.text', express.text({ type: '*/*' })],
    ['express.raw', express.raw({ type: '*/*' })],
  ])('reads forms behind %s', async (_name, parser) => {
    const host = await usePortalOf(CONTACT, {}, { express: makeApp, prepare: (app) => app.use(express.json(), parser) })
    const browser = await signInByLink(host, { contact: CONTACT })
    expect(browser.page.text).toContain('Sign out')
  })
})

describe('a way to sign in', () => {
  it('that a mail service has refused, which its SDK resolves with, is in the log', async () => {
    const error = { name: 'validation_error', statusCode: 422, message: 'The e-mail was not accepted.' }
    const host = await usePortalOf(CONTACT, { mailer: { send: async () => ({ data: null, error }) } })
    const browser = createBrowser(host.app)
    await browser.get()
    await browser.submit('/sign-in', { contact: CONTACT })
    const line = 'A sign-in e-mail was not sent: validation_error 422.'
    await expect.poll(() => host.logger.lines).toContainEqual(line)
  })

  it('P63, P64: is used once, by link or by code', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = createBrowser(host.app)
    await browser.get()
    await browser.submit('/sign-in', { contact: CONTACT })
    const codeForm = readHiddenFields(browser.page.text)
    const { link, code } = await nextSignInEmail(host.mailer, 0)
    await openLink(browser, link)
    expect(browser.page.text).toContain('Sign out')

    const other = createBrowser(host.app)
    await openLink(other, link)
    expect(other.page).toMatchObject({ status: 400, text: expect.stringContaining('has been used') as unknown })
    await other.get()
    const { csrf } = readHiddenFields(other.page.text)
    const late = await other.post(`${ROOT}/sign-in/code`, { ...codeForm, csrf: csrf!, code })
    expect(late).toMatchObject({ status: 400, text: expect.stringContaining('is not right, has been used') as unknown })
  })

  it('P63, P64: expires after 15 minutes', async () => {
    const host = await usePortalOf(CONTACT)
    const [early, late] = [
      await host.auth.portal.link({ contact: CONTACT }),
      await host.auth.portal.link({ contact: CONTACT }),
    ]
    host.clock.advance(15 * 60 - 1)
    const browser = createBrowser(host.app)
    await openLink(browser, early)
    expect(browser.page.text).toContain('Sign out')
    host.clock.advance(1)
    const other = createBrowser(host.app)
    await openLink(other, late)
    expect(other.page.status).toBe(400)
  })

  it('P63: allows 5 guesses of its code, and its link works after them', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = createBrowser(host.app)
    await browser.get()
    await browser.submit('/sign-in', { contact: CONTACT })
    const { link, code } = await nextSignInEmail(host.mailer, 0)
    for (let guess = 0; guess < 5; guess++) {
      expect((await browser.submit('/sign-in/code', { code: 'BBBB-BBBB' })).status).toBe(400)
    }
    expect((await browser.submit('/sign-in/code', { code })).status).toBe(400)
    await openLink(browser, link)
    expect(browser.page.text).toContain('Sign out')
  })

  it('P63, P64: counts wrong codes and links as failed authentications of the address', async () => {
    const host = await usePortalOf(CONTACT, { rateLimits: { failedAuthentication: { limit: 2, window: 60 } } })
    const link = await host.auth.portal.link({ contact: CONTACT })
    const browser = createBrowser(host.app)
    for (const status of [400, 400, 429]) {
      await browser.get(`${ROOT}/sign-in`)
      expect((await browser.submit('/sign-in/link', { token: 'x'.repeat(43) })).status).toBe(status)
    }
    expect(browser.page.headers['retry-after']).toMatch(/^\d+$/)
    // A valid link always works.
    await openLink(browser, link)
    expect(browser.page.text).toContain('Sign out')
  })

  it('P62: a GET, such as that of a mail scanner, neither uses nor ends anything', async () => {
    const host = await usePortalOf(CONTACT)
    const link = await host.auth.portal.link({ contact: CONTACT })
    const token = new URL(link).hash.slice(1)
    for (const path of [
      '/sign-in',
      `/sign-in?token=${token}`,
      `/sign-in/link?token=${token}`,
      `/sign-in/${token}`,
      '/invitation',
      '/sign-out',
    ]) {
      for (let i = 0; i < 2; i++) {
        const { status, text } = await createBrowser(host.app).get(ROOT + path)
        expect({ path, status, isSignedIn: text.includes('Sign out') }).toEqual({
          path,
          status: 200,
          isSignedIn: false,
        })
      }
    }
    const browser = createBrowser(host.app)
    await openLink(browser, link)
    expect(browser.page.text).toContain('Sign out')
  })

  it('P61: refuses what is no address, without counting it', async () => {
    const host = usePortal({ rateLimits: { signIn: { limit: 1, window: 3600 } } })
    const browser = createBrowser(host.app)
    await browser.get()
    for (const contact of [
      '',
      'dev',
      'a@b@c',
      'dev@shop.example\r\nBcc: x@evil.example',
      '<b>@shop.example',
      'x'.repeat(250) + '@shop.example',
    ]) {
      const { status, text } = await browser.submit('/sign-in', { contact })
      expect(status).toBe(400)
      expect(text).not.toContain('<b>@')
    }
    expect((await browser.submit('/sign-in', { contact: CONTACT })).status).toBe(202)
  })
})

describe('auth.portal', () => {
  it('link() signs in the first contact of one application, for this application only', async () => {
    const host = usePortal()
    const id = await addApplication(host.auth, CONTACT)
    const browser = createBrowser(host.app)
    await browser.get(`${ROOT}/sign-in`)
    const link = await host.auth.portal.link({ applicationId: id })
    const { csrf } = readHiddenFields(browser.page.text)
    const answer = await browser.post(`${ROOT}/sign-in/link`, { csrf: csrf!, token: new URL(link).hash.slice(1) })
    expect(answer).toMatchObject({ status: 303, headers: { location: `${ROOT}/${id}` } })
  })

  it('link() rejects for strangers and for applications without a contact', async () => {
    const { auth } = usePortal()
    const { application } = await auth.applications.create({ name: 'No contact', apis: ['catalog'] })
    const notFound = { code: 'application_not_found' }
    await expect(auth.portal.link({ contact: 'nobody@shop.example' })).rejects.toMatchObject(notFound)
    await expect(auth.portal.link({ applicationId: application.id })).rejects.toMatchObject(notFound)
    await expect(auth.portal.link({ applicationId: 'app_unknown' })).rejects.toMatchObject(notFound)
    const wrong = { code: 'invalid_argument' }
    for (const options of [{}, { contact: CONTACT, applicationId: 'a' }, { contact: 'dev' }, undefined]) {
      await expect(auth.portal.link(options as never)).rejects.toMatchObject(wrong)
    }
  })

  it.each(['put', 'patch', 'delete'] as const)('P29: lets %s requests go on', async (method) => {
    const { app } = usePortal()
    const { status, body } = await request(app)[method](ROOT)
    expect({ status, body: body as unknown }).toEqual({ status: 404, body: { host: true } })
  })
})
