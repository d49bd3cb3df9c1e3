import { normalizeContact } from '../applications/contacts/contact-lists.js'
import type { ConfirmContact } from '../applications/contacts/confirm-contact.js'
import type { AcceptInvitation } from '../applications/contacts/invitations.js'
import { readContact } from '../applications/records/validation.js'
import type { Limit } from '../contracts/api.js'
import { ApplicationError, ConfigurationError } from '../contracts/errors.js'
import type { StoreWith } from '../contracts/store.js'
import type { Middleware } from '../http/middleware.js'
import type { PaceStarts } from '../http/paced-start.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { ConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { PageBrand } from '../web/page-brand.js'
import type { RateLimits } from '../rate-limits/create.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import { createInvitationLimits } from './invitation-limits.js'
import { createPageRenderer } from './pages/page.js'
import { createPortalPages, type PortalPagesOptions } from './pages/pages.js'
import { createPortalRouter } from './router.js'
import type { PortalPages } from './request.js'
import { createSessionCookie } from './sign-in/session-cookie.js'
import { createSessions } from './sign-in/session.js'
import { createSignIn, type SendSignIn } from './sign-in/sign-in.js'
import { createSignInPages } from './sign-in/sign-in-pages.js'
import { createSignInRoutes } from './sign-in/sign-in-routes.js'
import { createSignOutContact, createSignOuts, type SignOutContact } from '../applications/contacts/sign-outs.js'

/**
 * The person whom `auth.portal.link()` signs in: a contact, or the first contact of an application, for this application only.
 */
export type PortalLinkOptions =
  | { readonly contact: string; readonly applicationId?: undefined }
  | { readonly applicationId: string; readonly contact?: undefined }

/** Sign-in at the portal, where contacts manage their applications. */
export interface Portal {
  /** Whether `auth.portalRouter` serves the portal: with `mailer` and `developersUrl`, and without `portal: false`. */
  readonly enabled: boolean
  /**
   * Resolves a link that signs a contact in once, within 15 minutes: for a customer who is signed in to your own site. Send it
   * to nobody else. Rejects with `ApplicationError` (`application_not_found`) if there is no such contact or application.
   *
   * @example
   * ```ts
   * import type { PlatformAuth } from 'express-platform-auth'
   * import type { Request, Response } from 'express'
   *
   * export function manageApplications(auth: PlatformAuth, readContact: (req: Request) => string) {
   *   return async (req: Request, res: Response): Promise<void> => {
   *     res.redirect(303, await auth.portal.link({ contact: readContact(req) }))
   *   }
   * }
   * ```
   */
  link(options: PortalLinkOptions): Promise<string>
  /** Ends every session of a contact in every process, and the links that it has not used yet. Resolves once that is stored. */
  signOut: SignOutContact
}

interface PortalOptions {
  readonly store: StoreWith<'signIns'>
  /** Derives a key from the session secret. */
  readonly deriveKey: (label: string) => Uint8Array
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  readonly sendSignIn: SendSignIn
  readonly acceptInvitation: AcceptInvitation
  readonly confirmContact: ConfirmContact
  readonly enabled: boolean
  /** Undefined if nothing can link to the portal. */
  readonly developersUrl: string | undefined
  readonly pages: Pick<
    PortalPagesOptions,
    'apis' | 'actions' | 'createCheckedCalls' | 'findLatestExpiry' | 'usage' | 'refusals' | 'flushLastUsed'
  >
  readonly brand: PageBrand
  readonly limits: { readonly signIn: Limit | false; readonly portalActions: Limit | false }
  readonly rateLimits: Pick<RateLimits, 'create'>
  readonly limitFailures: RateLimit | undefined
  readonly limitLookups: ConcurrencyLimit
  readonly limitChanges: ConcurrencyLimit
  readonly available: () => MaybePromise<void>
  readonly paceStarts: PaceStarts
  readonly logRefusal: LogRefusal
  readonly logger: { error(message: string, cause: unknown): void }
  readonly now: () => number
}

