import { IncomingMessage, ServerResponse } from 'node:http'
import passport from 'passport'
import type { Guard } from '../../src/index.js'

/** The one thing that a guard leaves on a request. */
const AUTH = Symbol.for('express-platform-auth')

/** A guard that is watched. */
export interface Watched {
  readonly guard: Guard
  /** What it did to each request that it let pass: to its own properties, and to those of its response. */
  readonly seen: readonly { readonly added: readonly PropertyKey[]; readonly changed: readonly PropertyKey[] }[]
}

/** What every request should show behind a guard. */
export const UNTOUCHED = { added: [AUTH], changed: [] }

/** Compares request and response as they come to a guard with what it hands on. */
export function watch(watched: Guard): Watched {
  const seen: { added: PropertyKey[]; changed: PropertyKey[] }[] = []

  function guard(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const before = [lookAt(req), lookAt(res)] as const
    watched(req, res, (error) => {
      const after = [lookAt(req), lookAt(res)] as const
      const added = after.flatMap((look, i) => [...look.keys()].filter((name) => !before[i]!.has(name)))
      const changed = before.flatMap((look, i) =>
        [...look].filter(([name, value]) => !Object.is(after[i]!.get(name), value)).map(([name]) => name),
      )
      seen.push({ added, changed })
      next(error)
    })
  }

  return { guard, seen }
}

/** What Node itself writes while a request is under way. */
const NODES_OWN: readonly PropertyKey[] = ['complete']

function lookAt(thing: object): Map<PropertyKey, unknown> {
  const look = new Map<PropertyKey, unknown>([['the prototype', Object.getPrototypeOf(thing)]])
  for (const name of Reflect.ownKeys(thing)) {
    // Node's symbols are its own affair: headers parsed late, for one.
    const value = typeof name === 'symbol' || NODES_OWN.includes(name) ? 'there' : Reflect.get(thing, name)
    look.set(name, value)
  }
  return look
}

/** What all of a process shares, the passport package's default instance with it: to be the same before and after. */
export function sharedByAll(): object {
  const { _strategies, _serializers, _deserializers, _infoTransformers, _sm, ...rest } =
    passport as unknown as Readonly<Record<string, object>>
  return {
    globals: Reflect.ownKeys(globalThis),
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
