import { ConfigurationError } from '../../shared/contracts/errors.js'
import { findLayers, handlesMethod, hasRoute } from '../../shared/express-routes/layers.js'
import type { RouteContainer } from '../../shared/express-routes/request-routes.js'
import type { SecuredOperation } from '../../shared/openapi/operations.js'

/** Throws `ConfigurationError` with all operations that have no route in an app or router. */
export function refuseMissingRoutes(
  call: string,
  operations: readonly SecuredOperation[],
  app: RouteContainer,
  path: string,
  advice = '',
): void {
  const missing = findMissingRoutes(operations, app, path)
  if (missing.length === 0) return
  throw new ConfigurationError({
    problem: `${call}: there is no route for ${missing.join(', ')}`,
    fix:
      'Add the routes before this call, give the app or router that has them and the path at which the guard is mounted in it, or remove the operations from the document.' +
      (advice && ` ${advice}`),
  })
}

/** The operations that have no route below `path`, such as `GET /items`. Express answers OPTIONS itself. */
export function findMissingRoutes(
  operations: readonly SecuredOperation[],
  app: RouteContainer,
  path: string,
): string[] {
  const layers = findLayers(app) ?? []
  const isMissing = ({ method, template }: SecuredOperation): boolean =>
    method !== 'OPTIONS' &&
    !SAMPLES.some((sample) =>
      hasRoute(layers, path + fill(template.path, sample), (route) => handlesMethod(route, method)),
    )
  return operations.filter(isMissing).map(({ method, template }) => `${method} ${template.path}`)
}

/** Values for parameters, because a route may take only numbers, or only UUIDs. */
const SAMPLES = ['1', 'a', '00000000-0000-4000-8000-000000000000']

function fill(path: string, sample: string): string {
  return path.replaceAll(/\{[^{}]+\}/g, sample)
}
