import type { GuardDescription, PlatformAuth, PlatformEvent } from '../../index.js'
import { send, type Listener, type ReceivedAnswer } from '../send.js'
import type { Handler, Layer, Route } from '../../express-routes/layers.js'
import { replaceHandlers } from './replaced-handlers.js'

/** A function that runs while an app is checked. */
export interface CalledFunction {
  readonly layer: Layer
  /** The mounted layer of the app, which tells where the function is defined. */
  readonly handle: Handler
}

/** The result of a request. */
export interface Outcome {
  /** The route whose handler the request reached. */
  readonly reached: Route | undefined
  /** The method of that handler, in capital letters; undefined for one of `app.all()`. */
  readonly reachedMethod: string | undefined
  /** The guards that the request came to, in their order. */
  readonly guards: readonly GuardDescription[]
  /** The refusals of this platform's guards. */
  readonly denied: readonly PlatformEvent[]
  /** The refusals that report-only guards only report. */
  readonly reported: readonly PlatformEvent[]
  /** The functions that were called, besides guards and replaced handlers. */
  readonly entered: readonly CalledFunction[]
  /** The last of these functions that did not pass the request on. */
  readonly answeredBy: CalledFunction | undefined
  /** Whether that function is a router of the platform, such as its token endpoints. */
  readonly isPlatforms: boolean
  /** The answer; undefined if there was none. */
  readonly answer: ReceivedAnswer | undefined
}

type Headers = Readonly<Record<string, string>>

interface More {
  readonly address?: string
  readonly body?: string
}

export interface Prober {
  /** The client has another address for each request, if none is given. */
  probe(method: string, target: string, headers?: Headers, more?: More): Promise<Outcome>
  /** Whether anything but guards and replaced handlers could answer. */
  readonly runsFunctions: boolean
  /** The function that has the current request: the last one that was called and has not passed it on. */
  current(): Layer | undefined
  /** The functions that were called, and the paths below which they are mounted. */
  functions(): readonly { readonly handle: Handler; readonly mount: string }[]
  /** How many requests were sent. */
  count(): number
  /** Puts the handlers back. */
  end(): void
}

/** Sends requests to an app whose handlers are replaced meanwhile. One request at a time. */
export function createProber(app: Listener, auth: PlatformAuth): Prober {
  let current = startOutcome()
  let count = 0
  const own = new Set<unknown>([
    auth.router,
    auth.wellKnownRouter,
    auth.suspensionRouter,
    // Those of features.
    ...Object.values(auth).map((member: { readonly router?: unknown } | undefined) => member?.router),
  ])
  const functions = new Map<string, { handle: Handler; mount: string }>()
  const { restore, runsFunctions } = replaceHandlers(app, {
    onReached(route, { method }) {
      current.reachedMethod = current.reached ? current.reachedMethod : method?.toUpperCase()
      current.reached ??= route
    },
    onGuard: (guard) => void current.guards.push(guard),
    onEntered(layer, handle, mount) {
      current.entered.push({ layer, handle })
      if (own.has(handle)) return
      functions.set(`${mount.toLowerCase()} ${Function.prototype.toString.call(handle)}`, { handle, mount })
    },
    hasPassed: () => current.guards.length > 0,
    onLeft: (layer) => void current.left.add(layer),
  })
  const noteDenied = (event: PlatformEvent): void => void current.denied.push(event)
  const noteReported = (event: PlatformEvent): void => void current.reported.push(event)
  auth.events.on('request.denied', noteDenied)
  auth.events.on('request.reported', noteReported)

  async function probe(method: string, target: string, headers: Headers, more: More): Promise<Outcome> {
    const outcome = (current = startOutcome())
    count += 1
    // Limits of failed attempts count by address.
    const address = more.address ?? `127.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
    const request = {
      method,
      target,
      headers,
      address,
      body: more.body ?? '',
      maxBodyTime: MAX_BODY_MS,
      maxWait: MAX_WAIT_MS,
    }
    const answer = await send(app, request).catch(() => undefined)
    const answeredBy = outcome.reached ? undefined : outcome.entered.findLast(({ layer }) => !outcome.left.has(layer))
    const isPlatforms = answeredBy !== undefined && own.has(answeredBy.handle)
    return { ...outcome, answeredBy, isPlatforms, answer }
  }

  return {
    async probe(method, target, headers = {}, more = {}) {
      let outcome = await probe(method, target, headers, more)
      for (let left = MAX_REPETITIONS; left > 0 && isLimited(outcome); left -= 1)
        outcome = await probe(method, target, headers, more)
      return outcome
    },
    runsFunctions,
    functions: () => [...functions.values()],
    current: () => current.entered.findLast(({ layer }) => !current.left.has(layer))?.layer,
    count: () => count,
    end() {
      auth.events.off('request.denied', noteDenied)
      auth.events.off('request.reported', noteReported)
      restore()
    },
  }
}

/** The beginning of a stream that does not end is enough. */
const MAX_BODY_MS = 200
const MAX_WAIT_MS = 5000
/**
 * A request is repeated from another address if a limiter of the app refuses it, which says nothing about the handlers behind
 * it.
 */
const MAX_REPETITIONS = 2

function isLimited({ answer, reached, denied }: Outcome): boolean {
  return answer?.status === 429 && !reached && denied.length === 0
}

function startOutcome() {
  return {
    reached: undefined as Route | undefined,
    reachedMethod: undefined as string | undefined,
    guards: [] as GuardDescription[],
    denied: [] as PlatformEvent[],
    reported: [] as PlatformEvent[],
    entered: [] as CalledFunction[],
    left: new Set<Layer>(),
  }
}
