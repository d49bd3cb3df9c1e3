import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The credentials at a platform under attack. */
export interface KnownCredentials {
  /** Clients that may use orders and catalog. */
  readonly good: readonly GoodClient[]
  /** Access tokens that are refused at orders: of another API, revoked, expired. */
  readonly deadTokens: readonly string[]
  readonly deadClients: readonly { readonly clientId: string; readonly clientSecret: string }[]
  /** Keys that are refused at catalog. */
  readonly deadKeys: readonly string[]
  /** A key that is accepted at catalog only, and a secret for the scope orders:read only. */
  readonly restricted: { readonly clientId: string; readonly clientSecret: string }
  /** A contact who is signed in at the portal, and another browser that is not. */
  readonly contact: {
    /** The path of an application in the portal. */
    readonly root: string
    /** Of its record, as its forms have it. Nothing changes this application. */
    readonly version: string
    /** An application whose key is renamed. */
    readonly renamed: { readonly root: string; readonly keyId: string }
    readonly session: PortalCookie
    readonly visitor: PortalCookie
  }
  /** With `journeys`: a resource server, an operator's program, and an application that it changes. */
  readonly service?: { readonly clientId: string; readonly clientSecret: string }
  readonly manager?: { readonly token: string; readonly managed: string }
}

interface PortalCookie {
  /** The header that the browser sends. */
  readonly cookie: string
  /** The hidden field of its forms. */
  readonly csrf: string
}

export interface GoodClient {
  readonly id: string
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
}

/** The resources of the process after a garbage collection. */
export interface ResourceUsage {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
  readonly connections: number
  readonly resources: Readonly<Record<string, number>>
  readonly listeners: number
  /** The delay of the event loop, in milliseconds. */
  readonly loop: { readonly p99: number; readonly max: number }
  /** Warnings, unhandled rejections, logged errors. */
  readonly complaints: readonly string[]
}

export interface AttackedPlatform {
  readonly port: number
  readonly credentials: KnownCredentials
  /** Starts to measure the delay of the event loop. */
  begin(): Promise<unknown>
  measureResources(): Promise<ResourceUsage>
  connections(): Promise<number>
  /** Gives `Object.prototype` of the process these members, with a value of that kind, instead of those given before. */
  pollute(pollution: Pollution): Promise<unknown>
  /** The errors since the last call that would have ended the process. */
  readCrashes(): Promise<readonly string[]>
  end(): Promise<void>
}

export const POLLUTION_KINDS = ['function', 'string', 'number', 'object', 'array', 'boolean'] as const

export interface Pollution {
  readonly names: readonly string[]
  readonly kind?: (typeof POLLUTION_KINDS)[number]
}

interface AttackedPlatformOptions {
  readonly express?: 4 | 5
  /** A SQLite file; the memory store if left out. */
  readonly file?: string
  /** Whether there are management and a service without a database, and strangers may register as often as they like. */
  readonly journeys?: boolean
  /** For Node's createServer(). */
  readonly server?: object
}

const PROCESS = fileURLToPath(new URL('platform-process.mjs', import.meta.url))

export async function startAttackedPlatform(options: AttackedPlatformOptions = {}): Promise<AttackedPlatform> {
  const child = fork(PROCESS, [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    // In development Express answers with stack traces.
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const [{ port, credentials }] = (await once(child, 'message')) as [{ port: number; credentials: KnownCredentials }]
  let commandCount = 0

  function sendCommand<Result>(command: string, argument?: unknown): Promise<Result> {
    const id = ++commandCount
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('The platform process has exited.'))
      child.on('exit', onExit)
      child.on('message', function onMessage(answer: { id: number; result: Result }) {
        if (answer.id !== id) return
        child.off('message', onMessage).off('exit', onExit)
        resolve(answer.result)
      })
      child.send({ id, command, argument })
    })
  }

  return {
    port,
    credentials,
    begin: () => sendCommand('begin'),
    measureResources: () => sendCommand('measureResources'),
    connections: () => sendCommand('connections'),
    pollute: (pollution) => sendCommand('pollute', pollution),
    readCrashes: () => sendCommand('crashes'),
    async end() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
