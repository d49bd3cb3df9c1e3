import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { freePort } from './free-port.js'

/** Whether there is a Redis to start here; in CI there must be one. */
const REDIS_SERVER = findServer()

/** A Redis of one's own, to be mistreated. */
export interface RedisServer {
  readonly url: string
  /** As `kill -9` does. */
  kill(): Promise<void>
  /** At the same address, with nothing in it. */
  start(): Promise<void>
  /** It listens and takes what is sent, and answers nothing. */
  freeze(): void
  thaw(): void
  /** For good. */
  end(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const port = await freePort()
  let server: ChildProcess | undefined
  const endWithUs = (): void => void server?.kill('SIGKILL')
  process.on('exit', endWithUs)

  async function start(): Promise<void> {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    server = spawn(REDIS_SERVER!, options, { stdio: 'ignore' })
    const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null })
    redis.on('error', () => undefined)
    await redis.ping()
    redis.disconnect()
  }

  async function kill(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }

  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async end() {
      await kill()
      process.off('exit', endWithUs)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A Redis to count in: the one that REDIS_URL names, one that is started, or as a last resort ioredis-mock. */
export async function openRedis(): Promise<{ connect(): Redis; end(): Promise<void> }> {
  const opened: Redis[] = []
  const given = process.env['REDIS_URL']
  const server = given || !REDIS_SERVER ? undefined : await startRedis()
  const url = given ?? server?.url
  return {
    connect() {
      const redis = url === undefined ? new RedisMock() : connectTo(url)
      opened.push(redis)
      return redis
    },
    async end() {
      for (const redis of opened) redis.disconnect()
      await server?.end()
    },
  }
}

type Impatience = Pick<RedisOptions, 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'lazyConnect'>

/** An ioredis instance that complains to nobody, and looks quickly whether Redis is back. */
export function connectTo(url: string, options: Impatience = {}): Redis {
  const redis = new Redis(url, { retryStrategy: () => 50, ...options })
  redis.on('error', () => undefined)
  return redis
}

/** Resolves once it holds; what else the machine does is not its fault. */
export async function until(holds: () => boolean | Promise<boolean>, seconds = 10): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come to hold within ${seconds} s.`)
    await sleep(10)
  }
}

function findServer(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  const found = folders.map((folder) => join(folder, 'redis-server')).find(isExecutable)
  if (found === undefined && process.env['CI'] === 'true')
    throw new Error('CI wants a real Redis: apt-get install redis-server.')
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
