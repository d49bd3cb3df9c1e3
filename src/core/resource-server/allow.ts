import { validateHeaderName, validateHeaderValue, type IncomingMessage, type ServerResponse } from 'node:http'
import { createOwnDenial, type Denial } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { type Next, handOnFailure } from '../http/middleware.js'
import { replaceForbidden } from '../http/respond.js'
import { describeValue } from '../../shared/lib/option-checks.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import type { AuthInfo, Identity } from './identity.js'
import type { ErrorResponders } from './error-responder.js'
import type { GuardConfig, Pass } from './guard-config.js'
import type { AllowRequest, OwnDenial } from './guard-options.js'
import { Failure, type Refusal } from './refusal.js'

type FormatErrorChallenge = GuardConfig['formatErrorChallenge']

export function createPassIfAllowed({ respondWithError, respondWithDenial }: ErrorResponders) {
  return function passIfAllowed(
    config: GuardConfig,
    req: IncomingMessage,
    res: ServerResponse,
    next: Next,
    identity: Identity,
    pass: Pass,
  ): void {
    const fail = (problem: unknown): void => respondWithError(config, new Failure(problem, identity), req, res, next)
    const settle = (answer: Answer): void => {
      if (answer !== true) respondWithDenial(config, refuse(answer, identity), req, res, next)
      // The host's time-out may have answered meanwhile; the handler would answer a second time.
      else if (!res.headersSent) pass(req, res, next, identity)
    }
    const answer = askAllow(config.allow!, identity.toAuthInfo(), req, config.formatErrorChallenge)
    if (answer instanceof Promise) handOnFailure(answer.then(settle, fail), res, next)
    else if (answer instanceof Error) fail(answer)
    else settle(answer)
  }
}

function refuse(denied: Denial, caller: Identity): Refusal {
  return { denied, reason: 'refused_by_host', caller, cause: undefined, details: undefined }
}

/** The host's answer: true or a refusal; or an error, with the cause for the log. */
function askAllow(
  allow: AllowRequest,
  auth: AuthInfo,
  req: IncomingMessage,
  formatErrorChallenge: FormatErrorChallenge,
): Answer | Error | Promise<Answer> {
  try {
    const answer: unknown = allow(auth, req)
    // The result may be any thenable, such as a promise of another Node context (Jest).
    if (!isThenable(answer)) return readAnswer(answer, formatErrorChallenge)
    return withTimeout(Promise.resolve(answer), CALL_TIMEOUT_MS, createTimeoutError)
      .then((settled) => readAnswer(settled, formatErrorChallenge))
      .catch((error: unknown) => Promise.reject(describeFailure(error)))
  } catch (error) {
    return describeFailure(error)
  }
}

type Answer = Denial | true

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return isObject(answer) && typeof answer['then'] === 'function'
}

/** An outage is 503. Everything else is 500, also an `OAuthError`: only the result of `allow` can refuse. */
function describeFailure(error: unknown): Error {
  return error instanceof StoreUnavailableError ? error : new Error('The allow of a guard failed.', { cause: error })
}

function createTimeoutError(): Error {
  return new StoreUnavailableError('The allow of a guard did not answer within 5 seconds.')
}

function readAnswer(answer: unknown, formatErrorChallenge: FormatErrorChallenge): Answer {
  if (answer === true) return true
  if (answer === false) return readDenial({}, formatErrorChallenge)
  if (isObject(answer)) return readDenial(answer, formatErrorChallenge)
  throw new TypeError(
    `The allow of a guard answered ${describeValue(answer, 'nothing')}, neither true or false nor a denial.`,
  )
}

function readDenial(given: object, formatErrorChallenge: FormatErrorChallenge): Denial {
  const { status = 403, error = 'access_denied', description = REFUSED, headers = {} } = ownMembers<OwnDenial>(given)
  const isValid =
    Number.isInteger(status) &&
    status >= 400 &&
    status <= 599 &&
    typeof error === 'string' &&
    ERROR_CODE.test(error) &&
    typeof description === 'string' &&
    isObject(headers)
  if (!isValid) throw new TypeError(`The allow of a guard answered ${describeValue(given)}, which is no denial.`)
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  const text = replaceForbidden(description)
  // RFC 9110 15.5.2 requires a challenge with 401, and the other refusals of guards with 403 have one.
  const challenge =
    status === 401 || status === 403 ? { 'WWW-Authenticate': formatErrorChallenge(error, text, status) } : {}
  return createOwnDenial(status, error, text, { ...challenge, ...headers })
}

const REFUSED = 'This request is not allowed'
/** RFC 6749 5.2, without spaces. */
const ERROR_CODE = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/
