import { once } from 'node:events'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { Invocation, Surroundings } from './command.js'
import { COMMANDS } from './commands.js'
import { EXIT, failureOf } from './failure.js'
import { helpOn } from './help.js'
import { parse, type Asked } from './parse.js'
import { findPlace, openPlace, type PlaceFlags } from './target.js'
import { PROGRAM, type Manifest } from './program.js'

/** What surrounds a process. */
export interface Process {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: NodeJS.ProcessEnv
  readonly manifest: Manifest
}

/** Does what a command line asks for, and resolves what the process is to end with. */
export async function run(argv: readonly string[], process: Process): Promise<number> {
  const { stdout, stderr, env, manifest } = process
  try {
    const asked = parse(argv, COMMANDS)
    if (asked.what === 'version') {
      stdout.write(`${manifest.version}\n`)
      return EXIT.done
    }
    if (asked.what === 'help') {
      stdout.write(`${helpOn(asked.of, COMMANDS)}\n`)
      return EXIT.done
    }
    return await runCommand(asked, process)
  } catch (error) {
    const { message, exitCode } = failureOf(error)
    stderr.write(`${PROGRAM}: ${message}\n`)
    if (env['DEBUG']) stderr.write(`${traceOf(error)}\n`)
    return exitCode
  }
}

async function runCommand(asked: Asked & { what: 'command' }, process: Process): Promise<number> {
  const { command, values, parameters } = asked
  const { db, config, by } = values as PlaceFlags & { by?: string }
  const place = await findPlace({ db, config }, process.env, command)
  const surroundings: Surroundings = {
    place,
    by: by ?? userName(),
    confirm: process.stdin.isTTY ? (question) => confirm(question, process) : undefined,
    manifest: process.manifest,
  }
  let hands: Awaited<ReturnType<typeof openPlace>> | undefined
  try {
    if (command.needs !== 'whatever there is') {
      hands = await openPlace(place, { needs: command.needs, mails: command.mails(values) })
    }
    // What it needs is what it was given; the table of commands and parse() see to that.
    const outcome = await command.run({ ...surroundings, ...hands, values, parameters } as Invocation)
    // Before anything else can fail or take long: these may be credentials that nobody will ever see again.
    process.stdout.write(values['json'] === true ? `${JSON.stringify(outcome.json, null, 2)}\n` : `${outcome.text}\n`)
    return outcome.exitCode ?? EXIT.done
  } finally {
    await hands?.platform.close().catch(() => undefined)
    await place.close().catch(() => undefined)
  }
}

/** Asked on stderr, so that stdout holds nothing but what was asked for. Who leaves instead of answering has not agreed. */
async function confirm(question: string, { stdin, stderr }: Process): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stderr })
  terminal.on('SIGINT', () => terminal.close())
  const left = once(terminal, 'close').then(() => undefined)
  const answered = terminal.question(`${question} [y/N] `).catch(() => undefined)
  const answer = await Promise.race([answered, left])
  terminal.close()
  if (answer === undefined) stderr.write('\n')
  return /^\s*y(?:es)?\s*$/i.test(answer ?? '')
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user may have a number only.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const trace = error.stack ?? error.message
  return error.cause === undefined ? trace : `${trace}\nCaused by: ${traceOf(error.cause)}`
}
