import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PrepareRegistration } from './register.js'
import { ApplicationError } from '../../contracts/errors.js'
import { createDenial, OAuthError, type Denial } from '../../contracts/denial.js'
import { readOrigin } from '../../http/origin.js'
import { parseMediaType } from '../../http/form.js'
import { readJson } from '../../http/json-body.js'
import { refuseCrossSiteForm } from '../../http/same-origin.js'
import { parsePath, type Endpoint, type Middleware } from '../../http/middleware.js'
import type { PaceStarts } from '../../http/paced-start.js'
import type { LogRefusal } from '../../http/refusal-log.js'
import { readClientAddress } from '../../http/request.js'
import {
  closeUnfinished,
  unwrapCause,
  sendDenial,
  sendJson,
  sendPage,
  setHeaders,
  toDenial,
} from '../../http/respond.js'
import type { ConcurrencyLimit } from '../../lib/concurrency-limit.js'
import type { PageBrand } from '../../web/page-brand.js'
import { readPreferredLanguage } from '../../web/page-language.js'
import type { MaybePromise } from '../../lib/maybe-promise.js'
import type { RateLimit } from '../../rate-limits/rate-limit.js'
import type { Admit } from './admission.js'
import { createDecideEndpoints } from './decide.js'
import { createDecidePages } from './decide-pages.js'
import { findFieldProblems, readFormFields, type FormFields } from './form-fields.js'
import {
  FORM_SECURITY_POLICY,
  NO_PROBLEMS,
  renderRegisteredPage,
  renderRegistrationPage,
  type RefusedForm,
  type RegistrationApi,
} from './form-page.js'

interface RegistrationRouterOptions {
  readonly apis: readonly RegistrationApi[]
  readonly prepareRegistration: PrepareRegistration
  readonly admit: Admit
  /** The page on which operators decide; undefined if nobody decides by e-mail. */
  readonly approval: Pick<Parameters<typeof createDecideEndpoints>[0], 'links' | 'approvals'> | undefined
  readonly limitFailures: RateLimit | undefined
  /** Gives each address a fair share of the changes that clients make. */
  readonly limitChanges: ConcurrencyLimit
  /** Rejects while the platform cannot answer. */
  readonly available: () => MaybePromise<void>
  readonly paceStarts: PaceStarts
  readonly logRefusal: LogRefusal
  /** The address of the console, which the pages link to. */
  readonly developersUrl: string | undefined
  /** The address where contacts manage their applications; undefined if there is no portal. */
  readonly portalUrl: string | undefined
  readonly brand: PageBrand
}

type Registration = Parameters<PrepareRegistration>[0]

