import type { IncomingMessage } from 'node:http'
import type { Logger } from '../../shared/contracts/logger.js'
import type { CheckMount } from '../http/endpoints.js'
import { readOriginalPath, readPath } from '../../shared/lib/request.js'

/** Reports once that the router is mounted where the path of `baseUrl` does not lead. For development only. */
export function createMountCheck(
  { baseUrl, basePath }: { readonly baseUrl: string; readonly basePath: string },
  logger: Pick<Logger, 'warn'>,
): CheckMount {
  const { host } = new URL(baseUrl)
  let isReported = false

  /** Whether no proxy explains the path: a proxy may strip a part of it, and one that adds a part usually replaces `Host`. */
  function isMisplaced(mount: string, path: string, req: IncomingMessage, isRoute: (path: string) => boolean): boolean {
    if (isRoute(path)) return !basePath.endsWith(mount) && req.headers.host === host
    return basePath !== '' && path.startsWith(`${basePath}/`) && isRoute(path.slice(basePath.length))
  }

  return function checkMount(req, isRoute) {
    if (isReported) return
    const path = readPath(req)
    const original = readOriginalPath(req)
    // Otherwise the host has rewritten the URL.
    if (!original.endsWith(path)) return
    const mount = original.slice(0, -path.length)
    if (!isMisplaced(mount, path, req, isRoute)) return
    isReported = true
    const fix = basePath === '' ? 'app.use(auth.router)' : `app.use('${basePath}', auth.router)`
    logger.warn(
      `auth.router is mounted at "${mount || '/'}", but baseUrl is "${baseUrl}": it does not answer where clients are sent. Mount it with ${fix}, or correct baseUrl.`,
    )
  }
}
