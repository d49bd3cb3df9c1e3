import type { IncomingMessage } from 'node:http'
import { findLayers, handlesMethod, hasRoute, type Layer, type Mount, type Route, findPatterns } from './layers.js'

export type RouteContainer = object

export interface RoutesOfRequest {
  readonly app: RouteContainer
  readonly path: string
}

/** The app of a request, and the path in it at which the guard is mounted that has the request now. */
export function findRoutes(req: IncomingMessage): RoutesOfRequest | undefined {
  const { app, baseUrl = '' } = req as { app?: { path?(): string }; baseUrl?: string }
  // An app that is mounted at the root has the path `/`.
  const mountPath = (app?.path?.() ?? '').replaceAll(/\/+/g, '/').replace(/\/$/, '')
  return app && baseUrl.startsWith(mountPath) ? { app, path: baseUrl.slice(mountPath.length) } : undefined
}

/** The mount paths before a route, in one; `*` for one that is no plain text. Undefined if they do not lead to it. */
export function describeMounts(app: RouteContainer, path: string, route: object): string | undefined {
  let described: string | undefined
  hasRoute(findLayers(app) ?? [], path, (found, _rest, mounts) => {
    if (found !== route) return false
    described = mounts.map(describeMount).join('')
    return true
  })
  return described
}

function describeMount({ layer, path: requested }: Mount): string {
  const path = requested.replace(/\/$/, '')
  if (path === '') return ''
  if (!isPlain(layer)) return '/*'
  // Express ignores the case, unless the app says otherwise.
  const lowerCased = path.toLowerCase()
  return layer.match(lowerCased) ? lowerCased : path
}

const PLAIN = new WeakMap<Layer, boolean>()
/** What Express 4 and 5 make of a path in which every character stands for itself. */
const PLAIN_PATTERN = /^\^(?:\(\?:)?(?:\\\W|[^\\^$.*+?()[\]{}|])*\)?(?:\(\?:\\\/\$\)\?|\\\/\?)?\(\?=\\\/\|\$\)$/

function isPlain(layer: Layer): boolean {
  const known = PLAIN.get(layer)
  if (known !== undefined) return known
  const patterns = findPatterns(layer)
  const plain = patterns.length > 0 && patterns.every(({ source }) => PLAIN_PATTERN.test(source))
  PLAIN.set(layer, plain)
  return plain
}

/** The first route of an app for a path and a method, the path of its router, and the rest of the path in that. */
export function findNextRoute(
  app: RouteContainer,
  path: string,
  method: string,
  open?: (layer: Layer) => readonly Layer[] | undefined,
): { readonly route: Route; readonly path: string; readonly rest: string } | undefined {
  let found: { readonly route: Route; readonly rest: string } | undefined
  const accept = (route: Route, rest: string): boolean => {
    if (!handlesMethod(route, method)) return false
    found = { route, rest }
    return true
  }
  hasRoute(findLayers(app) ?? [], path, accept, [], open)
  // The rest is a slash, also if the path has none at its end.
  return found && { ...found, path: path.endsWith(found.rest) ? path.slice(0, -found.rest.length) : path }
}
