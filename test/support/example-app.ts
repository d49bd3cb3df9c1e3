import { execFile, fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { DemoCredentials } from '../../example-app/demo/demo-application.js'
import { freePort } from './free-port.js'

export const EXAMPLE = fileURLToPath(new URL('../../example-app/', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('example-programs.mjs', import.meta.url))

/** The example app in its own process. */
export interface Example {
  readonly process: ReturnType<typeof spawnServer>
  readonly port: number
  readonly baseUrl: string
  /** Everything that it has printed on stdout and stderr. */
  output(): string
  /** The credentials of the demo application. */
  credentials(): Promise<DemoCredentials>
  /** Sends a signal, if one is given, and resolves the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** How a program ended, and what it printed. */
export interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/**
 * Gives each test a new folder and ends the example apps that it has started. With `shared`, all tests of the `describe()`
 * have the folder and the apps in common.
 */
export function useExampleApps({ shared = false } = {}) {
  const apps = createExampleApps()
  const [before, after] = shared ? [beforeAll, afterAll] : [beforeEach, afterEach]
  before(apps.open)
  after(apps.close)
  return apps
}

/** Example apps with a folder that `open()` makes. `close()` ends them and removes the folder. */
function createExampleApps() {
  const running: Example[] = []
  let folder: string

  async function open(): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'example-app-'))
  }

  async function close(): Promise<void> {
    await Promise.all(running.splice(0).map((example) => example.end('SIGKILL')))
    await rm(folder, { recursive: true, force: true })
  }

  /** Without the environment of the test run, except PATH. */
  function createEnvironment(env: Environment): Environment {
    return { PATH: process.env['PATH'] ?? '', EXAMPLE_VAR: join(folder, 'var'), ...env }
  }

  /** Starts it, and resolves when it has printed its last line. */
  async function start(given: Environment = {}): Promise<Example> {
    const port = Number(given['PORT'] ?? (await freePort()))
    const env = createEnvironment({ PORT: String(port), ...given })
    const child = spawnServer(env)
    let output = ''
    const closed = once(child, 'close') as Promise<[number | null]>
    const printed = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
          if (output.includes('npm run example:client\n')) resolve()
        })
      }
      void closed.then(([code]) => reject(new Error(`The example app ended with ${code}:\n${output}`)))
    })
    const example: Example = {
      process: child,
      port,
      baseUrl: (env['PLATFORM_URL'] ?? `http://localhost:${port}`).replace(/\/$/, ''),
      output: () => output,
      async credentials() {
        return JSON.parse(await readFile(join(env['EXAMPLE_VAR']!, 'demo-credentials.json'), 'utf8')) as DemoCredentials
      },
      async end(signal) {
        if (signal && child.exitCode === null && child.signalCode === null) child.kill(signal)
        const [code] = await closed
        return code
      },
    }
    running.push(example)
    await printed
    return example
  }

  function run(file: string, args: readonly string[], env: Environment = {}): Promise<ProgramResult> {
    return new Promise((resolve) => {
      execFile(file, args, { env: createEnvironment(env), timeout: 100_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr })
      })
    })
  }

  /** With a port for the server. */
  const withPort = async (env: Environment) => ({ PORT: String(await freePort()), ...env })

  return {
    open,
    close,
    folder: () => folder,
    start,
    /** Runs the server until it ends, for settings with which it does not start. */
    runServer: async (env: Environment) => run(process.execPath, [join(EXAMPLE, 'server.js')], await withPort(env)),
    /** The same in a process that further runs use, which is quicker. */
    tryServer: async (env: Environment) => runInTurn('server.js', createEnvironment(await withPort(env))),
    spawn: (env: Environment) => spawnServer(createEnvironment(env)),
    run,
    /** Runs a line in a shell. */
    paste: (line: string) => run('bash', ['--norc', '-c', line]),
    runClient: (baseUrl: string) => run(process.execPath, [join(EXAMPLE, 'client.js')], { PLATFORM_URL: baseUrl }),
    /** Runs the client in a process that further runs use, which is quicker. */
    client: (baseUrl: string) => runInTurn('client.js', createEnvironment({ PLATFORM_URL: baseUrl })),
  }
}

function spawnServer(env: Environment) {
  return spawn(process.execPath, [join(EXAMPLE, 'server.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

let programs: { readonly child: ChildProcess; readonly exited: Promise<unknown[]> } | undefined
let lastRun: Promise<unknown> = Promise.resolve()

/** Runs a program when the runs before it have ended. Its process ends with that of the tests. */
function runInTurn(name: string, env: Environment): Promise<ProgramResult> {
  programs ??= startPrograms(env['PATH'])
  const { child, exited } = programs
  // Otherwise the tests' process would not end.
  child.unref()
  child.channel?.unref()
  const result = lastRun.then(async () => {
    child.send({ file: join(EXAMPLE, name), env })
    const [printed] = (await Promise.race([once(child, 'message'), exited])) as [ProgramResult | number]
    if (typeof printed !== 'object') throw new Error(`The process of the programs ended with ${printed}.`)
    return printed
  })
  lastRun = result
  return result
}

function startPrograms(path: string | undefined) {
  const child = fork(PROGRAMS, { execArgv: [], env: { PATH: path } })
  return { child, exited: once(child, 'exit') }
}

export async function readMode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}
