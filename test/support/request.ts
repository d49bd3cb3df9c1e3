import { createServer, type RequestListener, type Server } from 'node:http'
import supertest from 'supertest'

export type { Response, Test } from 'supertest'

/** More would keep apps that nobody needs any more in a process that runs hundreds of files. */
const MAX_OPEN = 100
const servers = new Map<RequestListener, { readonly server: Server; readonly close: Server['close'] }>()

/**
 * supertest's `request(app)`, with one server for all requests to an app: supertest opens a port for each request and closes it
 * afterwards, which takes as much processor time as the request.
 */
export function request(app: RequestListener | Server | string): ReturnType<typeof supertest> {
  if (typeof app !== 'function') return supertest(app)
  const known = servers.get(app)
  if (known) return supertest(known.server)
  const server = createServer(app).unref()
  const close = server.close.bind(server)
  // supertest opens it, and calls this after the first request.
  server.close = (done) => {
    done?.()
    return server
  }
  servers.set(app, { server, close })
  if (servers.size > MAX_OPEN) {
    const [oldest, opened] = servers.entries().next().value!
    servers.delete(oldest)
    opened.close()
  }
  return supertest(server)
}
