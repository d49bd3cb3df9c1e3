import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseObject } from '../../../shared/lib/own-members.js'
import { describeRootCause } from '../errors.js'

export type Header = readonly [name: string, value: string]

/** One request, as it stands on the wire: nothing is normalized or added, except `Host`, `Connection` and the length. */
export interface RequestDraft {
  readonly method?: string
  /** Relative to the base address, such as `/orders/token`; with `fromRoot` relative to its origin. */
  readonly path: string
  readonly fromRoot?: boolean
  readonly headers?: readonly Header[]
  readonly body?: string
  /** The body, sent without its length. */
  readonly chunked?: boolean
}

export type ProbeAnswer = ReturnType<typeof toAnswer>

/** Sends a request on a new connection, no sooner than the rate allows. Never follows a redirect. */
export type Send = (
  draft: RequestDraft,
  /** Whether the request is meant to meet a 429. Otherwise the client waits, and sends the request again. */
  options?: { readonly mayBeLimited?: boolean },
) => Promise<ProbeAnswer>

/** The rate is in requests per second. The signal ends a wait and a request, and rejects with its reason. */
export function createSend({ url, rate, signal }: { url: string; rate: number; signal: AbortSignal }): Send {
  const pause = 1000 / rate
  let nextAt = 0

  return async function send(draft, { mayBeLimited = false } = {}) {
    signal.throwIfAborted()
    const wait = nextAt - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal })
    nextAt = Math.max(performance.now(), nextAt) + pause
    const answer = await exchange(url, draft, signal)
    signal.throwIfAborted()
    const limitWait = mayBeLimited ? undefined : readLimitWait(answer)
    if (limitWait === undefined) return answer
    await sleep(limitWait, undefined, { signal })
    return send(draft, { mayBeLimited: true })
  }
}

function readLimitWait({ status, json, header }: ProbeAnswer): number | undefined {
  if (status !== 429 || json?.['error'] !== 'too_many_requests') return undefined
  const seconds = Number(header('retry-after'))
  return seconds >= 0 && seconds <= 60 ? seconds * 1000 + 250 : undefined
}

const EXCHANGE_TIMEOUT_MS = 15_000
const MAX_BODY_BYTES = 512 * 1024

function exchange(url: string, draft: RequestDraft, signal: AbortSignal): Promise<ProbeAnswer> {
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
        headers: {
          ...Object.fromEntries(headers),
          ...(body !== undefined &&
            (chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': Buffer.byteLength(body) })),
        },
        // A new connection for each request, so that a balancer can choose another instance.
        agent: false,
        signal: AbortSignal.any([signal, timeout]),
      })
      outgoing.on('error', (error) => fail(timeout.aborted ? new Error('no answer within 15 seconds') : error))
      outgoing.on('response', (incoming) => void readAnswer(incoming, sentAt).then(resolve, fail))
      // Node would end the connection of a 101 without an event that tells it.
      outgoing.on('upgrade', (_incoming, socket) => {
        socket.destroy()
        fail(new Error('it switched the protocol'))
      })
      if (chunked && body !== undefined) outgoing.write(body)
      outgoing.end(chunked ? undefined : body)
    } catch (error) {
      // Node refuses some methods and paths.
      fail(error)
    }
  })
}

async function readAnswer(incoming: IncomingMessage, sentAt: number): Promise<ProbeAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) break
    chunks.push(chunk)
  }
  const { headersDistinct: headers, statusCode: status = 0 } = incoming
  return toAnswer({ sentAt, status, headers, body: Buffer.concat(chunks).toString() })
}

function toAnswer(given: {
  readonly sentAt: number
  readonly status?: number
  readonly failure?: string
  readonly headers?: NodeJS.Dict<string[]>
  readonly body?: string
}) {
  const { sentAt, status = 0, failure, headers = {}, body = '' } = given
  return {
    status,
    failure,
    body,
    json: parseObject(body),
    /** When the request was sent and the answer was read, in milliseconds. */
    sentAt,
    receivedAt: Date.now(),
    listHeader: (name: string): readonly string[] => headers[name.toLowerCase()] ?? [],
    header: (name: string): string | undefined => headers[name.toLowerCase()]?.join(', '),
  }
}
