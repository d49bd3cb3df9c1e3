import { describeGuard } from '../../../index.js'
import {
  findLayers,
  type Layer,
  type Route,
  findParameterNames,
  findPatterns,
  openLayer,
} from '../../../shared/express-routes/routes.js'

/** A route of the app, or a function that is mounted with `use()`. */
export interface Endpoint {
  /** Upper case; `'*'` if it has every method. */
  readonly methods: readonly string[]
  readonly path: string
  /** Paths that the pattern matches; empty if none could be made. The first has everything that is optional. */
  readonly targets: readonly string[]
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
      const found = { methods: ['*'], route, hasHandlersForAll: true, isFunction }
      return places.map(({ path, targets }) => ({ ...found, path: `${path}/*`, targets }))
    })
  return list(findLayers(app), { path: '', targets: [''] }, 0)
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
  const others = mount.targets.slice(1).map((other) => other + (targets[0] ?? ''))
  const all = [...targets.map((target) => start + target), ...others]
  return { path: mount.path + path, targets: all.slice(0, MAX_TARGETS) }
}

/** Express 4 adds these to each app. They pass every request on. */
function isOfExpress4({ handle, regexp }: Layer): boolean {
  return regexp?.fast_slash === true && (handle.name === 'query' || handle.name === 'expressInit')
}

/**
 * Paths for a pattern: each alternative, with and without what is optional, and with other numbers of segments for a wildcard. The
 * pattern itself decides which are right. Empty for expressions that need more (lookaheads, references to groups): the option
 * `examples` has paths for those.
 */
function findExamplePaths(pattern: RegExp) {
  const plain = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
  const found = new Map<string, ExampleGroups>()
  for (const text of listTexts(pattern.source)) {
    const path = text.startsWith('/') ? text : `/${text}`
    const match = plain.exec(path.replace(/(?<=.)\/$/, '')) ?? plain.exec(path)
    if (match) found.set(match.input, match.slice(1))
  }
  return [...found].map(([path, groups]) => ({ path, groups }))
}

/** Escaped characters, classes, the beginnings of groups, quantifiers, and every other character. */
const TOKENS = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|(?:[?*+]|\{\d+(?:,\d*)?\})\??|[^]/g
const LOOKAROUND = /^\(\?<?[=!]/
const CLASS = /^(?:\\[dwsDWS]|\.|\[.*)$/s
const NOTHING = /^(?:[\^$]|\\[bB])$/
const MAX_TEXTS = 16

function listTexts(source: string): string[] {
  const tokens = source.match(TOKENS) ?? []
  let at = 0
  let count = 0

  function readAlternatives(): string[] {
    const texts = readSequence()
    while (tokens[at] === '|') {
      at += 1
      texts.push(...readSequence())
    }
    return texts
  }

  function readSequence(): string[] {
    let texts = ['']
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
      const next = readPart()
      texts = [...new Set(texts.flatMap((text) => next.map((each) => text + each)))].slice(0, MAX_TEXTS)
    }
    return texts
  }

  function readPart(): string[] {
    const token = tokens[at++]!
    const inner = token.startsWith('(') ? readAlternatives() : undefined
    if (inner) at += 1
    const quantifier = /^[?*+]|^\{\d/.test(tokens[at] ?? '') ? tokens[at++]! : ''
    const isOptional = /^[?*]/.test(quantifier)
    const texts = LOOKAROUND.test(token) || NOTHING.test(token) ? [''] : (inner ?? readCharacter(token, quantifier))
    return isOptional ? [...texts, ''] : texts
  }

  function readCharacter(token: string, quantifier: string): string[] {
    if (!CLASS.test(token)) return [token.replace('\\', '')]
    count += 1
    const isMatch = (text: string): boolean => new RegExp(`^${token}${quantifier}$`).test(text)
    const length = Number(/\d+/.exec(quantifier) ?? 1)
    const characters = ['a', '1', 'A', '-', 'x', '.', '_'].map((each) => each.repeat(length))
    const value = [`value${count}`, String(count), `x${count}`, ...characters].find(isMatch) ?? ''
    // A wildcard matches several segments.
    return isMatch(`${value}/${value}b`) ? [value, `${value}/${value}b`] : [value]
  }

  return readAlternatives()
}
