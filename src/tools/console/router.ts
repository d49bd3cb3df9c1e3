import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from '../../index.js'
import type { MakeResource, Resource } from './resource.js'
import { type DeveloperPages, withDeveloperPages } from '../../shared/web/page-frame.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import { parsePath, readHeader } from '../../shared/lib/request.js'

/** Serves the prepared resources and the routers of the platform; passes every other request on to the host. */
export function createRouter({
  resources,
  routers,
  pages,
}: {
  /** By path below the mount path. A function makes its resource when it is needed. */
  readonly resources: ReadonlyMap<string, Resource | MakeResource>
  /** By the first segment of the path, such as `register`. */
  readonly routers: ReadonlyMap<string, Middleware>
  /** What their pages name in the header. */
  readonly pages: DeveloperPages
}): Middleware {
  return function consoleRouter(req, res, next) {
    const url = req.url ?? '/'
    const path = parsePath(url)
    const query = /\?.*/s.exec(url)?.[0] ?? ''
    const [, first = ''] = path.split('/', 2)
    const router = routers.get(first)
    if (router) {
      req.url = (path.slice(first.length + 1) || '/') + query
      const goOn: typeof next = (error) => {
        req.url = url
        next(error)
      }
      return withDeveloperPages(pages, () => router(req, res, goOn))
    }
    const hasExtraSlash = path.length > 1 && path.endsWith('/')
    const found = resources.get(hasExtraSlash ? path.slice(0, -1) : path)
    if (!found || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    // Both redirects are relative and one path segment long, so they cannot leave this origin.
    if (hasExtraSlash) return redirect(res, `../${readLastSegment(path.slice(0, -1))}${query}`)
    const original = readOriginalPath(req)
    // Express also routes `/developers` to a router mounted at `/developers`, but relative links need the slash.
    if (path === '/' && !original.endsWith('/')) return redirect(res, `./${readLastSegment(original)}/${query}`)
    send(req, res, typeof found === 'function' ? found(() => choosePageLanguage(req, res)) : found)
  }
}

function send(req: IncomingMessage, res: ServerResponse, { type, headers, gzipped, plain }: Resource): void {
  for (const name of Object.keys(headers)) res.setHeader(name, headers[name]!)
  res.appendHeader('Vary', 'Accept-Encoding')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  if (hasEntityTag(req, headers['ETag'])) {
    res.statusCode = 304
    return void res.end()
  }
  const gzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(readHeader(req, 'accept-encoding') ?? '')
  const body = gzip ? gzipped : plain()
  res.statusCode = 200
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', body.length)
  if (gzip) res.setHeader('Content-Encoding', 'gzip')
  res.end(body)
}

/** RFC 9110 13.1.2: a list of entity tags, or *. Weak tags are compared without their mark. */
function hasEntityTag(req: IncomingMessage, tag: string | undefined): boolean {
  const wanted = readHeader(req, 'if-none-match') ?? ''
  if (tag === undefined || wanted === '') return false
  const removeMark = (each: string): string => each.trim().replace(/^W\//, '')
  return wanted.trim() === '*' || wanted.split(',').map(removeMark).includes(removeMark(tag))
}

function redirect(res: ServerResponse, location: string): void {
  res.setHeader('Location', location)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', 0)
  res.statusCode = 307
  res.end()
}

function readLastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The path before Express removed the mount path. */
function readOriginalPath(req: IncomingMessage): string {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  return parsePath(originalUrl)
}
