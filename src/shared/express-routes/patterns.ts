import type { Handler, Layer, Matcher } from './layers.js'

/**
 * The app that a layer was mounted for with `app.use(path, otherApp)`; undefined for other layers. Express keeps it in a closure,
 * which makes the app the prototype's `app` of the request that it is called with. That request ends there, because it then
 * has no path.
 */
export function findMountedApp({ handle }: Layer): Handler | undefined {
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
