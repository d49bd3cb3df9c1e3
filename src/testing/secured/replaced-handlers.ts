import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeGuard, type GuardDescription } from '../../index.js'
import { findLayers, findMountedApp, type Handler, type Layer, type Route } from './layer.js'

type Next = (error?: unknown) => void

interface Observer {
  /** A request has reached the handler of this route. */
  onReached(route: Route): void
  /** A request has come to this guard. */
  onGuard(guard: GuardDescription): void
}

/**
 * Replaces the handlers of all routes by one that only answers 204, and returns a function that puts them back. Guards stay,
 * and so does middleware that may come before a guard. Throws if a handler cannot be replaced.
 */
export function replaceHandlers(app: unknown, observer: Observer): () => void {
  const originals = new Map<Layer, Handler>()
  const restore = (): void => {
    for (const [layer, handle] of originals) layer.handle = handle
  }
  function replace(layer: Layer, handle: (req: IncomingMessage, res: ServerResponse, next: Next) => void): void {
    originals.set(layer, layer.handle)
    layer.handle = handle
    if (layer.handle === handle) return
    throw new Error(`The function ${layer.handle.name} of a route cannot be replaced, so its route cannot be checked.`)
  }
  function replaceLayer(layer: Layer, role: Role, route: Route | undefined): void {
    const guard = describeGuard(layer.handle)
    if (guard)
      replace(
        layer,
        observeGuard(layer.handle, () => observer.onGuard(guard)),
      )
    else if (role === 'between') replace(layer, (_req, _res, next) => next())
    else if (role === 'handler' && route) {
      replace(layer, (_req, res) => {
        observer.onReached(route)
        if (!res.headersSent) res.writeHead(204).end()
      })
    }
  }

  try {
    for (const { layer, role, route } of listLayers(app, new Set())) replaceLayer(layer, role, route)
  } catch (error) {
    restore()
    throw error
  }
  return restore
}

function observeGuard(
  guard: Handler,
  onCalled: () => void,
): (req: IncomingMessage, res: ServerResponse, next: Next) => void {
  return function observedGuard(req, res, next) {
    onCalled()
    ;(guard as (...args: unknown[]) => unknown)(req, res, next)
  }
}

/** What a function of a route does: it answers, it stands between guards, or it may come before a guard. */
type Role = 'handler' | 'between' | 'before'

interface FoundLayer {
  readonly layer: Layer
  readonly role: Role
  readonly route: Route | undefined
}

/** Every layer of an app that may be replaced, each once. */
function listLayers(app: unknown, seen: Set<unknown>): FoundLayer[] {
  return (findLayers(app) ?? []).flatMap((layer): FoundLayer[] => {
    if (seen.has(layer)) return []
    seen.add(layer)
    const { route } = layer
    if (route) return route.stack.map((each, at) => ({ layer: each, role: findRole(route.stack, at), route }))
    const inner = findLayers(layer.handle) ? layer.handle : findMountedApp(layer)
    return inner ? listLayers(inner, seen) : [{ layer, role: 'before', route: undefined }]
  })
}

function findRole(stack: readonly Layer[], at: number): Role {
  const layer = stack[at]!
  if (layer.handle.length > 3) return 'before'
  const same = (other: Layer): boolean =>
    other.method === undefined || layer.method === undefined || other.method === layer.method
  const chain = stack.filter((other) => other === layer || same(other))
  const isGuard = chain.map(({ handle }) => describeGuard(handle) !== undefined)
  const position = chain.indexOf(layer)
  const first = isGuard.indexOf(true)
  const last = isGuard.lastIndexOf(true)
  if (position > last) return 'handler'
  if (position > first) return 'between'
  const hasHandler = chain.slice(last + 1).some(({ handle }) => handle.length < 4)
  // A function without `next` cannot come before a guard. One without any parameters may be a wrapper.
  return hasHandler && (layer.handle.length === 3 || layer.handle.length === 0) ? 'before' : 'handler'
}
