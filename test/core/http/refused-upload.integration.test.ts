import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import compression from 'compression'
import express from 'express'
import session from 'express-session'
import express4 from 'express4'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBody } from '../../../src/core/http/form.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { listen } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { listRefusedUploads, sendUploads } from './refused-uploads.js'

const KB = 1000

it('an upload that ended before it was read is refused with invalid_request, and not reported as a mistake of the app', async () => {
  const refusals: unknown[] = []
  let isArrived = false
  const { port, close } = await listen((req) => {
    isArrived = true
    const read = () => void readBody(req).catch((error: unknown) => refusals.push(error))
    req.on('error', () => undefined).on('close', read)
  })
  const socket = connect(port)
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"name":')
  await waitUntil(() => isArrived)
  socket.destroy()
  await waitUntil(() => refusals.length > 0)
  expect(refusals).toMatchObject([{ status: 400, code: 'invalid_request' }])
  await close()
})

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
] as const)('a refused upload, %s', (name, create) => {
  /** Bounds of bytes and time are those of the socket, whatever the version of Express. */
  const isWhole = IS_LONG_LANE || name === 'Express 5'
  let host: Awaited<ReturnType<typeof listen>>
  let auth: ReturnType<typeof openPlatform>['auth']
  const handled: string[] = []
  const finished: string[] = []
  const kept: number[] = []

  beforeAll(async () => {
    const mailer = memoryMailer()
    ;({ auth } = openPlatform({
      mailer,
      operators: ['ops@example.com'],
      developersUrl: 'https://api.example.com/developers',
      rateLimits: { failedAuthentication: false, registration: false },
    }))
    const app = create()
    app.use('/wrapped', compression({ threshold: 0 }))
    app.use('/wrapped', session({ secret: 'a secret', resave: true, saveUninitialized: true }))
    app.use('/wrapped', (req, res, next) => {
      res.on('finish', () => finished.push(req.method))
      next()
    })
    app.use('/wrapped', auth.requireApiKey('catalog'))
    app.use('/kept', (req, _res, next) => {
      const keep = (chunk: Buffer | null): void => void (chunk && kept.push(chunk.length))
      if (req.url.endsWith('data')) req.on('data', keep)
      else req.on('readable', () => keep(req.read() as Buffer | null))
      setTimeout(next, 20)
    })
    app.use('/kept', auth.requireApiKey('catalog'))
    app.use(auth.router)
    app.use('/register', auth.registration.router, auth.emails.router)
    app.use('/applications', auth.portal.router)
    app.use('/orders', auth.requireBearer('orders'), (req, res) => void res.json(handled.push(req.url)))
    app.use('/catalog', auth.requireApiKey('catalog'), (req, res) => void res.json(handled.push(req.url)))
    app.get('/open', (_req, res) => void res.json(handled.push('open')))
    host = await listen(app)
    await auth.ready()
  })
  afterAll(async () => {
    await host.close()
    await auth.close()
  })

  const SIZES = [
    [70 * KB, 'chunked'],
    [1000 * KB, 'length'],
    [70 * KB, 'length'],
    [1000 * KB, 'chunked'],
    [1000 * KB, 'expect'],
    [16_000 * KB, 'length'],
  ] as const
  it.each(isWhole ? SIZES : SIZES.slice(0, 2))(
    'of %d bytes gets its status at a client that writes everything before it reads: %s',
    async (bytes, how) => {
      const uploads = listRefusedUploads({ bytes, how })
      expect(await sendUploads(host.port, uploads)).toEqual(uploads.map(({ status }) => status))
    },
  )

  it('gets its status within the bound of time if it is slow', async () => {
    const [upload] = listRefusedUploads({ bytes: 200 * KB, how: 'slow', seconds: 2 })
    expect(await sendUploads(host.port, [upload!])).toEqual(['401'])
  })

  it('is answered at once and whole, before the rest has arrived', async () => {
    const { socket, received } = open('POST /orders/items HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\nx')
    await waitUntil(() => received().endsWith('}'))
    expect(received()).toMatch(/^HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n/i)
    await sleep(100)
    expect(socket.readyState).toBe('open')
    socket.write('x'.repeat(499_999))
    await waitUntil(() => socket.destroyed)
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('ends the connection when it is whole, which serves no other request', async () => {
    const { socket, received } = open('POST /catalog/items HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    await waitUntil(() => received().endsWith('}'))
    handled.length = 0
    socket.write('1\r\nx\r\n0\r\n\r\nGET /open HTTP/1.1\r\nHost: a\r\n\r\n')
    await waitUntil(() => socket.destroyed)
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(handled).toEqual([])
  })

  it('that arrived together with a further request serves both', async () => {
    handled.length = 0
    const { socket, received } = open(
      'POST /catalog/items HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nGET /open HTTP/1.1\r\nHost: a\r\n\r\n',
    )
    await waitUntil(() => received().match(/HTTP\/1\.1/g)?.length === 2)
    expect(received()).not.toMatch(/connection: close/i)
    expect(handled).toEqual(['open'])
    socket.destroy()
  })

  it.each(['GET', 'HEAD', 'POST'])('is answered whole through middleware that wraps the answer: %s', async (method) => {
    const { socket, received } = open(
      `${method} /wrapped HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nContent-Length: 500000\r\n\r\nx`,
    )
    await waitUntil(() => /^HTTP\/1\.1 401 [^]*\r\n\r\n/.test(received()))
    if (method !== 'HEAD') await waitUntil(() => /\r\n0\r\n\r\n$|\}$/.test(received()))
    await waitUntil(() => finished.includes(method))
    socket.write('x'.repeat(499_999))
    await waitUntil(() => socket.destroyed)
  })

  it.each(['data', 'readable'])('is not kept by a middleware that reads it: %s', async (how) => {
    kept.length = 0
    const { socket, received } = open(`POST /kept?${how} HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nx`)
    await waitUntil(() => received().endsWith('}'))
    socket.write('x'.repeat(899_999))
    await waitUntil(() => socket.destroyed)
    expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(1)
  })

  it('is answered to a client of HTTP/1.0 that reads until the end', async () => {
    const { socket, received } = open(
      'POST /wrapped HTTP/1.0\r\nHost: a\r\nAccept-Encoding: gzip\r\nContent-Length: 500000\r\n\r\nx',
    )
    const start = performance.now()
    await waitUntil(() => socket.readableEnded || socket.destroyed)
    expect(received()).toMatch(/^HTTP\/1\.1 401 /)
    expect(performance.now() - start).toBeLessThan(5000)
    socket.destroy()
  })

  it('of more than 64 MiB is cut off', async () => {
    const { socket, received } = open('POST /catalog/items HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n')
    const block = Buffer.alloc(1024 * 1024)
    let sent = 0
    const write = (): void => {
      while (!socket.destroyed && sent < 200) {
        sent += 1
        if (!socket.write(block)) return void socket.once('drain', write)
      }
    }
    write()
    await waitUntil(() => socket.destroyed, { timeout: 20_000 })
    expect(received()).toMatch(/^HTTP\/1\.1 401 /)
    expect(sent).toBeGreaterThan(60)
    expect(sent).toBeLessThan(90)
  })

  it('that does not go on is cut off after ten seconds, which close() of the server waits for at most', async () => {
    const { socket } = open('POST /catalog/items HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\nx')
    const start = performance.now()
    await waitUntil(() => socket.destroyed, { timeout: 30_000 })
    expect(performance.now() - start).toBeGreaterThan(9000)
  }, 40_000)

  it('leaves small ones and their connections as they are', async () => {
    const { socket, received } = open('POST /catalog/items HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    await waitUntil(() => received().endsWith('}'))
    socket.write(`${'x'.repeat(1000)}GET /open HTTP/1.1\r\nHost: a\r\n\r\n`)
    await waitUntil(() => received().match(/HTTP\/1\.1/g)?.length === 2)
    expect(received()).not.toMatch(/connection: close/i)
    socket.destroy()
  })

  function open(text: string) {
    const socket = connect(host.port, '127.0.0.1')
    let all = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => void (all += chunk))
    socket.on('error', () => undefined)
    socket.write(text)
    return { socket, received: () => all }
  }
})

describe('endless refused uploads', () => {
  it('hold at most 1,000 connections, and others are answered meanwhile', async () => {
    const { auth } = openPlatform({ rateLimits: { failedAuthentication: false } })
    const app = express().use(auth.router)
    app.use('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
    const { port, server, close } = await listen(app)
    await auth.ready()
    const sockets = Array.from({ length: 1100 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write('POST /catalog/items HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\nx')
      return socket.resume()
    })
    try {
      const countOpen = (): Promise<number> =>
        new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
      await waitUntil(
        async () => sockets.filter(({ destroyed }) => destroyed).length >= 100 && (await countOpen()) <= 1000,
      )
      // One may be counted before another that is being closed has gone.
      expect(sockets.filter(({ destroyed }) => destroyed).length).toBeLessThan(200)
      // The newest have most of their time before them.
      expect(sockets.slice(-200).some(({ destroyed }) => destroyed)).toBe(false)
      const uploads = listRefusedUploads({ bytes: 1000, how: 'length' }).slice(2, 3)
      expect(await sendUploads(port, uploads)).toEqual(['401'])
    } finally {
      for (const socket of sockets) socket.destroy()
      await close()
      await auth.close()
    }
  })
})
