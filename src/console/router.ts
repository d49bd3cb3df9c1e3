import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from '../index.js'

/** Something to answer with, as it lies ready. */
export interface Resource {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly gzipped: Buffer
  plain(): Buffer
}

interface RouterOptions {
  /** By path. */
  readonly resources: ReadonlyMap<string, Resource>
  readonly registrationRouter: Middleware | undefined
}

/** Answers with what is there; everything else goes on to the host. */
export function createRouter({ resources, registrationRouter }: RouterOptions): Middleware {
  return function consoleRouter(req, res, next) {
    const url = req.url ?? '/'
    const { path, query } = partsOf(url)
    if (registrationRouter && /^\/register(?:\/|$)/.test(path)) {
      req.url = (path.slice('/register'.length) || '/') + query
      return registrationRouter(req, res, (error) => {
        req.url = url
        next(error)
      })
    }
    const found = resources.get(path)
    if (!found || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    if (path === '/' && !hasSlash(req)) return addSlash(req, res)
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

/** Mounted at /developers, /developers itself comes here as well; relative links want the slash. */
function hasSlash(req: IncomingMessage): boolean {
  return originalPath(req).endsWith('/')
}

function addSlash(req: IncomingMessage, res: ServerResponse): void {
  const path = originalPath(req)
  // Relative as well, and never away from here: "./" before it, no slash in it.
  res.setHeader('Location', `./${path.slice(path.lastIndexOf('/') + 1)}/${partsOf(req.url ?? '/').query}`)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', 0)
  res.statusCode = 307
  res.end()
}

/** The path as it came, before Express took off what the console is mounted at. */
function originalPath(req: IncomingMessage): string {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  return partsOf(originalUrl).path
}

function partsOf(url: string): { path: string; query: string } {
  // A client may send the whole address (RFC 9112 3.2.2).
  const target = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const query = target.indexOf('?')
  if (query < 0) return { path: target || '/', query: '' }
  return { path: target.slice(0, query) || '/', query: target.slice(query) }
}
