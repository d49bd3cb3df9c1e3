import type express5 from 'express'
import type { Express, Request, RequestHandler } from 'express'
import type { AlsoTry } from '../../../../src/tools/testing/secured/variations.js'
import type { Parts } from './shop.js'

/** An app in which one request that everybody can send passes the guard, or does not reach it. */
export interface Bypass {
  readonly name: string
  readonly build: (parts: BypassParts) => void
  /** How `expectSecured()` finds it: unaided, with what only the source shows, or not at all. */
  readonly found: 'unaided' | AlsoTry | 'unseen'
}

export interface BypassParts {
  /** The app of this case, which is mounted below `/orders`. */
  readonly app: Express
  readonly express: typeof express5
  readonly guard: RequestHandler
  readonly auth: Parts['auth']
}

const answer: RequestHandler = (_req, res) => void res.json({ secret: 'data' })

/** A route whose guard is left out for some requests. */
function unless(name: string, mayPass: (req: Request) => unknown, found: Bypass['found'] = 'unaided'): Bypass {
  const build = ({ app, guard }: BypassParts): void =>
    void app
      .set('trust proxy', true)
      .all('/items', (req, res, next) => (mayPass(req) ? next() : guard(req, res, next)), answer)
  return { name: `a guard that ${name} passes`, build, found }
}

/** Answers before every guard. */
function before(name: string, mayPass: (req: Request) => unknown): Bypass {
  const build = ({ app, guard }: BypassParts): void => {
    app.use((req, res, next) => (mayPass(req) ? answer(req, res, next) : next())).get('/items', guard, answer)
  }
  return { name: `a function that answers ${name}`, build, found: 'unaided' }
}

function other(name: string, build: Bypass['build'], found: Bypass['found'] = 'unaided'): Bypass {
  return { name, build, found }
}

const HEADERS = (
  'if-modified-since if-none-match if-match if-range range expect te from date dnt priority accept-encoding ' +
  'accept-language content-encoding content-language content-md5 forwarded via max-forwards cache-control pragma ' +
  'warning traceparent origin referer proxy-authorization x-csrf-token upgrade keep-alive sec-gpc x-requested-with ' +
  'upgrade-insecure-requests accept-version x-internal'
).split(' ')

export const BYPASSES_BY_HEADER: readonly Bypass[] = HEADERS.map((name) =>
  unless(`the header ${name}`, (req) => req.headers[name]),
)

