import type { IncomingMessage, ServerResponse } from 'node:http'
import { readField, readFields } from '../../core/http/form.js'
import { parsePath, type Middleware } from '../../core/http/middleware.js'
import { answerErrors, logDenial } from '../../core/http/router.js'
import { sendDenial, sendPage, setHeaders } from '../../core/http/respond.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { ApplicationError, StoreUnavailableError } from '../../index.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { hasOwnMember } from '../../shared/lib/own-members.js'
import { readHeader, readHostMember } from '../../shared/lib/request.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { html } from '../../shared/web/html.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import type { Can } from './can.js'
import { createFormTokens } from './form-token.js'
import { CONTENT_SECURITY_POLICY, listTabs, renderPage } from './page.js'
import { TEXTS } from './texts/languages.js'
import { findRights, type Answer, type Page, type Site, type Visit } from './visit.js'

const MAX_OPERATOR_LENGTH = 200
/** Browsers send `Origin: null` with forms of pages whose policy is `no-referrer`. */
const REFERRER_POLICY = 'same-origin'

/** What is answered if there is no page to answer with. */
type Refusal = 'notSignedIn' | 'notAllowed' | 'notFound' | 'foreignForm' | 'unavailable' | 'failed' | 'refused'

/** Finds out who asks, refuses forms of others, and answers with a page. Nothing goes on to the host. */
export function createOperatorRouter(options: {
  readonly site: Site
  readonly operatorOf: (req: IncomingMessage) => unknown
  readonly can: Can | undefined
  readonly brand: PageBrand
  readonly answer: Page
}): Middleware {
  const { site, operatorOf, can, brand, answer } = options
  const { core } = site
  const policy = brand.extendPolicy(CONTENT_SECURITY_POLICY)
  const tokens = createFormTokens({
    getKey: () => core.deriveKey('express-platform-auth operator form v1'),
    now: core.now,
  })

  async function findOperator(req: IncomingMessage): Promise<string | undefined> {
    try {
      const operator: unknown = await operatorOf(req)
      const isName = typeof operator === 'string' && findLineProblem(operator, MAX_OPERATOR_LENGTH) === undefined
      return isName ? operator : undefined
    } catch (error) {
      core.logger.error('The option "operator" of operatorPages() has failed, so the request is refused.', error)
      return undefined
    }
  }

  async function visit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const operator = await findOperator(req)
    const method = req.method === 'POST' ? 'POST' : 'GET'
    const language = choosePageLanguage(req, res)
    const texts = TEXTS[language]
    const root = findRoot(req)
    const refuse = (refusal: Refusal, status: number, because?: string): void =>
      send(req, res, { status, ...describe(refusal, because) }, undefined)
    const describe = (refusal: Refusal, because?: string) => ({
      heading: texts[refusal],
      content: html`<p>
        ${because ?? (refusal === 'refused' ? '' : fillText(texts[`${refusal}Because`], { operator: operator ?? '' }))}
      </p>`,
    })

    function send(_: IncomingMessage, __: ServerResponse, given: Answer, shown: Visit | undefined): void {
      if (hasOwnMember(given, 'redirect')) return sendRedirect(res, `${root}${given.redirect}`)
      if (hasOwnMember(given, 'csv')) return sendCsv(res, given)
      const page = renderPage({ ...given, language, brand, root, operator, tabs: shown ? listTabs(shown) : [] })
      sendPage(req, res, given.status ?? 200, page, policy, REFERRER_POLICY)
    }

    try {
      if (operator === undefined) return refuse('notSignedIn', 403)
      if (req.method !== 'GET' && req.method !== 'HEAD' && req.method !== 'POST') return refuse('notFound', 405)
      if (method === 'POST' && !isOwnForm(req)) return refuse('foreignForm', 403)
      await core.available()
      const path = readPath(req)
      if (!path) return refuse('notFound', 404)
      const place = path.join('/')
      const fields = method === 'POST' ? await readFields(req) : new Map<string, readonly string[]>()
      if (method === 'POST' && !tokens.check(readField(fields, 'token'), operator, place))
        return refuse('foreignForm', 403)
      const may = await findRights(site, can, operator, path[0] === 'applications' ? path[1] : undefined)
      const query = new URLSearchParams((req.url ?? '').split('?').slice(1).join('?'))
      const formToken = tokens.create(operator, place)
      const here = {
        method,
        path,
        query,
        fields,
        operator,
        may,
        root,
        formToken,
        language,
        texts,
        now: core.now(),
      } as const
      const found = await answer(here)
      send(req, res, found ?? { status: 404, ...describe('notFound') }, here)
    } catch (error) {
      if (res.headersSent) throw error
      const isMistake = error instanceof ApplicationError
      const denied = logDenial(
        core.logRefusal,
        'operator',
        isMistake ? new OAuthError('invalid_request', error.message) : error,
      )
      setHeaders(res, denied.headers)
      if (error instanceof StoreUnavailableError)
        refuse('unavailable', 503, error.outcome === 'unknown' ? texts.unknownOutcome : undefined)
      else if (isMistake && error.code === 'application_not_found') refuse('notFound', 404)
      else if (denied.status < 500) refuse('refused', denied.status, denied.description)
      else refuse('failed', denied.status)
    }
  }

  const respond = answerErrors(visit, (error, req, res) =>
    sendDenial(req, res, logDenial(core.logRefusal, 'operator', error)),
  )
  return (req, res) => void respond(req, res)
}

/** The path where the pages are mounted. Slashes are folded: `//example.com` would lead to another site. */
function findRoot(req: IncomingMessage): string {
  const mounted = readHostMember(req, 'baseUrl')
  return typeof mounted === 'string' ? mounted.replaceAll(/[/\\]+/g, '/').replace(/\/$/, '') : ''
}

/** Undefined if it cannot be decoded. */
function readPath(req: IncomingMessage): readonly string[] | undefined {
  try {
    const parts = parsePath(req.url ?? '/')
      .split('/')
      .filter((part) => part !== '')
    return parts.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Browsers send `Sec-Fetch-Site` to trustworthy origins, and `Origin` with every POST; a form with neither is refused. */
function isOwnForm(req: IncomingMessage): boolean {
  const site = readHeader(req, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const host = URL.parse(readHeader(req, 'origin') ?? '')?.host
  return host !== undefined && host === readHeader(req, 'host')
}

function sendRedirect(res: ServerResponse, path: string): void {
  res.statusCode = 303
  setHeaders(res, {
    Location: path,
    'Referrer-Policy': REFERRER_POLICY,
    'Cache-Control': 'no-store',
    'Content-Length': '0',
  })
  res.end()
}

function sendCsv(res: ServerResponse, { csv, name }: { readonly csv: string; readonly name: string }): void {
  setHeaders(res, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Content-Length': String(Buffer.byteLength(csv)),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': REFERRER_POLICY,
    'Cache-Control': 'no-store',
  })
  res.end(csv)
}
