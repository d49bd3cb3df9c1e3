import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import express4 from 'express4'
import express5 from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fetchFrom } from '../../../src/tools/testing/index.js'
import { useServer } from '../../support/http.js'

const boom = (error: object): Error => Object.assign(new Error('boom <b>  "x"'), error)

/** Routes of which each ends in another way. */
function fill<App extends typeof express5.application | express5.Router>(app: App): App {
  const routes = app as express5.Router
  routes.get('/status', (_req, _res, next) => next(boom({ status: 418 })))
  routes.get('/status-code', (_req, _res, next) => next(boom({ statusCode: 409, headers: { 'Retry-After': '3' } })))
  routes.get('/thrown', () => {
    throw boom({})
  })
  routes.get('/thrown-text', () => {
    // oxlint-disable-next-line no-throw-literal -- apps do
    throw 'a text'
  })
  routes.get('/wrong-status', (_req, _res, next) => next(boom({ status: 200 })))
  routes.get('/set-before', (_req, res, next) => {
    res.status(503).set({ 'X-Own': 'kept', 'Content-Encoding': 'gzip' })
    next(boom({}))
  })
  routes.get('/next-route', (_req, _res, next) => next('route'))
  routes.get('/next-router', (_req, _res, next) => next('router'))
  routes.get('/head', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/plain', 'X-Twice': ['a', 'b'] }).end('written')
  })
  routes.get('/cookies', (_req, res) => void res.cookie('a', '1').cookie('b', '2').end())
  routes.get('/not-modified', (_req, res) => void res.status(304).set('ETag', '"1"').end())
  routes.post('/echo', (req, res) => void req.pipe(res.status(201)))
  return app
}

const plain: RequestListener = (req, res) => {
  if (req.url === '/head') res.writeHead(203, 'Own text', { 'Content-Type': 'text/plain', 'X-A': 'b' }).end('plain')
  else if (req.url === '/early') {
    res.writeEarlyHints({ link: '</style.css>; rel=preload' })
    res.end('after hints')
  } else if (req.method === 'POST') void req.pipe(res)
  else res.writeHead(404).end()
}

const LISTENERS: readonly (readonly [string, () => RequestListener, asServer?: () => RequestListener])[] = [
  ['an app of Express 5', () => fill(express5())],
  ['an app of Express 4', () => fill(express4() as unknown as express5.Express)],
  ['an app without routes', () => express5()],
  // A router does not listen by itself: what a server answers is what an app answers for it.
  [
    'a router of Express 5',
    () => fill(express5.Router()) as unknown as RequestListener,
    () => express5().use(fill(express5.Router())),
  ],
  [
    'a router of Express 4',
    () => fill(express4.Router() as unknown as express5.Router) as unknown as RequestListener,
    () => (express4() as unknown as express5.Express).use(fill(express4.Router() as unknown as express5.Router)),
  ],
  ['a plain listener', () => plain],
  [
    'a plain listener that is asynchronous',
    () => async (req, res) => {
      await Promise.resolve()
      plain(req, res)
    },
  ],
]

const REQUESTS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ...(
    '/status /status-code /thrown /thrown-text /wrong-status /set-before /next-route /next-router /head ' +
    '/early /cookies /not-modified /unknown?a=b /a%20b/%3Cx%3E /'
  )
    .split(' ')
    .map((path) => [path] as const),
  ['/head', { method: 'HEAD' }],
  ['/status', { method: 'HEAD' }],
  ['/echo', { method: 'POST', body: 'x'.repeat(200_000) }],
  ['/echo', { method: 'DELETE' }],
  ['/head', { method: 'OPTIONS' }],
]

describe.each(LISTENERS.map(([name, create, asServer = create]) => ({ name, create, asServer })))(
  'fetchFrom() answers what a server answers for $name',
  ({ create, asServer }) => {
    it.each(REQUESTS.map(([path, init = {}]) => ({ path, init })))('$init.method $path', async ({ path, init }) => {
      const { url } = await useServer(asServer())
      const expected = await describeAnswer(await fetch(url + path, { ...init, redirect: 'manual' }))
      expect(await describeAnswer(await fetchFrom(create())(path, init))).toEqual(expected)
    })
  },
)

describe('fetchFrom()', () => {
  it('rejects with the error of a listener that throws, which ends the process of a server', async () => {
    const fails = (): never => {
      throw boom({})
    }
    await expect(fetchFrom(fails)('/')).rejects.toThrow('boom')
    await expect(fetchFrom(async () => Promise.reject(boom({})))('/')).rejects.toThrow('boom')
  })

  it('says that a listener has closed the connection', async () => {
    const close = (_req: IncomingMessage, res: ServerResponse): void => void res.write('half', () => res.destroy())
    await expect(fetchFrom(close)('/x')).rejects.toThrow('GET /x was not answered: the connection was closed.')
  })

  it('gives middleware a next(), which answers 404', async () => {
    const answer = fetchFrom((_req, _res, next) => next())
    const response = await answer('/x')
    expect([response.status, await response.text()]).toEqual([404, '<pre>Cannot GET /x</pre>'])
    // As text: a URL keeps these characters.
    expect(await (await answer("/'&copy;")).text()).toBe('<pre>Cannot GET /&#39;&#38;copy;</pre>')
  })

  it('does not use a client that tests replace, and reads long answers of every form', async () => {
    const original = http.request
    http.request = () => expect.fail('The client was used.')
    syncBuiltinESMExports()
    onTestFinished(() => {
      http.request = original
      syncBuiltinESMExports()
    })
    const piece = Buffer.alloc(50_000, 'abc\r\n\r\n')
    const answerIn: Record<string, RequestListener> = {
      chunks: (_req, res) => void Readable.from(Array.from({ length: 400 }, () => piece)).pipe(res),
      length: (_req, res) =>
        void res
          .setHeader('Content-Length', 400 * piece.length)
          .end(Buffer.concat(Array.from({ length: 400 }, () => piece))),
      trailers: (_req, res) => {
        res.writeHead(200, { Trailer: 'X-End' })
        for (let at = 0; at < 400; at += 1) res.write(piece)
        res.addTrailers({ 'X-End': 'yes' })
        res.end()
      },
    }
    for (const listener of Object.values(answerIn)) {
      const body = Buffer.from(await (await fetchFrom(listener)('/')).arrayBuffer())
      expect(body.equals(Buffer.concat(Array.from({ length: 400 }, () => piece)))).toBe(true)
    }
  })

  it.each([
    ['before its length', (res: ServerResponse) => res.writeHead(200, { 'Content-Length': '10' }).write('half')],
    ['before its last chunk', (res: ServerResponse) => res.write('half')],
  ])('rejects an answer that ends %s', async (_when, write) => {
    const listener: RequestListener = (req, res) => {
      write(res)
      setImmediate(() => req.socket.end())
    }
    await expect(fetchFrom(listener)('/x')).rejects.toThrow('GET /x was not answered: the connection was closed.')
  })
})

async function describeAnswer(response: Response): Promise<object> {
  const { status } = response
  // Of the connection, and of the day.
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
  )
  // A stack names where the app was made.
  const body = (await response.text()).replaceAll(/<br>[\s&nbp;]*at [^<]*/g, '')
  return { status, headers: headers.filter(([name]) => status < 500 || name !== 'content-length'), body }
}