export function createPortal(options: PortalOptions): { readonly portal: Portal; readonly portalRouter: Middleware } {
  const { store, opened, developersUrl } = options
  const signOut = createSignOutContact(options)
  const passOn: Middleware = (_req, _res, next) => next()
  if (developersUrl === undefined) {
    const link = (): Promise<never> => Promise.reject(createDisabledError())
    return { portal: { enabled: false, link, signOut }, portalRouter: passOn }
  }
  const { portalRouter, createLink } = createRoutes({ ...options, developersUrl })

  async function link({ contact, applicationId }: PortalLinkOptions): Promise<string> {
    if ((contact === undefined) === (applicationId === undefined))
      throw new ApplicationError('invalid_argument', LINK_ARGUMENT)
    await opened()
    if (applicationId === undefined) return createLink(normalizeContact(readContact(contact)), undefined)
    const found = await store.findApplication(applicationId)
    if (found?.contact !== undefined) return createLink(normalizeContact(found.contact), applicationId)
    throw new ApplicationError('application_not_found', `There is no application ${applicationId} with a contact.`)
  }

  const { enabled } = options
  return { portal: { enabled, link, signOut }, portalRouter: enabled ? portalRouter : passOn }
}

function createRoutes(options: PortalOptions & { readonly developersUrl: string }) {
  const { developersUrl, rateLimits, limits } = options
  const root = `${new URL(developersUrl).pathname.replace(/\/$/, '')}/applications`
  /** The key is derived at each use, because the session secret may be replaced. */
  const deriveKey = (use: string) => () => options.deriveKey(`express-platform-auth portal ${use} v1`)
  const cookie = createSessionCookie({ developersUrl, getKey: deriveKey('session') })
  const signOuts = createSignOuts(options)
  const sessions = createSessions({ ...options, signOuts, cookie, getCsrfKey: deriveKey('csrf') })
  const signIn = createSignIn({
    ...options,
    sessions,
    signOuts,
    getHashKey: deriveKey('sign-in'),
    pageUrl: `${developersUrl}/applications/sign-in`,
    limitRequests: rateLimits.create('signIn', limits.signIn, { untrustedKeys: true }),
    limitEmails: rateLimits.create('signInEmails', multiply(limits.signIn, CONTACT_SHARES), { untrustedKeys: true }),
    limitUnconfirmed: rateLimits.create('unconfirmedSignIns', UNCONFIRMED_LIMIT, { untrustedKeys: true }),
    limitGuesses: rateLimits.create('signInGuesses', GUESS_LIMIT, { untrustedKeys: true }),
  })
  const renderPage = createPageRenderer({ root, developersUrl, brand: options.brand })
  const signInPages = createSignInPages(renderPage, root)
  const signInRoutes = createSignInRoutes({ ...options, signIn, sessions, pages: signInPages })
  const answerContact = createPortalPages({
    ...options,
    ...options.pages,
    renderPage,
    root,
    invitationLimits: createInvitationLimits(rateLimits),
    limitActions: rateLimits.create('portalActions', limits.portalActions, { untrustedKeys: true }),
  })
  const pages: PortalPages = (request) => {
    const limit = request.method === 'GET' ? options.limitLookups : options.limitChanges
    return limit(request.session.contact, () => answerContact(request))
  }
  return {
    portalRouter: createPortalRouter({ ...options, root, sessions, signInPages, signInRoutes, pages }),
    createLink: signIn.createLink,
  }
}

/** A mailbox gets as many e-mails as this number of addresses may ask for. */
const CONTACT_SHARES = 3
const UNCONFIRMED_LIMIT: Limit = { limit: 1, window: 3600 }
/** The limit of a mailbox, for all of its codes, of which there are 20^8: one guess in 500 million an hour is right. */
const GUESS_LIMIT: Limit = { limit: 50, window: 3600 }

function multiply(limit: Limit | false, by: number): Limit | false {
  return limit && { ...limit, limit: Math.min(limit.limit * by, Number.MAX_SAFE_INTEGER) }
}

const LINK_ARGUMENT = 'link() takes { contact } or { applicationId }.'

function createDisabledError(): ConfigurationError {
  return new ConfigurationError({
    problem: 'There is no portal to link to',
    fix: 'Set the option `developersUrl`, and do not set portal: false.',
  })
}
