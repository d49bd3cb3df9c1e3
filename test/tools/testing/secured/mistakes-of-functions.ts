import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { guardsFromDocument } from '../../../../src/tools/document-guards/index.js'
import type { Mistake } from './mistakes.js'

const READ = { security: [{ oauth2: ['orders:read'] }] }
const DOCUMENT = { openapi: '3.1.0', info: { title: 'Orders', version: '1' } }
const open = (_req: Request, res: Response): void => void res.json({ secret: 'data' })
const asGuard = (guard: unknown): RequestHandler => guard as RequestHandler

/** What no route shows: functions that answer, paths and methods that one request for a route does not have, and documents of other forms. */
export const MISTAKES_OF_FUNCTIONS: readonly Mistake[] = [
  [
    'a page for browsers that is the same for every path, before the guards',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) =>
        req.method === 'GET' && req.get('accept')?.includes('html')
          ? void res.type('html').send('<p>The application')
          : next(),
      )
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'an application page for every path, listed, which answers at the APIs’ addresses too',
    'open',
    'GET /orders/*',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.type('html').send('<p>The application'))
      return { public: { '/*': 'the single-page application' } }
    },
  ],
  // Functions at or above the address of an API.
  [
    'a function at the root that serves an API (LoopBack, a proxy)',
    'open',
    'GET /orders/*',
    ({ app, auth }) => void app.use(auth.router).use(open),
  ],
  [
    'services at the root, and the guard after them (Feathers)',
    'open',
    'GET /orders',
    ({ app, mayRead }) => {
      app.use((req, res, next) => (/^\/orders\/?$/i.test(req.path) ? open(req, res) : next()))
      app.use('/orders', mayRead)
    },
  ],
  [
    'a service below an API, and its guard after it',
    'open',
    'GET /orders/notes/*',
    ({ app, mayRead }) => {
      const services = new Map([['notes', open]])
      app.use((req, res, next) =>
        req.path.startsWith('/orders/') && services.get(req.path.slice('/orders/'.length)) ? open(req, res) : next(),
      )
      app.use('/orders/notes', mayRead)
    },
  ],
  [
    'a function that answers one path below an API',
    'open',
    'GET /orders/dump',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.path === '/dump' ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a function at the root that answers one path of an API',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) => (req.path === '/orders/items' ? open(req, res) : next()))
      app.get('/orders/other', mayRead, handle)
    },
  ],
  [
    'a function that answers what a regular expression matches',
    'open',
    'GET /orders/export/1',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) => (/^\/orders\/export\/\d+$/.test(req.path) ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a function that answers POST only',
    'open',
    'POST /orders/upload/*',
    ({ app, handle, mayRead }) => {
      app.use('/orders/upload', (req, res, next) => (req.method === 'POST' ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a function that answers a method of WebDAV',
    'open',
    'PROPFIND /orders/*',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.method === 'PROPFIND' ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a function that streams and never ends',
    'open',
    'GET /orders/events/*',
    ({ app }) =>
      void app.use('/orders/events', (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: secret\n\n')
      }),
  ],
  [
    'a function that is called in an array before the guard',
    'open',
    'GET /orders/*',
    ({ app, mayRead }) => void app.use('/orders', [open, asGuard(mayRead)]),
  ],
  [
    'a function that throws',
    'open',
    'GET /orders/*',
    ({ app }) =>
      void app.use('/orders', () => {
        throw new Error('It ran.')
      }),
  ],
  [
    'an error handler that answers 200',
    'open',
    'GET /orders/*',
    ({ app }) => {
      app.use('/orders', (_req, _res, next) => next(new Error('It ran.')))
      app.use((_error: unknown, _req: Request, res: Response, _next: NextFunction) => void res.json({ secret: 'data' }))
    },
  ],
  [
    'a redirect at an API’s address',
    'open',
    'GET /orders/*',
    ({ app }) => void app.use('/orders', (_req, res) => res.redirect('/login')),
  ],
  [
    '405 of a service, which would answer other methods',
    'open',
    'GET /orders/*',
    ({ app }) => void app.use('/orders', (_req, res) => void res.sendStatus(405)),
  ],
  [
    'a limiter that never ends, in the place of a guard',
    'open',
    'GET /orders/*',
    ({ app }) => void app.use('/orders', (_req, res) => void res.sendStatus(429)),
  ],
  [
    'a page for every path that is no route, APIs too',
    'open',
    'GET /orders/*',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.type('html').send('<p>The application'))
    },
  ],
  [
    'a page for every path as a route',
    'open',
    'GET /*',
    ({ app, handle, mayRead }) =>
      void app
        .get('/orders/items', mayRead, handle)
        .use((_req, _res, next) => next())
        .get(/.*/, handle),
  ],
  [
    'a not-found handler that answers 200',
    'open',
    'GET /orders/*',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.status(200).json({ error: 'not_found' }))
    },
  ],
  [
    'a function that answers beside the guard’s refusal',
    'wrong-refusal',
    'GET /orders/*',
    ({ app, mayRead }) => {
      app.use('/orders', (req, res) => {
        const silent = Object.create(res, {
          end: { value: () => undefined },
          setHeader: { value: () => undefined },
        }) as Response
        asGuard(mayRead)(req, silent, () => undefined)
        res.json({ secret: 'data' })
      })
    },
  ],
  [
    'a text comparison that capital letters avoid, before a function',
    'other-path',
    'GET /orders/*',
    ({ app, mayRead }) => {
      app.use((req, res, next) => (req.path.startsWith('/orders') ? asGuard(mayRead)(req, res, next) : next()))
      app.use('/orders', open)
    },
  ],
  [
    'a router of its own that takes two slashes for one, above the guard',
    'other-path',
    'GET /orders/*',
    ({ app, mayRead }) => {
      app.use('/orders', mayRead)
      app.use((req, res, next) => (req.path.split('/').find(Boolean) === 'orders' ? open(req, res) : next()))
    },
  ],
  ['an app of which the test got nothing', 'nothing-found', 'the app', () => undefined],
  [
    'an app of middleware alone',
    'nothing-found',
    'the app',
    ({ express, app, auth }) => void app.use(express.json(), auth.router),
  ],
  [
    'a router that a function calls',
    'open',
    'GET /orders/items',
    ({ express, app, handle, mayRead }) => {
      const router = express.Router().get('/items', handle)
      app.use('/orders', (req, res, next) => void Promise.resolve().then(() => router(req, res, next)))
      app.get('/orders/other', mayRead, handle)
    },
  ],
  [
    'an app in a function in a function',
    'open',
    'DELETE /orders/items/1',
    ({ express, app, handle, mayRead }) => {
      const inner = express().delete('/items/:id', handle)
      const outer = express.Router().use((req, res, next) => void inner(req, res, next))
      app.use('/orders', (req, res, next) => void outer(req, res, next))
      app.get('/orders/other', mayRead, handle)
    },
  ],

  // Paths that one example of a pattern does not have.
  [
    'a wildcard of more segments than the document’s path, which passes',
    'open',
    'GET /orders/files/*',
    ({ app, auth, handle }) => {
      const document = { ...DOCUMENT, paths: { '/files/{path}': { get: READ } } }
      app
        .use('/orders', guardsFromDocument(auth, 'orders', document, { undocumented: 'pass' }))
        .get(/^\/orders\/files\/(.+)$/, handle)
    },
  ],
  [
    'an optional segment that the document has not',
    'open',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      const document = { ...DOCUMENT, paths: { '/items/{id}': { get: READ } } }
      app
        .use('/orders', guardsFromDocument(auth, 'orders', document, { undocumented: 'pass' }))
        .get(/^\/orders\/items(?:\/([^/]+))?$/, handle)
    },
  ],
  [
    'an optional segment behind which nothing is guarded',
    'open',
    'GET /orders/items/*',
    ({ app, handle, mayRead }) => {
      app.use(/^\/orders\/items\/?$/i, mayRead).get(/^\/orders\/items(?:\/([^/]+))?$/, handle)
    },
  ],
  [
    'an earlier route that is open for the path of a later one',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get(
        /^\/orders\/(.*)$/,
        (req: Request, res: Response, next: NextFunction) =>
          /^\/orders\/it.ms$/.test(req.path) ? next() : asGuard(mayRead)(req, res, next),
        handle,
      )
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a guard that lets one value of a parameter pass',
    'open',
    'GET /orders/items/:id',
    ({ app, handle, mayRead }) => {
      app.get(
        '/orders/items/:id',
        (req: Request, res: Response, next: NextFunction) =>
          req.params['id'] === 'latest' ? next() : asGuard(mayRead)(req, res, next),
        handle,
      )
    },
  ],

  // Methods and conditions.
  [
    'a guard for a list of methods before app.all()',
    'other-method',
    'ALL /orders/items',
    ({ app, handle, mayRead }) => {
      const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      app.use('/orders', (req, res, next) => (usual.includes(req.method) ? asGuard(mayRead)(req, res, next) : next()))
      app.all('/orders/items', handle)
    },
  ],
  [
    'route.all() that answers other methods than the route’s own',
    'other-method',
    'POST /orders/items',
    ({ app, handle, mayRead }) => {
      app
        .route('/orders/items')
        .all((req: Request, res: Response, next: NextFunction) => (req.method === 'POST' ? open(req, res) : next()))
        .get(mayRead, handle)
    },
  ],
  [
    'a route of a method of WebDAV',
    'open',
    'REPORT /orders/items',
    ({ app, handle }) => void app.report('/orders/items', handle),
  ],
  [
    'a route of M-SEARCH',
    'open',
    'M-SEARCH /orders/items',
    ({ app, handle }) => void app['m-search']('/orders/items', handle),
  ],
  [
    'scopes by method, and middleware behind the guard that replaces the method',
    'missing-scope',
    'DELETE /orders/items',
    ({ app, auth, handle }) => {
      app.use(
        '/orders',
        auth.requireBearer('orders', { scopes: { POST: ['orders:read'], DELETE: ['orders:write'] } }),
        (req, _res, next) => {
          req.method = req.get('x-http-method-override') ?? req.method
          next()
        },
      )
      app.post('/orders/items', handle).delete('/orders/items', handle)
    },
  ],
  [
    'a guard for DELETE, and middleware behind it that replaces the method',
    'other-method',
    'DELETE /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.method === 'POST' ? next() : asGuard(mayRead)(req, res, next)))
      app.use((req, _res, next) => {
        req.method = typeof req.query['_method'] === 'string' ? req.query['_method'] : req.method
        next()
      })
      app.delete('/orders/items', handle)
    },
  ],
  [
    'a route of OPTIONS that answers with content',
    'open',
    'OPTIONS /orders/items',
    ({ app, mayRead, handle }) =>
      void app
        .get('/orders/items', mayRead, handle)
        .options('/orders/items', (_req, res) => void res.json({ orders: [] })),
  ],
  [
    'a route of OPTIONS behind which another handler answers',
    'open',
    'OPTIONS /orders/items',
    ({ app, handle }) => {
      app.options('/orders/items', (_req, _res, next) => next()).all('/orders/items', handle)
    },
  ],
  [
    'a header that opens a route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get(
        '/orders/items',
        (req: Request, res: Response, next: NextFunction) =>
          req.get('x-internal') ? next() : asGuard(mayRead)(req, res, next),
        handle,
      )
    },
  ],
  [
    'a value of a header that opens a route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app
        .use('/orders', (req, res, next) =>
          req.headers['x-caller'] === 'backoffice' ? next() : asGuard(mayRead)(req, res, next),
        )
        .get('/orders/items', handle)
    },
  ],
  [
    'a parameter of the query that opens a route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app
        .use('/orders', (req, res, next) => (req.query['debug'] === 'true' ? next() : asGuard(mayRead)(req, res, next)))
        .get('/orders/items', handle)
    },
  ],
  [
    'a host name that opens a route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get(
        '/orders/items',
        (req: Request, res: Response, next: NextFunction) => (req.hostname === 'admin.local' ? open(req, res) : next()),
        mayRead,
        handle,
      )
    },
  ],
  [
    'an address that opens a route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app
        .use('/orders', (req, res, next) => (req.ip === '10.0.0.1' ? next() : asGuard(mayRead)(req, res, next)))
        .get('/orders/items', handle)
    },
  ],

  [
    'a path in a header that replaces that of the request, behind the guard',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', mayRead)
      app.use((req, _res, next) => {
        req.url = req.get('x-original-url') ?? req.url
        next()
      })
      app.get('/orders/items', handle)
    },
  ],

  // What everybody can send.
  ...conditions([
    ['XMLHttpRequest', (req) => req.xhr],
    ['a browser', (req) => req.accepts(['json', 'html']) === 'html'],
    ['this machine', (req) => ['127.0.0.1', '::1'].includes(req.socket.remoteAddress ?? '')],
    ['a health check', (req) => /kube-probe/.test(req.get('user-agent') ?? '')],
    ['an origin', (req) => req.headers.origin === 'https://shop.example'],
    ['a stream', (req) => req.headers.accept === 'text/event-stream'],
    ['a form with files', (req) => Boolean(req.is('multipart/form-data'))],
    ['a member of the body', (req) => Boolean((req.body as { internal?: unknown } | undefined)?.internal)],
  ]),
  [
    'an address that opens a route, behind a proxy',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.set('trust proxy', true)
      app
        .use('/orders', (req, res, next) => (req.secure ? next() : asGuard(mayRead)(req, res, next)))
        .get('/orders/items', handle)
    },
  ],
  [
    'a list of public paths beside the function',
    'open',
    'GET /orders/ping',
    ({ app, handle, mayRead }) => {
      const open = ['/orders/ping']
      app
        .use((req, res, next) => (open.includes(req.path) ? void res.json({}) : next()))
        .get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a guard that a list of paths is without',
    'open',
    'POST /orders/login',
    ({ app, handle, mayRead }) => {
      const without = new Set(['/orders/login'])
      app.use((req, res, next) =>
        without.has(req.path) || !/^\/orders/i.test(req.path) ? next() : asGuard(mayRead)(req, res, next),
      )
      app.post('/orders/login', handle).get('/orders/items', handle)
    },
  ],
  [
    'a table of services (Feathers)',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      const services = new Map([['orders/notes', open]])
      app
        .use((req, res, next) => (services.get(req.path.slice(1)) ?? next)(req, res))
        .get('/orders/items', mayRead, handle)
    },
  ],

  // Documents.
  [
    'a scope of an operation in a path item that is a reference',
    'missing-scope',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      app.get('/orders/items', auth.requireBearer('orders'), handle)
      const document = {
        paths: { '/items': { $ref: '#/components/pathItems/items' } },
        components: { pathItems: { items: { get: READ } } },
      }
      return { documents: { orders: document } }
    },
  ],
  [
    'a document without security, which requires all scopes',
    'missing-scope',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      return { documents: { orders: { paths: { '/items': { get: {} } } } } }
    },
  ],
  [
    'a scope of an additional operation (OpenAPI 3.2)',
    'missing-scope',
    'REPORT /orders/items',
    ({ app, auth, handle }) => {
      app.report('/orders/items', auth.requireBearer('orders'), handle)
      return {
        documents: {
          orders: { ...DOCUMENT, openapi: '3.2.0', paths: { '/items': { additionalOperations: { REPORT: READ } } } },
        },
      }
    },
  ],
  [
    'an operation that a function answers without a guard',
    'open',
    'GET /orders/items/{id}',
    ({ app, mayRead, handle }) => {
      app
        .use((req, res, next) => (req.path.split('/').length === 4 ? open(req, res) : next()))
        .get('/orders/other', mayRead, handle)
      return { documents: { orders: { paths: { '/items/{id}': { get: READ }, '/other': { get: READ } } } } }
    },
  ],
  [
    'an operation that a function answers behind a guard without its scope',
    'missing-scope',
    'GET /orders/items',
    ({ app, auth }) => {
      app.use('/orders', auth.requireBearer('orders')).use(open)
      return { documents: { orders: { paths: { '/items': { get: READ } } } } }
    },
  ],
  [
    'an operation that nothing answers, with a not-found handler',
    'no-route',
    'GET /orders/items',
    ({ app, mayRead }) => {
      app.use('/orders', mayRead).use((_req, res) => void res.status(404).json({ error: 'not_found' }))
      return { documents: { orders: { paths: { '/items': { get: READ } } } } }
    },
  ],
]

/** A guard that one kind of request need not pass. */
function conditions(cases: readonly (readonly [name: string, mayPass: (req: Request) => boolean])[]): Mistake[] {
  return cases.map(([name, mayPass]) => [
    `a guard that ${name} need not pass`,
    'open',
    'POST /orders/items',
    ({ express, app, handle, mayRead }) => {
      app.use(express.json())
      app.use('/orders', (req, res, next) => (mayPass(req) ? next() : asGuard(mayRead)(req, res, next)))
      app.post('/orders/items', handle)
    },
  ])
}
