import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { createSharedKeys, describeOtherVersion, PROOF_HEADER, SOURCE_PATH } from './answer-proof.js'
import type { RemoteSettings } from './read-remote-options.js'
import { readList, readNumber, readObject, readOptional, readText, type Members } from './read-answer.js'

/** Asks the platform. Rejects for every answer but an authentic one: an outage, which never refuses a caller. */
export type AskPlatform = (call: string, parameters: Members, options?: AskOptions) => Promise<Members>

interface AskOptions {
  readonly signal?: AbortSignal
  readonly held?: number
}

const TIMEOUT_MS = 5000
/** `remote-parts.ts` gives look-ups half of them. The change feed has some of its own. */
const MAX_CONNECTIONS = 64
/** 10,000 revoked access tokens have a tenth of it. */
const MAX_BYTES = 8 * 1024 * 1024

export function createPlatformClient({
  settings: { address, clientId, clientSecret },
  clock,
  onServed = () => undefined,
}: {
  readonly settings: Pick<RemoteSettings, 'address' | 'clientId' | 'clientSecret'>
  readonly clock: Pick<PlatformClock, 'set'>
  /** Called with the names of the resource server's APIs when they are others than before. */
  readonly onServed?: (names: readonly string[]) => void
}) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const keys = createSharedKeys(authorization)
  const [Agent, request] = address.startsWith('https:')
    ? ([HttpsAgent, requestHttps] as const)
    : ([HttpAgent, requestHttp] as const)
  const agents = {
    lookUps: new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS }),
    changes: new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS }),
  }

  let served: string | undefined
  let otherVersion: string | undefined

  /** Redirects are not followed: the answer is an outage. */
  function open(call: string, body: string, { signal, held = 0 }: AskOptions): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${address}${SOURCE_PATH}${call}`, {
        method: 'POST',
        agent: call === 'changes' ? agents.changes : agents.lookUps,
        ...(signal && { signal }),
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'Accept-Encoding': 'identity',
        },
      })
      if (signal) outgoing.on('socket', (socket) => socket.unref())
      // Also for an answer that comes byte by byte.
      const timer = setTimeout(() => {
        outgoing.destroy(Object.assign(new Error('The platform did not answer in time.'), { code: 'ETIMEDOUT' }))
      }, TIMEOUT_MS + held)
      timer.unref()
      outgoing
        .on('response', resolve)
        .on('error', reject)
        .on('close', () => {
          clearTimeout(timer)
          // After a 101, there is neither a response nor an error.
          reject(createFault('The platform has ended the connection without an answer.', 'the connection was lost'))
        })
        .end(body)
    })
  }

  const ask: AskPlatform = async (call, parameters, options = {}) => {
    const nonce = randomBytes(16).toString('base64url')
    const [startedAt, before] = [performance.now(), served]
    const response = await open(call, JSON.stringify({ ...parameters, nonce }), options)
    const body = await readBody(response)
    if (response.statusCode !== 200) throw createRefusal(response.statusCode)
    const proof = response.headers[PROOF_HEADER]
    if (typeof proof !== 'string' || !keys.isProven({ nonce, call, body }, proof))
      throw createFault(UNPROVEN, NOT_AUTHENTIC)
    const answer = readObject(JSON.parse(body))
    otherVersion = describeOtherVersion(readOptional(answer['versions'], (list) => readList(list, readNumber)) ?? [])
    if (otherVersion !== undefined) throw new Error(otherVersion)
    clock.set(readNumber(answer['time']), startedAt)
    const names = readList(answer['serves'], readText)
    const now = names.join(' ')
    if (now !== served) onServed(names)
    served = now
    // For other APIs an application may be unknown that the caller has access to. What has changed is read from `changes`.
    if (before !== undefined && before !== now && call !== 'changes') throw new Error(OTHER_APIS)
    return answer
  }

  return {
    ask,
    nameOf: keys.nameOf,
    problems: (): readonly string[] => (otherVersion === undefined ? [] : [otherVersion]),
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw createFault(UNPROVEN, NOT_AUTHENTIC)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function createRefusal(status: number | undefined): Error {
  const reasons: Readonly<Record<number, string>> = {
    401: 'it does not know the client id and secret as those of a resource server',
    403: 'it refuses the network of this process, or the path is not that of credentialSource()',
    404: 'there is no credentialSource() at its address',
    429: 'this resource server asks too often',
  }
  const reason = reasons[status ?? 0]
  const message = `The platform answered with status ${status}: ${reason ?? 'it cannot answer now'}.`
  return createFault(message, reason ?? `it answers with status ${status}`)
}

/** The message is logged; `health()` tells the state. */
function createFault(message: string, platformState: string): Error {
  return Object.assign(new Error(message), { platformState })
}

const OTHER_APIS = 'The platform has changed the list of APIs of this resource server.'
const UNPROVEN =
  'An answer is not the authentic one of the platform to this request: it is damaged, cut short, or another one.'
const NOT_AUTHENTIC = 'its answer is not authentic'

/** One answer may be of a process of the platform whose clock is behind, or was for a moment. */
const ANSWERS_BEFORE_SET_BACK = 10

/** The platform's time, by which access tokens were issued, whatever the clock of this process says. */
export type PlatformClock = ReturnType<typeof createPlatformClock>

/** It runs with the monotonic clock of this process, so it does not jump when that of the machine is set. */
export function createPlatformClock() {
  /** The platform's time less the monotonic one. Until the first answer, that of this machine. */
  let offset = Date.now() - performance.now()
  let isKnown = false
  let answersBehind = 0

  return {
    now: () => Math.round(performance.now() + offset),
    /** An answer has told the time, and its request began then, on the monotonic clock. */
    set(time: number, startedAt: number): void {
      const answeredAt = performance.now()
      // The platform has read its clock at some time between the two. What fits is kept: it may be from a quicker answer.
      const [least, most] = [time - answeredAt, time - startedAt]
      const isAhead = isKnown && offset > most
      answersBehind = isAhead ? answersBehind + 1 : 0
      const fits = isKnown && offset >= least && offset <= most
      if (fits || (isAhead && answersBehind < ANSWERS_BEFORE_SET_BACK)) return
      offset = (least + most) / 2
      isKnown = true
      answersBehind = 0
    },
  }
}
