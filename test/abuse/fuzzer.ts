import { connect, type Socket } from 'node:net'
import { createAnswerReader } from './answers.js'
import { formatRequest, type Draft } from './draft.js'
import { createGrammar } from './grammar.js'
import { checkAnswer } from './oracle.js'
import type { KnownCredentials } from './platform-process.js'
import { createRandom } from './random.js'

/** The result of a run. */
export interface FuzzReport {
  readonly seed: number
  readonly requests: number
  readonly honest: number
  readonly hostile: number
  /** `closed` counts connections that were closed without an answer, as they may be for malformed HTTP. */
  readonly byStatus: Readonly<Record<string, number>>
  readonly seconds: number
  readonly hangs: number
  /** The first problems that were found. */
  readonly violations: readonly string[]
  readonly violationCount: number
}

interface Work {
  readonly number: number
  readonly draft: Draft
  readonly wire: string
}

const CONNECTIONS = 24
const MAX_PIPELINED_REQUESTS = 12
/** A request without an answer for this long counts as hanging. */
const HANG_TIMEOUT_MS = 20_000
/** The client closes the connection of a request with unclear framing after this time. */
const UNCLEAR_REQUEST_TIMEOUT_MS = 120

/** Sends that many requests, the same for the same seed, and checks every answer. */
export async function fuzz(port: number, known: KnownCredentials, seed: number, requests: number): Promise<FuzzReport> {
  const nextDraft = createGrammar(known)
  const byStatus: Record<string, number> = {}
  const violations: string[] = []
  let made = 0
  let honest = 0
  let hangs = 0
  let violationCount = 0
  const since = performance.now()

  function note(work: Work, problem: string | undefined, answer = ''): void {
    if (problem === undefined) return
    violationCount++
    if (violations.length < 10) {
      const { draft, number } = work
      const what = `${draft.kind} ${draft.route} ${draft.mutations.join('+')} ${draft.framing}`
      violations.push(`#${number} (${what}): ${problem}\n${formatExcerpt(work.wire)}\n-> ${formatExcerpt(answer)}`)
    }
  }

  function runConnection(index: number): Promise<void> {
    // One generator per connection, so that the requests do not depend on the order of the answers.
    const random = createRandom(seed * 1009 + index)
    const ownRequests = Math.floor(requests / CONNECTIONS) + (index < requests % CONNECTIONS ? 1 : 0)
    let sent = 0
    let outstanding: Work[] = []
    let unclear: Work | undefined
    let socket: Socket | undefined
    let reader = createAnswerReader()
    let progress = performance.now()

    function next(): Work | undefined {
      if (sent >= ownRequests) return undefined
      sent++
      const number = made++
      const draft = nextDraft(random)
      if (draft.honest) honest++
      return { number, draft, wire: formatRequest(draft, number) }
    }

    return new Promise((done) => {
      const hangCheck = setInterval(() => {
        if (outstanding.length === 0 || performance.now() - progress < HANG_TIMEOUT_MS) return
        hangs++
        note(outstanding[0]!, 'it hangs')
        outstanding = []
        socket?.destroy()
      }, 1000)

      function pump(): void {
        let batch = ''
        while (outstanding.length < MAX_PIPELINED_REQUESTS && !unclear) {
          const work = next()
          if (!work) break
          if (work.draft.framing === 'unclear') {
            unclear = work
            void sendAlone(work).then(() => {
              unclear = undefined
              pump()
            })
          } else {
            if (outstanding.length === 0) progress = performance.now()
            outstanding.push(work)
            batch += work.wire
          }
        }
        if (batch !== '') openSocket().write(batch, 'latin1')
        if (outstanding.length > 0 || unclear || sent < ownRequests) return
        clearInterval(hangCheck)
        socket?.destroy()
        done()
      }

      function openSocket(): Socket {
        if (socket) return socket
        reader = createAnswerReader()
        const opened = (socket = connect({ port, host: '127.0.0.1', noDelay: true }))
        opened.setEncoding('latin1')
        let closing = false
        opened.on('data', (bytes: string) => {
          progress = performance.now()
          reader.push(bytes)
          for (;;) {
            const work = outstanding[0]
            const answer = work && reader.take(work.draft.method)
            if (!answer) break
            outstanding.shift()
            count(answer.status)
            note(
              work,
              checkAnswer(work.draft, work.number, answer),
              `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`,
            )
            closing ||= answer.closes
          }
          if (outstanding.length <= MAX_PIPELINED_REQUESTS / 3 && !closing) pump()
        })
        opened.on('error', () => undefined)
        opened.on('close', () => {
          if (socket !== opened) return
          socket = undefined
          if (!closing && outstanding.length > 0)
            note(outstanding.shift()!, 'the connection was closed without an answer')
          // The server has not processed the requests after an answer that closes the connection (RFC 9112 9.6).
          if (outstanding.length > 0) openSocket().write(outstanding.map(({ wire }) => wire).join(''), 'latin1')
          pump()
        })
        return opened
      }

      pump()
    })
  }

  /** Sends a request on its own connection, which may be unusable afterwards. */
  function sendAlone(work: Work): Promise<void> {
    return new Promise((done) => {
      const reader = createAnswerReader()
      let answers = 0
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
      const hanging = setTimeout(() => {
        hangs++
        note(work, 'it hangs after its client closed the connection')
        socket.destroy()
      }, HANG_TIMEOUT_MS)
      const giveUp = setTimeout(() => socket.end(), UNCLEAR_REQUEST_TIMEOUT_MS)
      const check = (answer: ReturnType<typeof reader.take>): boolean => {
        if (!answer) return false
        answers++
        count(answer.status)
        note(
          work,
          checkAnswer(work.draft, work.number, answer),
          `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`,
        )
        return true
      }
      socket.write(work.wire, 'latin1')
      socket.on('data', (bytes: unknown) => {
        reader.push(bytes as string)
        while (check(reader.take(work.draft.method)));
        if (answers > 0) socket.end()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(hanging)
        clearTimeout(giveUp)
        check(reader.end())
        if (answers === 0) count('closed')
        done()
      })
    })
  }

  function count(what: string | number): void {
    byStatus[what] = (byStatus[what] ?? 0) + 1
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => runConnection(index)))
  const seconds = (performance.now() - since) / 1000
  return { seed, requests: made, honest, hostile: made - honest, byStatus, seconds, hangs, violations, violationCount }
}

function formatExcerpt(text: string): string {
  return JSON.stringify(text.length > 900 ? `${text.slice(0, 900)}... (${text.length})` : text)
}
