import { describe, expect, it } from 'vitest'
import type { ReceivedEmail } from '../../../src/tools/testing/index.js'
import { createBrowser, readHiddenFields, ROOT, type Browser } from './browser.js'
import { addApplication, usePortal, signInByLink } from './portal-app.js'

const INVITED = 'carl@shop.example'

async function follow(browser: Browser, link: string): Promise<number> {
  const { pathname, hash } = new URL(link)
  await browser.get(pathname)
  return (await browser.submit('/invitation', { token: hash.slice(1) })).status
}

/** The link in the newest e-mail. */
function findLink(text: string): string {
  return /https?:\/\/\S+\/invitation#[A-Za-z0-9_.-]+/.exec(text)![0]
}

describe('the link of an invitation', () => {
  it('P16, P17, P18: makes its reader a contact on a click, once, who can sign in then', async () => {
    const host = usePortal()
    const id = await addApplication(host.auth, 'ann@shop.example', 'Corner <b>Shop')
    await host.auth.portal.invite(id, INVITED, { by: 'contact:ann@shop.example' })
    const [{ to, text }] = (await host.mailer.sent()) as [ReceivedEmail]
    expect(to).toBe(INVITED)
    const browser = createBrowser(host.app)
    // A mail scanner changes nothing.
    await browser.get(`${ROOT}/invitation`)
    expect((await host.auth.applications.get(id))?.contacts).toEqual(['ann@shop.example'])
    expect(await follow(browser, findLink(text))).toBe(200)
    expect(browser.page.text).toContain('Corner &#60;b&#62;Shop')
    expect((await host.auth.applications.get(id))?.contacts).toEqual(['ann@shop.example', INVITED])
    for (const link of [findLink(text), `${findLink(text)}x`, `https://example.com${ROOT}/invitation#`]) {
      expect(await follow(createBrowser(host.app), link), link).toBe(400)
    }
    const { items } = await host.auth.audit.list({ applicationId: id })
    expect(items.at(-1)).toMatchObject({
      type: 'application.contactAdded',
      by: `contact:${INVITED}`,
      details: { contacts: 2, invited: true, address: '127.0.0.1' },
    })
    await signInByLink(host, { contact: INVITED })
  })

  it('P17, P18: is pasted where scripts are off', async () => {
    const host = usePortal()
    const id = await addApplication(host.auth, 'ann@shop.example')
    await host.auth.portal.invite(id, INVITED)
    const [{ text }] = (await host.mailer.sent()) as [ReceivedEmail]
    const browser = createBrowser(host.app)
    const { text: page } = await browser.get(`${ROOT}/invitation`)
    const [, pasted] = /<noscript>(.*?)<\/noscript>/s.exec(page)!
    expect(pasted).toMatch(/<form .*Link from the e-mail.*name="token"/s)
    const { csrf } = readHiddenFields(pasted!)
    const paste = (token: string) => browser.post(`${ROOT}/invitation`, { csrf: csrf!, token })
    const refused = await paste(findLink(text).slice(0, -5))
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('The link is not complete, or the invitation')
    expect(refused.text).toContain('<h1>This invitation cannot be used</h1>')
    // Again, without going back.
    expect(refused.text).toMatch(/<noscript><form .*Link from the e-mail.*name="token"/s)
    expect((await paste(` ${findLink(text)}\n`)).status).toBe(200)
    expect((await host.auth.applications.get(id))?.contacts).toEqual(['ann@shop.example', INVITED])
  })

  it('P18: is refused after it was cancelled, and counted as a failed authentication', async () => {
    const host = usePortal({ rateLimits: { failedAuthentication: { limit: 1, window: 60 } } })
    const id = await addApplication(host.auth, 'ann@shop.example')
    await host.auth.portal.invite(id, INVITED)
    const [{ text }] = (await host.mailer.sent()) as [ReceivedEmail]
    await host.auth.applications.cancelInvitation(id, INVITED)
    for (const status of [400, 429]) expect(await follow(createBrowser(host.app), findLink(text))).toBe(status)
  })
})
