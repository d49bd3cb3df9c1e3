import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeUnfinished } from './respond.js'
import { readPath } from '../../shared/lib/request.js'

/** Answers one request. An error that it throws is sent as a refusal. */
export type Endpoint = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** Lets a request go on; with an error, to the host's error middleware. */
export type Next = (error?: unknown) => void

/** Express middleware, typed so that Express 4, Express 5 and connect accept it. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** The decoded segments of a path; a slash at its end does not matter. Undefined for what cannot be decoded, and for control characters, which databases reject. */
export function readSegments(req: IncomingMessage): readonly string[] | undefined {
  const path = readPath(req).replace(/^\/|\/$/g, '')
  try {
    const segments = path === '' ? [] : path.split('/').map(decodeURIComponent)
    return segments.some((segment) => /\p{Cc}/u.test(segment)) ? undefined : segments
  } catch {
    return undefined
  }
}

/** Calls a function once, when a response has been sent or its connection has ended. */
export function whenAnswered(res: ServerResponse, call: () => void): void {
  if (res.destroyed || res.writableFinished) return call()
  const callOnce = (): void => {
    res.off('finish', callOnce).off('close', callOnce)
    call()
  }
  res.on('finish', callOnce).on('close', callOnce)
}

/** Nobody else catches what the continuation of a guard's promise throws: the request would hang, and the process end. */
export function handOnFailure(work: PromiseLike<unknown>, res: ServerResponse, next: (error: Error) => void): void {
  Promise.resolve(work).catch((error: unknown) => {
    try {
      next(toError(error))
    } catch {
      closeSafely(res)
    }
  })
}

/** An error in any case: with nothing, or with `'route'`, next() would go on to the handler. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('A guard failed.', { cause: error })
}

function closeSafely(res: ServerResponse): void {
  try {
    closeUnfinished(res)
  } catch {
    // The response of a wrapper may lack destroy(). There is nothing left to report the failure to.
  }
}
