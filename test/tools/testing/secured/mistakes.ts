import type { IncomingMessage } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { guardsFromDocument } from '../../../../src/tools/document-guards/index.js'
import type { ProblemKind } from '../../../../src/tools/testing/index.js'
import { MISTAKES_OF_FUNCTIONS } from './mistakes-of-functions.js'
import type { AppOptions, BuildApp } from './shop.js'

/** A mistake that people make, and how it is reported: kind and route. */
export type Mistake = readonly [name: string, kind: ProblemKind, route: string, build: BuildApp]

const ITEMS = { info: {}, paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } } } }

export const MISTAKES: readonly Mistake[] = [
  // No guard, or one that stands in the wrong place.
  ['a route without a guard', 'open', 'GET /orders/items', ({ app, handle }) => void app.get('/orders/items', handle)],
  [
    'a guard after the handler',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => void app.get('/orders/items', handle, mayRead),
  ],
  [
    'a guard after a handler that takes next',
    'open',
    'GET /orders/items',
    ({ app, mayRead }) =>
      void app.get(
        '/orders/items',
        (_req: Request, _res: Response, _next: NextFunction) => {
          throw new Error('The handler ran.')
        },
        mayRead,
      ),
  ],
  [
    'app.use(guard) after the route',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => void app.get('/orders/items', handle).use('/orders', mayRead),
  ],
  [
    'router.use(guard) after the route',
    'open',
    'GET /orders/items',
    ({ express, app, handle, mayRead }) => {
      const router = express.Router()
      router.get('/items', handle)
      router.use(mayRead)
      app.use('/orders', router)
    },
  ],
  [
    'a guard on one method of a route only',
    'open',
    'POST /orders/items',
    ({ app, handle, mayRead }) => void app.route('/orders/items').get(mayRead, handle).post(handle),
  ],
  [
    'route.all(guard) after a method',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => void app.route('/orders/items').get(handle).all(mayRead).post(handle),
  ],
  [
    'a guard for another path',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => void app.use('/orders/item', mayRead).get('/orders/items', handle),
  ],
  [
    'a guard for paths below, which the path itself is not',
    'open',
    'GET /orders',
    ({ app, handle, mayRead }) =>
      void app
        .use(/^\/orders\/.+/, mayRead)
        .get('/orders', handle)
        .get('/orders/items', handle),
  ],
  [
    'app.get(guard) for all paths, and a route of another method',
    'open',
    'DELETE /orders/items/:id',
    ({ app, handle, mayRead }) =>
      void app
        .get(/^\/orders/, mayRead)
        .get('/orders/items', handle)
        .delete('/orders/items/:id', handle),
  ],
  [
    'a router that is mounted twice, once without the guard',
    'open',
    'GET /legacy/items',
    ({ express, app, handle, mayRead }) => {
      const router = express.Router().get('/items', handle)
      app.use('/orders', mayRead, router)
      app.use('/legacy', router)
    },
  ],
  [
    'a sub-app that is mounted twice, once without the guard',
    'open',
    'GET /internal/items',
    ({ express, app, handle, mayRead }) => {
      const inner = express().get('/items', handle)
      app.use('/orders', mayRead, inner)
      app.use('/internal', inner)
    },
  ],
  [
    'a sub-app in a sub-app without a guard',
    'open',
    'GET /v1/orders/items',
    ({ express, app, handle }) => {
      app.use('/v1', express().use('/orders', express().get('/items', handle)))
    },
  ],
  [
    'a nested router that is mounted before its parent’s guard',
    'open',
    'GET /orders/items/:id/notes',
    ({ express, app, handle, mayRead }) => {
      const notes = express.Router({ mergeParams: true }).get('/notes', handle)
      const orders = express.Router()
      orders.use('/items/:id', notes)
      orders.use(mayRead)
      orders.get('/items', handle)
      app.use('/orders', orders)
    },
  ],
  [
    'a list of paths of which one is not guarded',
    'open',
    'GET /order-items',
    ({ app, handle, mayRead }) => void app.use('/orders', mayRead).get(['/orders/items', '/order-items'], handle),
  ],
  [
    'a regular expression without a guard',
    'open',
    'GET /export/*',
    ({ app, handle }) => void app.get(/^\/export\/(\d+)$/, handle),
  ],
  ['app.all() without a guard', 'open', 'ALL /orders/rpc', ({ app, handle }) => void app.all('/orders/rpc', handle)],
  [
    'a guard that only reports',
    'report-only',
    'GET /orders/items',
    ({ app, auth, handle }) =>
      void app.get('/orders/items', auth.requireBearer('orders', { reportOnly: true }), handle),
  ],
  [
    'a guard that only reports, before one that refuses',
    'report-only',
    'GET /orders/items',
    ({ app, auth, handle, mayRead }) =>
      void app.get(
        '/orders/items',
        auth.requireBearer('orders', { reportOnly: true, optional: true }),
        mayRead,
        handle,
      ),
  ],
  [
    'a document whose guard only reports',
    'report-only',
    'GET /orders/items',
    ({ app, auth, handle }) =>
      void app
        .use(
          '/orders',
          guardsFromDocument(
            auth,
            'orders',
            { openapi: '3.1.0', ...ITEMS, info: { title: 'Orders', version: '1' } },
            { reportOnly: true },
          ),
        )
        .get('/orders/items', handle),
  ],
  [
    'a guard that is created and not used',
    'open',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      auth.requireBearer('orders')
      app.get('/orders/items', handle)
    },
  ],
  [
    'a guard in a condition that is false here',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.app.get('env') === 'nowhere' ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle)
    },
  ],
  [
    'a guard that is called without waiting for its decision',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => {
        mayRead(
          req,
          Object.create(res, { end: { value: () => undefined }, setHeader: { value: () => undefined } }) as Response,
          () => undefined,
        )
        next()
      })
      app.get('/orders/items', handle)
    },
  ],
  [
    'next("route") past the guard',
    'open',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', (_req: Request, _res: Response, next: NextFunction) => next('route'), mayRead, handle)
      app.get('/orders/items', handle)
    },
  ],
  [
    'a route before the guard answers paths of a later one',
    'open',
    'GET /orders/:id',
    ({ app, handle, mayRead }) =>
      void app.get('/orders/:id', handle).use('/orders', mayRead).get('/orders/items', handle),
  ],
  [
    'static files at an API’s address',
    'open',
    'GET /orders/files/*',
    ({ app }) => void app.use('/orders/files', (_req, res) => void res.send('a file')),
  ],
  [
    'a proxy at an API’s address before the guard',
    'open',
    'GET /catalog/*',
    ({ app, mayBrowse }) =>
      void app.use('/catalog', (_req, res, _next) => void res.json({ proxied: true })).use('/catalog', mayBrowse),
  ],
  [
    'what a test environment opens',
    'open',
    'GET /debug/orders',
    ({ app, handle, mayRead }) => {
      if (process.env['NODE_ENV'] !== 'production') app.get('/debug/orders', handle)
      app.get('/orders/items', mayRead, handle)
    },
  ],

  // The wrong guard.
  [
    'the guard of another oauth2 API',
    'wrong-api',
    'GET /orders/items',
    ({ app, auth, handle }) => void app.get('/orders/items', auth.requireBearer('invoices'), handle),
  ],
  [
    'the guard of an API of the other scheme',
    'wrong-api',
    'GET /orders/items',
    ({ app, handle, mayBrowse }) => void app.get('/orders/items', mayBrowse, handle),
  ],
  [
    'the guard of another key API',
    'wrong-api',
    'GET /weather/today',
    ({ app, handle, mayBrowse }) => void app.get('/weather/today', mayBrowse, handle),
  ],
  [
    'one guard for all APIs',
    'wrong-api',
    'GET /invoices',
    ({ app, handle, mayRead }) => void app.use(mayRead).get('/orders/items', handle).get('/invoices', handle),
  ],
  [
    'an optional guard with nothing behind it',
    'optional',
    'GET /orders/items',
    ({ app, auth, handle }) => void app.get('/orders/items', auth.requireBearer('orders', { optional: true }), handle),
  ],
  [
    'an optional requireAny() with nothing behind it',
    'optional',
    'GET /catalog/items',
    ({ app, auth, handle, mayBrowse }) => {
      app.get('/catalog/items', auth.requireAny([mayBrowse, auth.requireBearer('orders')], { optional: true }), handle)
    },
  ],
  [
    'an optional guard on a router',
    'optional',
    'GET /catalog/items',
    ({ express, app, auth, handle }) => {
      app.use('/catalog', auth.requireApiKey('catalog', { optional: true }), express.Router().get('/items', handle))
    },
  ],
  [
    'a guard for other issuers that lets every token pass',
    'other-issuers',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      app.get('/orders/items', auth.requireBearer('orders', { otherIssuers: (_req, _res, next) => next() }), handle)
    },
  ],
  [
    'a guard for other issuers that verifies nothing but the form of a JWT',
    'other-issuers',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      const isJwt = (req: IncomingMessage): boolean => req.headers.authorization?.split('.').length === 3
      const otherIssuers = (req: Request, res: Response, next: NextFunction): void =>
        isJwt(req) ? next() : void res.status(401).end()
      app.get('/orders/items', auth.requireBearer('orders', { otherIssuers }), handle)
    },
  ],
  [
    'a guard that lets other methods pass',
    'open',
    'DELETE /orders/items/:id',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.method === 'GET' ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle).delete('/orders/items/:id', handle)
    },
  ],
  [
    'a bypass for internal callers by a header that everybody can send',
    'accepted',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.headers['x-api-key'] ? next() : mayRead(req, res, next)))
      app.get('/orders/items', handle)
    },
  ],
  [
    'an own check that takes a token for good because there is one',
    'accepted',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) =>
        req.headers.authorization?.startsWith('Bearer ') ? next() : mayRead(req, res, next),
      )
      app.get('/orders/items', handle)
    },
  ],
  [
    'a decoded but not verified token',
    'accepted',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => {
        const [, claims = ''] = req.headers.authorization?.split('.') ?? []
        const { iss } =
          claims === '' ? {} : (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: string })
        if (iss?.endsWith('/orders')) next()
        else mayRead(req, res, next)
      })
      app.get('/orders/items', handle)
    },
  ],

  // Guards that other spellings of a path avoid.
  [
    'a prefix that is compared as text, in capital letters',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) => (req.path.startsWith('/orders') ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle)
    },
  ],
  [
    'a path that is compared as text, with a slash at the end',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) => (req.path.toLowerCase() === '/orders/items' ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle)
    },
  ],
  [
    'a URL that is compared as text, with a query',
    'other-method',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((req, res, next) => (/^\/orders\/items\/?$/i.test(req.url) ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle)
    },
  ],
  [
    'a prefix guard that path decoding bypasses',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', mayRead)
      app.use((req, _res, next) => {
        req.url = decodeURIComponent(req.url)
        next()
      })
      app.get('/orders/items', handle)
    },
  ],
  [
    'a prefix guard that merging slashes bypasses',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', mayRead)
      app.use((req, _res, next) => {
        req.url = req.url.replace(/\/{2,}/g, '/')
        next()
      })
      app.get('/orders/items', handle)
    },
  ],
  [
    'a case-sensitive guard before routes that ignore case',
    'other-path',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use(/^\/orders/, mayRead)
      app.get('/orders/items', handle)
    },
  ],
  [
    'a router that lets HEAD pass',
    'other-method',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.method === 'HEAD' ? next() : mayRead(req, res, next)))
      app.get('/orders/items', handle)
    },
  ],
  [
    'a handler for every method behind a guard that lets OPTIONS pass',
    'other-method',
    'ALL /orders/rpc',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.method === 'OPTIONS' ? next() : mayRead(req, res, next)))
      app.all('/orders/rpc', handle)
    },
  ],

  // Answers that are not the guard's.
  [
    'app.param() answers before the guard, so strangers learn which ids exist',
    'open',
    'GET /orders/items/:id',
    ({ app, handle, mayRead }) => {
      app.param('id', (_req, res) => void res.status(404).json({ error: 'not_found' }))
      app.get('/orders/items/:id', mayRead, handle)
    },
  ],
  [
    'an own refusal before the guard',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', (req, res, next) => (req.headers.authorization ? next() : void res.status(403).send('No')))
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'a refusal that becomes 200 with an error in it',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((_req, res, next) => {
        const { end } = res
        res.end = ((...args: unknown[]) => {
          res.statusCode = 200
          return Reflect.apply(end, res, args) as Response
        }) as typeof end
        next()
      })
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'caching headers that replace no-store',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use((_req, res, next) => {
        const { setHeader } = res
        res.setHeader = (name, value) =>
          Reflect.apply(setHeader, res, [name, name === 'Cache-Control' ? 'public, max-age=60' : value]) as Response
        next()
      })
      app.get('/orders/items', mayRead, handle)
    },
  ],
  [
    'an onDenied that answers 200',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      app.get(
        '/orders/items',
        auth.requireBearer('orders', { onDenied: (_denial, _req, res) => void res.end('{}') }),
        handle,
      )
    },
  ],
  [
    'a redirect to a login page',
    'wrong-refusal',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      const onDenied = (_denial: unknown, _req: Request, res: Response): void => res.redirect('/login')
      app.get('/orders/items', auth.requireBearer('orders', { onDenied }), handle)
    },
  ],

  // Routes and documents that differ.
  [
    'a scope that the document requires and the guard does not',
    'missing-scope',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      app.get('/orders/items', auth.requireBearer('orders'), handle)
      return { documents: { orders: ITEMS } }
    },
  ],
  [
    'another scope than the document’s',
    'missing-scope',
    'GET /orders/items',
    ({ app, handle, mayWrite }) => {
      app.get('/orders/items', mayWrite, handle)
      return { documents: { orders: ITEMS } }
    },
  ],
  [
    'a scope that the document does not name',
    'scope-not-documented',
    'GET /orders/items',
    ({ app, auth, handle }) => {
      app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'] }), handle)
      return { documents: { orders: ITEMS } }
    },
  ],
  [
    'a scope of keys that the document requires and the guard does not',
    'missing-scope',
    'GET /weather/items',
    ({ app, auth, handle }) => {
      app.get('/weather/items', auth.requireApiKey('weather'), handle)
      return {
        documents: { weather: { ...ITEMS, paths: { '/items': { get: { security: [{ key: ['weather:read'] }] } } } } },
      }
    },
  ],
  [
    'the scope of GET for every method',
    'missing-scope',
    'DELETE /orders/items/:id',
    ({ app, handle, mayRead }) => {
      app.use('/orders', mayRead)
      app.get('/orders/items', handle).delete('/orders/items/:id', handle)
      const paths = { ...ITEMS.paths, '/items/{id}': { delete: { security: [{ oauth2: ['orders:write'] }] } } }
      return { documents: { orders: { ...ITEMS, paths } } }
    },
  ],
  [
    'a route that is not in the document',
    'not-documented',
    'GET /orders/secret',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle).get('/orders/secret', mayRead, handle)
      return { documents: { orders: ITEMS } }
    },
  ],
  [
    'a method that is not in the document',
    'not-documented',
    'DELETE /orders/items',
    ({ app, handle, mayRead, mayWrite }) => {
      app.route('/orders/items').get(mayRead, handle).delete(mayWrite, handle)
      return { documents: { orders: ITEMS } }
    },
  ],
  [
    'an operation without a route',
    'no-route',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.use('/orders', mayRead).get('/orders/other', handle)
      return { documents: { orders: ITEMS }, public: {} }
    },
  ],
  [
    'an operation that the document calls open and the app does not',
    'guarded-but-open-in-document',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      return { documents: { orders: { paths: { '/items': { get: { security: [] } } } } } }
    },
  ],

  // A list of public routes that is out of date.
  [
    'a public route that is guarded by now',
    'public-but-guarded',
    'GET /orders/items',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      return { public: { 'GET /orders/items': 'it was open once' } }
    },
  ],
  [
    'a public route that no longer exists',
    'public-without-route',
    'GET /old',
    ({ app, handle, mayRead }) => {
      app.get('/orders/items', mayRead, handle)
      return { public: { 'GET /old': 'nobody knows' } }
    },
  ],
  ...MISTAKES_OF_FUNCTIONS,
]

/** Mistakes that only the source shows, and the options with which they are found. Without these they are unseen. */
export const FOUND_WITH: Readonly<Record<string, AppOptions>> = {
  'a value of a header that opens a route': { alsoTry: { names: { 'x-caller': 'backoffice' } } },
  'a guard that an origin need not pass': { alsoTry: { names: { Origin: 'https://shop.example' } } },
}

/** What needs the source, and no request without a good credential shows. docs/testing.md lists it. */
export const UNSEEN: readonly string[] = ['an operation that nothing answers, with a not-found handler']
