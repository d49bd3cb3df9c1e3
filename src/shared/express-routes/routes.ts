/** An Express app, or a router of it: also a function, which is called with the request. */
export type Handler = ((...args: never[]) => unknown) & {
  readonly stack?: unknown
}

/** An entry of a router: what it calls for the requests that match. Express 4 and 5 have the same members, except for the pattern. */
export interface Layer {
  handle: Handler
  readonly route?: Route | undefined
  readonly method?: string | undefined
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean; readonly fast_star?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
  /** Express 5. */
  readonly matchers?: readonly Matcher[]
  readonly slash?: boolean
  /** The part of the path that it matches is `path` of what it returns, or else of the layer: versions of Express differ. */
  match(path: string): boolean | { readonly path: string }
  readonly path?: string | undefined
}

/** Express 5 has it. False for a path that does not match. */
export type Matcher = (path: string) => false | { readonly params: Readonly<Record<string, unknown>> }

export interface Route {
  readonly path: unknown
  readonly stack: readonly Layer[]
  /** Lower case; `_all` for `app.all()` of Express 4 and 5. */
  readonly methods: Readonly<Record<string, boolean | undefined>>
}

export function findLayers(app: unknown): readonly Layer[] | undefined {
  if (typeof app !== 'function') return undefined
  const { stack, _router: router4 } = app as { stack?: unknown; _router?: { stack?: unknown } }
  if (isLayers(stack)) return stack
  if (isLayers(router4?.stack)) return router4.stack
  try {
    // Express 4 throws here; with Express 5 it is the router.
    const { router } = app as { router?: { stack?: unknown } }
    return isLayers(router?.stack) ? router.stack : undefined
  } catch {
    // An app of Express 4 without any layer.
    return []
  }
}

function isLayers(value: unknown): value is readonly Layer[] {
  return Array.isArray(value) && value.every((layer) => typeof (layer as Layer | null)?.handle === 'function')
}

export interface Mount {
  readonly layer: Layer
  readonly path: string
}

/**
 * Whether a request for the path may reach a route that `accepts` does, which also gets the path in the route's router, and the routers
 * before it; of those that it accepts, the last one is reached. It ignores what handlers do before it.
 */
export function hasRoute(
  layers: readonly Layer[],
  path: string,
  accepts: (route: Route, path: string, mounts: readonly Mount[]) => boolean,
  mounts: readonly Mount[] = [],
): boolean {
  return layers.some((layer) => {
    // A match costs more than the question whether it is needed.
    if (layer.route) return accepts(layer.route, path, mounts) && Boolean(layer.match(path))
    const matched = layer.match(path)
    if (!matched) return false
    const matchedPath = typeof matched === 'object' ? matched.path : (layer.path ?? '')
    const rest = path.slice(matchedPath.length) || '/'
    const below = [...mounts, { layer, path: matchedPath }]
    return rest.startsWith('/') && hasRoute(openLayer(layer) ?? [], rest, accepts, below)
  })
}

export function handlesMethod({ methods }: Route, method: string): boolean {
  return Boolean(methods['_all'] ?? methods[method.toLowerCase()] ?? (method === 'HEAD' && methods['get']))
}

const MOUNTED = new WeakMap<Layer, Handler | undefined>()

/** The layers of a router or a mounted app; undefined for another handler. */
export function openLayer(layer: Layer): readonly Layer[] | undefined {
  const layers = findLayers(layer.handle)
  if (!layers && !MOUNTED.has(layer)) {
    // A wrapped app may throw at what it is called with: once.
    MOUNTED.set(layer, undefined)
    MOUNTED.set(layer, findMountedApp(layer))
  }
  return layers ?? findLayers(MOUNTED.get(layer))
}

/**
 * The app that a layer was mounted for with `app.use(path, otherApp)`; undefined for other layers. Express keeps it in a closure,
 * which makes the app the prototype's `app` of the request that it is called with. That request ends there, because it then
 * has no path.
 */
