import { describeGuard } from '../../index.js'
import { findExamplePaths, type ExamplePath } from './example-path.js'
import { findInner, hidesRouters } from './inner-routers.js'
import { findLayers, type Handler, type Layer, type Route } from '../../express-routes/layers.js'
import { findParameterNames, findPatterns } from '../../express-routes/patterns.js'

/** A route of the app, or a function that is mounted with `use()` at a path of its own. */
export interface Endpoint {
  /** Upper case; `'*'` if it has every method. */
  readonly methods: readonly string[]
  /** The path as it is defined, mount paths included: `/orders/items/:id`. */
  readonly path: string
  /** A path that the pattern matches; undefined if none could be made. */
  readonly target: string | undefined
  /**
   * Further paths that the pattern matches: without and with optional parts, and with other numbers of segments for a wildcard.
   */
  readonly others: readonly string[]
  /** The route; undefined for a function that is mounted with `use()`. */
  readonly route: Route | undefined
  /** The functions of the route, without guards. */
  readonly handlers: readonly Handler[]
  /** Whether some of them are called for every method. */
  readonly hasHandlersForAll?: boolean
  /** Whether a function of the app calls its router, perhaps only for some requests. */
  readonly isHidden?: boolean
  /** The layer, for a function that is mounted with `use()`. */
  readonly layer?: Layer
}

/** Values for parameters in paths, by their names. */
export type ParameterValues = Readonly<Record<string, string>>

/** All routes of an app with its routers and mounted apps, in their order; one that is mounted twice twice. */
export function findEndpoints(app: unknown, values: ParameterValues): Endpoint[] {
  return listEndpoints(app, { path: '', target: '', others: [] }, values, [])
}

interface Place {
  readonly path: string
  readonly target: string | undefined
  readonly others: readonly string[]
}

/** A router that is mounted below itself would have no end. */
const MAX_DEPTH = 20

function listEndpoints(app: unknown, mount: Place, values: ParameterValues, parents: readonly unknown[]): Endpoint[] {
  if (parents.length > MAX_DEPTH) return []
  return (findLayers(app) ?? []).flatMap((layer) => {
    const places = findPlaces(layer, values).map((place) => join(mount, place))
    if (layer.route) {
      const { route } = layer
      return places.flatMap((place) => createRouteEndpoints(route, place))
    }
    const inner = findInner(layer).flatMap((router) =>
      places.flatMap((place) => listEndpoints(router, place, values, [...parents, app])),
    )
    if (hidesRouters(layer))
      return [...inner.map((each) => ({ ...each, isHidden: true })), ...listMounted(layer, places)]
    if (findInner(layer).length > 0) return inner
    return listMounted(layer, places)
  })
}

/** The endpoints of a function that is mounted at a path of its own, and of a guard. */
function listMounted(layer: Layer, places: readonly Place[]): Endpoint[] {
  // An error handler, or middleware for every path of the router.
  if (layer.handle.length > 3 || findPatterns(layer).length === 0) return []
  return places.map((place) => ({
    ...place,
    methods: ['*'],
    path: `${place.path}/*`,
    route: undefined,
    // Guards are checked where they are mounted, because functions above them may answer there.
    handlers: describeGuard(layer.handle) ? [] : [layer.handle],
    layer,
  }))
}

/** Nobody defines so many routes by hand. */
const MAX_NAMED_METHODS = 15

/** One endpoint for the methods of a route: those of `app.all()` count as one. */
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
      others: place.others.map((other) => (other === '' ? '/' : other)),
      route,
      handlers: handlers.map(({ handle }) => handle),
      hasHandlersForAll: isForAll || handlers.some(({ method }) => method === undefined),
    },
  ]
}

const SOME_PATHS = ['/value1', '/value1/value2/value3.x']
const EVERY_PATH = { path: '/*', target: '/value1', others: ['/', '/value1/value2'] }

/** The paths that a layer matches: one for each of its patterns. */
function findPlaces(layer: Layer, values: ParameterValues): Place[] {
  const patterns = findPatterns(layer)
  const isCatchAll = (pattern: RegExp): boolean => SOME_PATHS.every((path) => path.search(pattern) === 0)
  if (layer.regexp?.fast_star || (layer.route && patterns.some(isCatchAll))) return [EVERY_PATH]
  if (patterns.length === 0) return [{ path: '', target: '', others: [] }]
  return patterns.flatMap((pattern): Place[] => {
    const examples = findExamplePaths(pattern)
    if (examples.length === 0) return [{ path: String(pattern), target: undefined, others: [] }]
    return examples.map((example) => {
      const names = findParameterNames(layer, example.path, example.groups)
      const wanted = names.map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
      const [target, ...others] = new Set(example.listVariants(wanted).map((path) => withoutEnd(path, pattern)))
      return { path: nameParameters(example, names), target, others }
    })
  })
}

function nameParameters({ path, groups }: ExamplePath, names: readonly string[]): string {
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

/** The path without a slash at the end, unless the pattern needs it. */
function withoutEnd(path: string, pattern?: RegExp): string {
  if (!path.endsWith('/')) return path
  const shorter = path.slice(0, -1)
  return shorter === '' || !pattern || shorter.search(pattern) >= 0 ? shorter : path
}

const MAX_OTHERS = 12

function join(mount: Place, { path, target, others }: Place): Place {
  const { target: start } = mount
  if (start === undefined || target === undefined) return { path: mount.path + path, target: undefined, others: [] }
  const all = [...others.map((other) => start + other), ...mount.others.map((other) => other + target)]
  return { path: mount.path + path, target: start + target, others: all.slice(0, MAX_OTHERS) }
}
