import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { EmailInfo } from '../../../src/tools/cli/commands/emails.js'
import { run } from '../../../src/tools/cli/run.js'
import type { Application, AuditEntry, IssuedCredentials, PlatformAuth, SigningKeyInfo } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { APIS, openPlatform, type TestOptions } from '../../support/platform.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

/** The module that tests pass to `--config`. */
export const CONFIG = fileURLToPath(new URL('platform.mjs', import.meta.url))
export const config = ['--config', CONFIG] as const
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))
const LINES = fileURLToPath(new URL('run-lines.mjs', import.meta.url))
export const BIN = fileURLToPath(new URL('../../../dist/esm/tools/cli/main.js', import.meta.url))
const MANIFEST = { version: '1.2.3', engines: { node: '>=20.0.0' } }

/** The exit code and the output of a command line. */
export interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/** Runs the built program in a process of its own. */
export function runProgram(args: readonly string[], env: Environment = {}, cwd?: string): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, cwd, timeout: 60_000 }
    const child = execFile(BIN, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
    })
    child.stdin?.end()
  })
}

/** Runs command lines with the built program in one process. */
export async function runLines(lines: readonly (readonly string[])[], cwd: string): Promise<ProgramResult[]> {
  const args = [LINES, JSON.stringify(lines)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 60_000 })
  return JSON.parse(stdout) as ProgramResult[]
}

interface RunOptions {
  readonly env?: Environment
  /** The answer that is typed at a terminal. */
  readonly answer?: string
  /** Closes the terminal without an answer. */
  readonly closesTerminal?: boolean
  readonly engines?: { readonly node: string }
}

/** Runs a command line in this process. */
export async function runInProcess(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  const { env = {}, answer, closesTerminal = false, engines = MANIFEST.engines } = options
  const [stdout, stderr] = [createCollector(), createCollector()]
  const stdin = Object.assign(new PassThrough(), { isTTY: closesTerminal || answer !== undefined })
  if (answer !== undefined) stdin.write(`${answer}\n`)
  if (closesTerminal) stdin.end()
  const manifest = { ...MANIFEST, engines }
  const code = await run(args, { stdin, stdout: stdout.stream, stderr: stderr.stream, env, manifest })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** What a command line prints that is run in this process. */
export async function printed(...args: readonly string[]): Promise<string> {
  return (await runInProcess(args)).stdout
}

/** Runs a command line that fails with this exit code, and prints nothing but an error with these words. */
export async function expectRefused(args: readonly string[], code: number, words: string, options?: RunOptions) {
  const refused = await runInProcess(args, options)
  expect({ ...refused, args }).toEqual({ args, code, stdout: '', stderr: expect.stringContaining(words) as unknown })
}

/** The JSON documents of all commands in one type: which members are there depends on the command. Times are strings. */
interface JsonResult {
  readonly application: Application
  readonly credentials: Partial<IssuedCredentials>
  readonly emails: readonly EmailInfo[]
  readonly signingKey: SigningKeyInfo
  readonly items: readonly (Application & AuditEntry & SigningKeyInfo)[]
  readonly next?: string
}

/** The JSON document of a command that succeeds. */
export async function runJson(args: readonly string[]): Promise<JsonResult> {
  return parseJson(await runInProcess([...args, '--json']))
}

/** Creates an application with the command. */
export async function createApplication({ name = 'Shop', apis = ['orders', 'catalog'], more = [] as string[] } = {}) {
  const args = ['apps', 'create', '--name', name, ...apis.flatMap((api) => ['--api', api]), ...more]
  return (await runJson([...args, ...config])).application
}

/** The document on stdout; fails if there is anything on stderr. */
export function parseJson({ code, stdout, stderr }: ProgramResult): JsonResult {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as JsonResult
}

/** A platform in a SQLite file of its own, with the APIs of `platform.mjs`. */
export interface Site {
  readonly folder: string
  readonly file: string
}

/**
 * Creates the file, as a server does that has run before, in a folder that is removed with the test or file. `work` is done with
 * that server's platform.
 */
export async function createSite(
  work: (auth: PlatformAuth) => Promise<unknown> = async () => undefined,
  options: TestOptions = {},
  given?: string,
): Promise<Site> {
  const folder = given ?? (await createTemporaryFolder())
  const file = join(folder, 'platform.sqlite')
  const { auth } = openPlatform({
    baseUrl: 'http://localhost:3000',
    apis: APIS,
    store: sqliteStore(file),
    now: Date.now,
    ...options,
  })
  await auth.ready()
  await work(auth)
  await auth.close()
  return { folder, file }
}

/** One site for all tests of a file. `platform.mjs` uses its store, and its mailer appends e-mails to the file `emails`. */
export function useSite(): Site & { readonly emails: string; db(): readonly string[] } {
  const site = { folder: '', file: '', emails: '', db: () => ['--db', site.file] }
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-'))
    Object.assign(site, await createSite(undefined, {}, folder), { emails: join(folder, 'emails') })
  })
  afterAll(() => rm(site.folder, { recursive: true }))
  beforeEach(() => {
    vi.stubEnv('CLI_FILE', site.file)
    vi.stubEnv('CLI_MAIL', site.emails)
  })
  afterEach(() => vi.unstubAllEnvs())
  return site
}

/** Starts the server of `server.mjs`. */
export async function startServer(env: Environment): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = fork(SERVER, { execArgv: [], env: { PATH: process.env['PATH'], ...env } })
  const [url] = (await Promise.race([once(server, 'message'), once(server, 'exit')])) as [string]
  if (typeof url !== 'string') throw new Error('The server did not start.')
  return {
    url,
    async stop() {
      const exited = once(server, 'exit')
      server.disconnect()
      await exited
    },
  }
}

/** The e-mails that the mailer of `platform.mjs` has appended to a file. */
export async function readEmails(file: string): Promise<{ to: string; subject: string; text: string }[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  // Another process may be writing the last line.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { to: string; subject: string; text: string })
}

function createCollector(): { readonly stream: Writable; text(): string } {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}
