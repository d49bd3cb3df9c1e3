import { IncomingMessage, ServerResponse } from 'node:http'
import passport from 'passport'
import type { Guard } from '../../src/index.js'

/** The only global: copies of the package find each other's results by it. */
const SHARED = Symbol.for('express-platform-auth')

export interface ObservedGuard {
  readonly guard: Guard
  /** The properties of request and response that it added and changed, for each request that passed. */
  readonly seen: readonly { readonly added: readonly PropertyKey[]; readonly changed: readonly PropertyKey[] }[]
}

/** The expected entry for a guarded request. */
export const NOTHING_CHANGED = { added: [], changed: [] }

/** Wraps a guard to compare the request and response before and after it. */
export function observeGuard(observed: Guard): ObservedGuard {
  const seen: { added: PropertyKey[]; changed: PropertyKey[] }[] = []

  function guard(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const before = [readProperties(req), readProperties(res)] as const
    observed(req, res, (error) => {
      const after = [readProperties(req), readProperties(res)] as const
      const added = after.flatMap((properties, i) => [...properties.keys()].filter((name) => !before[i]!.has(name)))
      const changed = before.flatMap((properties, i) =>
        [...properties].filter(([name, value]) => !Object.is(after[i]!.get(name), value)).map(([name]) => name),
      )
      seen.push({ added, changed })
      next(error)
    })
  }

  return { guard, seen }
}

/** Properties that Node changes during a request. */
const CHANGED_BY_NODE: readonly PropertyKey[] = ['complete']

function readProperties(object: object): Map<PropertyKey, unknown> {
  const properties = new Map<PropertyKey, unknown>([['the prototype', Object.getPrototypeOf(object)]])
  for (const name of Reflect.ownKeys(object)) {
    // Node's symbols may change, such as that of the lazily parsed headers.
    const value = typeof name === 'symbol' || CHANGED_BY_NODE.includes(name) ? 'exists' : Reflect.get(object, name)
    properties.set(name, value)
  }
  return properties
}

/** The global state of the process, with the default instance of the passport package. */
export function readProcessState(): object {
  const { _strategies, _serializers, _deserializers, _infoTransformers, _sm, ...rest } =
    passport as unknown as Readonly<Record<string, object>>
  return {
    globals: Reflect.ownKeys(globalThis).filter((name) => name !== SHARED),
    requests: Reflect.ownKeys(IncomingMessage.prototype),
    responses: Reflect.ownKeys(ServerResponse.prototype),
    objects: Reflect.ownKeys(Object.prototype),
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
    passport: {
      strategies: Object.entries(_strategies!),
      serializers: [...(_serializers as unknown[])],
      deserializers: [...(_deserializers as unknown[])],
      infoTransformers: [...(_infoTransformers as unknown[])],
      sessionManager: _sm,
      others: Object.entries(rest),
    },
  }
}
