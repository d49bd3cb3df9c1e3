import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { guardsFromDocument } from '../../../../src/tools/document-guards/index.js'
import { replaceUrl, type Mistakes } from './shop.js'

const READ = { security: [{ oauth2: ['orders:read'] }] }
const DOCUMENT = { openapi: '3.1.0', info: { title: 'Orders', version: '1' } }
const open = (_req: Request, res: Response): void => void res.json({ secret: 'data' })
const asGuard = (guard: unknown): RequestHandler => guard as RequestHandler

/** What no route shows: functions that answer, paths and methods that one request for a route does not have, and documents of other forms. */
export const MISTAKES_OF_FUNCTIONS: Mistakes = {
  'open GET /orders/items': {
    'a page for browsers that is the same for every path, before the guards'({ app, handle, mayRead }) {
      app.use((req, res, next) =>
        req.method === 'GET' && req.get('accept')?.includes('html')
          ? void res.type('html').send('<p>The application')
          : next(),
      )
      app.get('/orders/items', mayRead, handle)
    },
    'a function at the root that answers one path of an API'({ app, handle, mayRead }) {
      app.use((req, res, next) => (req.path === '/orders/items' ? open(req, res) : next()))
      app.get('/orders/other', mayRead, handle)
    },
    'a router that a function calls'({ express, app, handle, mayRead }) {
      const router = express.Router().get('/items', handle)
      app.use('/orders', (req, res, next) => void Promise.resolve().then(() => router(req, res, next)))
      app.get('/orders/other', mayRead, handle)
    },
    'an optional segment that the document has not'({ app, auth, handle }) {
      const document = { ...DOCUMENT, paths: { '/items/{id}': { get: READ } } }
      app
        .use('/orders', guardsFromDocument(auth, 'orders', document, { undocumented: 'pass' }))
        .get(/^\/orders\/items(?:\/([^/]+))?$/, handle)
    },
    'an earlier route that is open for the path of a later one'({ app, handle, mayRead }) {
      app.get(
        /^\/orders\/(.*)$/,
        (req: Request, res: Response, next: NextFunction) =>
          /^\/orders\/it.ms$/.test(req.path) ? next() : asGuard(mayRead)(req, res, next),
        handle,
      )
      app.get('/orders/items', mayRead, handle)
    },
    'a table of services (Feathers)'({ app, handle, mayRead }) {
      const services = new Map([['orders/notes', open]])
      app
        .use((req, res, next) => (services.get(req.path.slice(1)) ?? next)(req, res))
        .get('/orders/items', mayRead, handle)
    },
  },
  'open GET /orders/*': {
    'an application page for every path, listed, which answers at the APIs’ addresses too'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.type('html').send('<p>The application'))
      return { public: { '/*': 'the single-page application' } }
    },
    'a function at the root that serves an API (LoopBack, a proxy)': ({ app, auth }) =>
      void app.use(auth.router).use(open),
    'a function that is called in an array before the guard': ({ app, mayRead }) =>
      void app.use('/orders', [open, asGuard(mayRead)]),
    'a function that throws': ({ app }) =>
      void app.use('/orders', () => {
        throw new Error('It ran.')
      }),
    'an error handler that answers 200'({ app }) {
      app.use('/orders', (_req, _res, next) => next(new Error('It ran.')))
      app.use((_error: unknown, _req: Request, res: Response, _next: NextFunction) => void res.json({ secret: 'data' }))
    },
    'a redirect at an API’s address': ({ app }) => void app.use('/orders', (_req, res) => res.redirect('/login')),
    '405 of a service, which would answer other methods': ({ app }) =>
      void app.use('/orders', (_req, res) => void res.sendStatus(405)),
    'a limiter that never ends, in the place of a guard': ({ app }) =>
      void app.use('/orders', (_req, res) => void res.sendStatus(429)),
    'a page for every path that is no route, APIs too'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.type('html').send('<p>The application'))
    },
    'a not-found handler that answers 200'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      app.use((_req, res) => void res.status(200).json({ error: 'not_found' }))
    },
  },
  'open GET /orders': {
    'services at the root, and the guard after them (Feathers)'({ app, mayRead }) {
      app.use((req, res, next) => (/^\/orders\/?$/i.test(req.path) ? open(req, res) : next()))
      app.use('/orders', mayRead)
    },
  },
  'open GET /orders/notes/*': {
    'a service below an API, and its guard after it'({ app, mayRead }) {
      const services = new Map([['notes', open]])
      app.use((req, res, next) =>
        req.path.startsWith('/orders/') && services.get(req.path.slice('/orders/'.length)) ? open(req, res) : next(),
      )
      app.use('/orders/notes', mayRead)
    },
  },
  'open POST /orders/upload/*': {
    'a function that answers POST only'({ app, handle, mayRead }) {
      app.use('/orders/upload', (req, res, next) => (req.method === 'POST' ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  },
  'open PROPFIND /orders/*': {
    'a function that answers a method of WebDAV'({ app, handle, mayRead }) {
      app.use('/orders', (req, res, next) => (req.method === 'PROPFIND' ? open(req, res) : next()))
      app.get('/orders/items', mayRead, handle)
    },
  },
  'open GET /orders/events/*': {
    'a function that streams and never ends': ({ app }) =>
      void app.use('/orders/events', (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: secret\n\n')
      }),
  },
  'open GET /*': {
    'a page for every path as a route': ({ app, handle, mayRead }) =>
      void app
        .get('/orders/items', mayRead, handle)
        .use((_req, _res, next) => next())
        .get(/.*/, handle),
  },
  'wrong-refusal GET /orders/*': {
    'a function that answers beside the guard’s refusal'({ app, mayRead }) {
      app.use('/orders', (req, res) => {
        const silent = Object.create(res, {
          end: { value: () => undefined },
          setHeader: { value: () => undefined },
        }) as Response
        asGuard(mayRead)(req, silent, () => undefined)
        res.json({ secret: 'data' })
      })
    },
  },
  'other-path GET /orders/*': {
    'a text comparison that capital letters avoid, before a function'({ app, mayRead }) {
      app.use((req, res, next) => (req.path.startsWith('/orders') ? asGuard(mayRead)(req, res, next) : next()))
      app.use('/orders', open)
    },
    'a router of its own that takes two slashes for one, above the guard'({ app, mayRead }) {
      app.use('/orders', mayRead)
      app.use((req, res, next) => (req.path.split('/').find(Boolean) === 'orders' ? open(req, res) : next()))
    },
  },
  'nothing-found the app': {
    'an app of which the test got nothing': () => undefined,
    'an app of middleware alone': ({ express, app, auth }) => void app.use(express.json(), auth.router),
  },
  'open DELETE /orders/items/1': {
    'an app in a function in a function'({ express, app, handle, mayRead }) {
      const inner = express().delete('/items/:id', handle)
      const outer = express.Router().use((req, res, next) => void inner(req, res, next))
      app.use('/orders', (req, res, next) => void outer(req, res, next))
      app.get('/orders/other', mayRead, handle)
    },
  },
  'open GET /orders/files/*': {
    'a wildcard of more segments than the document’s path, which passes'({ app, auth, handle }) {
      const document = { ...DOCUMENT, paths: { '/files/{path}': { get: READ } } }
      app
        .use('/orders', guardsFromDocument(auth, 'orders', document, { undocumented: 'pass' }))
        .get(/^\/orders\/files\/(.+)$/, handle)
    },
  },
  'open GET /orders/items/*': {
    'an optional segment behind which nothing is guarded'({ app, handle, mayRead }) {
      app.use(/^\/orders\/items\/?$/i, mayRead).get(/^\/orders\/items(?:\/([^/]+))?$/, handle)
    },
  },
  'open GET /orders/items/:id': {
    'a guard that lets one value of a parameter pass'({ app, handle, mayRead }) {
      app.get(
        '/orders/items/:id',
        (req: Request, res: Response, next: NextFunction) =>
          req.params['id'] === 'latest' ? next() : asGuard(mayRead)(req, res, next),
        handle,
      )
    },
  },
  'other-method ALL /orders/items': {
    'a guard for a list of methods before app.all()'({ app, handle, mayRead }) {
      const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      app.use('/orders', (req, res, next) => (usual.includes(req.method) ? asGuard(mayRead)(req, res, next) : next()))
      app.all('/orders/items', handle)
    },
  },
  'other-method POST /orders/items': {
    'route.all() that answers other methods than the route’s own'({ app, handle, mayRead }) {
      app
        .route('/orders/items')
        .all((req: Request, res: Response, next: NextFunction) => (req.method === 'POST' ? open(req, res) : next()))
        .get(mayRead, handle)
    },
  },
  'open REPORT /orders/items': {
    'a route of a method of WebDAV': ({ app, handle }) => void app.report('/orders/items', handle),
  },
  'open M-SEARCH /orders/items': {
    'a route of M-SEARCH': ({ app, handle }) => void app['m-search']('/orders/items', handle),
  },
  'missing-scope DELETE /orders/items': {
    'scopes by method, and middleware behind the guard that replaces the method'({ app, auth, handle }) {
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
  },
  'other-method DELETE /orders/items': {
    'a guard for DELETE, and middleware behind it that replaces the method'({ app, handle, mayRead }) {
      app.use('/orders', (req, res, next) => (req.method === 'POST' ? next() : asGuard(mayRead)(req, res, next)))
      app.use((req, _res, next) => {
        req.method = typeof req.query['_method'] === 'string' ? req.query['_method'] : req.method
        next()
      })
      app.delete('/orders/items', handle)
    },
  },
  'open OPTIONS /orders/items': {
    'a route of OPTIONS that answers with content': ({ app, mayRead, handle }) =>
      void app
        .get('/orders/items', mayRead, handle)
        .options('/orders/items', (_req, res) => void res.json({ orders: [] })),
    'a route of OPTIONS behind which another handler answers'({ app, handle }) {
      app.options('/orders/items', (_req, _res, next) => next()).all('/orders/items', handle)
    },
  },
  'other-path GET /orders/items': {
    'a path in a header that replaces that of the request, behind the guard': replaceUrl(
      (req) => req.get('x-original-url') ?? req.url,
    ),
  },
  'open POST /orders/login': {
    'a guard that a list of paths is without'({ app, handle, mayRead }) {
      const without = new Set(['/orders/login'])
      app.use((req, res, next) =>
        without.has(req.path) || !/^\/orders/i.test(req.path) ? next() : asGuard(mayRead)(req, res, next),
      )
      app.post('/orders/login', handle).get('/orders/items', handle)
    },
  },
  'missing-scope GET /orders/items': {
    'a scope of an operation in a path item that is a reference'({ app, auth, handle }) {
      app.get('/orders/items', auth.requireBearer('orders'), handle)
      const document = {
        paths: { '/items': { $ref: '#/components/pathItems/items' } },
        components: { pathItems: { items: { get: READ } } },
      }
      return { documents: { orders: document } }
    },
    'a document without security, which requires all scopes'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      return { documents: { orders: { paths: { '/items': { get: {} } } } } }
    },
    'an operation that a function answers behind a guard without its scope'({ app, auth }) {
      app.use('/orders', auth.requireBearer('orders')).use(open)
      return { documents: { orders: { paths: { '/items': { get: READ } } } } }
    },
  },
  'missing-scope REPORT /orders/items': {
    'a scope of an additional operation (OpenAPI 3.2)'({ app, auth, handle }) {
      app.report('/orders/items', auth.requireBearer('orders'), handle)
      return {
        documents: {
          orders: { ...DOCUMENT, openapi: '3.2.0', paths: { '/items': { additionalOperations: { REPORT: READ } } } },
        },
      }
    },
  },
  'open GET /orders/items/{id}': {
    'an operation that a function answers without a guard'({ app, mayRead, handle }) {
      app
        .use((req, res, next) => (req.path.split('/').length === 4 ? open(req, res) : next()))
        .get('/orders/other', mayRead, handle)
      return { documents: { orders: { paths: { '/items/{id}': { get: READ }, '/other': { get: READ } } } } }
    },
  },
}