function findMountedApp({ handle }: Layer): Handler | undefined {
  if (handle.name !== 'mounted_app' && !/mounted_app/.test(Function.prototype.toString.call(handle))) return undefined
  let app: Handler | undefined
  const request = new Proxy<Record<string, unknown>>(
    { method: 'GET', url: '/', query: {}, headers: {}, baseUrl: '', app: { request: {}, response: {} } },
    {
      get: (target, name) => (name === 'url' && app ? undefined : Reflect.get(target, name)),
      setPrototypeOf(_target, prototype: { readonly app?: Handler } | null) {
        app ??= prototype?.app
        return true
      },
    },
  )
  const response = { setHeader: () => undefined, locals: {} }
  ;(handle as (...args: unknown[]) => unknown)(request, response, () => undefined)
  return app
}

/** The regular expressions of a layer, of which one must match; empty if every path does. */
export function findPatterns({ regexp, matchers = [], slash }: Layer): readonly RegExp[] {
  if (regexp) return regexp.fast_slash || regexp.fast_star ? [] : [regexp]
  return slash ? [] : matchers.flatMap(captureRegExp)
}

const PROBE = '/express-platform-auth'

/** Express 5 keeps its patterns in closures: what a matcher executes is the pattern. */
function captureRegExp(matcher: Matcher): RegExp[] {
  const executed: RegExp[] = []
  const { exec } = RegExp.prototype
  // oxlint-disable-next-line eslint/no-extend-native -- for one synchronous call
  RegExp.prototype.exec = function execAndNote(this: RegExp, text: string) {
    if (text === PROBE) executed.push(this)
    return exec.call(this, text)
  }
  try {
    matcher(PROBE)
  } finally {
    // oxlint-disable-next-line eslint/no-extend-native -- as above
    RegExp.prototype.exec = exec
  }
  return executed.slice(0, 1)
}

export function findParameterNames(
  { keys = [], matchers = [] }: Layer,
  path: string,
  groups: readonly (string | undefined)[],
): string[] {
  if (matchers.length === 0) return groups.map((_, at) => String(keys[at]?.name ?? at))
  const match = matchers.map((matcher) => matcher(path)).find((each) => each !== false)
  const params = Object.entries(match?.params ?? {})
  return groups.map((group, at) => params.find(([, value]) => String(value) === group)?.[0] ?? String(at))
}

export interface RoutesOfRequest {
  readonly app: { readonly parent?: object; path?(): string }
  readonly path: string
}

/** The app of a request, and the path in it at which the guard is mounted that has the request now. */
export function findRoutes(req: object): RoutesOfRequest | undefined {
  const { app, baseUrl = '' } = req as { app?: RoutesOfRequest['app']; baseUrl?: string }
  // An app that is mounted at the root has the path `/`.
  const mountPath = (app?.path?.() ?? '').replaceAll(/\/+/g, '/').replace(/\/$/, '')
  return app && baseUrl.startsWith(mountPath) ? { app, path: baseUrl.slice(mountPath.length) } : undefined
}

/** The routes that have no router before them, once reached. */
const APP_OF_ROUTE = new WeakMap<object, object>()

/** The mount paths before a route, in one; `*` for one that is no plain text. Undefined if they do not lead to it. */
export function describeMounts(app: object, path: string, route: object): string | undefined {
  if (APP_OF_ROUTE.get(route) === app) return ''
  const layers = findLayers(app) ?? []
  if (layers.some((layer) => layer.route === route)) {
    APP_OF_ROUTE.set(route, app)
    return ''
  }
  let found: readonly Mount[] = []
  const accept = (each: object, _rest: string, mounts: readonly Mount[]): boolean => {
    if (each === route) found = mounts
    return each === route
  }
  return hasRoute(layers, path, accept) ? found.map(describeMount).join('') : undefined
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

export function findNextRoute(
  app: object,
  path: string,
  method: string,
): { readonly route: Route; readonly path: string; readonly rest: string } | undefined {
  let found: { readonly route: Route; readonly rest: string } | undefined
  const accept = (route: Route, rest: string): boolean => {
    if (!handlesMethod(route, method)) return false
    found = { route, rest }
    return true
  }
  if (!hasRoute(findLayers(app) ?? [], path, accept)) return undefined
  // The rest is a slash, also if the path has none at its end.
  return found && { ...found, path: path.endsWith(found.rest) ? path.slice(0, -found.rest.length) : path }
}
