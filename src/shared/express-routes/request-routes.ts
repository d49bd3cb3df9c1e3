import type { IncomingMessage } from 'node:http'
import { findLayers, handlesMethod, hasRoute, type Route } from './layers.js'

/** An Express app or router. */
export type RouteContainer = object

/** The app of a request, and the path in it of the router that has the request. */
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

/** Whether Express may find this route by the path. */
export function leadsTo(app: RouteContainer, path: string, route: object): boolean {
  return hasRoute(findLayers(app) ?? [], path, (found) => found === route)
}

/** The first route of an app for a path and a method, the path of its router, and the rest of the path in that. */
export function findNextRoute(
  app: RouteContainer,
  path: string,
  method: string,
): { readonly route: Route; readonly path: string; readonly rest: string } | undefined {
  let found: { readonly route: Route; readonly rest: string } | undefined
  hasRoute(findLayers(app) ?? [], path, (route, rest) => {
    if (!handlesMethod(route, method)) return false
    found = { route, rest }
    return true
  })
  // The rest is a slash, also if the path has none at its end.
  return found && { ...found, path: path.endsWith(found.rest) ? path.slice(0, -found.rest.length) : path }
}
