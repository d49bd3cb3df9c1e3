import { connect, type Socket } from 'node:net'
import { answerReader } from './answers.js'
import { wireOf, type Draft } from './draft.js'
import { createGrammar } from './grammar.js'
import { judge } from './oracle.js'
import type { Cast } from './platform-process.js'
import { seeded } from './random.js'

/** What came of a run. */
export interface FuzzReport {
  readonly seed: number
  readonly requests: number
  readonly honest: number
  readonly hostile: number
  /** `closed`: given up without an answer, as what is no HTTP may be. */
  readonly byStatus: Readonly<Record<string, number>>
  readonly seconds: number
  readonly hangs: number
  /** What was not as it should be, the first of them. */
  readonly violations: readonly string[]
  readonly violationCount: number
}

interface Work {
  readonly number: number
  readonly draft: Draft
  readonly wire: string
}

/** Connections, and requests under way on each. */
const LANES = 24
const DEPTH = 12
/** Milliseconds after which what is not answered hangs. */
const PATIENCE = 20_000
/** Milliseconds after which a request whose end can't be told is given up by its client. */
const LINGER = 120

/** Sends so many requests, the same for the same seed, and judges every answer. */
export async function fuzz(port: number, cast: Cast, seed: number, requests: number): Promise<FuzzReport> {
  const nextDraft = createGrammar(cast)
  const byStatus: Record<string, number> = {}
  const violations: string[] = []
  let made = 0
  let honest = 0
  let hangs = 0
  let violationCount = 0
  const since = performance.now()

  function note(work: Work, problem: string | undefined, told = ''): void {
    if (problem === undefined) return
    violationCount++
    if (violations.length < 10) {
      const { draft, number } = work
      const what = `${draft.kind} ${draft.route} ${draft.mutations.join('+')} ${draft.framing}`
      violations.push(`#${number} (${what}): ${problem}\n${escaped(work.wire)}\n-> ${escaped(told)}`)
    }
  }

  function lane(index: number): Promise<void> {
    // Each its own, so that what is sent does not depend on who is answered first.
    const random = seeded(seed * 1009 + index)
    const mine = Math.floor(requests / LANES) + (index < requests % LANES ? 1 : 0)
    let sent = 0
    let outstanding: Work[] = []
    let odd: Work | undefined
    let socket: Socket | undefined
    let reader = answerReader()
    let progress = performance.now()

    function next(): Work | undefined {
      if (sent >= mine) return undefined
      sent++
      const number = made++
      const draft = nextDraft(random)
      if (draft.honest) honest++
      return { number, draft, wire: wireOf(draft, number) }
    }

    return new Promise((done) => {
      const watch = setInterval(() => {
        if (outstanding.length === 0 || performance.now() - progress < PATIENCE) return
        hangs++
        note(outstanding[0]!, 'it hangs')
        outstanding = []
        socket?.destroy()
      }, 1000)

      function pump(): void {
        let batch = ''
        while (outstanding.length < DEPTH && !odd) {
          const work = next()
          if (!work) break
          if (work.draft.framing === 'odd') {
            odd = work
            void alone(work).then(() => {
              odd = undefined
              pump()
            })
          } else {
            if (outstanding.length === 0) progress = performance.now()
            outstanding.push(work)
            batch += work.wire
          }
        }
        if (batch !== '') connected().write(batch, 'latin1')
        if (outstanding.length > 0 || odd || sent < mine) return
        clearInterval(watch)
        socket?.destroy()
        done()
      }

      function connected(): Socket {
        if (socket) return socket
        reader = answerReader()
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
              judge(work.draft, work.number, answer),
              `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`,
            )
            closing ||= answer.closes
          }
          if (outstanding.length <= DEPTH / 3 && !closing) pump()
        })
        opened.on('error', () => undefined)
        opened.on('close', () => {
          if (socket !== opened) return
          socket = undefined
          if (!closing && outstanding.length > 0)
            note(outstanding.shift()!, 'the connection was closed without an answer')
          // Those behind an answer that ends the connection have not been looked at (RFC 9112 9.6).
          if (outstanding.length > 0) connected().write(outstanding.map(({ wire }) => wire).join(''), 'latin1')
          pump()
        })
        return opened
      }

      pump()
    })
  }

  /** A request that may leave its connection useless, on one of its own. */
  function alone(work: Work): Promise<void> {
    return new Promise((done) => {
      const reader = answerReader()
      let answers = 0
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
      const hanging = setTimeout(() => {
        hangs++
        note(work, 'it hangs, though its client has ended')
        socket.destroy()
      }, PATIENCE)
      const giveUp = setTimeout(() => socket.end(), LINGER)
      const look = (answer: ReturnType<typeof reader.take>): boolean => {
        if (!answer) return false
        answers++
        count(answer.status)
        note(
          work,
          judge(work.draft, work.number, answer),
          `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`,
        )
        return true
      }
      socket.write(work.wire, 'latin1')
      socket.on('data', (bytes: unknown) => {
        reader.push(bytes as string)
        while (look(reader.take(work.draft.method)));
        if (answers > 0) socket.end()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(hanging)
        clearTimeout(giveUp)
        look(reader.end())
        if (answers === 0) count('closed')
        done()
      })
    })
  }

  function count(what: string | number): void {
    byStatus[what] = (byStatus[what] ?? 0) + 1
  }

  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)))
  const seconds = (performance.now() - since) / 1000
  return { seed, requests: made, honest, hostile: made - honest, byStatus, seconds, hangs, violations, violationCount }
}

function escaped(text: string): string {
  return JSON.stringify(text.length > 900 ? `${text.slice(0, 900)}... (${text.length})` : text)
}
