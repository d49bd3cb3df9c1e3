import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** What the platform tells its listeners, and its audit, by name. */
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
  | 'limits.unavailable'
  | 'limits.available'

/** What an event is about. Never a secret, a key or a token. */
export interface EventDetails {
  readonly applicationId?: string | undefined
  readonly api?: string | undefined
  /** Why something was refused: the `error` of the answer, or the outage's cause. */
  readonly reason?: string | undefined
  /** The host's own `req.id`, where it sets one. */
  readonly requestId?: string | undefined
}

/** The one argument of every listener. */
export interface PlatformEvent extends EventDetails {
  readonly type: EventType
  readonly at: Date
}

/** `auth.events`: an EventEmitter whose every event carries one `PlatformEvent`. */
export type PlatformEvents = EventEmitter<Record<EventType, [event: PlatformEvent]>>

/** Tells the listeners, if there are any; of the request in which it happens, by its id. */
export type Emit = (type: EventType, details: EventDetails, req?: IncomingMessage) => void

interface EventsOptions {
  readonly now: () => number
  /** Told of a listener that threw or rejected. */
  readonly onListenerError: (type: EventType, error: unknown) => void
}

/** The emitter, and the one way to emit: a listener that fails harms neither the request nor the other listeners. */
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
    // Not emitter.emit(): it stops at the first listener that throws, and lets a rejected promise end the process.
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

/** The host's own id of a request (`req.id`, as pino-http sets it), where it has one. */
export function readRequestId(req: IncomingMessage): string | undefined {
  const { id } = req as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}
