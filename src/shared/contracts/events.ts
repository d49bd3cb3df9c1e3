import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** The names of events. Those of changes are also the types of audit records. */
export type EventType =
  | 'application.registered'
  | 'application.imported'
  | 'application.approved'
  | 'application.activated'
  | 'application.delivered'
  | 'application.deliveryFailed'
  | 'application.updated'
  | 'application.suspended'
  | 'application.resumed'
  | 'application.deleted'
  | 'application.recovered'
  | 'application.accessChanged'
  | 'application.accessRequested'
  | 'application.contactAdded'
  | 'application.contactInvited'
  | 'application.contactRemoved'
  | 'application.accessRejected'
  | 'application.credentialAdded'
  | 'application.credentialUpdated'
  | 'application.credentialRotated'
  | 'application.credentialEnded'
  | 'application.tokensRevoked'
  | 'token.issued'
  | 'token.refused'
  | 'token.revoked'
  | 'request.allowed'
  | 'request.denied'
  | 'request.reported'
  | 'quota.reached'
  | 'keySet.unavailable'
  | 'keySet.available'
  | 'signingKey.rotated'
  | 'signingKey.revoked'
  | 'sessionSecret.replaced'
  | 'store.unavailable'
  | 'store.available'
  | 'store.writesRejected'
  | 'store.writesAccepted'
  | 'limits.unavailable'
  | 'limits.available'
  | 'mail.unavailable'
  | 'mail.available'
  | 'clock.deviates'
  | 'clock.agrees'

/** The origin of a request: for operators only, never sent. */
export interface RequestOrigin {
  /** The host's `req.id`, if it sets one and no credential is in it. */
  readonly requestId?: string | undefined
  /** The caller's IP address: Express's `req.ip`, which follows the host's `trust proxy`, or the peer's address. */
  readonly address?: string | undefined
  /**
   * The client that the caller presents: an application's public id, or the first characters of a key. It is not verified if
   * the request is refused.
   */
  readonly client?: string | undefined
}

/** The subject of an event. Never holds a secret, a key or a token. */
export interface EventDetails extends RequestOrigin {
  readonly applicationId?: string | undefined
  readonly api?: string | undefined
  /** The `error` that was sent, if the request was refused. */
  readonly error?: string | undefined
  /** The reason of a refusal, in more detail than `error`; the reason why an e-mail failed; the cause of an outage. */
  readonly reason?: string | undefined
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

/**
 * Calls the listeners of a type. `req` is the request in which it happened. It is read only if somebody listens, and so is
 * the client that it presents.
 */
export type Emit = (type: EventType, details: EventDetails, req?: IncomingMessage, readClient?: ReadClient) => void

/** The client that a request presents, as in `RequestOrigin`. */
export type ReadClient = (req: IncomingMessage, details: EventDetails) => string | undefined

/** `emit` for events that are not final yet. */
export interface EmitEarly extends Emit {
  /** Whether an event of that type has a listener. */
  isHeard(type: EventType): boolean
  /** Emits to spans alone an event that may follow: they have ended by then. */
  early: Emit
}

/** An audit record before it is stored: actor, change and time. Never contains a secret. */
export interface NewAuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly type: EventType
  readonly by: string | undefined
  readonly applicationId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** A stored audit record. Ids increase in commit order. */
export interface AuditRecord extends NewAuditRecord {
  readonly id: string
}
