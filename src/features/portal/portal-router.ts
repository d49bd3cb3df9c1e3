import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApplicationError } from '../../shared/contracts/errors.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { notePresentedSecrets, readOrigin } from '../../core/http/origin.js'
import { readField, readFields, type FormFields } from '../../core/http/form.js'
import { readSegments, type Endpoint } from '../../core/http/middleware.js'
import { createRouter, logDenial } from '../../core/http/endpoints.js'
import {
  FORM_REFERRER_POLICY,
  sendDenial,
  sendDownload,
  sendPage,
  sendRedirect,
  setHeaders,
} from '../../core/http/respond.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { isSameText } from '../../shared/lib/is-same-text.js'
import { hasOwnMember, ownMembers } from '../../shared/lib/own-members.js'
import { createPageBrand } from '../../shared/web/page-brand.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import { TEXTS } from './texts/languages.js'
import { createPageRenderer, formatContentSecurityPolicy } from './pages/page.js'
import type { Exchange, Outcome, PortalAnswer } from './exchange.js'
import type { CreateActionCalls } from './pages/action-page.js'
import { createPortalPages } from './pages/pages.js'
import type { PortalSettings } from './portal-options.js'
import { refuseOtherOrigins } from '../../core/http/same-origin.js'
import { createSessions } from './sign-in/session.js'
import { createSignInPages } from './sign-in/sign-in-pages.js'
import { createSignIn } from './sign-in/sign-in.js'
import { createSignInRoutes } from './sign-in/sign-in-routes.js'
import type { Core } from '../../feature.js'

export function createPortalRouter(core: Core, settings: PortalSettings, createCalls: CreateActionCalls) {
  const { available, paceStarts, logRefusal } = core
  const { origin, pathname } = new URL(settings.developersUrl)
  const root = `${pathname.replace(/\/$/, '')}/applications`
  const brand = createPageBrand(core.settings.brand)
  const policy = brand.extendPolicy(formatContentSecurityPolicy())
  const renderPage = createPageRenderer(root, settings.developersUrl, brand)
  const signInPages = createSignInPages(
    renderPage,
    root,
    core.find('registration') && `${settings.developersUrl}/register`,
  )
  const sessions = createSessions(core, settings.developersUrl)
  const signIn = createSignIn(core, settings, sessions)
  const signInRoutes = createSignInRoutes(core, signIn, sessions, signInPages)
  const answerContact = createPortalPages(core, settings, renderPage, root, createCalls)

  const languages = new WeakMap<IncomingMessage, Language>()

  async function answerGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await answer('GET', NO_FIELDS, req, res)
  }

  const answerPost = paceStarts(async (req, res) => {
    refuseOtherOrigins(req, origin)
    const fields = await readFields(req)
    notePresentedSecrets(req, listSecrets(fields))
    await answer('POST', fields, req, res)
  })

  async function answer(method: 'GET' | 'POST', fields: FormFields, req: IncomingMessage, res: ServerResponse) {
    const path = readSegments(req)
    if (!path) throw new OAuthError('invalid_request', 'The address is not valid')
    await available()
    const identified = await sessions.identify(req)
    const language = choosePageLanguage(req, res, identified.session?.language)
    languages.set(req, language)
    const visitor = { ...identified, language }
    const outcome = ownMembers(await route({ method, path, fields, visitor, req }))
    const setCookie = outcome.setCookie ?? visitor.setCookie
    // The header is added to the cookies of the host.
    if (setCookie !== undefined) res.appendHeader('Set-Cookie', setCookie)
    sendAnswer(req, res, outcome.answer)
  }

  async function route(exchange: Exchange): Promise<Outcome> {
    const { method, path, fields, visitor } = exchange
    const isOwnForm = method === 'GET' || isSameText(readField(fields, 'csrf'), visitor.csrf)
    if (!isOwnForm) return { answer: refuseOldForm(exchange) }
    const endpoint = signInRoutes.get(`${method} ${path.join('/')}`)
    if (endpoint) return endpoint(exchange)
    const { session, language } = visitor
    if (session) {
      const limit = method === 'GET' ? core.limitLookups : core.limitChanges
      const request = { method, path, fields, session, language, origin: readOrigin(exchange.req) }
      const found = await limit(session.contact, () => answerContact(request))
      return { answer: found ?? { status: 404, page: signInPages.renderNotFound(visitor) } }
    }
    if (path.length > 0 || method === 'POST') return { answer: { redirect: '' } }
    return { answer: { status: 200, page: signInPages.renderRequest(visitor) } }
  }

  function sendAnswer(req: IncomingMessage, res: ServerResponse, answer: PortalAnswer): void {
    if (hasOwnMember(answer, 'page')) {
      setHeaders(res, ownMembers(answer).headers ?? {})
      return sendPage(req, res, answer.status, answer.page, policy, FORM_REFERRER_POLICY)
    }
    if (hasOwnMember(answer, 'redirect'))
      return sendRedirect(res, answer.redirect === '' ? root : `${root}/${answer.redirect}`)
    sendDownload(res, answer.download)
  }

  /** A form of a session that has ended, or of a page that was loaded before the sign-in. Whoever is signed out can sign in. */
  function refuseOldForm({ visitor, fields }: Exchange): PortalAnswer {
    const refused = { contact: readField(fields, 'contact'), problem: { text: TEXTS[visitor.language].signedOut } }
    const page = visitor.session ? signInPages.renderOutOfDate(visitor) : signInPages.renderRequest(visitor, refused)
    return { status: 403, page }
  }

  function sendRefusal(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    const refusal = error instanceof ApplicationError ? new OAuthError('invalid_request', error.message) : error
    const denied = logDenial(logRefusal, 'portal', refusal)
    if (res.headersSent) return sendDenial(req, res, denied)
    setHeaders(res, denied.headers)
    const page = signInPages.renderFailure(languages.get(req) ?? choosePageLanguage(req, res), denied)
    sendAnswer(req, res, { status: denied.status, page })
  }

  const endpoints = new Map<string, Endpoint>([
    ['GET', answerGet],
    ['POST', answerPost],
  ])
  const router = createRouter({
    find: (method) => endpoints.get(method),
    refuse: (_endpoint, ...args) => sendRefusal(...args),
  })
  return { router, createLink: signIn.createLink }
}

const NO_FIELDS: FormFields = new Map()

/** The tokens of links, which may be pasted whole, codes, and the token of the form. */
function listSecrets(fields: FormFields): string[] {
  const presented = ['token', 'code', 'csrf'].flatMap((name) => fields.get(name) ?? [])
  return presented.map((text) => text.replace(/^.*#/s, '').trim()).filter((text) => text !== '')
}
