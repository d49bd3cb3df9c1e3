import { describeGuard } from '../../../index.js'
import { findLayers, type Layer, type Route } from '../../../shared/express-routes/layers.js'
import { findMountedApp, findParameterNames, findPatterns } from '../../../shared/express-routes/patterns.js'
import { findExamplePaths } from './example-paths.js'

/** A route of the app, or a function that is mounted with `use()`. */
export interface Endpoint {
  /** Upper case; `'*'` if it has every method. */
  readonly methods: readonly string[]
  /** The path as it is defined, mount paths included: `/orders/items/:id`. */
  readonly path: string
  /** Paths that the pattern matches; empty if none could be made. The first has everything that is optional. */
  readonly targets: readonly string[]
  /** The route; undefined for a function that is mounted with `use()`. */
  readonly route: Route | undefined
  /** Whether some of its functions are called for every method. */
  readonly hasHandlersForAll: boolean
  /** Whether it is neither a route nor of the platform or Express: its answers alone show whether it answers. */
  readonly isFunction?: boolean
}

type ParameterValues = Readonly<Record<string, string>>
type Place = Pick<Endpoint, 'path' | 'targets'>

/** A router that is mounted below itself would have no end. */
const MAX_DEPTH = 20

/** All routes and functions of an app with its routers and mounted apps, in their order; one that is mounted twice twice. */
export function findEndpoints(app: unknown, auth: object, values: ParameterValues): Endpoint[] {
  const ofPlatform = new Set(
    Object.values(auth).flatMap((member: unknown) => [member, (member as { router?: unknown } | undefined)?.router]),
  )
  const list = (layers: readonly Layer[] = [], mount: Place, depth: number): Endpoint[] =>
    (depth > MAX_DEPTH ? [] : layers).flatMap((layer) => {
      const { route, handle } = layer
      const places = findPlaces(layer, values).map((place) => join(mount, place))
      if (route) return places.flatMap((place) => createRouteEndpoints(route, place))
      if (openLayer(layer)) return places.flatMap((place) => list(openLayer(layer), place, depth + 1))
      // An error handler.
      if (handle.length > 3) return []
      const isFunction = !ofPlatform.has(handle) && !describeGuard(handle) && !isOfExpress4(layer)
      const [methods, hasHandlersForAll] = [['*'], true]
      return places.map(({ path, targets }) => ({
        methods,
        path: `${path}/*`,
        targets,
        route,
        hasHandlersForAll,
        isFunction,
      }))
    })
  return list(findLayers(app), { path: '', targets: [''] }, 0)
}

const mounted = new WeakMap<Layer, ReturnType<typeof findMountedApp>>()

export function openLayer(layer: Layer): readonly Layer[] | undefined {
  const layers = findLayers(layer.handle)
  if (!layers && !mounted.has(layer)) mounted.set(layer, findMountedApp(layer))
  return layers ?? findLayers(mounted.get(layer))
}

/** Nobody defines so many routes by hand. */
const MAX_NAMED_METHODS = 15

function createRouteEndpoints(route: Route, { path, targets }: Place): Endpoint[] {
  const handlers = route.stack.filter(({ handle }) => handle.length < 4 && !describeGuard(handle))
  if (handlers.length === 0) return []
  const named = [...new Set(handlers.flatMap(({ method }) => method?.toUpperCase() ?? []))]
  // app.all() defines every method by itself.
  const isForAll = handlers.at(-1)?.method === undefined || named.length > MAX_NAMED_METHODS
  return [
    {
      methods: isForAll ? ['*'] : named,
      path: path === '' ? '/' : path,
      targets: targets.map((target) => (target === '' ? '/' : target)),
      route,
      hasHandlersForAll: isForAll || handlers.some(({ method }) => method === undefined),
    },
  ]
}

const SOME_PATHS = ['/value1', '/value1/value2/value3.x']
const EVERY_PATH = { path: '/*', targets: ['/value1', '/', '/value1/value2'] }

/** The paths that a layer matches: one place for each of its patterns, and for each path of a list in one pattern. */
function findPlaces(layer: Layer, values: ParameterValues): Place[] {
  const patterns = findPatterns(layer)
  const isCatchAll = (pattern: RegExp): boolean => SOME_PATHS.every((path) => path.search(pattern) === 0)
  if (layer.regexp?.fast_star || (layer.route && patterns.some(isCatchAll))) return [EVERY_PATH]
  if (patterns.length === 0) return [{ path: '', targets: [''] }]
  return patterns.flatMap((pattern): Place[] => {
    const places = new Map<string, string[]>()
    const examples = findExamplePaths(pattern)
    const allNames = examples.map(({ path, groups }) => findParameterNames(layer, path, groups))
    for (const { path, groups } of examples) {
      // Wildcards of several segments are lists, which no group equals.
      const names = groups.map((_, at) => allNames.map((each) => each[at]!).find((name) => !/^\d+$/.test(name)) ?? '0')
      const valueOf = (at: number): string | undefined =>
        Object.hasOwn(values, names[at] ?? '') ? values[names[at]!] : undefined
      const target = fill(path, groups, valueOf)
      const name = fill(path, groups, (at) => (/^\d+$/.test(names[at]!) ? '*' : `:${names[at]}`))
      places.set(name, [...(places.get(name) ?? []), pattern.test(target) ? target : path])
      pattern.lastIndex = 0
    }
    if (places.size === 0) return [{ path: String(pattern), targets: [] }]
    // Every alternative is named as it is written: `/items` and `/items/:id` are both asked.
    return [...places].map(([path, targets]) => ({ path, targets }))
  })
}

function fill(path: string, groups: ExampleGroups, textOf: (at: number) => string | undefined): string {
  let filled = path
  for (const [at, group] of groups.entries()) {
    const text = textOf(at)
    if (group && text !== undefined) filled = filled.replace(new RegExp(`(?<=/|[^\\w:])${escapeRegExp(group)}`), text)
  }
  return filled
}

type ExampleGroups = readonly (string | undefined)[]

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)
}

const MAX_TARGETS = 12

function join(mount: Place, { path, targets }: Place): Place {
  const [start] = mount.targets
  if (start === undefined) return { path: mount.path + path, targets: [] }
  const all = [
    ...targets.map((target) => start + target),
    ...mount.targets.slice(1).map((other) => other + (targets[0] ?? '')),
  ]
  return { path: mount.path + path, targets: all.slice(0, MAX_TARGETS) }
}

/** Express 4 adds these to each app. They pass every request on. */
function isOfExpress4({ handle, regexp }: Layer): boolean {
  return regexp?.fast_slash === true && (handle.name === 'query' || handle.name === 'expressInit')
}