/** `auth.registration.router`: developers register their applications with a form, programs with JSON. */
export function createRegistrationRouter(options: RegistrationRouterOptions): Middleware {
  const { prepareRegistration, admit, approval, limitChanges } = options
  const { available, paceStarts, logRefusal, developersUrl, portalUrl, brand } = options
  const links = { brand, developersUrl, portalUrl }
  const policy = brand.extendPolicy(FORM_SECURITY_POLICY)
  const apis = options.apis.filter(({ registration }) => registration !== 'closed')
  const origin = developersUrl === undefined ? undefined : new URL(developersUrl).origin
  const openApis = apis.map(({ name }) => name)
  const pages = createDecidePages(options)
  const decisions = approval && createDecideEndpoints({ ...options, ...approval, pages, readRefusal })

  const routes = new Map<string, Endpoint>([
    ['GET /', (req, res) => sendForm(req, res, 200)],
    ['POST /', paceStarts(registerApplication)],
    // A form leads to this page after it registered: a reload registers nothing.
    ['GET /thanks', (req, res) => sendPage(req, res, 200, renderRegisteredPage(links), policy)],
    ...(decisions
      ? ([
          ['GET /decide', decisions.show],
          ['POST /decide', paceStarts(decisions.decide)],
        ] as const)
      : []),
  ])

  function sendForm(req: IncomingMessage, res: ServerResponse, status: number, refused?: RefusedForm): void {
    const page = renderRegistrationPage(apis, links, readPreferredLanguage(req), refused)
    // The policy is not `no-referrer`: browsers would send `Origin: null` with the form.
    sendPage(req, res, status, page, policy, 'same-origin')
  }

  /** A form is answered with a page, JSON with JSON. */
  async function registerApplication(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (isForm(req)) return registerByForm(req, res)
    const { name, contact, apis: grants, language } = await readJson(req)
    await register({ name, contact, apis: grants, language } as Registration, req)
    sendJson(res, 202, { status: 'accepted' }, { 'Cache-Control': 'no-store' })
  }

  async function registerByForm(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let fields: FormFields | undefined
    try {
      fields = await readFormFields(req)
      const problems = findFieldProblems(fields, openApis)
      const mistakes = Object.values(problems)
      if (mistakes.length > 0) {
        logRefusal('registration', createDenial('invalid_request', mistakes.join(' ')))
        return sendForm(req, res, 400, { fields, problems, reason: undefined })
      }
      // The language is a known one: its problem would have been found.
      await register(fields as Registration, req)
      redirectToThanks(req, res)
    } catch (error) {
      sendRefusedForm(error, fields, req, res)
    }
  }

  /** A registration with a mistake is refused before anything is counted. */
  async function register(application: Registration, req: IncomingMessage): Promise<void> {
    const language = application.language ?? readPreferredLanguage(req)
    const registration = prepareRegistration({ ...application, language })
    await available()
    await admit(registration, req)
    await limitChanges(readClientAddress(req), () => registration.save(readOrigin(req)))
  }

  function readRefusal(error: unknown): Denial {
    const refusal = error instanceof ApplicationError ? toInvalidRequest(error, openApis) : error
    const denied = toDenial(refusal)
    logRefusal('registration', denied, unwrapCause(refusal))
    return denied
  }

  function sendRefusedForm(error: unknown, fields: FormFields | undefined, req: IncomingMessage, res: ServerResponse) {
    const denied = readRefusal(error)
    if (res.headersSent) return sendDenial(req, res, denied)
    setHeaders(res, denied.headers)
    sendForm(req, res, denied.status, { fields, problems: NO_PROBLEMS, reason: `${denied.description}.` })
  }

  async function answer(endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      if (req.method === 'POST') refuseCrossSiteForm(req, origin)
      await endpoint(req, res)
    } catch (error) {
      // A form that was refused before it was read.
      if (endpoint === routes.get('POST /') && isForm(req)) sendRefusedForm(error, undefined, req, res)
      else if (decisions && endpoint === routes.get('POST /decide')) decisions.refuse(error, req, res)
      else sendDenial(req, res, readRefusal(error))
    }
  }

  return function registrationRouter(req, res, next) {
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const endpoint = routes.get(`${method} ${parsePath(req.url ?? '/')}`)
    if (!endpoint) return next()
    answer(endpoint, req, res).catch(() => closeUnfinished(res))
  }
}

/** The address is relative to the form, wherever the host has mounted it, so that it cannot lead to another origin. */
function redirectToThanks(req: IncomingMessage, res: ServerResponse): void {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  const path = parsePath(originalUrl)
  const last = path.slice(path.lastIndexOf('/') + 1)
  res.statusCode = 303
  res.setHeader('Location', last === '' ? './thanks' : `./${last}/thanks`)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', 0)
  res.end()
}

function isForm(req: IncomingMessage): boolean {
  return parseMediaType(req).mediaType === 'application/x-www-form-urlencoded'
}

/** The message with only the characters that RFC 6749 5.2 allows in an error_description. */
function toInvalidRequest({ code, message }: ApplicationError, openApis: readonly string[]): OAuthError {
  // The answer is the same for both: strangers do not learn which closed APIs there are.
  const isUnknown = code === 'unknown_api' || code === 'api_closed'
  const description = isUnknown
    ? `apis has an API that is not open to registration. There are: ${openApis.join(', ')}.`
    : message
  return new OAuthError('invalid_request', description.replaceAll('"', "'").replace(/[^\x20-\x7E]|\\/g, ' '))
}
