import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../lib/is-object.js'
import { describeRootCause } from '../errors.js'

/** One request, as it stands on the wire: nothing is normalized or added, except `Host`, `Connection` and the length. */
export interface RequestDraft {
  /** GET if left out. */
  readonly method?: string
  /** Relative to the base address, such as `/orders/token`; with `fromRoot` relative to its origin. */
  readonly path: string
  readonly fromRoot?: boolean
  /** A name may occur several times. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Buffer
  /** The body, sent without its length. */
  readonly chunked?: boolean
}

/** An answer, or the reason why there is none. */
export interface Answer {
  /** The status; 0 if there is no answer. */
  readonly status: number
  /** The reason why there is no answer. */
  readonly failure: string | undefined
  readonly body: string
  /** The body as JSON; undefined if it is not. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** When the request was sent and the answer was read, in milliseconds. */
  readonly sentAt: number
  readonly receivedAt: number
  /** All values of a header, one for each line. */
  listHeader(name: string): readonly string[]
  /** The lines of a header as one value; undefined if there is none. */
  header(name: string): string | undefined
}

/** Sends a request on a new connection, no sooner than the rate allows. Never follows a redirect. */
export type Send = (draft: RequestDraft, options?: SendOptions) => Promise<Answer>

interface SendOptions {
  /** Whether the request is meant to meet a 429. Otherwise the client waits, and sends the request again. */
  readonly mayBeLimited?: boolean
}

interface ExchangeOptions {
  /** The base address, without a slash at the end. */
  readonly url: string
  /** Requests per second. */
  readonly rate: number
  /** Ends a wait and a request, and rejects with its reason. */
  readonly signal: AbortSignal
}

/** Waits at most this long for limits, in all. */
const MAX_LIMIT_WAIT_MS = 130_000

export function createSend({ url, rate, signal }: ExchangeOptions): Send {
  const pause = 1000 / rate
  let nextAt = 0
  let limitWaitLeft = MAX_LIMIT_WAIT_MS

  return async function send(draft, { mayBeLimited = false } = {}) {
    signal.throwIfAborted()
    const wait = nextAt - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal })
    nextAt = Math.max(performance.now(), nextAt) + pause
    const answer = await exchange(url, draft, signal)
    signal.throwIfAborted()
    const limitWait = mayBeLimited ? undefined : readLimitWait(answer)
    if (limitWait === undefined || limitWait > limitWaitLeft) return answer
    limitWaitLeft -= limitWait
    await sleep(limitWait, undefined, { signal })
    return send(draft, { mayBeLimited: true })
  }
}

/** The milliseconds that the platform asks to wait. */
function readLimitWait({ status, json, header }: Answer): number | undefined {
  if (status !== 429 || json?.['error'] !== 'too_many_requests') return undefined
  const seconds = Number(header('retry-after'))
  return seconds >= 0 && seconds <= 60 ? seconds * 1000 + 250 : undefined
}

const EXCHANGE_TIMEOUT_MS = 15_000
const MAX_BODY_BYTES = 512 * 1024

function exchange(url: string, draft: RequestDraft, signal: AbortSignal): Promise<Answer> {
  const { method = 'GET', path, fromRoot = false, headers = [], body, chunked = false } = draft
  const { origin, pathname, protocol } = new URL(url)
  const prefix = fromRoot ? '' : pathname.replace(/\/$/, '')
  const sentAt = Date.now()
  return new Promise((resolve) => {
    const fail = (error: unknown): void => resolve(toAnswer({ sentAt, failure: describeRootCause(error) }))
    const timeout = AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)
    const start = protocol === 'https:' ? requestHttps : requestHttp
    try {
      const outgoing = start(origin, {
        method,
        path: prefix + path,
        headers: groupHeaders(headers, body, chunked),
        // A new connection for each request, so that a balancer can choose another instance.
        agent: false,
        signal: AbortSignal.any([signal, timeout]),
      })
      outgoing.on('error', (error) => fail(timeout.aborted ? new Error('no answer within 15 seconds') : error))
      outgoing.on('response', (incoming) => void readAnswer(incoming, sentAt).then(resolve, fail))
      if (chunked && body !== undefined) outgoing.write(body)
      outgoing.end(chunked ? undefined : body)
    } catch (error) {
      // Node refuses some methods and paths.
      fail(error)
    }
  })
}

/** Node sends a line for each value of a list. */
function groupHeaders(
  headers: readonly (readonly [string, string])[],
  body: string | Buffer | undefined,
  chunked: boolean,
): Record<string, string | string[]> {
  const grouped: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const same = Object.keys(grouped).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
    grouped[same] = Object.hasOwn(grouped, same) ? [grouped[same]!, value].flat() : value
  }
  if (body === undefined) return grouped
  return {
    ...grouped,
    ...(chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': `${Buffer.byteLength(body)}` }),
  }
}

async function readAnswer(incoming: IncomingMessage, sentAt: number): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) break
    chunks.push(chunk)
  }
  const headers = new Map<string, string[]>()
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const name = incoming.rawHeaders[i]!.toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), incoming.rawHeaders[i + 1]!])
  }
  return toAnswer({ sentAt, status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString() })
}

interface AnswerParts {
  readonly sentAt: number
  readonly status?: number
  readonly failure?: string
  readonly headers?: ReadonlyMap<string, readonly string[]>
  readonly body?: string
}

function toAnswer({ sentAt, status = 0, failure, headers = new Map(), body = '' }: AnswerParts): Answer {
  const listHeader = (name: string): readonly string[] => headers.get(name.toLowerCase()) ?? []
  return {
    status,
    failure,
    body,
    json: parseObject(body),
    sentAt,
    receivedAt: Date.now(),
    listHeader,
    header: (name) => (listHeader(name).length === 0 ? undefined : listHeader(name).join(', ')),
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
