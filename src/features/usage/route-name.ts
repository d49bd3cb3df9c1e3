import { METHODS, type IncomingMessage } from 'node:http'
import { parsePath } from '../../shared/lib/request.js'
import { describeMounts, findNextRoute, findRoutes, type RoutesOfRequest } from '../../shared/express-routes/routes.js'

interface Route {
  readonly path?: unknown
  readonly methods?: Readonly<Record<string, boolean | undefined>>
}

interface Reached {
  readonly route: Route
  /** The path at which the route's router is mounted, as the client has requested it, and the part of it that is in the app. */
  readonly baseUrl: string
  readonly routes: RoutesOfRequest | undefined
  readonly rest: string
}

/** Method and pattern of the reached route, such as `GET /orders/items/:id`; `unmatched` if there is none. */
export function describeRoute(req: IncomingMessage): string {
  const pattern = findMatched(req)?.pattern
  return pattern === undefined ? 'unmatched' : `${readMethod(req)} ${pattern}`
}

/** The same for a request that was refused, perhaps before it has reached its route: `GET *` if the app shows none. */
export function describeRefusedRoute(req: IncomingMessage): string {
  return `${readMethod(req)} ${findMatched(req)?.pattern ?? ANY}`
}

/** The route as the app defines it, also for HEAD and `app.all()`; undefined if none was reached. */
export function describeMatchedRoute(req: IncomingMessage): string | undefined {
  const matched = findMatched(req)
  return matched && `${describeMethod(matched.route, req)} ${matched.pattern}`
}

function describeMethod(route: Route, req: IncomingMessage): string {
  const methods = route.methods ?? {}
  if (methods['_all'] || METHODS.every((each) => methods[each.toLowerCase()])) return 'ALL'
  return req.method === 'HEAD' && methods['get'] && !methods['head'] ? 'GET' : readMethod(req)
}

function readMethod({ method = '' }: IncomingMessage): string {
  return METHODS.includes(method) ? method : 'OTHER'
}

function findMatched(req: IncomingMessage): { readonly route: Route; readonly pattern: string } | undefined {
  try {
    const reached = findReached(req)
    const patterns = [reached?.route.path].flat().filter((path) => typeof path === 'string' || path instanceof RegExp)
    if (!reached || patterns.length === 0) return undefined
    const path = `${describeBase(reached)}${patterns.map(String).join(',')}`
    return { route: reached.route, pattern: path.replaceAll(UNPRINTABLE, '?').slice(0, MAX_PATH_LENGTH) }
  } catch {
    return undefined
  }
}

/** A guard that is mounted with `use()` has the request before its route, which is looked for then. */
function findReached(req: IncomingMessage): Reached | undefined {
  const { route, baseUrl = '', method = '' } = req as IncomingMessage & { route?: Route; baseUrl?: string }
  const routes = findRoutes(req)
  const rest = parsePath(req.url ?? '')
  if (route) return { route, baseUrl, routes, rest }
  const next = routes && findNextRoute(routes.app, routes.path + rest, method)
  if (!next) return undefined
  const appPath = baseUrl.slice(0, baseUrl.length - routes.path.length)
  return { ...next, baseUrl: appPath + next.path, routes: { app: routes.app, path: next.path } }
}

const MAX_PATH_LENGTH = 300
/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu

/** Stands for what the client may have chosen. */
const ANY = '*'

/**
 * The paths at which the routers before the route are mounted: `req.baseUrl` is what the client has requested. After `next()` or an
 * error it is again that of an outer router or app, or of a later one that answers, and only the route is still known.
 */
function describeBase({ route, baseUrl, routes, rest }: Reached): string {
  const mounts = routes && describeMounts(routes.app, routes.path + rest, route)
  if (mounts !== undefined) return baseUrl.slice(0, baseUrl.length - routes!.path.length) + mounts
  const app = routes?.app.parent
  if (app) return describeBase({ route, baseUrl, routes: findRoutes({ app, baseUrl }), rest })
  return baseUrl === '' ? '' : `/${ANY}`
}
