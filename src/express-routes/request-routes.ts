import type { IncomingMessage } from 'node:http'
import { findLayers, hasRoute } from './layers.js'

/** An Express app or router. */
export type RouteContainer = object

/** The app of a request, and the path in it at which the guard is mounted that has the request now. */
export function findRoutes(req: IncomingMessage): { app: RouteContainer; path: string } | undefined {
  const { app, baseUrl = '' } = req as { app?: { path?(): string }; baseUrl?: string }
  // An app that is mounted at the root has the path `/`.
  const mountPath = (app?.path?.() ?? '').replaceAll(/\/+/g, '/').replace(/\/$/, '')
  return app && baseUrl.startsWith(mountPath) ? { app, path: baseUrl.slice(mountPath.length) } : undefined
}

/** Whether Express may find this route by the path. */
export function leadsTo(app: RouteContainer, path: string, route: object): boolean {
  return hasRoute(findLayers(app) ?? [], path, (found) => found === route)
}
