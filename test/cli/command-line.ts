import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { EmailInfo } from '../../src/cli/emails.js'
import { run } from '../../src/cli/run.js'
import {
  createPlatformAuth,
  type Application,
  type AuditEntry,
  type IssuedCredentials,
  type PlatformAuth,
  type PlatformAuthOptions,
  type SigningKeyInfo,
} from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { APIS, recordingLogger, SECRET } from '../support/platform.js'

/** The module that tests give as `--config`. */
export const CONFIG = fileURLToPath(new URL('platform.mjs', import.meta.url))
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))
export const BIN = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url))
const MANIFEST = { version: '1.2.3', engines: { node: '>=20.0.0' } }

/** What a command line has said, and what it ended with. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/** Runs the program that users run, as a process of its own. */
export function bin(args: readonly string[], env: Environment = {}, cwd?: string, program = BIN): Promise<Ended> {
  return new Promise((ended) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, cwd, timeout: 30_000 }
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      ended({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
    })
    child.stdin?.end()
  })
}

interface Circumstances {
  readonly env?: Environment
  /** What somebody at a terminal says when asked; `leaves` without a word. */
  readonly answer?: string
  readonly leaves?: boolean
  readonly engines?: { readonly node: string }
}

/** Runs the same in this process. */
export async function core(args: readonly string[], circumstances: Circumstances = {}): Promise<Ended> {
  const { env = {}, answer, leaves = false, engines = MANIFEST.engines } = circumstances
  const [stdout, stderr] = [collector(), collector()]
  const stdin = Object.assign(new PassThrough(), { isTTY: leaves || answer !== undefined })
  if (answer !== undefined) stdin.write(`${answer}\n`)
  if (leaves) stdin.end()
  const manifest = { ...MANIFEST, engines }
  const code = await run(args, { stdin, stdout: stdout.stream, stderr: stderr.stream, env, manifest })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** What a script reads; which of it depends on the command. Instants are text. */
interface Document {
  readonly application: Application
  readonly applications: readonly Application[]
  readonly credentials: Partial<IssuedCredentials>
  readonly emails: readonly EmailInfo[]
  readonly records: readonly AuditEntry[]
  readonly signingKey: SigningKeyInfo
  readonly signingKeys: readonly SigningKeyInfo[]
  readonly next?: string
}

/** What a script reads of a command that has gone well. */
export async function json(args: readonly string[]): Promise<Document> {
  return documentOf(await core([...args, '--json']))
}

/** The one document on stdout, beside nothing on stderr. */
export function documentOf({ code, stdout, stderr }: Ended): Document {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document
}

/** A platform in a SQLite file of its own, with the APIs of `platform.mjs`. */
export interface Site {
  readonly folder: string
  readonly file: string
  remove(): Promise<void>
}

/** Opened and closed once, as by a server that has run before. */
export async function site(
  work: (auth: PlatformAuth) => Promise<unknown> = async () => undefined,
  options: Partial<PlatformAuthOptions> = {},
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'))
  const file = join(folder, 'platform.sqlite')
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    apis: APIS,
    store: sqliteStore(file),
    secret: SECRET,
    logger: recordingLogger(),
    ...options,
  })
  await auth.ready()
  await work(auth)
  await auth.close()
  return { folder, file, remove: () => rm(folder, { recursive: true }) }
}

/** A site for all tests of a file, which `platform.mjs` is about; `emails` is where its mailer puts them. */
export function siteForAll(): Pick<Site, 'folder' | 'file'> & { readonly emails: string } {
  const here = { folder: '', file: '', emails: '' }
  let remove: () => Promise<void>
  beforeAll(async () => {
    const { folder, file, remove: end } = await site()
    remove = end
    Object.assign(here, { folder, file, emails: join(folder, 'emails') })
  })
  afterAll(() => remove())
  beforeEach(() => {
    vi.stubEnv('CLI_FILE', here.file)
    vi.stubEnv('CLI_MAIL', here.emails)
  })
  afterEach(() => vi.unstubAllEnvs())
  return here
}

/** The server of `server.mjs`. */
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

/** The emails that the mailer of `platform.mjs` has put into a file. */
export async function emailsIn(file: string): Promise<{ to: string; subject: string; text: string }[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { to: string; subject: string; text: string })
}

function collector(): { readonly stream: Writable; text(): string } {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}
