import cors from 'cors'
import type { NextFunction, Request, Response } from 'express'
import helmet from 'helmet'
import type { BuildApp } from './shop.js'

const notFound = (_req: Request, res: Response): void => void res.status(404).json({ error: 'not_found' })
const onError = (_error: unknown, _req: Request, res: Response, _next: NextFunction): void =>
  void res.status(500).json({})

/** Apps in which nothing is wrong. */
export const CORRECT_APPS: Readonly<Record<string, BuildApp>> = {
  'guards on routes, and public routes'({ app, auth, handle, mayRead, mayWrite, mayBrowse }) {
    app.use(auth.router)
    app.get('/orders/items', mayRead, handle).post('/orders/items', mayWrite, handle)
    app.get('/catalog/items/:sku', mayBrowse, handle)
    app.get('/health', handle).get('/', handle)
    return { public: { 'GET /health': 'the load balancer asks it', 'GET /': 'the home page' } }
  },
  'CORS, security headers and body parsers before the guards'({ express, app, handle, mayRead, mayWrite }) {
    app.use(helmet(), cors(), express.json(), express.urlencoded({ extended: false }))
    app.options(/.*/, cors())
    app.route('/orders/items').get(mayRead, handle).post(mayWrite, handle)
    app.use(notFound, onError)
    return { public: { 'OPTIONS /*': 'CORS preflight' } }
  },
  'guards on routers, and error and not-found handlers in each'({
    express,
    app,
    handle,
    mayRead,
    mayWrite,
    mayBrowse,
  }) {
    const orders = express.Router().use(mayRead).get('/', handle).get('/:id', handle).delete('/:id', mayWrite, handle)
    const catalog = express.Router().use(mayBrowse).get('/items', handle)
    app.use('/orders', orders.use(notFound, onError))
    app.use('/catalog', catalog.use(notFound))
    app.use(notFound, onError)
  },
  'a router that is mounted twice behind the guard'({ express, app, handle, mayRead }) {
    const router = express.Router().get('/items', handle)
    app.use('/v1/orders', mayRead, router).use('/v2/orders', mayRead, router)
  },
  'sub-apps in sub-apps, guarded where they are mounted'({ express, app, auth, handle, mayRead }) {
    const notes = express().get('/', handle).post('/:note', handle)
    const orders = express().use('/:id/notes', notes).get('/:id', handle)
    app.use('/orders', mayRead, orders)
    app.use('/weather', auth.requireApiKey('weather'), express().get('/today', handle))
  },
  'regular expressions, wildcards and lists of paths'({ app, handle, mayRead }) {
    app.use('/orders', mayRead)
    app.get(/^\/orders\/(\d{4})-(\d{2})$/, handle)
    app.get(/^\/orders\/export\.(?:csv|json)$/i, handle)
    app.get(['/orders/a', '/orders/:year/b'], handle)
    app.all(/^\/orders\/rpc\/.*$/, handle)
  },
  'parameters with app.param() behind the guard'({ express, app, handle, mayRead }) {
    const items = express.Router()
    items.param('id', (_req, _res, next, id: string) =>
      next(/^\d+$/.test(id) ? undefined : new Error('The guard must be first.')),
    )
    items.get('/:id', handle).put('/:id', handle)
    app.use('/orders/items', mayRead, items)
  },
  'app.param() that accepts some ids only, before the guard'({ app, handle, mayRead }) {
    app.param('id', (_req, res, next, id: string) => (/^\d+$/.test(id) ? next() : void res.status(404).end()))
    app.get('/orders/items/:id', mayRead, handle)
    return { params: { id: '42' } }
  },
  'scopes of keys per method, and one of several'({ app, auth, handle }) {
    app.use(
      '/weather/items',
      auth.requireApiKey('weather', { scopes: { GET: ['weather:read'], '*': ['weather:write'] } }),
    )
    app.get('/weather/items', handle).post('/weather/items', handle)
    app.get('/weather/parts', auth.requireApiKey('weather', { anyScope: ['weather:read', 'weather:write'] }), handle)
  },
  'scopes per method, one of several scopes, and allow'({ app, auth, handle }) {
    app.use('/orders/items', auth.requireBearer('orders', { scopes: { GET: ['orders:read'], '*': ['orders:write'] } }))
    app.get('/orders/items', handle).post('/orders/items', handle)
    app.get('/orders/totals', auth.requireBearer('orders', { anyScope: ['orders:read', 'orders:write'] }), handle)
    app.get('/orders/mine', auth.requireBearer('orders', { allow: () => false }), handle)
  },
  'several kinds of credentials on a route, and guards of two APIs that must both pass'({
    app,
    auth,
    handle,
    mayRead,
    mayBrowse,
  }) {
    app.get('/prices', auth.requireAny([mayRead, mayBrowse]), handle)
    app.get('/reports', mayRead, mayBrowse, handle)
    app.use('/orders', mayRead).get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:write'] }), handle)
  },
  'users of another issuer on a partners’ route'({ app, auth, handle }) {
    const otherIssuers = (_req: Request, res: Response): void => void res.status(401).json({ error: 'login' })
    app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'], otherIssuers }), handle)
  },
  'an optional guard on a route that is public on purpose'({ app, auth, handle }) {
    app.get('/catalog/items', auth.requireApiKey('catalog', { optional: true }), handle)
    return { public: { 'GET /catalog/items': 'prices are shown to callers with a key only' } }
  },
  'answers of its own'({ app, auth, handle }) {
    const onDenied = ({ status }: { status: number }, _req: Request, res: Response): void =>
      void res.status(status).json({ title: 'No' })
    app.get('/orders/items', auth.requireBearer('orders', { onDenied }), handle)
  },
  'pages for people beside the APIs: static files, an application page for every path, a login'({
    express,
    app,
    auth,
    handle,
    mayRead,
  }) {
    const session = (req: Request, res: Response, next: NextFunction): void =>
      req.headers.cookie ? next() : res.redirect('/login')
    app.use(auth.router).use(express.static('docs')).use('/assets', express.static('docs'))
    app.get('/orders/items', mayRead, handle)
    app.get('/orders/:id/files/:name', mayRead, handle)
    app.get('/account', session, handle).get('/login', handle).get(/.*/, handle)
    return {
      public: {
        'GET /account': 'behind the session of the shop',
        'GET /login': 'the login',
        'GET /*': 'the single-page application',
      },
    }
  },
  'documents that describe exactly the routes'({ app, auth, handle, mayRead, mayWrite, mayBrowse }) {
    app.get('/orders', auth.requireBearer('orders'), handle)
    app.get('/orders/items', mayRead, handle).post('/orders/items', mayWrite, handle)
    app.route('/orders/items/:id').get(mayRead, handle).delete(mayWrite, handle)
    app.get(/^\/catalog\/items\/(\w+)$/, mayBrowse, handle)
    const read = { security: [{ any: ['orders:read'] }] }
    const write = { security: [{ any: ['orders:write'] }] }
    const paths = { '/items': { get: read, post: write }, '/items/{orderId}': { get: read, delete: write } }
    return { documents: { orders: { paths }, catalog: { paths: { '/items/{sku}': { get: {} } } } } }
  },
  'a guard that a function of the app calls'({ app, handle, mayRead }) {
    app.use('/orders', (req, res, next) => mayRead(req, res, (error) => next(error)))
    app.get('/orders/items', handle)
  },
  'case-sensitive and strict routing'({ express, app, handle, mayRead }) {
    app.enable('case sensitive routing').enable('strict routing')
    const router = express.Router({ strict: true, caseSensitive: true }).get('/items', handle).get('/items/', handle)
    app.use('/orders', mayRead, router)
  },
}
