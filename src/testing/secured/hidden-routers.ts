import { METHODS } from 'node:http'
import type { PlatformAuth } from '../../index.js'
import type { Listener } from '../send.js'
import { findInner, noteHiddenRouter } from './inner-routers.js'
import { findLayers } from '../../express-routes/layers.js'
import { createProber } from './prober.js'

type Handle = (this: unknown, req: unknown, res: unknown, next: () => void) => unknown

/** Finds routers that functions call themselves, by requests that no guard lets pass, and without calling those routers. */
export async function findHiddenRouters(app: Listener, auth: PlatformAuth, targets: readonly string[]): Promise<void> {
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) if (!(await findMore(app, auth, targets))) return
}

const MAX_DEPTH = 4
const SOME_METHODS = METHODS.filter((method) => ['GET', 'POST', 'DELETE'].includes(method))

async function findMore(app: Listener, auth: PlatformAuth, targets: readonly string[]): Promise<boolean> {
  const routers = listRouters(app, new Set())
  const prototypes = new Set([...routers].flatMap((router) => findPrototype(router) ?? []))
  const prober = createProber(app, auth)
  let hasFound = false
  const restore = [...prototypes].map((prototype) => {
    const original = prototype.handle
    prototype.handle = function handleAndNote(req, res, next) {
      const layer = prober.current()
      // Its handlers are not replaced yet, so it must not handle the request.
      if (!layer || routers.has(this)) return Reflect.apply(original, this, [req, res, next])
      noteHiddenRouter(layer, this)
      hasFound = true
      return next()
    }
    return () => void (prototype.handle = original)
  })
  try {
    for (const target of prober.runsFunctions ? targets : [])
      for (const method of SOME_METHODS) await prober.probe(method, target)
  } finally {
    for (const each of restore) each()
    prober.end()
  }
  return hasFound
}

/** All routers of an app that are known: with Express 4 and 5, an app has one of its own. */
function listRouters(app: unknown, found: Set<unknown>): Set<unknown> {
  const { stack, _router: router4 } = app as { stack?: unknown; _router?: unknown }
  const router = Array.isArray(stack) ? app : (router4 ?? readRouter(app))
  if (!router || found.has(router)) return found
  found.add(router)
  for (const layer of findLayers(app) ?? [])
    if (!layer.route) for (const inner of findInner(layer)) listRouters(inner, found)
  return found
}

function readRouter(app: unknown): unknown {
  try {
    return (app as { router?: unknown }).router
  } catch {
    // Express 4 throws here.
    return undefined
  }
}

/** The object from which a router has its `handle()`. */
function findPrototype(router: unknown): { handle: Handle } | undefined {
  let holder = router as { handle: Handle } | null
  while (holder && !Object.hasOwn(holder, 'handle')) holder = Object.getPrototypeOf(holder) as { handle: Handle } | null
  return typeof holder?.handle === 'function' ? holder : undefined
}
