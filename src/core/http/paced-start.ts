import type { IncomingMessage } from 'node:http'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { waitForNextTurn } from '../../shared/lib/event-loop.js'
import type { Endpoint } from './middleware.js'
import { readClientAddress } from '../../shared/lib/request.js'

/** Wraps an endpoint so that its requests start at a bounded rate. */
export type PaceStarts = (endpoint: Endpoint) => Endpoint

/** A request costs some 0.2 ms, so that answers of the store and of other sockets are read every few milliseconds. */
const MAX_STARTS_PER_TURN = 8
/** This limit bounds memory, at some 2 kB for each waiting request beside the connection. */
const MAX_WAITING_REQUESTS = 10_000

/**
 * A few requests start in each turn of the event loop, and addresses take turns. Otherwise one client with a thousand
 * connections would make each turn a thousand requests long, and a change, which waits for the store 15 times, would take
 * seconds. Such a client sends no more until it is answered, so that its turns stay short.
 */
export function createPacedStart(): PaceStarts {
  const limitStarts = createConcurrencyLimit({
    atOnce: MAX_STARTS_PER_TURN,
    waiting: MAX_WAITING_REQUESTS,
    onOverflow: () => new StoreUnavailableError(`${MAX_WAITING_REQUESTS} requests are waiting to start.`),
  })
  const waitForTurn = (req: IncomingMessage): Promise<void> => limitStarts(readClientAddress(req), waitForNextTurn)

  return function paceStarts(endpoint) {
    return async function answerInTurn(req, res) {
      await waitForTurn(req)
      // The client has gone meanwhile.
      if (res.destroyed) return
      await endpoint(req, res)
    }
  }
}
