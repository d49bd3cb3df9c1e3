import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Counts of answers: `GET 200`, `POST token 502`, `GET ECONNRESET` ... */
export type Answers = Readonly<Record<string, number>>

/** A request that is repeated. */
export interface Call {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends requests through a port on keep-alive connections until it is stopped. */
export interface Load {
  /** How many requests have been answered, or have failed. */
  count(): number
  /** Resolves all answers so far when the last request has ended. */
  stop(): Promise<Answers>
}

/** Each connection waits for `pause` milliseconds between two requests. */
export function startLoad(port: number, calls: readonly Call[], concurrency: number, pause = 0): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const answers: Record<string, number> = {}
  let count = 0
  const stopping = new AbortController()

  async function work(first: number): Promise<void> {
    for (let i = first; !stopping.signal.aborted; i++) {
      const call = calls[i % calls.length]!
      const name = `${call.name} ${await send(agent, port, call)}`
      answers[name] = (answers[name] ?? 0) + 1
      count += 1
      if (pause > 0) await sleep(pause)
    }
  }

  const workers = Promise.all(Array.from({ length: concurrency }, (_, i) => work(i)))
  return {
    count: () => count,
    async stop() {
      stopping.abort()
      await workers
      agent.destroy()
      return answers
    },
  }
}

/** The status of the answer, or the code of the error. */
function send(agent: Agent, port: number, { method, path, headers = {}, body = '' }: Call): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
      answer.resume().on('close', () => resolve(answer.complete ? String(answer.statusCode) : 'incomplete'))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body)
  })
}
