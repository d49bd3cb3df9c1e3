import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers one request. An error that it throws is sent as a refusal. */
export type Endpoint = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** Lets a request go on; with an error, to the host's error middleware. */
export type Next = (error?: unknown) => void

/** Express middleware, typed so that Express 4, Express 5 and connect accept it. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** The path of a request target, without its query. */
export function parsePath(url: string): string {
  // A client may send the target in absolute form (RFC 9112 3.2.2).
  const target = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? url)
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}
