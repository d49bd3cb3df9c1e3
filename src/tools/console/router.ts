import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Language, Middleware } from '../../index.js'
import { inLanguage } from './words.js'
import { type DeveloperPages, withDeveloperPages } from '../../shared/web/page-frame.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import { readPath, readHeader, readOriginalPath } from '../../shared/lib/request.js'

export interface Resource {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly gzipped: Buffer
  plain(): Buffer
}

/** Makes a resource when it is requested. Pages ask for the language of the request; what programs read has none. */
export type MakeResource = (chooseLanguage: () => Language) => Resource

/**
 * A page that is rendered at its first request in a language and then kept, because rendering all of them would delay the start. `kept`
 * may be of many pages: then each has a `path`.
 */
export function createLatePageResource(
  render: () => string,
  policy: string,
  kept: { get(key: string): Resource | undefined; set(key: string, made: Resource): unknown } = new Map(),
  path = '',
): MakeResource {
  return (chooseLanguage) => {
    const language = chooseLanguage()
    const known = kept.get(`${language} ${path}`)
    if (known) return known
    const made = createResource(Buffer.from(inLanguage(language, render)), 'text/html; charset=utf-8', {
      // Credentials are typed into these pages: browsers must not store them, not even for the back button, nor send their URL.
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
    })
    kept.set(`${language} ${path}`, made)
    return made
  }
}

/** A document for programs, made at the first request, as large ones would delay the start. Any origin may read it. */
export function createDocumentResource(type: string, create: () => string): MakeResource {
  let made: Resource | undefined
  return () => (made ??= createDocument(type, Buffer.from(create())))
}

/** The tag is weak (RFC 9110 8.8.1), because the compressed and the plain body share it. */
function createDocument(type: string, content: Buffer): Resource {
  const tag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  return createResource(content, type, {
    'Cache-Control': 'no-cache',
    'Access-Control-Allow-Origin': '*',
    ETag: tag,
  })
}

function createResource(content: Buffer, type: string, headers: Resource['headers']): Resource {
  const gzipped = gzipSync(content)
  // Nearly all clients accept gzip, so the plain text is not kept.
  return { type, headers, gzipped, plain: () => gunzipSync(gzipped) }
}

/** Serves the prepared resources and the routers of the platform; passes every other request on to the host. */
export function createRouter(
  /** By path below the mount path. A function makes its resource when it is needed. */
  resources: ReadonlyMap<string, Resource | MakeResource>,
  /** By the first segment of the path, such as `register`. */
  routers: ReadonlyMap<string, Middleware>,
  pages: DeveloperPages,
): Middleware {
  return function consoleRouter(req, res, next) {
    const url = req.url ?? '/'
    const path = readPath(req)
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
