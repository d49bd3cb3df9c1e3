import type express5 from 'express'
import type { Express, Request, Response } from 'express'
import type { Guard } from '../../../../src/index.js'
import type { ExpectSecuredOptions } from '../../../../src/tools/testing/index.js'
import { createTestPlatform, expectSecured, type RoutesNotSecuredError } from '../../../../src/tools/testing/index.js'
import { afterAll, expect } from 'vitest'

export const APIS = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  invoices: { scheme: 'oauth2', scopes: { 'invoices:read': 'Read invoices' } },
  catalog: { scheme: 'apiKey' },
  weather: {
    scheme: 'apiKey',
    scopes: { 'weather:read': 'Read', 'weather:write': 'Write' },
    defaultScopes: ['weather:read'],
  },
} as const

/** What an app of the tables below is built with. */
export interface Parts {
  readonly express: typeof express5
  readonly app: Express
  readonly auth: ReturnType<typeof openShop>['auth']
  /** Guards that the apps need most. */
  readonly mayRead: Guard
  readonly mayWrite: Guard
  readonly mayBrowse: Guard
  /** A handler. It throws, so that a test fails if it runs. */
  readonly handle: (req: Request, res: Response) => void
}

/** The options of `expectSecured()` besides `auth`, if an app needs any. */
export type AppOptions = Omit<ExpectSecuredOptions, 'auth'>

/** Builds an app. */
export type BuildApp = (parts: Parts) => AppOptions | void

/** Kind and route of the problem that is reported -> the mistakes that people make. */
export type Mistakes = Readonly<Record<string, Readonly<Record<string, BuildApp>>>>

/** A guard that some requests pass, in front of a route. */
export function guardUnless(mayPass: (req: Request) => unknown, path = '/orders'): BuildApp {
  return ({ app, handle, mayRead }) =>
    void app
      .use(path, (req, res, next) => (mayPass(req) ? next() : mayRead(req, res, next)))
      .get('/orders/items', handle)
}

/** Middleware between a guard and its route that replaces the path. */
export function replaceUrl(replace: (req: Request) => string): BuildApp {
  return ({ app, handle, mayRead }) =>
    void app
      .use('/orders', mayRead)
      .use((req, _res, next) => {
        req.url = replace(req)
        next()
      })
      .get('/orders/items', handle)
}

export function openShop() {
  return createTestPlatform({ apis: APIS })
}

/** What `expectSecured()` finds in an app; fails if it finds nothing. */
export const findProblems = (app: Parameters<typeof expectSecured>[0], options: ExpectSecuredOptions) =>
  expectSecured(app, options).then(
    () => expect.fail('No problem was found.'),
    (error: unknown) => error as RoutesNotSecuredError,
  )

/** Builds apps, each with a platform that has no API that the app does not use: every API is asked at its address. */
export function openShops() {
  const { orders, catalog } = APIS
  const { auth: all } = openShop()
  const [one, two] = [{ orders }, { orders, catalog }].map((apis) => createTestPlatform({ apis }).auth as typeof all)
  const platforms = [one!, two!, all]
  afterAll(() => Promise.all(platforms.map((auth) => auth.close())))
  return (express: Parts['express'], build: BuildApp) => {
    const uses = (apis: RegExp): boolean => apis.test(String(build))
    const auth = uses(/invoices|weather/) ? all : uses(/catalog|mayBrowse/) ? two! : one!
    return { auth, ...buildApp(express, auth, build) }
  }
}

function buildApp(express: Parts['express'], auth: Parts['auth'], build: BuildApp) {
  const app = express()
  const options = build({
    express,
    app,
    auth,
    mayRead: auth.requireBearer('orders', { scopes: ['orders:read'] }),
    mayWrite: auth.requireBearer('orders', { scopes: ['orders:write'] }),
    get mayBrowse() {
      return auth.requireApiKey('catalog')
    },
    handle: (req) => {
      throw new Error(`The handler of ${req.originalUrl} ran.`)
    },
  })
  return { app, options: options ?? {} }
}
