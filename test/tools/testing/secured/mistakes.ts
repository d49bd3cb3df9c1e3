import type { IncomingMessage } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { guardsFromDocument } from '../../../../src/tools/document-guards/index.js'
import { guardUnless, replaceUrl, type Mistakes } from './shop.js'

const ITEMS = { info: {}, paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } } } }

/** Guards that are missing, wrong, avoided or answered for, and documents and lists that differ from the routes. */
export const MISTAKES: Mistakes = {
  'open GET /orders/items': {
    'a route without a guard': ({ app, handle }) => void app.get('/orders/items', handle),
    'a guard after the handler': ({ app, handle, mayRead }) => void app.get('/orders/items', handle, mayRead),
    'a guard after a handler that takes next': ({ app, mayRead }) =>
      void app.get(
        '/orders/items',
        (_req: Request, _res: Response, _next: NextFunction) => {
          throw new Error('The handler ran.')
        },
        mayRead,
      ),
    'app.use(guard) after the route': ({ app, handle, mayRead }) =>
      void app.get('/orders/items', handle).use('/orders', mayRead),
    'router.use(guard) after the route'({ express, app, handle, mayRead }) {
      const router = express.Router()
      router.get('/items', handle)
      router.use(mayRead)
      app.use('/orders', router)
    },
    'route.all(guard) after a method': ({ app, handle, mayRead }) =>
      void app.route('/orders/items').get(handle).all(mayRead).post(handle),
    'a guard for another path': ({ app, handle, mayRead }) =>
      void app.use('/orders/item', mayRead).get('/orders/items', handle),
    'a guard that is created and not used'({ app, auth, handle }) {
      auth.requireBearer('orders')
      app.get('/orders/items', handle)
    },
    'a guard in a condition that is false here': guardUnless((req) => req.app.get('env') !== 'nowhere'),
    'next("route") past the guard'({ app, handle, mayRead }) {
      app.get('/orders/items', (_req: Request, _res: Response, next: NextFunction) => next('route'), mayRead, handle)
      app.get('/orders/items', handle)
    },
  },
  'open POST /orders/items': {
    'a guard on one method of a route only': ({ app, handle, mayRead }) =>
      void app.route('/orders/items').get(mayRead, handle).post(handle),
  },
  'open GET /orders': {
    'a guard for paths below, which the path itself is not': ({ app, handle, mayRead }) =>
      void app
        .use(/^\/orders\/.+/, mayRead)
        .get('/orders', handle)
        .get('/orders/items', handle),
  },
  'open DELETE /orders/items/:id': {
    'app.get(guard) for all paths, and a route of another method': ({ app, handle, mayRead }) =>
      void app
        .get(/^\/orders/, mayRead)
        .get('/orders/items', handle)
        .delete('/orders/items/:id', handle),
    'a guard that lets other methods pass'({ app, handle, mayRead }) {
      app.use('/orders', (req, res, next) => (req.method === 'GET' ? mayRead(req, res, next) : next()))
      app.get('/orders/items', handle).delete('/orders/items/:id', handle)
    },
  },
  'open GET /internal/items': {
    'a sub-app that is mounted twice, once without the guard'({ express, app, handle, mayRead }) {
      const inner = express().get('/items', handle)
      app.use('/orders', mayRead, inner)
      app.use('/internal', inner)
    },
  },
  'open GET /v1/orders/items': {
    'a sub-app in a sub-app without a guard'({ express, app, handle }) {
      app.use('/v1', express().use('/orders', express().get('/items', handle)))
    },
  },
  'open GET /orders/items/:id/notes': {
    'a nested router that is mounted before its parent’s guard'({ express, app, handle, mayRead }) {
      const notes = express.Router({ mergeParams: true }).get('/notes', handle)
      const orders = express.Router()
      orders.use('/items/:id', notes)
      orders.use(mayRead)
      orders.get('/items', handle)
      app.use('/orders', orders)
    },
  },
  'open GET /order-items': {
    'a list of paths of which one is not guarded': ({ app, handle, mayRead }) =>
      void app.use('/orders', mayRead).get(['/orders/items', '/order-items'], handle),
  },
  'open GET /export/*': {
    'a regular expression without a guard': ({ app, handle }) => void app.get(/^\/export\/(\d+)$/, handle),
  },
  'open ALL /orders/rpc': { 'app.all() without a guard': ({ app, handle }) => void app.all('/orders/rpc', handle) },
  'report-only GET /orders/items': {
    'a guard that only reports': ({ app, auth, handle }) =>
      void app.get('/orders/items', auth.requireBearer('orders', { reportOnly: true }), handle),
    'a guard that only reports, before one that refuses': ({ app, auth, handle, mayRead }) =>
      void app.get(
        '/orders/items',
        auth.requireBearer('orders', { reportOnly: true, optional: true }),
        mayRead,
        handle,
      ),
    'a document whose guard only reports': ({ app, auth, handle }) =>
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
  },
  'wrong-refusal GET /orders/items': {
    'a guard that is called without waiting for its decision'({ app, handle, mayRead }) {
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
    'an own refusal before the guard'({ app, handle, mayRead }) {
      app.use('/orders', (req, res, next) => (req.headers.authorization ? next() : void res.status(403).send('No')))
      app.get('/orders/items', mayRead, handle)
    },
    'a refusal that becomes 200 with an error in it'({ app, handle, mayRead }) {
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
    'caching headers that replace no-store'({ app, handle, mayRead }) {
      app.use((_req, res, next) => {
        const { setHeader } = res
        res.setHeader = (name, value) =>
          Reflect.apply(setHeader, res, [name, name === 'Cache-Control' ? 'public, max-age=60' : value]) as Response
        next()
      })
      app.get('/orders/items', mayRead, handle)
    },
    'an onDenied that answers 200'({ app, auth, handle }) {
      app.get(
        '/orders/items',
        auth.requireBearer('orders', { onDenied: (_denial, _req, res) => void res.end('{}') }),
        handle,
      )
    },
    'a redirect to a login page'({ app, auth, handle }) {
      const onDenied = (_denial: unknown, _req: Request, res: Response): void => res.redirect('/login')
      app.get('/orders/items', auth.requireBearer('orders', { onDenied }), handle)
    },
  },
  'open GET /orders/:id': {
    'a route before the guard answers paths of a later one': ({ app, handle, mayRead }) =>
      void app.get('/orders/:id', handle).use('/orders', mayRead).get('/orders/items', handle),
  },
  'open GET /orders/files/*': {
    'static files at an API’s address': ({ app }) =>
      void app.use('/orders/files', (_req, res) => void res.send('a file')),
  },
  'open GET /catalog/*': {
    'a proxy at an API’s address before the guard': ({ app, mayBrowse }) =>
      void app.use('/catalog', (_req, res, _next) => void res.json({ proxied: true })).use('/catalog', mayBrowse),
  },
  'open GET /debug/orders': {
    'what a test environment opens'({ app, handle, mayRead }) {
      if (process.env['NODE_ENV'] !== 'production') app.get('/debug/orders', handle)
      app.get('/orders/items', mayRead, handle)
    },
  },
  'wrong-api GET /orders/items': {
    'the guard of another oauth2 API': ({ app, auth, handle }) =>
      void app.get('/orders/items', auth.requireBearer('invoices'), handle),
    'the guard of an API of the other scheme': ({ app, handle, mayBrowse }) =>
      void app.get('/orders/items', mayBrowse, handle),
  },
  'wrong-api GET /weather/today': {
    'the guard of another key API': ({ app, handle, mayBrowse }) => void app.get('/weather/today', mayBrowse, handle),
  },
  'wrong-api GET /invoices': {
    'one guard for all APIs': ({ app, handle, mayRead }) =>
      void app.use(mayRead).get('/orders/items', handle).get('/invoices', handle),
  },
  'optional GET /orders/items': {
    'an optional guard with nothing behind it': ({ app, auth, handle }) =>
      void app.get('/orders/items', auth.requireBearer('orders', { optional: true }), handle),
  },
  'optional GET /catalog/items': {
    'an optional requireAny() with nothing behind it'({ app, auth, handle, mayBrowse }) {
      app.get('/catalog/items', auth.requireAny([mayBrowse, auth.requireBearer('orders')], { optional: true }), handle)
    },
    'an optional guard on a router'({ express, app, auth, handle }) {
      app.use('/catalog', auth.requireApiKey('catalog', { optional: true }), express.Router().get('/items', handle))
    },
  },
  'other-issuers GET /orders/items': {
    'a guard for other issuers that lets every token pass'({ app, auth, handle }) {
      app.get('/orders/items', auth.requireBearer('orders', { otherIssuers: (_req, _res, next) => next() }), handle)
    },
    'a guard for other issuers that verifies nothing but the form of a JWT'({ app, auth, handle }) {
      const isJwt = (req: IncomingMessage): boolean => req.headers.authorization?.split('.').length === 3
      const otherIssuers = (req: Request, res: Response, next: NextFunction): void =>
        isJwt(req) ? next() : void res.status(401).end()
      app.get('/orders/items', auth.requireBearer('orders', { otherIssuers }), handle)
    },
  },
  'accepted GET /orders/items': {
    'a bypass for internal callers by a header that everybody can send'({ app, handle, mayRead, mayBrowse }) {
      app.use('/orders', (req, res, next) => (req.headers['x-api-key'] ? next() : mayRead(req, res, next)))
      app.get('/orders/items', handle).get('/catalog/items', mayBrowse, handle)
    },
    'an own check that takes a token for good because there is one': guardUnless((req) =>
      req.headers.authorization?.startsWith('Bearer '),
    ),
    'a decoded but not verified token': guardUnless((req) => {
      const [, claims = ''] = req.headers.authorization?.split('.') ?? []
      const { iss } = claims === '' ? {} : (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: string })
      return iss?.endsWith('/orders')
    }),
  },
  'other-path GET /orders/items': {
    'a prefix that is compared as text, in capital letters': guardUnless((req) => !req.path.startsWith('/orders'), '/'),
    'a path that is compared as text, with a slash at the end': guardUnless(
      (req) => req.path.toLowerCase() !== '/orders/items',
      '/',
    ),
    'a prefix guard that path decoding bypasses': replaceUrl((req) => decodeURIComponent(req.url)),
    'a prefix guard that merging slashes bypasses': replaceUrl((req) => req.url.replace(/\/{2,}/g, '/')),
    'a case-sensitive guard before routes that ignore case'({ app, handle, mayRead }) {
      app.use(/^\/orders/, mayRead)
      app.get('/orders/items', handle)
    },
  },
  'other-method GET /orders/items': {
    'a URL that is compared as text, with a query': guardUnless((req) => !/^\/orders\/items\/?$/i.test(req.url), '/'),
    'a router that lets HEAD pass': guardUnless((req) => req.method === 'HEAD'),
  },
  'other-method ALL /orders/rpc': {
    'a handler for every method behind a guard that lets OPTIONS pass'({ app, handle, mayRead }) {
      app.use('/orders', (req, res, next) => (req.method === 'OPTIONS' ? next() : mayRead(req, res, next)))
      app.all('/orders/rpc', handle)
    },
  },
  'open GET /orders/items/:id': {
    'app.param() answers before the guard, so strangers learn which ids exist'({ app, handle, mayRead }) {
      app.param('id', (_req, res) => void res.status(404).json({ error: 'not_found' }))
      app.get('/orders/items/:id', mayRead, handle)
    },
  },
  'missing-scope GET /orders/items': {
    'a scope that the document requires and the guard does not'({ app, auth, handle }) {
      app.get('/orders/items', auth.requireBearer('orders'), handle)
      return { documents: { orders: ITEMS } }
    },
    'another scope than the document’s'({ app, handle, mayWrite }) {
      app.get('/orders/items', mayWrite, handle)
      return { documents: { orders: ITEMS } }
    },
  },
  'scope-not-documented GET /orders/items': {
    'a scope that the document does not name'({ app, auth, handle }) {
      app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'] }), handle)
      return { documents: { orders: ITEMS } }
    },
  },
  'missing-scope GET /weather/items': {
    'a scope of keys that the document requires and the guard does not'({ app, auth, handle }) {
      app.get('/weather/items', auth.requireApiKey('weather'), handle)
      return {
        documents: { weather: { ...ITEMS, paths: { '/items': { get: { security: [{ key: ['weather:read'] }] } } } } },
      }
    },
  },
  'missing-scope DELETE /orders/items/:id': {
    'the scope of GET for every method'({ app, handle, mayRead }) {
      app.use('/orders', mayRead)
      app.get('/orders/items', handle).delete('/orders/items/:id', handle)
      const paths = { ...ITEMS.paths, '/items/{id}': { delete: { security: [{ oauth2: ['orders:write'] }] } } }
      return { documents: { orders: { ...ITEMS, paths } } }
    },
  },
  'not-documented GET /orders/secret': {
    'a route that is not in the document'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle).get('/orders/secret', mayRead, handle)
      return { documents: { orders: ITEMS } }
    },
  },
  'not-documented DELETE /orders/items': {
    'a method that is not in the document'({ app, handle, mayRead, mayWrite }) {
      app.route('/orders/items').get(mayRead, handle).delete(mayWrite, handle)
      return { documents: { orders: ITEMS } }
    },
  },
  'no-route GET /orders/items': {
    'an operation without a route'({ app, handle, mayRead }) {
      app.use('/orders', mayRead).get('/orders/other', handle)
      return { documents: { orders: ITEMS }, public: {} }
    },
  },
  'guarded-but-open-in-document GET /orders/items': {
    'an operation that the document calls open and the app does not'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      return { documents: { orders: { paths: { '/items': { get: { security: [] } } } } } }
    },
  },
  'public-but-guarded GET /orders/items': {
    'a public route that is guarded by now'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      return { public: { 'GET /orders/items': 'it was open once' } }
    },
  },
  'public-without-route GET /old': {
    'a public route that no longer exists'({ app, handle, mayRead }) {
      app.get('/orders/items', mayRead, handle)
      return { public: { 'GET /old': 'nobody knows' } }
    },
  },
}
