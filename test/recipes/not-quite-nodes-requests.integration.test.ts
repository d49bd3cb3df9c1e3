import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ErrorRequestHandler } from 'express'
import express from 'express'
import expressWs from 'express-ws'
import { createMocks } from 'node-mocks-http'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authOf, ConfigurationError } from '../../src/index.js'
import { accessTokenFor } from '../../src/tools/testing/index.js'
import { usePlatform } from '../support/platform.js'

describe('requests that are not quite those of Node', () => {
  const { auth } = usePlatform({ now: () => Date.now() })
  let token: string
  beforeAll(async () => void (token = await accessTokenFor(auth, 'orders', { scopes: ['orders:read'] })))

  describe('docs/existing-apps.md: express-ws', () => {
    const errors: unknown[] = []
    let server: ReturnType<express.Express['listen']>

    beforeAll(async () => {
      const app = express()
      app.use('/before', auth.requireBearer('orders'))
      const { app: withWs } = expressWs(app as never)
      withWs.ws('/before/orders', (ws, req) => ws.send(`for ${authOf(req).application.name}`))
      withWs.ws('/route', auth.requireBearer('orders') as never, (ws) => ws.send('the handler'))
      withWs.ws('/optional', auth.requireBearer('orders', { optional: true }) as never, (ws) => ws.send('the handler'))
      const any = auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')], { optional: true })
      withWs.ws('/any', any as never, (ws) => ws.send('the handler'))
      withWs.ws('/key', auth.requireApiKey('catalog') as never, (ws) => ws.send('the handler'))
      app.use(((error, _req, res, _next) => {
        errors.push(error)
        res.status(500).end()
      }) as ErrorRequestHandler)
      server = app.listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    afterAll(() => void server.close())

    /** The first message, or that the socket was closed without one. */
    async function open(path: string, headers: Record<string, string>): Promise<string> {
      const { port } = server.address() as AddressInfo
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
      const signal = AbortSignal.timeout(20_000)
      try {
        return await Promise.race([
          once(socket, 'message', { signal }).then(([message]) => String(message)),
          once(socket, 'close', { signal }).then(() => 'closed'),
        ])
      } finally {
        socket.terminate()
      }
    }

    it('a guard mounted before with app.use() opens for a token, and closes for a wrong one and for none', async () => {
      expect(await open('/before/orders', { Authorization: `Bearer ${token}` })).toMatch(/^for /)
      expect(await open('/before/orders', { Authorization: 'Bearer x' })).toBe('closed')
      expect(await open('/before/orders', {})).toBe('closed')
      expect(errors).toEqual([])
    })

    it.each(['/route', '/optional', '/any', '/key'])(
      'a guard within app.ws() tells the error handler what is wrong, and never opens: %s',
      async (path) => {
        for (const headers of [{ Authorization: `Bearer ${token}` }, {}]) {
          errors.length = 0
          expect(await open(path, headers as Record<string, string>)).toBe('closed')
          expect(errors).toEqual([expect.any(ConfigurationError)])
          expect(String(errors[0])).toMatch(/app\.use\(/)
        }
      },
    )
  })

  it('mocks of node-mocks-http get the answers of real requests', async () => {
    async function answer(headers: Record<string, string>) {
      const { req, res } = createMocks({ method: 'GET', url: '/', headers }, { eventEmitter: EventEmitter })
      const passed = await new Promise<boolean>((resolve) => {
        res.on('end', () => resolve(false))
        auth.requireBearer('orders')(req as never, res as never, () => resolve(true))
      })
      if (passed) return 'passed'
      const { _getData: getData } = res
      const body = JSON.parse(String(getData())) as { readonly error: string }
      return [res.statusCode, body.error, res.getHeader('cache-control')]
    }
    expect(await answer({ authorization: `Bearer ${token}` })).toBe('passed')
    expect(await answer({})).toEqual([401, 'unauthorized', 'no-store'])
    expect(await answer({ authorization: 'Bearer x' })).toEqual([401, 'invalid_token', 'no-store'])
    expect(await answer({ authorization: 'Bearer a b' })).toEqual([400, 'invalid_request', 'no-store'])
  })
})
