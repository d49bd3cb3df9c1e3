import type { IncomingMessage, ServerResponse } from 'node:http'
import { Passport, type Strategy } from 'passport'
import type { ApiSettings } from '../options/settings.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { Identity } from './authenticate.js'

/**
 * All that a strategy sees of a request. Passport writes on the request it is given, and passport-http-bearer reads
 * tokens from query and body: behind a passportRequest neither can happen, and the host's Passport never learns of ours.
 *
 * A class, since it holds the request: what a literal makes V8 learns to put straight among what lives long, and whatever
 * hangs on it stays until the next full collection. It holds all that is needed later, in place of closures made for each
 * request, which would cost more than what they do.
 */
export class PassportRequest {
  readonly api: ApiSettings
  /** The header that holds the credential, and no other. */
  readonly headers: Readonly<Record<string, string>>
  // Where passport-http-bearer would look for a token as well; of our own, so that no prototype's stands in.
  readonly body = undefined
  readonly query = undefined
  /** Where Passport leaves whom the strategy has found. */
  readonly identity: Identity | undefined = undefined
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly next: (error?: unknown) => void
  /** Whether the outcome comes in a later turn than the request. */
  waited = false

  constructor(
    api: ApiSettings,
    headers: PassportRequest['headers'],
    request: IncomingMessage,
    response: ServerResponse,
    next: PassportRequest['next'],
  ) {
    this.api = api
    this.headers = headers
    this.request = request
    this.response = response
    this.next = next
  }
}

/** Called once for each passportRequest: with who it is, or with a rejection's name or whatever else went wrong. */
export type Outcome = (passportRequest: PassportRequest, problem: unknown, identity?: Identity) => void

/** Runs a strategy on a passportRequest. */
export type Authenticate = (passportRequest: PassportRequest, outcome: Outcome) => void

/** What Passport may write its own refusal on; nobody sees it. */
const NO_RESPONSE = { setHeader() {} }

/** A strategy in a Passport of its own, registered by name: an instance handed to authenticate() would be shared by concurrent requests. */
export function privatePassport(strategy: object): Authenticate {
  const passport = new Passport()
  passport.use('guard', strategy as Strategy)
  const middleware = passport.authenticate('guard', {
    session: false,
    authInfo: false,
    assignProperty: 'identity',
    failWithError: true,
  }) as (req: PassportRequest, res: object, next: (problem?: unknown) => void) => void

  return function authenticate(passportRequest, outcome) {
    // Passport answers nothing here: a strategy that refuses what the guard had let through, or passes it on, lets nobody in.
    middleware(passportRequest, NO_RESPONSE, (problem) => {
      const { identity } = passportRequest
      outcome(passportRequest, problem ?? (identity ? undefined : new Error('The strategy passed.')), identity)
    })
  }
}

/** Who a passportRequest's credential stands for, or the rejection's name. */
export type Verify = (passportRequest: PassportRequest, credential: string) => MaybePromise<Identity | string>

type Done = (problem: Error | null, identity?: Identity) => void

/** Hands a verification's result to a strategy, at once if it is there. What `done` throws is never taken for a refusal. */
export function settle(verify: Verify, passportRequest: PassportRequest, credential: string, done: Done): void {
  let result: MaybePromise<Identity | string>
  try {
    result = verify(passportRequest, credential)
  } catch (error) {
    done(error as Error)
    return
  }
  if (result instanceof Promise) finishAfter(result, done)
  else finish(result, done)
}

function finishAfter(known: Promise<Identity | string>, done: Done): void {
  known.then((who) => finish(who, done), done)
}

function finish(who: Identity | string, done: Done): void {
  if (typeof who === 'string') done(who as unknown as Error)
  else done(null, who)
}
