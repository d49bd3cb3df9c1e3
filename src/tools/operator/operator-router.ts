import type { IncomingMessage, ServerResponse } from 'node:http'
import { readField, readFields } from '../../core/http/form.js'
import { readSegments, type Middleware } from '../../core/http/middleware.js'
import { answerErrors, logDenial } from '../../core/http/endpoints.js'
import {
  FORM_REFERRER_POLICY,
  sendDenial,
  sendDownload,
  sendPage,
  sendRedirect,
  setHeaders,
} from '../../core/http/respond.js'
import { isFormOfHost } from '../../core/http/same-origin.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { ApplicationError, StoreUnavailableError } from '../../index.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { hasOwnMember, ownMembers } from '../../shared/lib/own-members.js'
import { readHeader, readHostMember } from '../../shared/lib/request.js'
import { createSealedTexts } from '../../shared/lib/sealed-text.js'
import { callInTime } from '../../shared/lib/timeout.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { getFormats } from '../../shared/web/formats.js'
import { fillHtml, html, markEnglish, type Html } from '../../shared/web/html.js'
import { renderEmpty } from '../../shared/web/parts.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import type { CallName } from '../operations/operator-calls.js'
import { answerAction } from './action-page.js'
import { answerApplication } from './application-page.js'
import { answerApplications } from './applications-page.js'
import { answerAudit } from './audit-page.js'
import { answerEmails, answerPreview } from './emails-page.js'
import { answerKeys } from './keys-page.js'
import { readPostedSearch } from './list-page.js'
import { CONTENT_SECURITY_POLICY, formatPath, renderPage } from './page.js'
import { TEXTS } from './texts/languages.js'
import { answerToday } from './today-page.js'
import { answerDaysFile, answerReportOnly, answerRoutesFile, answerTotalsFile, answerUsage } from './usage-page.js'
import { findRights, type Answer, type Can, type Page, type Site, type TabName, type Visit } from './visit.js'

const MAX_OPERATOR_LENGTH = 200
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']

/** The policy of an e-mail's frame: no scripts, no forms and no session of the reader; links stay in the frame. */
const FRAMED_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'none'; frame-ancestors 'self'; sandbox"

type Refusal = 'notSignedIn' | 'notFound' | 'foreignForm' | 'unavailable' | 'failed' | 'refused' | 'unknownFilter'

