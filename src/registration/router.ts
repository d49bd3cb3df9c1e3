import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Register } from '../applications/registration.js'
import { readContact } from '../applications/validation.js'
import { ApplicationError, OAuthError } from '../contracts/errors.js'
import { readRequestId } from '../contracts/events.js'
import { parseMediaType, readBody, readPairs } from '../http/form.js'
import { parsePath, type Endpoint, type Middleware } from '../http/middleware.js'
import type { PaceStarts } from '../http/paced-start.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { formatFailureKey, readClientAddress } from '../http/request.js'
import { unwrapCause, sendDenial, sendJson, sendPage, toDenial } from '../http/respond.js'
import type { ConcurrencyLimit } from '../lib/concurrency-limit.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import {
  CONTENT_SECURITY_POLICY,
  renderClaimPage,
  renderRegisteredPage,
  renderRegistrationPage,
  type RegistrationApi,
} from './pages.js'

interface RegistrationRouterOptions {
  readonly apis: readonly RegistrationApi[]
  readonly register: Register
  readonly claim: ClaimCredentials
  readonly limitRegistrations: RateLimit | undefined
  readonly limitFailures: RateLimit | undefined
  /** Gives each address a fair share of the changes that clients make. */
  readonly limitChanges: ConcurrencyLimit
  /** Rejects while the platform cannot answer. */
  readonly available: () => MaybePromise<void>
  readonly paceStarts: PaceStarts
  readonly logRefusal: LogRefusal
  /** The address of the console, which the pages link to. */
  readonly developersUrl: string | undefined
}

/** Makes the credentials of a claim link and deletes the link; undefined if the link is not valid. */
type ClaimCredentials = (token: string, requestId: string | undefined) => Promise<ClaimedCredentials | undefined>

interface ClaimedCredentials {
  readonly applicationName: string
  readonly credentials: { readonly clientId?: string; readonly clientSecret?: string }
}

/** `auth.registrationRouter`: developers register their applications with a form, programs with JSON. */
export function createRegistrationRouter(options: RegistrationRouterOptions): Middleware {
  const { register, claim, limitRegistrations, limitFailures, limitChanges } = options
  const { available, paceStarts, logRefusal, developersUrl } = options
  const apis = options.apis.filter(({ registration }) => registration !== 'closed')

  const routes: Record<string, Endpoint> = {
    'GET /': (_req, res) => sendForm(res, 200),
    'POST /': paceStarts(registerApplication),
    'GET /claim': (_req, res) => sendPage(res, 200, renderClaimPage(developersUrl), CONTENT_SECURITY_POLICY),
    'POST /claim': paceStarts(claimCredentials),
  }

  function sendForm(res: ServerResponse, status: number, problem?: string): void {
    sendPage(res, status, renderRegistrationPage(apis, developersUrl, problem), CONTENT_SECURITY_POLICY)
  }

  async function registerApplication(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { name, contact, apis: grants } = isForm(req) ? await readRegistrationForm(req) : await readJson(req)
    const address = readContact(contact)
    await available()
    const clientAddress = readClientAddress(req)
    await limitRegistrations?.(`address ${clientAddress}`)
    await limitRegistrations?.(`contact ${address.toLowerCase()}`)
    // register() checks the other fields.
    const application = { name: name as string, contact: address, apis: grants as string[] }
    await limitChanges(clientAddress, () => register(application, readRequestId(req)))
    if (isForm(req)) sendPage(res, 202, renderRegisteredPage(developersUrl), CONTENT_SECURITY_POLICY)
    else sendJson(res, 202, { status: 'accepted' }, { 'Cache-Control': 'no-store' })
  }

  async function claimCredentials(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { token } = await readJson(req)
    if (typeof token !== 'string' || token === '') throw new OAuthError('invalid_request', 'The link is not complete')
    await available()
    const claimed = await limitChanges(readClientAddress(req), () => claim(token, readRequestId(req)))
    if (!claimed) {
      // Counted after the look-up: a valid link always works, whatever else its address sends.
      await limitFailures?.(formatFailureKey(req, undefined))
      throw new OAuthError('invalid_request', 'The link has been used, has expired, or was replaced by a newer e-mail')
    }
    const { clientId, clientSecret } = claimed.credentials
    const document = { application: claimed.applicationName, client_id: clientId, client_secret: clientSecret }
    sendJson(res, 200, document, { 'Cache-Control': 'no-store' })
  }

  function sendRefusal(error: unknown, endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): void {
    const refusal = error instanceof ApplicationError ? toInvalidRequest(error) : error
    const denied = toDenial(refusal)
    logRefusal('registration', denied, unwrapCause(refusal))
    if (endpoint !== routes['POST /'] || !isForm(req) || res.headersSent) return sendDenial(req, res, denied)
    for (const [header, value] of Object.entries(denied.headers)) res.setHeader(header, value)
    // The rest of a body that is too large is not read.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendForm(res, denied.status, denied.description)
  }

  async function answer(endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await endpoint(req, res)
    } catch (error) {
      sendRefusal(error, endpoint, req, res)
    }
  }

  return function registrationRouter(req, res, next) {
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const endpoint = routes[`${method} ${parsePath(req.url ?? '/')}`]
    if (!endpoint) return next()
    void answer(endpoint, req, res)
  }
}

/** A form is answered with a page, JSON with JSON. */
function isForm(req: IncomingMessage): boolean {
  return parseMediaType(req).mediaType === 'application/x-www-form-urlencoded'
}

/** The fields of the form. `apis` occurs once for each checkbox. */
async function readRegistrationForm(req: IncomingMessage): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const apis: unknown[] = []
  for (const [name, value] of await readPairs(req)) {
    // A body parser of the host makes an array of repeated names, or an object if there are many of them.
    if (name === 'apis') {
      apis.push(...(typeof value === 'object' && value !== null ? Object.values(value) : [value]))
    } else if (name === 'name' || name === 'contact') {
      if (name in fields) throw new OAuthError('invalid_request', `The field ${name} must be given once`)
      fields[name] = value
    }
  }
  return { ...fields, apis }
}

async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (parseMediaType(req).mediaType !== 'application/json') {
    throw new OAuthError(
      'invalid_request',
      'The Content-Type must be application/json or application/x-www-form-urlencoded',
    )
  }
  const body = await readBody(req)
  if ('parsed' in body) return body.parsed
  const parsed = parseJson(body.text)
  if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>
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
function toInvalidRequest(error: ApplicationError): OAuthError {
  return new OAuthError('invalid_request', error.message.replaceAll('"', "'").replace(/[^\x20-\x7E]|\\/g, ' '))
}
