import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EmitEarly, EventDetails, ReadClient } from '../../shared/contracts/events.js'
import { whenAnswered } from '../http/middleware.js'

/** One outcome per request: `request.denied` if a guard refuses it, else `request.allowed` once answered, per API. */
export type Outcomes = ReturnType<typeof createOutcomes>

/** The outcome is emitted after this time: an answer may take for ever (a stream, a WebSocket), and no guard decides later. */
const MAX_WAIT_MS = 10_000
/** setTimeout is kept, so that fake timers of the host's tests, which replace the global function later, hold up nothing. */
const { setTimeout } = globalThis

export function createOutcomes(emit: EmitEarly) {
  /** The events to emit when a request has been answered; null when its outcome has been emitted. */
  const outcomes = new WeakMap<IncomingMessage, (() => void)[] | null>()

  function settle(req: IncomingMessage): void {
    const allowed = outcomes.get(req)
    if (!allowed) return
    outcomes.set(req, null)
    for (const emitAllowed of allowed) emitAllowed()
  }

  return {
    allow(details: EventDetails, req: IncomingMessage, res: ServerResponse, readClient: ReadClient): void {
      if (!emit.isHeard('request.allowed')) return
      emit.early('request.allowed', details, req, readClient)
      const emitAllowed = (): void => emit('request.allowed', details, req, readClient)
      const earlier = outcomes.get(req)
      if (earlier) return void earlier.push(emitAllowed)
      // It is no response of a server, so that nothing tells when it was answered.
      if (earlier === null || !res.socket) return emitAllowed()
      outcomes.set(req, [emitAllowed])
      const timer = setTimeout(settle, MAX_WAIT_MS, req).unref()
      whenAnswered(res, () => {
        clearTimeout(timer)
        settle(req)
      })
    },
    deny(details: EventDetails, req: IncomingMessage, readClient: ReadClient): void {
      const isSettled = outcomes.get(req) === null
      outcomes.set(req, null)
      if (!isSettled) emit('request.denied', details, req, readClient)
    },
    /** Some guard reports that it would refuse the request, which is its outcome. */
    forget(req: IncomingMessage): void {
      if (outcomes.get(req)) outcomes.set(req, null)
    },
  }
}
