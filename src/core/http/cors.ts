import type { IncomingMessage, ServerResponse } from 'node:http'
import { readHeader } from '../../shared/lib/request.js'
import type { Endpoint } from './middleware.js'
import { sendEmpty } from './respond.js'

/** Sets the headers that let pages of the allowed origins read an answer. To be called before the answer is sent. */
export type Cors = (req: IncomingMessage, res: ServerResponse) => void

/** Undefined if no origin is allowed. That is the default, since client secrets do not belong in browsers. */
export function createCors(
  origins: '*' | readonly string[],
  additionalExposedHeaders: readonly string[] = [],
): Cors | undefined {
  if (origins.length === 0) return undefined
  const exposedHeaders = ['WWW-Authenticate', 'Retry-After', ...additionalExposedHeaders].join(', ')

  return function setCorsHeaders(req, res) {
    const origin = readHeader(req, 'origin')
    if (origins !== '*') res.appendHeader('Vary', 'Origin')
    if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return
    res.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
    res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
    if (req.method !== 'OPTIONS') return
    res.setHeader('Access-Control-Allow-Methods', 'POST')
    res.setHeader(
      'Access-Control-Allow-Headers',
      readHeader(req, 'access-control-request-headers') ?? 'Authorization, Content-Type',
    )
    res.setHeader('Access-Control-Max-Age', '600')
  }
}

export function addCors(endpoint: Endpoint, cors: Cors | undefined): Endpoint {
  if (!cors) return endpoint
  return function answerWithCors(req, res) {
    cors(req, res)
    return endpoint(req, res)
  }
}

/** No method of a request has this spelling. */
export const PREFLIGHT = 'OPTIONS of CORS'

/** A document that every page may read. It answers preflights; every other OPTIONS goes on to the host. */
export function routeDocument(endpoint: Endpoint): Record<string, Endpoint> {
  return { GET: endpoint, HEAD: endpoint, [PREFLIGHT]: answerPublicPreflight }
}

export function isPreflight(req: IncomingMessage): boolean {
  return (
    req.method === 'OPTIONS' &&
    readHeader(req, 'origin') !== undefined &&
    readHeader(req, 'access-control-request-method') !== undefined
  )
}

function answerPublicPreflight(req: IncomingMessage, res: ServerResponse): void {
  const headers = readHeader(req, 'access-control-request-headers')
  sendEmpty(res, 204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    ...(headers !== undefined && { 'Access-Control-Allow-Headers': headers }),
    'Access-Control-Max-Age': '600',
  })
}
