import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Who is registered at an abused platform. */
export interface Cast {
  /** They may use orders and catalog, and are never to be harmed. */
  readonly good: readonly Good[]
  /** Access tokens that nobody may use at orders: of another API, ended in every way, expired. */
  readonly deadTokens: readonly string[]
  readonly deadClients: readonly { readonly clientId: string; readonly clientSecret: string }[]
  /** Keys that nobody may use at catalog. */
  readonly deadKeys: readonly string[]
}

export interface Good {
  readonly id: string
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
}

/** What a process holds after it has collected its garbage. */
export interface Holdings {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
  readonly connections: number
  readonly resources: Readonly<Record<string, number>>
  readonly listeners: number
  /** Milliseconds by which its event loop was late. */
  readonly loop: { readonly p99: number; readonly max: number }
  /** Warnings, unhandled rejections, logged errors. */
  readonly complaints: readonly string[]
}

export interface AbusedPlatform {
  readonly port: number
  readonly cast: Cast
  /** Begins to measure the event loop's delay. */
  begin(): Promise<unknown>
  holdings(): Promise<Holdings>
  connections(): Promise<number>
  end(): Promise<void>
}

interface AbusedOptions {
  readonly express?: 4 | 5
  /** A SQLite file; memory without one. */
  readonly file?: string
  /** For Node's createServer(). */
  readonly server?: object
}

const PROCESS = fileURLToPath(new URL('platform-process.mjs', import.meta.url))

export async function startAbusedPlatform(options: AbusedOptions = {}): Promise<AbusedPlatform> {
  const child = fork(PROCESS, [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    // Stacks in answers are Express's custom in development.
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const [{ port, cast }] = (await once(child, 'message')) as [{ port: number; cast: Cast }]
  let asked = 0

  function ask<Result>(deed: string): Promise<Result> {
    const id = ++asked
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('The abused process has ended.'))
      child.on('exit', onExit)
      child.on('message', function onMessage(answer: { id: number; result: Result }) {
        if (answer.id !== id) return
        child.off('message', onMessage).off('exit', onExit)
        resolve(answer.result)
      })
      child.send({ id, deed })
    })
  }

  return {
    port,
    cast,
    begin: () => ask('begin'),
    holdings: () => ask('holdings'),
    connections: () => ask('connections'),
    async end() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
