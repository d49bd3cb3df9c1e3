import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from '../../shared/contracts/denial.js'
import { parsePath, type Endpoint, type Middleware } from './middleware.js'
import type { LogRefusal } from './refusal-log.js'
import { closeUnfinished, toDenial, unwrapCause } from './respond.js'

/** Answers a request whose endpoint has thrown. */
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

/** Logs what was thrown, and returns the refusal for it. */
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
  const { find, checkPost, refuse } = options
  return function platformRouter(req, res, next) {
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '')
    const endpoint = find(method, parsePath(req.url ?? '/'))
    if (!endpoint) return next()
    const answer: Endpoint = () => {
      if (method === 'POST') checkPost?.(req)
      return endpoint(req, res)
    }
    void answerErrors(answer, (...args) => refuse(endpoint, ...args))(req, res)
  }
}
