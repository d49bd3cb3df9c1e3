import { send, type Listener } from './send.js'

/** `fetch` for one app. A path without an origin is enough. */
export type AppFetch = (target: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` that sends its requests to an Express app, without a port: nothing listens, and nothing has to be closed.
 * Redirects are not followed.
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
    const { status, headers, body } = await send(app, {
      method: request.method,
      target: pathname + search,
      headers: { Host: host, ...Object.fromEntries(request.headers) },
      body: new Uint8Array(await request.arrayBuffer()),
    })
    const received = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
    )
    return new Response(HAS_NO_BODY.has(status) ? null : new Uint8Array(body), { status, headers: received })
  }
}

/** Statuses with which a `Response` may not have a body. */
const HAS_NO_BODY = new Set([204, 205, 304])
