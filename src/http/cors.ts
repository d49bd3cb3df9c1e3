import type { IncomingMessage, ServerResponse } from 'node:http'

/** Lets pages of the allowed origins read the answer; call it before answering. */
export type Cors = (req: IncomingMessage, res: ServerResponse) => void

/** Undefined where no origin is allowed: secrets don't belong in browsers, so that is the default. */
export function createCors(origins: '*' | readonly string[], moreExposed: readonly string[] = []): Cors | undefined {
  if (origins.length === 0) return undefined
  const exposed = ['WWW-Authenticate', 'Retry-After', ...moreExposed].join(', ')

  return function allowOrigin(req, res) {
    const { origin } = req.headers
    if (origins !== '*') res.appendHeader('Vary', 'Origin')
    if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return
    res.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
    res.setHeader('Access-Control-Expose-Headers', exposed)
    if (req.method !== 'OPTIONS') return
    res.setHeader('Access-Control-Allow-Methods', 'POST')
    res.setHeader(
      'Access-Control-Allow-Headers',
      req.headers['access-control-request-headers'] ?? 'Authorization, Content-Type',
    )
    res.setHeader('Access-Control-Max-Age', '600')
  }
}
