import { send, type Listener } from './send.js'

/** `fetch` for one app. A path without an origin is enough. */
export type AppFetch = (target: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` that sends its requests to an Express app, a router or another listener of Node's HTTP server, without a port: nothing
 * listens, and nothing has to be closed. It resolves what a server answers, errors too. Redirects are not followed. Rejects if there
 * is no answer within 10 seconds, if the connection is closed, or if a listener throws that is no app or router.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createTestPlatform, fetchFrom, headersFor } from 'express-platform-auth/testing'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * const app = express()
 * app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json([]))
 * const response = await fetchFrom(app)('/orders/items', { headers: await headersFor(auth, 'orders') })
 * response.status // 200
 * ```
 */
export function fetchFrom(app: Listener): AppFetch {
  return async function fetchFromApp(target, init) {
    const request = new Request(target instanceof Request ? target : new URL(target, 'http://localhost'), init)
    const { pathname, search, host } = new URL(request.url)
    const { status, rawHeaders, body } = await send(app, {
      method: request.method,
      target: pathname + search,
      headers: { Host: host, ...Object.fromEntries(request.headers) },
      body: new Uint8Array(await request.arrayBuffer()),
    })
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
    return new Response(HAS_NO_BODY.has(status) ? null : new Uint8Array(body), { status, headers })
  }
}

const HAS_NO_BODY = new Set([204, 205, 304])
