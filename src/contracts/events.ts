import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** The names of events. Those of changes are also the types of audit records. */
export type EventType =
  | 'application.registered'
  | 'application.approved'
  | 'application.activated'
  | 'application.delivered'
  | 'application.deliveryFailed'
  | 'application.updated'
  | 'application.suspended'
  | 'application.resumed'
  | 'application.deleted'
  | 'application.accessChanged'
  | 'application.credentialRotated'
  | 'application.tokensRevoked'
  | 'token.issued'
  | 'token.refused'
  | 'token.revoked'
  | 'request.allowed'
  | 'request.denied'
  | 'signingKey.rotated'
  | 'signingKey.revoked'
  | 'store.unavailable'
  | 'store.available'
  | 'store.writesRejected'
  | 'store.writesAccepted'
  | 'limits.unavailable'
  | 'limits.available'

/** What an event concerns. Never holds a secret, a key or a token. */
export interface EventDetails {
  readonly applicationId?: string | undefined
  readonly api?: string | undefined
  /** The `error` of a refusal, or the cause of an outage. */
  readonly reason?: string | undefined
  /** The host's `req.id`, if it sets one. */
  readonly requestId?: string | undefined
}

/** The argument of every listener. */
export interface PlatformEvent extends EventDetails {
  readonly type: EventType
  readonly at: Date
}

type PlatformEventListener = (event: PlatformEvent) => void

/**
 * `auth.events`: an EventEmitter whose listeners get one `PlatformEvent`. The methods are written out, because
 * `EventEmitter` has no type parameter in older `@types/node`.
 */
export interface PlatformEvents extends EventEmitter {
  on(type: EventType, listener: PlatformEventListener): this
  once(type: EventType, listener: PlatformEventListener): this
  off(type: EventType, listener: PlatformEventListener): this
  addListener(type: EventType, listener: PlatformEventListener): this
  removeListener(type: EventType, listener: PlatformEventListener): this
  prependListener(type: EventType, listener: PlatformEventListener): this
  prependOnceListener(type: EventType, listener: PlatformEventListener): this
}

/** Calls the listeners of a type. `req` is the request in which it happened; its id becomes `requestId`. */
export type Emit = (type: EventType, details: EventDetails, req?: IncomingMessage) => void

interface EventsOptions {
  readonly now: () => number
  /** Called when a listener threw or rejected. */
  readonly onListenerError: (type: EventType, error: unknown) => void
}

/** The emitter, and the function that emits: a listener that fails affects neither the request nor other listeners. */
export function createEvents({ now, onListenerError }: EventsOptions): {
  events: PlatformEvents
  emit: Emit
} {
  const events: PlatformEvents = new EventEmitter()

  function emit(type: EventType, details: EventDetails, req?: IncomingMessage): void {
    if (events.listenerCount(type) === 0) return
    const event: PlatformEvent = {
      type,
      at: new Date(now()),
      ...details,
      ...(req && { requestId: readRequestId(req) }),
    }
    // Not emitter.emit(): it stops at the first listener that throws, and a rejected promise would end the process.
    for (const listener of events.rawListeners(type)) {
      try {
        const result: unknown = Reflect.apply(listener, events, [event])
        if (result instanceof Promise) result.catch((error: unknown) => onListenerError(type, error))
      } catch (error) {
        onListenerError(type, error)
      }
    }
  }

  return { events, emit }
}

/** The host's id of a request (`req.id`, as pino-http sets it), if there is one. */
export function readRequestId(req: IncomingMessage): string | undefined {
  const { id } = req as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}
