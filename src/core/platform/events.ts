import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Logger } from '../../shared/contracts/logger.js'
import type { RequestOrigin, PlatformEvent, PlatformEvents, Emit, EmitEarly } from '../../shared/contracts/events.js'

/** The channel on which `opentelemetry` hears that a guard let a request pass, which a further one may refuse. */
const EARLY_EVENT = Symbol.for('express-platform-auth.early-event')

/** The emitter, and the function that emits: a listener that fails affects neither the request nor other listeners. */
export function createEvents(options: {
  readonly now: () => number
  readonly readOrigin: (req: IncomingMessage) => RequestOrigin
  readonly logger: Pick<Logger, 'error'>
}): { events: PlatformEvents; emit: EmitEarly } {
  const { now, readOrigin, logger } = options
  const events: PlatformEvents = new EventEmitter()
  const onListenerError = (type: string, error: unknown): void => logger.error(`A listener of ${type} failed.`, error)

  function createEmit(onlyChannel?: typeof EARLY_EVENT): Emit {
    return (type, details, req, readClient) => {
      const channel = onlyChannel ?? type
      if (events.listenerCount(channel) === 0) return
      const event: PlatformEvent = {
        type,
        at: new Date(now()),
        ...details,
        ...(req && readOrigin(req)),
        ...(req && readClient && { client: readClient(req, details) }),
      }
      // emitter.emit() is not used: it stops at the first listener that throws, and a rejected promise would end the process.
      for (const listener of events.rawListeners(channel)) {
        try {
          const result: unknown = Reflect.apply(listener, events, [event])
          if (result instanceof Promise) result.catch((error: unknown) => onListenerError(type, error))
        } catch (error) {
          onListenerError(type, error)
        }
      }
    }
  }

  const isHeard: EmitEarly['isHeard'] = (type) => events.listenerCount(type) > 0
  return { events, emit: Object.assign(createEmit(), { early: createEmit(EARLY_EVENT), isHeard }) }
}
