import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeGuard, type GuardDescription } from '../../index.js'
import { findInner, hidesRouters } from './inner-routers.js'
import { findLayers, type Handler, type Layer, type Route } from '../../express-routes/layers.js'

type Next = (error?: unknown) => void

interface Observer {
  /** A request has reached the handler of this route. */
  onReached(route: Route, layer: Layer): void
  /** A request has come to this guard. */
  onGuard(guard: GuardDescription): void
  /** A request has come to a function that runs: one mounted with `use()`, or a handler of OPTIONS. */
  onEntered(layer: Layer, handle: Handler, mount: string): void
  /** Whether the current request has come to a guard. */
  hasPassed(): boolean
  /** Such a function has passed the request on. */
  onLeft(layer: Layer): void
}

/**
 * Replaces the handlers of all routes by one that only answers 204, and puts them back by `restore()`. Guards stay,
 * and so do middleware that may come before a guard, and handlers of OPTIONS. Throws if a handler cannot be replaced.
 */
export function replaceHandlers(app: unknown, observer: Observer): ReplacedHandlers {
  let runsFunctions = false
  const originals = new Map<Layer, Handler>()
  const restore = (): void => {
    for (const [layer, handle] of originals) layer.handle = handle
  }
  function replace(layer: Layer, handle: Middleware): void {
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
    // A handler of OPTIONS stays: a preflight request is judged by its answer.
    else if (role === 'handler' && route && layer.method !== 'options') {
      replace(layer, (_req, res) => {
        observer.onReached(route, layer)
        if (!res.headersSent) res.writeHead(204).end()
      })
    } else if (layer.handle.length < 4 && !isOfExpress4(layer)) {
      runsFunctions = true
      replace(layer, observeFunction(layer, observer, role === 'perhaps'))
    }
  }

  try {
    for (const { layer, role, route } of listLayers(app, new Set())) replaceLayer(layer, role, route)
  } catch (error) {
    restore()
    throw error
  }
  return { restore, runsFunctions }
}

interface ReplacedHandlers {
  /** Puts the handlers back. */
  readonly restore: () => void
  /** Whether anything that runs could answer a request: middleware, a handler of OPTIONS. */
  readonly runsFunctions: boolean
}

/** With `isSkipped`, the function is skipped once a guard has let the request pass: it stands before a handler. */
function observeFunction(layer: Layer, observer: Observer, isSkipped: boolean): Middleware {
  const original = layer.handle as (req: IncomingMessage, res: ServerResponse, next: Next) => unknown
  return function observedFunction(req, res, next) {
    if (isSkipped && observer.hasPassed()) return next()
    observer.onEntered(layer, original, (req as { baseUrl?: string }).baseUrl ?? '')
    return original(req, res, (error) => {
      observer.onLeft(layer)
      next(error)
    })
  }
}

type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown

/** Express 4 adds these to each app. They pass every request on. */
function isOfExpress4({ handle, regexp }: Layer): boolean {
  return regexp?.fast_slash === true && (handle.name === 'query' || handle.name === 'expressInit')
}

function observeGuard(guard: Handler, onCalled: () => void): Middleware {
  return function observedGuard(req, res, next) {
    onCalled()
    ;(guard as (...args: unknown[]) => unknown)(req, res, next)
  }
}

/**
 * The role of a function in a route: it answers, it stands between guards, or it may come before a guard; perhaps it calls one.
 */
type Role = 'handler' | 'between' | 'before' | 'perhaps'

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
    const inner = findInner(layer).flatMap((router) => listLayers(router, seen))
    if (findInner(layer).length > 0 && !hidesRouters(layer)) return inner
    return [...inner, { layer, role: 'before', route: undefined }]
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
  // A function without `next` cannot come before a guard. One without any parameters may be a wrapper.
  const mayPass = layer.handle.length === 3 || layer.handle.length === 0
  if (first < 0 && mayPass && position < chain.length - 1) return 'perhaps'
  if (position > last) return 'handler'
  if (position > first) return 'between'
  const hasHandler = chain.slice(last + 1).some(({ handle }) => handle.length < 4)
  return hasHandler && mayPass ? 'before' : 'handler'
}
