import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { failingStore } from '../../support/failing-store.js'
import { createBrowser, readHiddenFields, ROOT, type Browser } from './browser.js'
import { addApplication, openLink, usePortal, usePortalOf, signInByLink } from './portal-app.js'

const CONTACT = 'dev@shop.example'
const MINUTE = 60
const HOUR = 60 * MINUTE

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get()).text.includes('Sign out')
}

describe('P15: a session at the portal', () => {
  it('ends an hour after the last request', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    for (let i = 0; i < 3; i++) {
      host.clock.advance(59 * MINUTE)
      expect(await isSignedIn(browser)).toBe(true)
    }
    host.clock.advance(HOUR)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends 12 hours after the sign-in, however often it is used', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    for (let minutes = 59; minutes < 12 * 60; minutes += 59) {
      host.clock.advance(59 * MINUTE)
      expect(await isSignedIn(browser)).toBe(true)
    }
    host.clock.advance(59 * MINUTE)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is refused where its cookie states the future, in which no sign-out would be stored any more', async () => {
    const host = await usePortalOf(CONTACT)
    host.clock.advance(2 * HOUR)
    const browser = await signInByLink(host, { contact: CONTACT })
    host.clock.advance(-2 * HOUR)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends with its last application, and when its mailbox is no contact any more', async () => {
    const host = usePortal()
    const { applications } = host.auth
    const [first, second] = [
      await addApplication(host.auth, CONTACT),
      await addApplication(host.auth, 'DEV@shop.example'),
    ]
    const browser = await signInByLink(host, { contact: CONTACT })
    const ofFirst = await signInByLink(host, { applicationId: first })
    await applications.delete(first)
    expect([await isSignedIn(browser), await isSignedIn(ofFirst)]).toEqual([true, false])
    await applications.update(second, { contact: 'new@shop.example' })
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends by signOut(), with the links that were not used, and the contact can sign in again at once', async () => {
    const host = await usePortalOf(CONTACT)
    await addApplication(host.auth, 'other@shop.example')
    const [browser, other] = [
      await signInByLink(host, { contact: CONTACT }),
      await signInByLink(host, { contact: 'other@shop.example' }),
    ]
    const link = await host.auth.portal.link({ contact: CONTACT })
    await host.auth.portal.signOut('Dev@Shop.example')
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, true])
    const late = createBrowser(host.app)
    await openLink(late, link)
    expect(late.page.status).toBe(400)
    // The clock stands still: times do not decide.
    const again = await signInByLink(host, { contact: CONTACT })
    await host.auth.portal.signOut(CONTACT)
    expect(await isSignedIn(again)).toBe(false)
  })

  it('P69: ends with every copy of its cookie when the contact signs out, and no other session does', async () => {
    const host = await usePortalOf(CONTACT)
    const [browser, other] = [
      await signInByLink(host, { contact: CONTACT }),
      await signInByLink(host, { contact: CONTACT }),
    ]
    const copy = createBrowser(host.app)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect(await isSignedIn(copy)).toBe(true)
    await browser.get()
    await browser.submit('/sign-out')
    expect([await isSignedIn(browser), await isSignedIn(copy), await isSignedIn(other)]).toEqual([false, false, true])
  })

  it('does not begin again when a process whose clock is a day ahead has signed others out', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    await host.auth.portal.signOut(CONTACT)
    host.clock.advance(24 * HOUR)
    await host.auth.portal.signOut('other@shop.example')
    host.clock.advance(-24 * HOUR)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is unknown while the store is unavailable: 503, and neither signed in nor out', async () => {
    const store = failingStore(memoryStore())
    const host = await usePortalOf(CONTACT, { store })
    const browser = await signInByLink(host, { contact: CONTACT })
    const { csrf } = readHiddenFields(browser.page.text)
    store.fail()
    for (const answer of [await browser.get(), await browser.post(`${ROOT}/sign-out`, { csrf: csrf! })]) {
      expect(answer.status).toBe(503)
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    store.recover()
    await expect.poll(() => isSignedIn(browser)).toBe(true)
  })
})

describe('the cookie of a session', () => {
  it('has the prefix __Host- over https, and is renewed once a minute at most', async () => {
    const host = await usePortalOf(CONTACT)
    const browser = await signInByLink(host, { contact: CONTACT })
    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/^__Host-platform_auth_[0-9a-f]{8}$/)])
    expect(browser.cookieAttributes).toBe('; Path=/; HttpOnly; SameSite=Lax; Secure')
    expect((await browser.get()).headers['set-cookie']).toBeUndefined()
    host.clock.advance(MINUTE)
    expect((await browser.get()).headers['set-cookie']).toHaveLength(1)
  })

  it('over plain http has a name of its own for each port, and the same attributes without Secure', async () => {
    const names = new Set<string>()
    for (const port of [3000, 3001]) {
      const host = usePortal({ developersUrl: `http://localhost:${port}/developers` })
      const browser = createBrowser(host.app)
      await browser.get()
      expect(browser.cookieAttributes).toBe('; Path=/; HttpOnly; SameSite=Lax')
      for (const name of browser.cookies.keys()) names.add(name)
    }
    expect([...names]).toEqual([expect.stringMatching(/^platform_auth_/), expect.stringMatching(/^platform_auth_/)])
  })

  it("stands beside the host's cookies, whose session middleware is not touched", async () => {
    const host = await usePortalOf(
      CONTACT,
      {},
      {
        prepare: (app) =>
          app.use((req, res, next) => {
            Object.assign(req, {
              session: Object.freeze({ cart: 1 }),
              cookies: Object.freeze({}),
              user: Object.freeze({ id: 1 }),
            })
            res.cookie('connect.sid', 'host')
            next()
          }),
      },
    )
    const browser = await signInByLink(host, { contact: CONTACT })
    expect([...browser.cookies.keys()].toSorted()).toEqual([expect.stringMatching(/^__Host-/), 'connect.sid'])
    expect(browser.cookies.get('connect.sid')).toBe('host')
  })
})