export const BYPASSES: readonly Bypass[] = [
  unless('req.range()', (req) => req.range(100)),
  unless('XMLHttpRequest', (req) => req.xhr),
  unless('HTTPS at a proxy', (req) => req.secure),
  unless('a bot', (req) => /googlebot/i.test(req.get('user-agent') ?? '')),
  unless('a health check', (req) => /kube-probe/.test(req.get('user-agent') ?? '')),
  unless('the scheme Digest', (req) => req.headers.authorization?.startsWith('Digest')),
  unless('a private address', (req) => /^10\.\d+\.\d+\.\d+$/.test(req.ip ?? '')),
  unless('a private address, as text', (req) => req.ip?.startsWith('10.')),
  unless('a subdomain', (req) => req.subdomains.includes('admin')),
  unless('the end of a host', (req) => req.hostname.endsWith('.internal')),
  unless('a host', (req) => req.hostname === 'admin.local'),
  unless('the address of a connection', (req) => req.socket.remoteAddress === '10.0.0.1'),
  unless('this machine', (req) => ['127.0.0.1', '::1'].includes(req.socket.remoteAddress ?? '')),
  unless('CSV', (req) => req.accepts(['json', 'text/csv']) === 'text/csv'),
  unless('a browser', (req) => req.accepts(['json', 'html']) === 'html'),
  unless('a stream', (req) => req.headers.accept === 'text/event-stream'),
  unless('a form with files', (req) => req.is('multipart/form-data')),
  unless('CSV alone', (req) => req.accepts('text/csv') && !req.accepts('json')),
  unless('a long URL', (req) => req.url.length > 300),
  unless('HTTP/1.0', (req) => req.httpVersionMinor === 0),
  unless('a request without content', (req) => req.headers['content-length'] === '0'),
  unless('a cookie of a session', (req) => req.headers.cookie?.includes('sid=')),
  unless('a cookie for debugging', (req) => /dbg=1/.test(req.headers.cookie ?? '')),
  unless('a number in the query', (req) => Number(req.query['v']) >= 7),
  unless('a word in the query', (req) => req.query['debug'] === 'true'),
  unless('JSONP', (req) => req.query['callback']),
  unless('the name of a public path in the query', (req) => req.url.includes('/health')),
  unless('everything but JSON', (req) => req.method === 'POST' && !req.is('json')),
  unless('a media type of its own', (req) => req.is('application/vnd.internal'), {
    names: { 'Content-Type': 'application/vnd.internal' },
  }),
  unless('a header that no list has', (req) => req.headers['x-foo'], { names: { 'X-Foo': '1' } }),
  unless('an origin', (req) => req.headers.origin === 'https://shop.example', {
    names: { Origin: 'https://shop.example' },
  }),
  unless('the form of a header', (req) => /^int-\d+$/.test(req.get('x-build') ?? ''), {
    names: { 'X-Build': 'int-7' },
  }),
  unless('a value of the query', (req) => (req.query['v'] as string | undefined)?.startsWith('int'), {
    names: { v: 'int1' },
  }),
  unless('the time of day', () => new Date().getUTCFullYear() > 2200, 'unseen'),
  before('a cookie, as text', (req) => req.headers.cookie?.includes('dbg=1')),
  before('a cookie, as an expression', (req) => /(^|; )dbg=1/.test(req.headers.cookie ?? '')),
  before('a header', (req) => req.headers['x-dbg']),
  before('from a cache', (req) => req.originalUrl.endsWith('/items') && req.headers['if-none-match']),
  before('HEAD', (req) => req.method === 'HEAD' && req.path === '/items'),
  other('a header that opens what is below a mount', ({ app, guard }) => {
    app.use('/sub', (req, res, next) => (req.headers['x-dbg'] ? answer(req, res, next) : next()))
    app.get('/items', guard, answer)
  }),
  other('a media type that skips to another route', ({ app, guard }) => {
    app.post('/items', (req, _res, next) => next(req.is('text/plain') ? 'route' : undefined), guard, answer)
    app.post('/items', answer)
  }),
  other('a member of the body', ({ app, express, guard }) => {
    const isInternal = (req: Request): boolean => Boolean((req.body as { internal?: unknown } | undefined)?.internal)
    app
      .use(express.json())
      .post('/items', (req, res, next) => (isInternal(req) ? next() : guard(req, res, next)), answer)
  }),
  other('app.param() that answers before the guard', ({ app, guard }) => {
    app.param('id', (req, res, next, id: string) => (id.length === 7 ? answer(req, res, next) : next()))
    app.get('/:id', guard, answer)
  }),
  other('a guard in app.param(), and a route without the parameter', ({ app, guard }) => {
    app.param('id', (req, res, next) => guard(req, res, next))
    app.get('/items/:id', answer).get('/items', answer)
  }),
  other('a guard that files of pages pass', ({ app, guard }) => {
    app.use((req, res, next) => (/\.(?:css|js|png)$/.test(req.path) ? next() : guard(req, res, next)))
    app.get('/items/:name', answer)
  }),
  other('numbers that skip to another route', ({ app, guard }) => {
    app.get(
      '/:id',
      (req, _res, next) => next(/^\d{4,}$/.test(String(req.params.id)) ? 'route' : undefined),
      guard,
      answer,
    )
    app.get(/^\/\d+$/, answer)
  }),
  other('a router that is mounted again without the guard', ({ app, express, guard }) => {
    const router = express.Router().get('/items', answer)
    app.use('/a', guard, router).use('/internal', router)
  }),
  other('another app for a host', ({ app, express, guard }) => {
    const inner = express().get('/items', answer)
    app.use((req, res, next) => (req.hostname.endsWith('.internal') ? void inner(req, res, next) : next()))
    app.get('/items', guard, answer)
  }),
  other('a method in the query that replaces every method', ({ app, guard }) => {
    app.use((req, _res, next) => {
      if (typeof req.query['_m'] === 'string') req.method = req.query['_m']
      next()
    })
    app.get('/items', guard, answer).delete('/items', guard, answer).patch('/items', answer)
  }),
  other('a method in a form that replaces POST behind the guard', ({ app, express, auth }) => {
    app.use(auth.requireBearer('orders', { scopes: { POST: ['orders:read'], DELETE: ['orders:write'] } }))
    app.use(express.urlencoded({ extended: false }), (req, _res, next) => {
      req.method = (req.body as Record<string, string> | undefined)?.['_method'] ?? req.method
      next()
    })
    app.post('/items', answer).delete('/items', answer)
  }),
  other('a path in a header that opens a mount', ({ app, guard }) => {
    app.use('/static', (req, res, next) => (req.headers['x-rewrite-url'] ? answer(req, res, next) : next()))
    app.get('/items', guard, answer)
  }),
  other(
    'a guard that takes too long for a header',
    ({ app, guard }) => {
      app.get(
        '/items',
        (req, res, next) => void (req.headers['x-slow'] ? setTimeout(next, 5) : guard(req, res, next)),
        answer,
      )
    },
    { names: { 'X-Slow': '1' } },
  ),
  other(
    'a router that is imported at the first request',
    ({ app, express, guard }) => {
      const load = async (): Promise<RequestHandler> => Promise.resolve(express.Router().get('/lazy-7', answer))
      app
        .use((req, res, next) => void load().then((router) => router(req, res, next), next))
        .get('/items', guard, answer)
    },
    { paths: ['/lazy-7'] },
  ),
  other(
    'a router in a Map that the query chooses',
    ({ app, express, guard }) => {
      const routers = new Map<unknown, RequestHandler>([['v1', express.Router().get('/items', answer)]])
      app.use((req, res, next) => (routers.get(req.query['v']) ?? guard)(req, res, next))
    },
    { paths: ['/items?v=v1'] },
  ),
  ...['dump', 'export/1', 'health', 'items'].map((path) =>
    other(`a function that answers /${path}, a path that is often used`, ({ app, guard }) => {
      app
        .use((req, res, next) => (req.path === `/${path}` ? answer(req, res, next) : next()))
        .get('/orders', guard, answer)
    }),
  ),
]
