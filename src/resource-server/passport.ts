import type { IncomingMessage } from 'node:http'
import { Passport, type Strategy } from 'passport'
import type { ApiSettings } from '../api-options.js'
import type { Eventually } from '../eventually.js'
import type { Identity } from './identity.js'

/**
 * All that a strategy sees of a request. Passport writes on the request it is given, and passport-http-bearer reads
 * tokens from query and body: behind a facade neither can happen, and the host's Passport never learns of ours.
 */
export interface Facade {
  readonly headers: Readonly<Record<string, string>>
  readonly api: ApiSettings
  /** For the event of a key's first use. */
  readonly request: IncomingMessage
  // Where passport-http-bearer would look for a token as well; of our own, so that no prototype's stands in.
  readonly body: undefined
  readonly query: undefined
}

/** Called once: with who it is, or with a rejection's name or whatever else went wrong. */
export type Outcome = (problem: unknown, identity?: Identity) => void

/** Runs a strategy on a facade. */
export type Authenticate = (facade: Facade, outcome: Outcome) => void

/** A strategy in a Passport of its own, registered by name: an instance handed to authenticate() would be shared by concurrent requests. */
export function privatePassport(strategy: object): Authenticate {
  const passport = new Passport()
  passport.use('guard', strategy as Strategy)

  return function authenticate(facade, outcome) {
    const middleware = passport.authenticate('guard', { session: false }, (problem: unknown, identity: unknown) => {
      if (problem || !identity) outcome(problem ?? new Error('The strategy refused what the guard had let through.'))
      else outcome(undefined, identity as Identity)
    }) as (req: Facade, res: object, next: (problem: unknown) => void) => void
    // Passport calls next only to pass without an identity, or with an error of its own: neither lets anybody in.
    middleware(facade, {}, (problem) => outcome(problem ?? new Error('The strategy passed.')))
  }
}

/** Hands a verification's result to a strategy, at once if it is there. What `done` throws is never taken for a refusal. */
export function settle(
  verify: () => Eventually<Identity | string>,
  done: (problem: Error | null, identity?: Identity) => void,
): void {
  const finish = (result: Identity | string): void =>
    typeof result === 'string' ? done(result as unknown as Error) : done(null, result)
  let result: Eventually<Identity | string>
  try {
    result = verify()
  } catch (error) {
    done(error as Error)
    return
  }
  if (result instanceof Promise) void result.then(finish, done)
  else finish(result)
}
