import type { GuardDescription, PlatformAuth, PlatformEvent } from '../../index.js'
import { send, type Listener, type ReceivedAnswer } from '../send.js'
import type { Route } from './layer.js'
import { replaceHandlers } from './replaced-handlers.js'

/** What became of a request. */
export interface Outcome {
  /** The route whose handler it reached. */
  readonly reached: Route | undefined
  /** The guards that it came to, in their order. */
  readonly guards: readonly GuardDescription[]
  /** The refusals of this platform's guards. */
  readonly denied: readonly PlatformEvent[]
  /** The refusals that guards with `enforce: false` only report. */
  readonly reported: readonly PlatformEvent[]
  /** Undefined if there was none. */
  readonly answer: ReceivedAnswer | undefined
}

export interface Prober {
  probe(method: string, target: string, headers?: Readonly<Record<string, string>>): Promise<Outcome>
  /** How many requests were sent. */
  count(): number
  /** Puts the handlers back. */
  end(): void
}

/** Sends requests to an app whose handlers are replaced meanwhile. One request at a time. */
export function createProber(app: Listener, auth: Pick<PlatformAuth, 'events'>): Prober {
  let reached: Route | undefined
  let guards: GuardDescription[] = []
  let denied: PlatformEvent[] = []
  let reported: PlatformEvent[] = []
  let count = 0
  const restore = replaceHandlers(app, {
    onReached: (route) => void (reached ??= route),
    onGuard: (guard) => void guards.push(guard),
  })
  const noteDenied = (event: PlatformEvent): void => void denied.push(event)
  const noteReported = (event: PlatformEvent): void => void reported.push(event)
  auth.events.on('request.denied', noteDenied)
  auth.events.on('request.wouldDeny', noteReported)

  return {
    async probe(method, target, headers = {}) {
      reached = undefined
      guards = []
      denied = []
      reported = []
      count += 1
      // Limits of failed attempts count by address.
      const address = `127.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
      const answer = await send(app, { method, target, headers, address, maxBodyTime: 200 }).catch(() => undefined)
      return { reached, guards, denied, reported, answer }
    },
    count: () => count,
    end() {
      auth.events.off('request.denied', noteDenied)
      auth.events.off('request.wouldDeny', noteReported)
      restore()
    },
  }
}
