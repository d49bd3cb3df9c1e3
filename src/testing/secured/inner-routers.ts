import { findLayers, type Layer } from '../../express-routes/layers.js'
import { findMountedApp } from '../../express-routes/patterns.js'

/** Routers that functions call themselves, such as `(req, res, next) => router(req, res, next)`, by the layer of the function. */
const HIDDEN = new WeakMap<Layer, Set<unknown>>()

/** The routers and apps of a layer: the layer's own, and those that it was seen to call. */
export function findInner(layer: Layer): readonly unknown[] {
  const own = findLayers(layer.handle) ? layer.handle : findMountedApp(layer)
  return own ? [own] : [...(HIDDEN.get(layer) ?? [])]
}

/** Whether a layer is a function that calls routers. */
export function hidesRouters(layer: Layer): boolean {
  return HIDDEN.has(layer)
}

export function noteHiddenRouter(layer: Layer, router: unknown): void {
  HIDDEN.set(layer, (HIDDEN.get(layer) ?? new Set()).add(router))
}
