import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import { freePort } from './free-port.js'

export const EXAMPLE = fileURLToPath(new URL('../../example-app/', import.meta.url))

/** The example app in its own process. */
export interface Example {
  readonly process: ReturnType<typeof spawnServer>
  readonly port: number
  readonly baseUrl: string
  /** Everything that it has printed on stdout and stderr. */
  output(): string
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

/** Gives each test of a file a new folder, and ends the example apps that the test has started. */
export function useExampleApps() {
  const running: Example[] = []
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'example-app-'))
  })

  afterEach(async () => {
    for (const example of running.splice(0)) await example.end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  /** Without the environment of the test run, except PATH. */
  function createEnvironment(env: Environment): Environment {
    return { PATH: process.env['PATH'] ?? '', EXAMPLE_VAR: join(folder, 'var'), ...env }
  }

  /** Starts it, and resolves when it has printed its last line. */
  async function start(env: Environment = {}): Promise<Example> {
    const port = Number(env['PORT'] ?? (await freePort()))
    const child = spawnServer(createEnvironment({ PORT: String(port), ...env }))
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
      baseUrl: (env['BASE_URL'] ?? `http://localhost:${port}`).replace(/\/$/, ''),
      output: () => output,
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
      execFile(file, args, { env: createEnvironment(env), timeout: 15_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr })
      })
    })
  }

  return {
    folder: () => folder,
    start,
    /** Runs the server until it ends, for settings with which it does not start. */
    runServer: async (env: Environment) =>
      run(process.execPath, [join(EXAMPLE, 'server.js')], { PORT: String(await freePort()), ...env }),
    spawn: (env: Environment) => spawnServer(createEnvironment(env)),
    run,
    /** Runs a line in a shell. */
    paste: (line: string) => run('bash', ['--norc', '-c', line]),
    client: (baseUrl: string) => run(process.execPath, [join(EXAMPLE, 'client.js')], { BASE_URL: baseUrl }),
  }
}

function spawnServer(env: Environment) {
  return spawn(process.execPath, [join(EXAMPLE, 'server.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

export async function readMode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}
