import { isObject } from '../../../shared/lib/own-members.js'
import { wrongOption } from '../../../shared/lib/option-checks.js'

export type PublicRoutes = ReturnType<typeof readPublicRoutes>

interface Entry {
  readonly text: string
  readonly method: string | undefined
  readonly path: string
  isUsed: boolean
}

/** Reads the option `public`: `'GET /health'`, `'/health'` or `'/docs/*'` -> the reason. */
export function readPublicRoutes(given: unknown = {}) {
  if (!isObject(given))
    throw wrongOption('public', 'is no object', "Write { 'GET /health': 'the load balancer asks it' }.")
  const entries = Object.entries(given).map(([text, reason]): Entry => {
    const [, method, path] = /^(?:([A-Z]+) +)?(\/.*)$/.exec(text) ?? []
    const option = `public["${text}"]`
    if (path === undefined)
      throw wrongOption(option, 'is no route', "Write a path, or a method and a path: 'GET /health'.")
    if (typeof reason === 'string' && reason.trim() !== '')
      return { text, method, path: normalize(path), isUsed: false }
    throw wrongOption(option, 'has no reason', 'Say in a few words why nobody needs a credential there.')
  })
  return {
    has(method: string, path: string): boolean {
      const found = entries.filter((entry) => matches(entry, method, normalize(path)))
      for (const entry of found) entry.isUsed = true
      return found.length > 0
    },
    unused: (): readonly { readonly text: string; readonly path: string }[] => entries.filter(({ isUsed }) => !isUsed),
  }
}

function matches(entry: Entry, method: string, path: string): boolean {
  const isMethod =
    entry.method === undefined || entry.method === method || (entry.method === 'GET' && method === 'HEAD')
  if (!isMethod) return false
  if (entry.path === path) return true
  // '/*' is a route for every path, not a list of all routes.
  return entry.path.endsWith('/*') && entry.path !== '/*' && `${path}/`.startsWith(entry.path.slice(0, -1))
}

/** Express ignores case and a slash at the end. */
function normalize(path: string): string {
  return (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).toLowerCase()
}
