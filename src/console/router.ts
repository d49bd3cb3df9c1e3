import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from '../index.js'

/** A response body made at start-up. */
export interface Resource {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly gzipped: Buffer
  plain(): Buffer
}

interface RouterOptions {
  /** By path below the mount path. */
  readonly resources: ReadonlyMap<string, Resource>
  readonly registrationRouter: Middleware | undefined
}

/** Serves the prepared resources and the registration router; passes every other request on to the host. */
export function createRouter({ resources, registrationRouter }: RouterOptions): Middleware {
  return function consoleRouter(req, res, next) {
    const url = req.url ?? '/'
    const { path, query } = splitUrl(url)
    if (registrationRouter && /^\/register(?:\/|$)/.test(path)) {
      req.url = (path.slice('/register'.length) || '/') + query
      return registrationRouter(req, res, (error) => {
        req.url = url
        next(error)
      })
    }
    const found = resources.get(path)
    if (!found || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    if (path === '/' && !endsWithSlash(req)) return redirectToSlash(req, res)
    send(req, res, found)
  }
}

function send(req: IncomingMessage, res: ServerResponse, { type, headers, gzipped, plain }: Resource): void {
  const gzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(req.headers['accept-encoding']?.toString() ?? '')
  const body = gzip ? gzipped : plain()
  res.statusCode = 200
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', body.length)
  if (gzip) res.setHeader('Content-Encoding', 'gzip')
  res.appendHeader('Vary', 'Accept-Encoding')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  for (const name in headers) res.setHeader(name, headers[name]!)
  res.end(body)
}

/** Express also routes `/developers` to a router mounted at `/developers`, but relative links need the trailing slash. */
function endsWithSlash(req: IncomingMessage): boolean {
  return readOriginalPath(req).endsWith('/')
}

function redirectToSlash(req: IncomingMessage, res: ServerResponse): void {
  const path = readOriginalPath(req)
  // "./" and a single path segment: the redirect is relative and cannot leave this origin.
  res.setHeader('Location', `./${path.slice(path.lastIndexOf('/') + 1)}/${splitUrl(req.url ?? '/').query}`)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', 0)
  res.statusCode = 307
  res.end()
}

/** The path before Express removed the mount path. */
function readOriginalPath(req: IncomingMessage): string {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  return splitUrl(originalUrl).path
}

function splitUrl(url: string): { path: string; query: string } {
  // The absolute form of a request target (RFC 9112 section 3.2.2).
  const target = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const query = target.indexOf('?')
  if (query < 0) return { path: target || '/', query: '' }
  return { path: target.slice(0, query) || '/', query: target.slice(query) }
}