/** Finds out who asks, refuses forms of others, and answers with a page. Nothing goes on to the host. */
export function createOperatorRouter(options: {
  readonly site: Site
  readonly operatorOf: (req: IncomingMessage) => unknown
  readonly can: Can | undefined
  readonly signOut: string | undefined
  readonly brand: PageBrand
}): Middleware {
  const { site, operatorOf, can, signOut, brand } = options
  const { core } = site
  const policy = brand.extendPolicy(CONTENT_SECURITY_POLICY)
  // The key is derived at each use, because the session secret may be replaced, which ends all forms.
  const formTokens = createSealedTexts(() => core.deriveKey('express-platform-auth operator form v1'), 'operator form')

  /** The token of a form, against forms of other sites, is bound to the operator, the page and the time at which the page was shown. */
  function isOwnForm(formToken: string, operator: string, page: string): boolean {
    const [forWhom, of, time] = JSON.parse(formTokens.open(formToken) ?? '[]') as [string?, string?, number?]
    const age = core.now() - (time ?? 0)
    return forWhom === operator && of === page && age >= 0 && age <= FORM_LIFETIME_MS
  }

  async function findOperator(req: IncomingMessage): Promise<string | undefined> {
    try {
      const operator = await callInTime('The option "operator" of operatorPages()', () => operatorOf(req))
      const isName = typeof operator === 'string' && findLineProblem(operator, MAX_OPERATOR_LENGTH) === undefined
      return isName ? operator : undefined
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error
      core.logger.error('The option "operator" of operatorPages() has failed, so the request is refused.', error)
      return undefined
    }
  }

  async function visit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const language = choosePageLanguage(req, res)
    const texts = TEXTS[language]
    const root = findRoot(req)
    let operator: string | undefined
    let here: Visit | undefined

    function send(given: Answer): void {
      if (hasOwnMember(given, 'redirect')) return sendRedirect(res, `${root}${given.redirect}`)
      if (hasOwnMember(given, 'framed')) return sendPage(req, res, 200, given.framed, FRAMED_POLICY)
      if (hasOwnMember(given, 'csv'))
        return sendDownload(res, { name: `${given.name}.csv`, type: 'text/csv; charset=utf-8', text: given.csv })
      const page = renderPage(given, { language, brand, root, operator, signOut, tabs: listTabs(here) })
      sendPage(req, res, given.status ?? 200, page, policy, FORM_REFERRER_POLICY)
    }
    function refuse(status: number, refusal: Refusal, because?: Html | string): void {
      const text = because ?? (refusal === 'refused' || refusal === 'unknownFilter' ? '' : texts[`${refusal}Because`])
      const tabs = listTabs(here)
      const tab = tabs.find((name) => name === here?.path[0]) ?? tabs[0]
      const way =
        tab &&
        html`<div class="actions">
          <a class="button" href="${root}${formatPath(tab)}">${fillText(texts.goTo, { page: texts.tabs[tab] })}</a>
        </div>`
      const drawing = refusal === 'notFound' || refusal === 'unknownFilter' ? 'search' : 'dash'
      const content = html`<div class="card">
        ${renderEmpty({ drawing }, html`${text !== '' && html`<p>${text}</p>`} ${way}`)}
      </div>`
      send({ status, heading: texts[refusal], content, isNarrow: true })
    }

    try {
      operator = await findOperator(req)
      if (operator === undefined) return refuse(403, 'notSignedIn')
      if (!METHODS.includes(req.method ?? '')) {
        res.setHeader('Allow', METHODS.join(', '))
        return refuse(405, 'notFound')
      }
      const method = req.method === 'POST' ? 'POST' : 'GET'
      if (method === 'POST' && !isFormOfHost(req)) return refuse(403, 'foreignForm', describeHosts(req, texts))
      await core.available()
      const path = readSegments(req)?.filter((segment) => segment !== '')
      if (!path) return refuse(404, 'notFound')
      const place = path.join('/')
      const fields = method === 'POST' ? await readFields(req) : new Map<string, readonly string[]>()
      if (method === 'POST' && !isOwnForm(readField(fields, 'token'), operator, place))
        return refuse(403, 'foreignForm')
      // A posted search has nothing of its address: what that names would lend its rights to what was typed.
      const isSearch = method === 'POST' && path.length === 1
      const query = new URLSearchParams(isSearch ? '' : (req.url ?? '').split('?').slice(1).join('?'))
      const rights = await findRights(site, can, operator, findSubject(path, query))
      const now = core.now()
      const formToken = formTokens.seal(JSON.stringify([operator, place, now]))
      const asked = { method, path, query, fields, operator, ...rights, root, formToken } as const
      here = { ...site, ...asked, language, texts, formats: getFormats(language), now }
      const found = await answerVisit(here)
      const [right] = (path.length < 2 && findPage(path[0] ?? 'today')) || []
      if (found) send(found)
      else if (right && !here.may(right)) refuse(403, 'refused', texts.notAllowed)
      else refuse(404, 'notFound')
    } catch (error) {
      if (res.headersSent) throw error
      const isMistake = error instanceof ApplicationError
      const logged = isMistake ? new OAuthError('invalid_request', error.message) : error
      const denied = logDenial(core.logRefusal, 'operator', logged)
      setHeaders(res, denied.headers)
      if (error instanceof StoreUnavailableError)
        refuse(503, 'unavailable', error.outcome === 'unknown' ? texts.unknownOutcome : undefined)
      else if (isMistake && error.code === 'application_not_found') refuse(404, 'notFound')
      else if (denied.status < 500) {
        const filter = describeFilter(denied.description, texts, language)
        const because = filter ?? markEnglish(denied.description, { language })
        refuse(denied.status, filter ? 'unknownFilter' : 'refused', because)
      } else refuse(denied.status, 'failed')
    }
  }

  const respond = answerErrors(visit, (error, req, res) =>
    sendDenial(req, res, logDenial(core.logRefusal, 'operator', error)),
  )
  return (req, res) => void respond(req, res)
}

/** The pages that are about no single application, each with the right that it takes, and what of its address may name one. */
const PAGES = {
  today: ['applications.list', answerToday],
  applications: ['applications.list', answerApplications, 'q'],
  usage: ['usage.totals', answerUsage],
  'usage.csv': ['usage.totals', answerTotalsFile],
  'usage-days.csv': ['usage.overall', answerDaysFile],
  'usage-routes.csv': ['usage.overallRoutes', answerRoutesFile],
  emails: ['emails.list', answerEmails],
  preview: ['emails.list', (visit) => answerPreview(visit, false)],
  'preview.html': ['emails.list', (visit) => answerPreview(visit, true)],
  keys: ['signingKeys.list', answerKeys],
  audit: ['audit.list', (visit) => answerAudit(visit, false), 'application'],
  'audit.csv': ['audit.list', (visit) => answerAudit(visit, true), 'application'],
  reportOnly: ['usage.reportOnly', answerReportOnly],
} as const satisfies Readonly<Record<string, PageEntry>>

