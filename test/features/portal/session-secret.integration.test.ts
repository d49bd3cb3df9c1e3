import { copyFile } from 'node:fs/promises'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoreWith } from '../../../src/store.js'
import { useSqliteFiles } from '../../stores/sqlite/files.js'
import { createBrowser, ROOT } from './browser.js'
import { addApplication, openLink, openPortal, signInByLink, type PortalHost } from './portal-app.js'
import { request } from '../../support/request.js'

const CONTACT = 'dev@shop.example'
const OPERATOR = 'ops@shop.example'
const files = useSqliteFiles()

const NOON = Date.UTC(2026, 10, 25, 12)

function open(store: StoreWith, now: () => number = Date.now): PortalHost {
  const host = openPortal({ store, operators: [OPERATOR], now })
  onTestFinished(() => host.auth.close())
  return host
}

/** A platform, and what a thief of its database and `secret` makes on a copy: a session, a sign-in link and an approval link. */
async function openStolen({ signedOutAt, now }: { readonly signedOutAt?: number; readonly now?: () => number } = {}) {
  const real = open(files.createStore(), now)
  await addApplication(real.auth, CONTACT)
  await real.auth.registration.register({ name: 'Waiting', contact: 'w@shop.example', apis: ['invoices'] })
  await expect.poll(() => findDecideLink(real)).toBeDefined()
  const copy = `${files.folder}/copy.sqlite`
  files.openDatabase().exec('PRAGMA wal_checkpoint(TRUNCATE)')
  await copyFile(files.file, copy)
  const copied = files.createStore(copy)
  const thief = open(copied, now)
  await thief.auth.ready()
  if (signedOutAt !== undefined)
    await copied.signIns.addSignOut({
      subject: `contact:${CONTACT}`,
      nonce: 'forged',
      at: signedOutAt,
      expiresAt: signedOutAt + 1,
    })
  const stolen = await signInByLink(thief, { contact: CONTACT })
  const cookies = [...stolen.cookies]
  const withCookies = () => {
    const browser = createBrowser(real.app)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    return browser
  }
  return { real, withCookies }
}

function findDecideLink({ mailer }: PortalHost): string | undefined {
  const text = mailer.emails.find(({ to }) => to === OPERATOR)?.text
  return /decide#(\S+)/.exec(text ?? '')?.[1]
}

describe('after the session secret was replaced,', () => {
  it('a session that a thief of database and secret makes is refused, and so are open sessions and links', async () => {
    const { real, withCookies } = await openStolen()
    // As long as it is not replaced, the thief is the contact.
    expect((await withCookies().get()).text).toContain('Sign out')
    const own = await signInByLink(real, { contact: CONTACT })
    const link = await real.auth.portal.link({ contact: CONTACT })
    const decide = findDecideLink(real)!
    const app = express().use('/register', real.auth.registration.router)
    const ask = () => request(app).post('/register/decide').type('form').send({ link: decide })
    expect((await ask()).text).toContain('Waiting')

    await real.auth.sessionSecret.replace({ by: 'alice' })
    expect((await withCookies().get()).text).not.toContain('Sign out')
    expect((await own.get()).text).not.toContain('Sign out')
    const browser = createBrowser(real.app)
    await openLink(browser, link)
    expect(browser.page.text).not.toContain('Sign out')
    expect((await ask()).status).toBe(400)
    const [record] = (await real.auth.audit.list()).items.filter(({ type }) => type === 'sessionSecret.replaced')
    expect(record?.by).toBe('alice')
    expect((await signInByLink(real, { contact: CONTACT })).page.text).toContain('Sign out')
  })

  it('another process refuses them within a second, and one that starts later at once', async () => {
    const { real, withCookies } = await openStolen()
    const other = open(files.createStore())
    await other.auth.ready()
    const cookie = [...withCookies().cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const see = async (host: PortalHost) => (await request(host.app).get(ROOT).set('Cookie', cookie)).text
    expect(await see(other)).toContain('Sign out')
    await real.auth.sessionSecret.replace()
    await expect.poll(() => see(other), { timeout: 1000 }).not.toContain('Sign out')
    const later = open(files.createStore())
    await later.auth.ready()
    expect(await see(later)).not.toContain('Sign out')
    // Both have the same new secret.
    const browser = await signInByLink(other, { contact: CONTACT })
    const own = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await request(later.app).get(ROOT).set('Cookie', own)).text).toContain('Sign out')
  })

  it('two that replace it at the same time end with one secret', async () => {
    const first = open(files.createStore())
    const second = open(files.createStore())
    await addApplication(first.auth, CONTACT)
    await second.auth.ready()
    await Promise.all([first, second, first, second].map(({ auth }) => auth.sessionSecret.replace()))
    const signInAndSee = async () => {
      const { cookies } = await signInByLink(first, { contact: CONTACT })
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      return (await request(second.app).get(ROOT).set('Cookie', cookie)).text
    }
    await expect.poll(signInAndSee).toContain('Sign out')
  })
})

describe('signing a contact out', () => {
  it('also ends a session whose cookie was forged with a later sign-out in it', async () => {
    const { real, withCookies } = await openStolen({ signedOutAt: Date.UTC(2099, 0) })
    expect((await withCookies().get()).text).toContain('Sign out')
    await real.auth.portal.signOut(CONTACT)
    expect((await withCookies().get()).text).not.toContain('Sign out')
  })

  it('ends a session that began, or was forged, between two sign-outs of one millisecond', async () => {
    const now = () => NOON
    const [first, second] = [open(files.createStore(), now), open(files.createStore(), now)]
    await addApplication(first.auth, CONTACT)
    await second.auth.ready()
    await first.auth.portal.signOut(CONTACT)
    const between = await signInByLink(first, { contact: CONTACT })
    await second.auth.portal.signOut(CONTACT)
    expect((await between.get()).text).not.toContain('Sign out')
  })

  it('also ends a session whose forged cookie states the millisecond of the sign-out that follows', async () => {
    const { real, withCookies } = await openStolen({ signedOutAt: NOON, now: () => NOON })
    expect((await withCookies().get()).text).toContain('Sign out')
    await real.auth.portal.signOut(CONTACT)
    expect((await withCookies().get()).text).not.toContain('Sign out')
  })
})
