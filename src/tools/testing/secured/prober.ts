import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { PlatformAuth } from '../../../index.js'
import { PLATFORM_PARTS } from '../../../shared/contracts/platform-parts.js'
import type { PlatformParts } from '../../../core/platform/core-auth.js'
import type { GuardDecision } from '../../../core/resource-server/guard-decisions.js'
import { send, type Listener, type ReceivedAnswer, type SentRequest } from '../send.js'

/** A request, and what of it the code before a guard may compare. */
export type Ask = Pick<SentRequest, 'method' | 'target' | 'headers' | 'body' | 'address' | 'version'>

export interface Outcome {
  readonly answer: ReceivedAnswer | undefined
  /** What guards and verifiers of the platform have decided about this very request, in their order. */
  readonly decisions: readonly GuardDecision[]
  /** The method of the request at the end: middleware may have replaced it. */
  readonly method: string | undefined
}

export type Prober = ReturnType<typeof createProber>

/** The beginning of a stream that does not end is enough. */
const MAX_BODY_MS = 200
const MAX_WAIT_MS = 5000
/** A request is repeated from another address if a limiter of the app refuses it, which says nothing about what is behind it. */
const MAX_REPETITIONS = 2

/** One for all calls, which run one at a time: while it is enabled, whatever is asynchronous in the process takes longer. */
const DECISIONS = new AsyncLocalStorage<GuardDecision[]>()

/** Sends requests to an app as it is, one at a time, each from another address of a client if it names none. */
export function createProber(app: Listener, auth: PlatformAuth) {
  const { guards } = Reflect.get(auth, PLATFORM_PARTS) as PlatformParts
  const end = guards.decisions.listen((decision) => void DECISIONS.getStore()?.push(decision))
  let count = 0

  async function askOnce(request: Ask): Promise<Outcome> {
    count += 1
    // Limits of failed attempts count by address.
    const address = `127.${1 + ((count >> 16) & 127)}.${(count >> 8) & 255}.${count & 255}`
    const decisions: GuardDecision[] = []
    let received: IncomingMessage | undefined
    const onRequest = (req: IncomingMessage): void => void (received = req)
    const sent = { address, ...request, maxBodyTime: MAX_BODY_MS, maxWait: MAX_WAIT_MS, onRequest }
    const answer = await DECISIONS.run(decisions, () => send(app, sent)).catch(() => undefined)
    return { answer, decisions, method: received?.method }
  }

  return {
    async ask(request: Ask): Promise<Outcome> {
      let outcome = await askOnce(request)
      const isLimited = (): boolean => outcome.answer?.status === 429 && outcome.decisions.length === 0
      for (let left = MAX_REPETITIONS; left > 0 && isLimited(); left -= 1) outcome = await askOnce(request)
      return outcome
    },
    count: () => count,
    end(): void {
      end()
      DECISIONS.disable()
    },
  }
}
