import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PrepareRegistration } from '../applications/decisions/registration.js'
import { ApplicationError } from '../contracts/errors.js'
import { createDenial, OAuthError, type Denial } from '../contracts/denial.js'
import type { RequestOrigin } from '../contracts/events.js'
import { notePresentedSecrets, readOrigin } from '../http/origin.js'
import { parseMediaType, readBody } from '../http/form.js'
import { refuseCrossSiteForm } from '../http/same-origin.js'
import { parsePath, type Endpoint, type Middleware } from '../http/middleware.js'
import type { PaceStarts } from '../http/paced-start.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { formatFailureKey, readClientAddress } from '../http/request.js'
import { closeUnfinished, unwrapCause, sendDenial, sendJson, sendPage, setHeaders, toDenial } from '../http/respond.js'
import type { ConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { PageBrand } from '../web/page-brand.js'
import { ownMembers } from '../lib/own-members.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { Admit } from './admission.js'
import { createDecideEndpoints } from './decide.js'
import { createDecidePages } from './decide-pages.js'
import { findFieldProblems, readFormFields, type FormFields } from './form-fields.js'
import { NO_PROBLEMS, renderRegistrationPage, type RefusedForm, type RegistrationApi } from './form-page.js'
import { readPreferredLanguage } from './language.js'
import { CONTENT_SECURITY_POLICY, renderClaimPage, renderRegisteredPage } from './pages.js'

interface RegistrationRouterOptions {
  readonly apis: readonly RegistrationApi[]
  readonly prepareRegistration: PrepareRegistration
  readonly admit: Admit
  readonly claim: ClaimCredentials
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

/** Makes the credentials of a claim link and deletes the link; undefined if the link is not valid. */
type ClaimCredentials = (token: string, origin: RequestOrigin) => Promise<ClaimedCredentials | undefined>

interface ClaimedCredentials {
  readonly applicationName: string
  readonly credentials: { readonly clientId?: string; readonly clientSecret?: string }
  readonly expiresAt: { readonly clientId?: Date; readonly clientSecret?: Date }
}

/** `auth.registrationRouter`: developers register their applications with a form, programs with JSON. */
export function createRegistrationRouter(options: RegistrationRouterOptions): Middleware {
  const { prepareRegistration, admit, claim, approval, limitFailures, limitChanges } = options
  const { available, paceStarts, logRefusal, developersUrl, portalUrl, brand } = options
  const links = { brand, developersUrl, portalUrl }
  const policy = brand.extendPolicy(CONTENT_SECURITY_POLICY)
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
    ['GET /claim', (req, res) => sendPage(req, res, 200, renderClaimPage(links), policy)],
    ['POST /claim', paceStarts(claimCredentials)],
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

  async function claimCredentials(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { token } = await readJson(req)
    if (typeof token !== 'string' || token === '') throw new OAuthError('invalid_request', 'The link is not complete')
    notePresentedSecrets(req, [token])
    await available()
    const claimed = await limitChanges(readClientAddress(req), () => claim(token, readOrigin(req)))
    if (!claimed) {
      // Bad links are counted after the look-up: a valid one always works, whatever else its address sends.
      await limitFailures?.(formatFailureKey(req, undefined))
      throw new OAuthError('invalid_request', 'The link has been used, has expired, or was replaced by a newer e-mail')
    }
    sendJson(res, 200, toClaimDocument(claimed), { 'Cache-Control': 'no-store' })
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

/** The JSON of the claim page's script. */
function toClaimDocument({ applicationName, credentials, expiresAt }: ClaimedCredentials): object {
  return {
    application: applicationName,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    // Not `client_secret_expires_at`: that is a number of seconds (RFC 7591 3.2.1).
    key_expires_at: expiresAt.clientId,
    secret_expires_at: expiresAt.clientSecret,
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

async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (parseMediaType(req).mediaType !== 'application/json') {
    throw new OAuthError(
      'invalid_request',
      'The Content-Type must be application/json or application/x-www-form-urlencoded',
    )
  }
  const body = await readBody(req)
  if (body.text === undefined) return ownMembers(body.parsed)
  const parsed = parseJson(body.text)
  if (typeof parsed === 'object' && parsed !== null) return ownMembers(parsed as Record<string, unknown>)
  throw new OAuthError('invalid_request', 'The body is not a JSON object')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
