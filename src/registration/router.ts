import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import type { IssuedCredentials } from '../applications/applications-api.js'
import { readContact } from '../applications/validation.js'
import type { Register } from '../applications/registration.js'
import { ApplicationError, OAuthError } from '../contracts/errors.js'
import { readRequestId } from '../contracts/events.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { readClientAddress } from '../http/request.js'
import { readBody } from '../http/body.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { parseMediaType, readPairs } from '../http/form.js'
import { rootCause, toDenial, sendDenial, sendJson, sendPage } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import { claimPage, CONTENT_SECURITY_POLICY, registeredPage, registrationPage } from './pages.js'
import { parsePath } from '../http/middleware.js'
import { type Endpoint } from '../http/middleware.js'
import { type Middleware } from '../http/middleware.js'

interface RegistrationRouterOptions {
  readonly apis: ReadonlyMap<string, ApiSettings>
  readonly register: Register
  readonly claim: ClaimCredentials
  readonly registrations: RateLimit | undefined
  readonly available: () => MaybePromise<void>
  readonly logRefusal: LogRefusal
  /** The option `developersUrl`: where the pages lead back to. */
  readonly home: string | undefined
}

/** Makes the credentials of a claim link and deletes the link; undefined if the link is not valid. */
type ClaimCredentials = (
  token: string,
  requestId: string | undefined,
) => Promise<{ readonly applicationName: string; readonly credentials: Partial<IssuedCredentials> } | undefined>

/** `auth.registrationRouter`: where applications come by themselves, people by a form and programs by JSON. */
export function createRegistrationRouter(options: RegistrationRouterOptions): Middleware {
  const { apis, claim, registrations, available, logRefusal, home } = options
  const open = [...apis.values()]
    .filter(({ registration }) => registration !== 'closed')
    .map((api) => ({ ...api, manual: api.registration === 'manual' }))

  const routes: Record<string, Endpoint> = {
    'GET /': (_req, res) => sendForm(res, 200),
    'POST /': takeRegistration,
    'GET /claim': (_req, res) => sendPage(res, 200, claimPage(home), CONTENT_SECURITY_POLICY),
    'POST /claim': reveal,
  }

  async function takeRegistration(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { name, contact, apis: access } = isForm(req) ? await readRegistrationForm(req) : await readJson(req)
    const to = readContact(contact)
    await available()
    await registrations?.(`address ${readClientAddress(req)}`)
    await registrations?.(`contact ${to.toLowerCase()}`)
    // What is wrong with the others is said by register().
    const application = { name: name as string, contact: to, apis: access as string[] }
    await options.register(application, readRequestId(req))
    if (isForm(req)) sendPage(res, 202, registeredPage(home), CONTENT_SECURITY_POLICY)
    else sendJson(res, 202, { status: 'accepted' }, { 'Cache-Control': 'no-store' })
  }

  async function reveal(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { token } = await readJson(req)
    if (typeof token !== 'string' || token === '') throw new OAuthError('invalid_request', 'The link is not complete')
    await available()
    const claimed = await claim(token, readRequestId(req))
    if (!claimed)
      throw new OAuthError('invalid_request', 'The link has been used, has expired, or was replaced by a newer email')
    const { clientId, clientSecret } = claimed.credentials
    const document = { application: claimed.applicationName, client_id: clientId, client_secret: clientSecret }
    sendJson(res, 200, document, { 'Cache-Control': 'no-store' })
  }

  function sendForm(res: ServerResponse, status: number, problem?: string): void {
    sendPage(res, status, registrationPage(open, home, problem), CONTENT_SECURITY_POLICY)
  }

  return function registrationRouter(req, res, next) {
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const endpoint = routes[`${method} ${parsePath(req.url ?? '/')}`]
    if (!endpoint) return next()
    void answer(endpoint, req, res)
  }

  async function answer(endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await endpoint(req, res)
    } catch (error) {
      const refusal = error instanceof ApplicationError ? asInvalidRequest(error) : error
      const denied = toDenial(refusal)
      logRefusal('registration', denied, rootCause(refusal))
      if (endpoint !== takeRegistration || !isForm(req) || res.headersSent) return sendDenial(req, res, denied)
      for (const [header, value] of Object.entries(denied.headers)) res.setHeader(header, value)
      // Nobody waits for the rest of what is too large.
      if (!req.complete) res.setHeader('Connection', 'close')
      sendForm(res, denied.status, denied.description)
    }
  }
}

/** People come by a form and are answered by pages, programs by JSON. */
function isForm(req: IncomingMessage): boolean {
  return parseMediaType(req).mediaType === 'application/x-www-form-urlencoded'
}

/** A form's fields; `apis` may come more than once, as checkboxes do. */
async function readRegistrationForm(req: IncomingMessage): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = { apis: [] as unknown[] }
  for (const [name, value] of await readPairs(req)) {
    // Of many values a host's parser makes an array, or an object where they are more than it likes.
    if (name === 'apis') {
      const values: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value]
      fields['apis'] = [...(fields['apis'] as unknown[]), ...values]
    } else if (name === 'name' || name === 'contact') {
      if (name in fields) throw new OAuthError('invalid_request', `The field ${name} must be given once`)
      fields[name] = value
    }
  }
  return fields
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
  try {
    const parsed: unknown = JSON.parse(body.text)
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>
  } catch {
    // Said below, with what is no object.
  }
  throw new OAuthError('invalid_request', 'The body is not a JSON object')
}

/** What the caller got wrong, within the characters that RFC 6749 5.2 allows. */
function asInvalidRequest(error: ApplicationError): OAuthError {
  return new OAuthError('invalid_request', error.message.replaceAll('"', "'").replace(/[^\x20-\x7E]|\\/g, ' '))
}