type PageEntry = readonly [right: CallName, answer: Page, subject?: string]

function findPage(name: string): PageEntry | undefined {
  return Object.hasOwn(PAGES, name) ? PAGES[name as keyof typeof PAGES] : undefined
}

/** None before it is known who asks. */
function listTabs(visit: Visit | undefined): readonly TabName[] {
  if (!visit) return []
  return (Object.keys(visit.texts.tabs) as TabName[]).filter((name) => visit.may(PAGES[name][0]))
}

async function answerVisit(visit: Visit): ReturnType<Page> {
  const { path, method, may } = visit
  const [first = 'today', second, third, ...others] = path
  if (others.length > 0) return undefined
  if (first === 'do' && second !== undefined && third === undefined) return answerAction(visit, second, undefined)
  if (first === 'applications' && third !== undefined) return answerAction(visit, third, second)
  if (method === 'GET' && first === 'applications' && second !== undefined)
    return may('applications.get') ? answerApplication(visit) : undefined
  const page = second === undefined ? findPage(first) : undefined
  if (!page || !may(page[0])) return undefined
  const [, answer] = page
  if (method === 'GET') return answer(visit)
  return first === 'applications' || first === 'audit' ? answerSearch(first, visit, answer) : undefined
}

/** Leads to the address of what was found or typed. What could be a credential gets the list without an address. */
async function answerSearch(tab: 'applications' | 'audit', visit: Visit, answer: Page): ReturnType<Page> {
  const { core, fields } = visit
  const { query, isPublic } = readPostedSearch(visit)
  // A whole key is one that the platform knows by its own hash.
  const hash = tab === 'applications' ? (await core.opened()).hashKey(readField(fields, 'q')) : undefined
  const owner = hash === undefined ? undefined : await core.store.findApplicationByKey(hash)
  if (owner) query.set('q', owner.id)
  return isPublic || owner ? { redirect: `/${tab}?${query.toString()}` } : answer({ ...visit, query })
}

/** What a filter of an address may be, by its label; undefined if the message is about none. */
function describeFilter(message: string, texts: Visit['texts'], language: Language): Html | undefined {
  const { application: applicationId, since: from, day: period, change: type, status: state } = texts.labels
  const renamed = { applicationId, from, period, sort: texts.sort, state, type }
  const [, name = '', rest = ''] = /^(\w+) (.*)$/s.exec(message) ?? []
  const field = ownMembers<Readonly<Record<string, string>>>({ ...texts.labels, ...renamed })[name]
  if (field === undefined) return undefined
  const words = name === 'status' ? texts.statuses : name === 'state' && texts.emailStates
  const choices = words && getFormats(language).choices.format(Object.values(words))
  if (choices) return fillHtml(texts.choices, { field, choices })
  return fillHtml(texts.refusedField, { field, problem: markEnglish(`It ${rest}`, { language }) })
}

/** Over plain http browsers send no `Sec-Fetch-Site`. Then a proxy that replaces the host is as likely as a page of another site. */
function describeHosts(req: IncomingMessage, texts: Visit['texts']): string | undefined {
  const [origin, host] = [readHeader(req, 'origin'), readHeader(req, 'host')]
  if (readHeader(req, 'sec-fetch-site') !== undefined || !URL.canParse(origin ?? '')) return undefined
  return fillText(texts.otherHostBecause, { origin: origin!, host: host ?? '' })
}

/** The path where the pages are mounted. Slashes are folded: `//example.com` would lead to another site. */
function findRoot(req: IncomingMessage): string {
  const mounted = readHostMember(req, 'baseUrl')
  return typeof mounted === 'string' ? mounted.replaceAll(/[/\\]+/g, '/').replace(/\/$/, '') : ''
}

/**
 * The id of the application that a page is about, of which alone it then shows something. Other pages' addresses name none: `can` would
 * judge what they do by an application that it is not about.
 */
function findSubject([first = '', id, ...others]: readonly string[], query: URLSearchParams): string | undefined {
  if (first === 'applications' && id !== undefined) return id
  const name = others.length === 0 && id === undefined && findPage(first)?.[2]
  const text = (name && query.get(name)?.trim()) || undefined
  return text !== undefined && (name !== 'q' || isApplicationId(text)) ? text : undefined
}

/** For how long a page may stay open before its form is sent. */
const FORM_LIFETIME_MS = 12 * 3_600_000
