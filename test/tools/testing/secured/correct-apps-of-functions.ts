import cors from 'cors'
import helmet from 'helmet'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { developerConsole } from '../../../../src/tools/console/index.js'
import { guardsFromDocument } from '../../../../src/tools/document-guards/index.js'
import type { BuildApp } from './shop.js'

const READ = { security: [{ oauth2: ['orders:read'] }] }
const DOCUMENT = { openapi: '3.1.0', info: { title: 'Orders', version: '1' } }
const answer = (_req: Request, res: Response): void => void res.json({ orders: [] })
const asGuard = (guard: unknown): RequestHandler => guard as RequestHandler

/** The shapes of `mistakes-of-functions.ts`, as they are right. */
export const CORRECT_APPS_OF_FUNCTIONS: Readonly<Record<string, BuildApp>> = {
  'guards before services at the root (Feathers)'({ app, mayRead }) {
    app.use((req, res, next) => (req.path.includes('//') ? void res.sendStatus(404) : next()))
    app.use('/orders', mayRead)
    app.use((req, res, next) => (req.path.split('/').find(Boolean) === 'orders' ? answer(req, res) : next()))
  },
  'a framework at the root behind the guards of its APIs (LoopBack)'({ app, auth, mayRead, mayBrowse }) {
    app.use(auth.router).use('/orders', mayRead).use('/catalog', mayBrowse)
    app.use((req, res) => void (/^\/(?:orders|catalog)\//i.test(req.path) ? res.json({}) : res.status(404).json({})))
  },
  'operations that a function answers behind a guard'({ app, mayRead }) {
    app.use('/orders', mayRead)
    app.use(
      '/orders',
      (req, res) => void (req.path === '/items' ? res.json([]) : res.status(404).json({ path: req.path })),
    )
    return { documents: { orders: { paths: { '/items': { get: READ } } } } }
  },
  'an operation whose example is not found behind the guard'({ app, mayRead }) {
    app.use('/orders', mayRead)
    app.use(
      '/orders',
      (req, res) =>
        void res.status(404).json({ title: req.path.startsWith('/items/') ? 'No such item' : 'No such path' }),
    )
    return { documents: { orders: { paths: { '/items/{id}': { get: READ } } } } }
  },
  'a not-found handler that repeats the address with its query (NestJS)'({ app, handle, mayRead }) {
    app.get('/orders/items', mayRead, handle)
    app.use((req, res) => void res.status(404).json({ message: `Cannot ${req.method} ${req.originalUrl}` }))
  },
  'a check of its own, which gives the verifier whatever the header has'({ app, auth, handle }) {
    const check = (req: Request, res: Response, next: NextFunction): void =>
      void auth.verifyAccessToken('orders', req.headers.authorization ?? '').then(
        () => next(),
        ({ status, code }: { status: number; code: string }) => res.status(status).json({ error: code }),
      )
    app.get('/orders/items', check, handle)
  },
  'middleware and a page for other paths than the APIs’'({ express, app, handle, mayRead }) {
    app.use(express.json(), cors())
    app.get('/orders/items', mayRead, handle)
    app.use((req, res, next) =>
      /^\/(?:orders|catalog)(?:\/|$)/i.test(req.path) ? next() : void res.type('html').send('<p>The application'),
    )
    return { public: { '/*': 'the single-page application' } }
  },
  'guards that functions on the route call, before other middleware'({ app, handle, mayRead }) {
    const load: RequestHandler = (_req, _res, next) => next()
    app.get(
      '/orders/items',
      (req: Request, res: Response, next: NextFunction) => asGuard(mayRead)(req, res, next),
      handle,
    )
    app.get(
      '/orders/notes',
      load,
      (req: Request, res: Response, next: NextFunction) => asGuard(mayRead)(req, res, next),
      handle,
    )
  },
  'helmet, CORS, parsers, static files, the console, and errors for what is not found'({
    express,
    app,
    auth,
    handle,
    mayRead,
  }) {
    app.use(helmet(), cors(), express.json(), express.urlencoded({ extended: true }), express.static('docs'))
    app.use(auth.router, auth.wellKnownRouter).use('/developers', developerConsole(auth))
    app.get('/orders/items', mayRead, handle)
    app.use((_req, _res, next) => next(Object.assign(new Error('Not found'), { status: 404 })))
  },
  'a limiter for the token endpoint, which names its path'({ app, auth, handle, mayRead }) {
    app.use((req, res, next) => {
      if (req.path === '/orders/token') res.locals['isLimited'] = true
      next()
    })
    app.use(auth.router).get('/orders/items', mayRead, handle)
  },
  'an application page for every other path as a function, listed'({ app, handle, mayRead, mayBrowse }) {
    app.get('/orders/items', mayRead, handle)
    app.use('/orders', mayRead).use('/catalog', mayBrowse)
    app.use((_req, res) => void res.type('html').send('<p>The application'))
    return { public: { '/*': 'the single-page application' } }
  },
  'documentation as static files at an API’s address, listed'({ express, app, handle, mayRead }) {
    app.use('/orders/docs', express.static('docs'))
    app.get('/orders/items', mayRead, handle)
    return { public: { '/orders/docs/*': 'documentation' } }
  },
  'a greeting at an API’s own address, listed for one method'({ app, mayRead, handle }) {
    app.use((req, res, next) => (req.path === '/orders' && req.method === 'GET' ? answer(req, res) : next()))
    app.get('/orders/items', mayRead, handle)
    return { public: { 'GET /orders': 'it says where the documentation is' } }
  },
  'a router that a function calls behind the guard, and one that is guarded in itself'({
    express,
    app,
    handle,
    mayRead,
    mayBrowse,
  }) {
    const router = express.Router().get('/items', handle)
    app.use('/orders', mayRead, (req, res, next) => void Promise.resolve().then(() => router(req, res, next)))
    const catalog = express.Router().use(mayBrowse).get('/items', handle)
    app.use('/catalog', (req, res, next) => void catalog(req, res, next))
  },
  'a router for another version, which a header names'({ express, app, handle, mayRead }) {
    const second = express.Router().use(mayRead).get('/items', handle)
    app.use('/orders', (req, res, next) => (req.get('accept-version') === '2' ? void second(req, res, next) : next()))
    app.get('/orders/items', mayRead, handle)
  },
  'wildcards and optional segments behind guards of their documents'({ app, auth, handle }) {
    const document = { ...DOCUMENT, paths: { '/items': { get: READ }, '/items/{id}': { get: READ } } }
    app.use('/orders', guardsFromDocument(auth, 'orders', document)).get(/^\/orders\/items(?:\/([^/]+))?$/, handle)
  },
  'app.all() and methods of WebDAV behind a guard'({ app, handle, mayRead }) {
    app.use('/orders', mayRead).all('/orders/rpc', handle).report('/orders/items', handle)
  },
  'preflight routes without entries in public'({ app, handle, mayRead, mayWrite }) {
    app.use(cors())
    app.options(/.*/, cors())
    app.options(
      '/orders/items',
      (_req, res) => void res.set('Access-Control-Allow-Methods', 'GET, POST').sendStatus(204),
    )
    app.get('/orders/items', mayRead, handle).post('/orders/items', mayWrite, handle)
  },
  'a replaced method before the guards'({ app, auth, handle }) {
    app.use((req, _res, next) => {
      if (req.method === 'POST') req.method = req.get('x-http-method-override') ?? req.method
      next()
    })
    app.use('/orders', auth.requireBearer('orders', { scopes: { POST: ['orders:read'], DELETE: ['orders:write'] } }))
    app.post('/orders/items', handle).delete('/orders/items', handle)
  },
  'a limiter that refuses some requests'({ app, handle, mayRead }) {
    let count = 0
    app.use((_req, res, next) => ((count += 1) % 7 === 0 ? void res.sendStatus(429) : next()))
    app.get('/orders/items', mayRead, handle)
  },
  'guards that a function chooses by the request'({ app, handle, mayRead, mayWrite }) {
    app.use('/orders', (req, res, next) =>
      (req.get('x-admin') === 'yes' || req.query['full'] ? asGuard(mayWrite) : asGuard(mayRead))(req, res, next),
    )
    app.get('/orders/items', handle)
  },
  'documents with references in path items, and one that describes webhooks only'({ app, handle, mayRead }) {
    app.get('/orders/items', mayRead, handle).get('/orders/notes', mayRead, handle)
    const paths = { '/items': { get: READ }, '/notes': { $ref: '#/components/pathItems/notes' } }
    const components = { pathItems: { notes: { get: READ } } }
    return {
      documents: {
        orders: { paths, components },
        catalog: { ...DOCUMENT, paths: {}, webhooks: { sold: { post: {} } } },
      },
    }
  },
}
