import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { waitForNextTurn } from '../../shared/lib/event-loop.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readClientAddress, readPath } from '../../shared/lib/request.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import { isPreflight, PREFLIGHT } from './cors.js'
import type { Endpoint, Middleware } from './middleware.js'
import type { LogRefusal } from './refusal-log.js'
import { closeUnfinished, toDenial, unwrapCause } from './respond.js'

type Refuse = (error: unknown, req: IncomingMessage, res: ServerResponse) => void

/** Everything that the endpoint throws is answered by `refuse`; where that throws, the connection is closed. */
export function answerErrors(endpoint: Endpoint, refuse: Refuse): (...args: Parameters<Endpoint>) => Promise<void> {
  return async function answer(req, res) {
    try {
      await endpoint(req, res)
    } catch (error) {
      try {
        refuse(error, req, res)
      } catch {
        closeUnfinished(res)
      }
    }
  }
}

export function logDenial(logRefusal: LogRefusal, subject: string, error: unknown, reason?: string): Denial {
  const denied = toDenial(error)
  logRefusal(subject, denied, unwrapCause(error), reason)
  return denied
}

/** Routes the requests for which `find` has an endpoint, by method (HEAD as GET) and path; every other one goes on to the host. */
export function createRouter(options: {
  readonly find: (method: string, path: string) => Endpoint | undefined
  /** Called first for each POST: throws for a form of another site. */
  readonly checkPost?: (req: IncomingMessage) => void
  readonly refuse: (endpoint: Endpoint, ...args: Parameters<Refuse>) => void
}): Middleware {
  const { find, checkPost, refuse } = ownMembers(options)
  return function platformRouter(req, res, next) {
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '')
    const endpoint = find(method, readPath(req))
    if (!endpoint) return next()
    const answer: Endpoint = () => {
      if (method === 'POST') checkPost?.(req)
      return endpoint(req, res)
    }
    void answerErrors(answer, (...args) => refuse(endpoint, ...args))(req, res)
  }
}

/** Path -> method -> endpoint. `*` stands for every method that is not listed. */
export type Routes = ReadonlyMap<string, Readonly<Record<string, Endpoint>>>

export type CheckMount = (req: IncomingMessage, isRoute: (path: string) => boolean) => void

/** Routes requests by paths, which match exactly, in case and slash; others go on to the host. */
export function createPathRouter(routes: Routes, checkMount?: CheckMount): Middleware {
  const isRoute = (path: string): boolean => routes.has(path)

  return function platformAuthRouter(req, res, next) {
    checkMount?.(req, isRoute)
    const methods = routes.get(readPath(req))
    const endpoint =
      methods && ((isPreflight(req) ? methods[PREFLIGHT] : undefined) ?? findEndpoint(methods, req.method ?? ''))
    if (endpoint) void endpoint(req, res)
    else next()
  }
}

function findEndpoint(methods: Readonly<Record<string, Endpoint>>, method: string): Endpoint | undefined {
  const name = Object.hasOwn(methods, method) ? method : '*'
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

export type PaceStarts = (endpoint: Endpoint) => Endpoint

/** A request costs some 0.2 ms, so that answers of the store and of other sockets are read every few milliseconds. */
const MAX_STARTS_PER_TURN = 8
/** This limit bounds memory, at some 2 kB for each waiting request beside the connection. */
const MAX_WAITING_REQUESTS = 10_000

/** Otherwise a client with a thousand connections makes each turn long, and a change waits for 15 of them. */
export function createPacedStart(): PaceStarts {
  const limitStarts = createConcurrencyLimit({
    atOnce: MAX_STARTS_PER_TURN,
    waiting: MAX_WAITING_REQUESTS,
    onOverflow: () => new StoreUnavailableError(`${MAX_WAITING_REQUESTS} requests are waiting to start.`),
  })
  const waitForTurn = (req: IncomingMessage): Promise<void> => limitStarts(readClientAddress(req), waitForNextTurn)

  return function paceStarts(endpoint) {
    return async function answerInTurn(req, res) {
      await waitForTurn(req)
      // The client has gone meanwhile.
      if (res.destroyed) return
      await endpoint(req, res)
    }
  }
}

/** Settles like `authentication`, or rejects with `StoreUnavailableError` after 5 seconds. The work goes on. */
export function limitAuthenticationTime<Result>(
  authentication: Promise<Result>,
  startedAt: number = performance.now(),
): Promise<Result> {
  const remaining = startedAt + CALL_TIMEOUT_MS - performance.now()
  const createError = (): Error => new StoreUnavailableError('There was no answer in time.')
  return withTimeout(authentication, Math.max(remaining, 0), createError)
}
