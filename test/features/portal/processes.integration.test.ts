import { describe, expect, it } from 'vitest'
import type { WithPortal } from '../../../src/features/portal/index.js'
import { BACKINGS } from '../../core/applications/applicant.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openRedis } from '../../support/redis.js'
import { createBrowser, readHiddenFields, ROOT, type Browser } from './browser.js'
import { addApplication, nextSignInEmail, openPortal, signInByLink, type PortalHost } from './portal-app.js'

const CONTACT = 'dev@shop.example'

interface Pair {
  readonly hosts: readonly [PortalHost, PortalHost]
  close(): Promise<void>
}

/** Two platforms, each with connections of its own to one database. */
async function openPair(
  openBacking: (typeof BACKINGS)[string],
  test: Parameters<(typeof BACKINGS)[string]>[0],
): Promise<Pair> {
  const open = await openBacking(test)
  const hosts = [openPortal({ store: open(), now: Date.now }), openPortal({ store: open(), now: Date.now })] as const
  for (const { auth } of hosts) await auth.ready()
  return { hosts, close: async () => void (await Promise.all(hosts.map(({ auth }) => auth.close()))) }
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get()).text.includes('Sign out')
}

/** That each store redeems a link once, its suite proves. */
const TRIED = Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name === 'PostgreSQL')

describe.each(TRIED)('two processes on %s', (_, openBacking) => {
  it('P63, P64: accept each link and each code once, however many clicks arrive at once', async (test) => {
    const { hosts, close } = await openPair(openBacking, test)
    const [{ auth, app, mailer }] = hosts
    await addApplication(auth, CONTACT)
    async function useAtOnce(path: string, fields: Readonly<Record<string, string>>): Promise<void> {
      const uses = [0, 1, 0, 1].map(async (i) => {
        const browser = createBrowser(hosts[i]!.app)
        const { csrf } = readHiddenFields((await browser.get()).text)
        return (await browser.post(`${ROOT}/${path}`, { ...fields, csrf: csrf! })).status
      })
      const statuses = await Promise.all(uses)
      expect(statuses.filter((status) => status !== 303)).toEqual(Array.from({ length: 3 }, () => 400))
    }
    for (let round = 0; round < 2; round++) {
      await useAtOnce('sign-in/link', { token: new URL(await auth.portal.link({ contact: CONTACT })).hash.slice(1) })
      const browser = createBrowser(app)
      await browser.get()
      await browser.submit('/sign-in', { contact: CONTACT })
      const { id } = readHiddenFields(browser.page.text)
      const { code, link } = await nextSignInEmail(mailer, round)
      await useAtOnce('sign-in/code', { id: id!, code })
      const late = createBrowser(app)
      const { csrf } = readHiddenFields((await late.get()).text)
      expect(
        (await late.post(`${ROOT}/sign-in/link`, { csrf: csrf!, token: new URL(link).hash.slice(1) })).status,
      ).toBe(400)
    }
    await close()
  })

  it('P15: know one session, and end it at its next request', async (test) => {
    const { hosts, close } = await openPair(openBacking, test)
    const [first, second] = hosts
    const end: ((auth: WithPortal, id: string) => Promise<unknown>)[] = [
      (auth) => auth.portal.signOut(CONTACT),
      (auth, id) => auth.applications.update(id, { contact: 'new@shop.example' }),
      (auth, id) => auth.applications.delete(id),
    ]
    for (const endSession of end) {
      const id = await addApplication(first.auth, CONTACT)
      const browser = await signInByLink(first, { contact: CONTACT })
      const elsewhere = createBrowser(second.app)
      for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
      expect(await isSignedIn(elsewhere)).toBe(true)
      await endSession(first.auth, id)
      expect([await isSignedIn(elsewhere), await isSignedIn(browser)]).toEqual([false, false])
      await first.auth.applications.delete(id).catch(() => undefined)
    }
    await close()
  })
})

it('P66: processes that share a Redis count requests for e-mails together', async () => {
  const redis = await openRedis()
  const rateLimits = { signIn: { limit: 5, window: 3600 } }
  const hosts = [0, 1].map(() => openPortal({ rateLimits: { ...rateLimits, redis: redis.connect() } }))
  const statuses: number[] = []
  for (let i = 0; i < 7; i++) {
    const browser = createBrowser(hosts[i % 2]!.app)
    await browser.get()
    statuses.push((await browser.submit('/sign-in', { contact: `dev-${i}@shop.example` })).status)
  }
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429])
  for (const { auth } of hosts) await auth.close()
  await redis.end()
})
