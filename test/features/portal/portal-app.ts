import type { Express } from 'express'
import { expect, onTestFinished } from 'vitest'
import type { PlatformAuth } from '../../../src/index.js'
import type { EmailMessage } from '../../../src/features/emails/index.js'
import type { WithPortal } from '../../../src/features/portal/index.js'
import { memoryMailer, type MemoryMailer } from '../../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform, type TestOptions, type TestPlatform } from '../../support/platform.js'
import { createBrowser, ROOT, type Browser } from './browser.js'

/** A platform with a portal, in an app. */
export interface PortalHost extends TestPlatform {
  readonly app: Express
  readonly mailer: MemoryMailer
}

/** `prepare` adds what the host mounts before the portal. */
export function openPortal(
  options: TestOptions = {},
  {
    express = EXPRESSES['Express 5'],
    prepare,
  }: { express?: (typeof EXPRESSES)['Express 5']; prepare?: (app: Express) => void } = {},
): PortalHost {
  const mailer = memoryMailer()
  const made = openPlatform({
    developersUrl: 'https://example.com/developers',
    mailer,
    ...options,
    // Tests that are about a limit set it.
    rateLimits: { signIn: false, failedAuthentication: false, ...options.rateLimits },
  })
  const app = express().disable('x-powered-by')
  prepare?.(app)
  app.use(ROOT, made.auth.portal.router)
  app.use((_req, res) => void res.status(404).json({ host: true }))
  return { ...made, app, mailer }
}

/** The same for one test, which closes it. */
export function usePortal(...args: Parameters<typeof openPortal>): PortalHost {
  const host = openPortal(...args)
  onTestFinished(() => host.auth.close())
  return host
}

/** The same with an application of that contact. */
export async function usePortalOf(contact: string, ...args: Parameters<typeof openPortal>): Promise<PortalHost> {
  const host = usePortal(...args)
  await addApplication(host.auth, contact)
  return host
}

/** An application with that contact; resolves its id. */
export async function addApplication(auth: PlatformAuth, contact: string, name = 'Shop'): Promise<string> {
  const { application } = await auth.applications.create({ name, contact, apis: ['catalog'] })
  return application.id
}

/** A browser that is signed in as that contact. */
export async function signInByLink(
  { app, auth }: Pick<PortalHost, 'app' | 'auth'>,
  whom: Parameters<WithPortal['portal']['link']>[0],
): Promise<Browser> {
  const browser = createBrowser(app)
  await openLink(browser, await auth.portal.link(whom))
  expect(browser.page.text).toContain('Sign out')
  return browser
}

/** Opens a link of an e-mail as a browser with scripts does: the token is in the form that a click sends. */
export async function openLink(browser: Browser, link: string): Promise<void> {
  const { pathname, hash } = new URL(link)
  await browser.get(pathname)
  await browser.submit('/sign-in/link', { token: hash.slice(1) })
}

/** The sign-in e-mail that is sent next. */
export async function nextSignInEmail(
  { emails }: MemoryMailer,
  after: number,
): Promise<EmailMessage & { readonly link: string; readonly code: string }> {
  const email = await expect
    .poll(() => emails[after])
    .toBeDefined()
    .then(() => emails[after]!)
  const link = /https?:\/\/\S+\/sign-in#[A-Za-z0-9_-]{43}/.exec(email.text)![0]
  const code = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/.exec(email.text)![0]
  return { ...email, link, code }
}
