import { METHODS, type IncomingMessage } from 'node:http'
import { parsePath } from '../../core/http/middleware.js'
import { findNextRoute, findRoutes, leadsTo, type RoutesOfRequest } from '../../shared/express-routes/request-routes.js'

/** The members that Express sets on a request. */
interface RoutedRequest extends IncomingMessage {
  readonly route?: Route | undefined
  readonly baseUrl?: string
}

interface Route {
  readonly path?: unknown
  readonly methods?: Readonly<Record<string, boolean | undefined>>
}

/** The route of a request. */
interface Reached {
  readonly route: Route
  /** The path at which the route's router is mounted, as the client has requested it, and the part of it that is in the app. */
  readonly baseUrl: string
  readonly routes: RoutesOfRequest | undefined
  /** The path in the router. */
  readonly rest: string
}

/**
 * The method and the pattern of the route that a request has reached, such as `GET /orders/items/:id`; `unmatched` if it has
 * reached none. The client chooses nothing in it but the method, so there are only as many as the app has.
 */
export function describeRoute(req: IncomingMessage): string {
  const pattern = findPattern(req)
  return pattern === undefined ? 'unmatched' : `${readMethod(req)} ${pattern}`
}

/** The same for a request that was refused, perhaps before it has reached its route: `GET *` if the app shows none. */
export function describeRefusedRoute(req: IncomingMessage): string {
  return `${readMethod(req)} ${findPattern(req) ?? ANY}`
}

/**
 * The route as the app defines it, such as `GET /orders/items/:id` also for HEAD, and `ALL /orders` for `app.all()`: the client chooses
 * nothing in it. Undefined for a request that has reached none.
 */
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

function findPattern(req: IncomingMessage): string | undefined {
  return findMatched(req)?.pattern
}

function findMatched(req: IncomingMessage): { readonly route: Route; readonly pattern: string } | undefined {
  try {
    const reached = findReached(req)
    const patterns = [reached?.route.path].flat().filter((path) => typeof path === 'string' || path instanceof RegExp)
    if (!reached || patterns.length === 0) return undefined
    const path = `${describeMount(reached)}${patterns.map(String).join(',')}`
    return { route: reached.route, pattern: path.replaceAll(UNPRINTABLE, '?').slice(0, MAX_PATH_LENGTH) }
  } catch {
    return undefined
  }
}

/** A guard that is mounted with `use()` has the request before its route, which is looked for then. */
function findReached(req: RoutedRequest): Reached | undefined {
  const { route, baseUrl = '', method = '' } = req
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

/** The paths at which the routes of an app are mounted, by route: lists of segments. */
const MOUNTS = new WeakMap<object, string[][]>()
const MAX_MOUNTS_PER_ROUTE = 20
const MAX_SEGMENTS = 16
const MAX_SEGMENT_LENGTH = 64
/** Stands for a segment that the client may have chosen. */
const ANY = '*'

/**
 * The paths at which the routers before the route are mounted. `req.baseUrl` is what the client has requested, and Express
 * keeps no patterns; so a segment is shown only if the app has no such route with another one in its place.
 */
function describeMount(reached: Reached): string {
  const { route, baseUrl } = reached
  if (baseUrl === '') return ''
  const segments = baseUrl.split('/').slice(1)
  const known = MOUNTS.get(route) ?? []
  const fitting = known.find((each) => fits(each, segments))
  if (fitting) return `/${fitting.join('/')}`
  // The search takes time, so it is not made for every request of an unusual app.
  const found = known.length < MAX_MOUNTS_PER_ROUTE ? findMount(reached, segments) : undefined
  if (found) MOUNTS.set(route, [...known, found])
  return `/${(found ?? [ANY]).join('/')}`
}

function fits(mount: readonly string[], segments: readonly string[]): boolean {
  const isSame = (each: string, segment: string): boolean =>
    each === ANY || each === segment.toLowerCase() || each === segment
  return mount.length === segments.length && mount.every((each, at) => isSame(each, segments[at]!))
}

function findMount({ route, routes, rest }: Reached, segments: readonly string[]): string[] | undefined {
  if (!routes || segments.length > MAX_SEGMENTS) return undefined
  const isThere = (variant: readonly string[]): boolean =>
    leadsTo(routes.app, variant.map((each) => `/${each}`).join('') + rest, route)

  // The path of a mounted app is known. Those of the routers in it are looked for, perhaps with regard to case.
  const count = routes.path.split('/').length - 1
  const appSegments = segments.slice(0, segments.length - count)
  const exact = segments.slice(segments.length - count)
  const lowerCased = exact.map((each) => each.toLowerCase())
  const found = [lowerCased, exact].find(isThere)
  if (!found) return undefined
  const isFixed = (segment: string, at: number): boolean =>
    segment.length <= MAX_SEGMENT_LENGTH &&
    changeEachCharacter(segment).every((changed) => !isThere(found.with(at, changed)))
  return [...appSegments, ...found.map((segment, at) => (isFixed(segment, at) ? segment : ANY))]
}

/** Replaces a segment by one with another character of the same kind, which a pattern such as `\d+` matches too. */
function changeEachCharacter(segment: string): string[] {
  return Array.from(
    { length: segment.length },
    (_, at) => segment.slice(0, at) + changeCharacter(segment[at]!) + segment.slice(at + 1),
  )
}

function changeCharacter(character: string): string {
  if (/\d/.test(character)) return character === '0' ? '1' : '0'
  if (/[A-Z]/.test(character)) return character === 'A' ? 'B' : 'A'
  if (/[a-z]/.test(character)) return character === 'a' ? 'b' : 'a'
  return character === '-' ? '_' : '-'
}
