import { describeGuard } from '../../index.js'
import { findExamplePaths } from './example-path.js'
import {
  findLayers,
  findMountedApp,
  findParameterNames,
  findPatterns,
  type Handler,
  type Layer,
  type Route,
} from './layer.js'

/** A route of the app, or a function that is mounted with `use()` at a path of its own. */
export interface Endpoint {
  /** Upper case; `'*'` if it has every method. */
  readonly methods: readonly string[]
  /** As it is defined, mount paths included: `/orders/items/:id`. */
  readonly path: string
  /** A path that it matches; undefined if none could be made. */
  readonly target: string | undefined
  /** Undefined for a function that is mounted with `use()`. */
  readonly route: Route | undefined
  /** Its functions, without guards. */
  readonly handlers: readonly Handler[]
}

/** Values for parameters in paths, by their names. */
export type ParameterValues = Readonly<Record<string, string>>

/** All routes of an app with its routers and mounted apps, in their order; one that is mounted twice twice. */
export function findEndpoints(app: unknown, values: ParameterValues): Endpoint[] {
  return listEndpoints(app, { path: '', target: '' }, values, [])
}

interface Place {
  readonly path: string
  readonly target: string | undefined
}

/** Mounted below itself, a router would have no end. */
const MAX_DEPTH = 20

function listEndpoints(app: unknown, mount: Place, values: ParameterValues, parents: readonly unknown[]): Endpoint[] {
  if (parents.length > MAX_DEPTH) return []
  return (findLayers(app) ?? []).flatMap((layer) => {
    const places = findPlaces(layer, values).map((place) => join(mount, place))
    if (layer.route) {
      const { route } = layer
      return places.flatMap((place) => createRouteEndpoints(route, place))
    }
    const inner = findLayers(layer.handle) ? layer.handle : findMountedApp(layer)
    if (inner) return places.flatMap((place) => listEndpoints(inner, place, values, [...parents, app]))
    // An error handler, a guard, or middleware for every path of the router.
    if (layer.handle.length > 3 || describeGuard(layer.handle) || findPatterns(layer).length === 0) return []
    return places.map((place) => ({
      methods: ['*'],
      path: `${place.path}/*`,
      target: place.target === undefined ? undefined : `${place.target}/${UNKNOWN_SEGMENT}`,
      route: undefined,
      handlers: [layer.handle],
    }))
  })
}

/** Of a path below a mount that no route is likely to have. */
const UNKNOWN_SEGMENT = 'express-platform-auth-unknown-path'

/** Nobody defines so many by hand. */
const MAX_NAMED_METHODS = 15

/** One for the methods of a route: those of `app.all()` count as one. */
function createRouteEndpoints(route: Route, place: Place): Endpoint[] {
  const handlers = route.stack.filter(({ handle }) => handle.length < 4 && !describeGuard(handle))
  if (handlers.length === 0) return []
  const named = [...new Set(handlers.flatMap(({ method }) => method?.toUpperCase() ?? []))]
  // app.all() defines every method by itself.
  const isForAll = handlers.at(-1)?.method === undefined || named.length > MAX_NAMED_METHODS
  const { path, target = '' } = place
  return [
    {
      methods: isForAll ? ['*'] : named,
      path: path === '' ? '/' : path,
      target: place.target === undefined ? undefined : target === '' ? '/' : target,
      route,
      handlers: handlers.map(({ handle }) => handle),
    },
  ]
}

const SOME_PATHS = ['/value1', '/value1/value2/value3.x']

/** The paths that a layer matches: one for each of its patterns. */
function findPlaces(layer: Layer, values: ParameterValues): Place[] {
  const patterns = findPatterns(layer)
  const isCatchAll = (pattern: RegExp): boolean => SOME_PATHS.every((path) => path.search(pattern) === 0)
  if (layer.regexp?.fast_star || (layer.route && patterns.some(isCatchAll))) return [{ path: '/*', target: '/value1' }]
  if (patterns.length === 0) return [{ path: '', target: '' }]
  return patterns.flatMap((pattern): Place[] => {
    const examples = findExamplePaths(pattern)
    if (examples.length === 0) return [{ path: String(pattern), target: undefined }]
    return examples.map((example, at) => {
      const names = findParameterNames(layer, example.path, example.groups)
      const wanted = names.map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
      const { path } = findExamplePaths(pattern, wanted)[at] ?? example
      return { path: nameParameters(example, names), target: withoutEnd(path) }
    })
  })
}

function nameParameters(
  { path, groups }: ReturnType<typeof findExamplePaths>[number],
  names: readonly string[],
): string {
  let named = path
  for (const [at, group] of groups.entries()) {
    if (group)
      named = named.replace(
        new RegExp(`(?<=/|[^\\w])${escapeRegExp(group)}`),
        /^\d+$/.test(names[at]!) ? '*' : `:${names[at]!}`,
      )
  }
  return withoutEnd(named)
}

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)
}

function withoutEnd(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function join(mount: Place, { path, target }: Place): Place {
  const whole = mount.target === undefined || target === undefined ? undefined : mount.target + target
  return { path: mount.path + path, target: whole }
}
