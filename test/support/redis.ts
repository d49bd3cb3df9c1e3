import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Redis, type RedisOptions } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { freePort } from './free-port.js'

/** The path of redis-server; undefined if it is not installed, which CI does not allow. */
const REDIS_SERVER = findServer()

/** A Redis server of the test's own, which may be killed. */
export interface RedisServer {
  readonly url: string
  /** With SIGKILL. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  /** It still accepts connections and data, but does not answer. */
  freeze(): void
  thaw(): void
  /** Kills it and deletes its folder. */
  end(): Promise<void>
}

/** With a password, clients must present it; `url` has it. */
export async function startRedis(password = ''): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const url = `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`
  let server: ChildProcess | undefined
  const killOnExit = (): void => void server?.kill('SIGKILL')
  process.on('exit', killOnExit)

  async function start(): Promise<void> {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    if (password !== '') options.push('--requirepass', password)
    server = spawn(REDIS_SERVER!, options, { stdio: 'ignore' })
    const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
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
    url,
    kill,
    start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async end() {
      await kill()
      process.off('exit', killOnExit)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Clients of the Redis that REDIS_URL names, of one that is started, or of ioredis-mock if redis-server is not installed. */
export async function openRedis(): Promise<{ connect(): Redis; end(): Promise<void> }> {
  const clients: Redis[] = []
  const given = process.env['REDIS_URL']
  const server = given || !REDIS_SERVER ? undefined : await startRedis()
  const url = given ?? server?.url
  return {
    connect() {
      const redis = url === undefined ? new RedisMock() : connectRedis(url)
      clients.push(redis)
      return redis
    },
    async end() {
      for (const redis of clients) redis.disconnect()
      await server?.end()
    },
  }
}

type ConnectOptions = Pick<RedisOptions, 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'lazyConnect'>

/** An ioredis instance that logs no errors and reconnects quickly. */
export function connectRedis(url: string, options: ConnectOptions = {}): Redis {
  const redis = new Redis(url, { retryStrategy: () => 50, ...options })
  redis.on('error', () => undefined)
  return redis
}

function findServer(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  const found = folders.map((folder) => join(folder, 'redis-server')).find(isExecutable)
  if (found === undefined && process.env['CI'] === 'true')
    throw new Error('CI needs a real Redis: apt-get install redis-server.')
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
