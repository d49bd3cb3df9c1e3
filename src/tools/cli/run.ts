import { once } from 'node:events'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { CallerContext, Command, CommandContext } from './command.js'
import { applicationCommands } from './commands/applications.js'
import { contractCommands } from './commands/contract.js'
import { credentialCommands } from './commands/credentials.js'
import { importCommand } from './commands/import.js'
import { platformCommands } from './commands/platform.js'
import { usageCommands } from './commands/usage.js'
import { doctorCommand } from './doctor/doctor.js'
import { describeFailure, EXIT_CODES, PROGRAM, type Manifest } from './errors.js'
import { replaceControlCharacters } from './format.js'
import { formatHelp } from './help.js'
import { parseCommandLine, type ParsedCommand } from './parse.js'
import { proveCommand } from './prove/prove.js'
import { restoreCheckCommand } from './restore-check/restore-check.js'
import { findTarget, openTarget, type OpenTarget, type TargetFlags } from './target.js'

/** In the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  ...applicationCommands,
  importCommand,
  ...contractCommands,
  ...credentialCommands,
  ...platformCommands,
  ...usageCommands,
  restoreCheckCommand,
  doctorCommand,
  proveCommand,
]

export interface ProcessContext {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: NodeJS.ProcessEnv
  readonly manifest: Manifest
}

export async function run(argv: readonly string[], context: ProcessContext): Promise<number> {
  const { stdout, stderr, env, manifest } = context
  try {
    const parsed = parseCommandLine(argv, COMMANDS)
    if (parsed.kind === 'command') return await runCommand(parsed, context)
    stdout.write(`${parsed.kind === 'version' ? manifest.version : formatHelp(parsed.topic, COMMANDS)}\n`)
    return EXIT_CODES.done
  } catch (error) {
    const { message, exitCode } = describeFailure(error)
    // Messages quote arguments, and what databases answer.
    const lines = message.split('\n').map(replaceControlCharacters)
    stderr.write(`${PROGRAM}: ${lines.join('\n')}\n`)
    if (env['DEBUG']) stderr.write(`${formatStack(error)}\n`)
    return exitCode
  }
}

async function runCommand({ command, values, parameters }: ParsedCommand, context: ProcessContext): Promise<number> {
  const { db, config, by } = values as TargetFlags & { by?: string }
  const asJson = values['json'] === true
  const target = await findTarget({ db, config }, context.env, command)
  const caller: CallerContext = {
    target,
    by: by ?? findUserName(),
    confirm: context.stdin.isTTY ? (question) => confirm(question, context) : undefined,
    // Waits until the reader of stdout has taken it, so that a long list does not pile up in memory.
    async print({ items, formatText }) {
      const lines = asJson ? items.map((item) => `${JSON.stringify(item)}\n`).join('') : `${formatText()}\n`
      if (!context.stdout.write(lines)) await once(context.stdout, 'drain')
    },
    manifest: context.manifest,
  }
  let opened: OpenTarget | undefined
  try {
    if (command.requires !== 'target')
      opened = await openTarget(target, { requires: command.requires, queuesEmails: command.queuesEmails(values) })
    // Safe, because parseCommandLine() and findTarget() check what the command's definition says.
    const result = await command.run({ ...caller, ...opened, values, parameters } as CommandContext)
    if ('parts' in result) for await (const part of result.parts) await caller.print(part)
    // Printed before anything is closed, because new credentials cannot be shown again (test/tools/cli/run.integration.test.ts).
    else context.stdout.write(asJson ? `${JSON.stringify(result.json, null, 2)}\n` : `${result.text}\n`)
    return result.exitCode ?? EXIT_CODES.done
  } finally {
    await opened?.platform.close().catch(() => undefined)
    await target.close().catch(() => undefined)
  }
}

/** Asks on stderr, because stdout is for the result alone. Closing the terminal without an answer means no. */
async function confirm(question: string, { stdin, stderr }: ProcessContext): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stderr })
  terminal.on('SIGINT', () => terminal.close())
  const closed = once(terminal, 'close').then(() => undefined)
  const answered = terminal.question(`${question} [y/N] `).catch(() => undefined)
  const answer = await Promise.race([answered, closed])
  terminal.close()
  if (answer === undefined) stderr.write('\n')
  return /^\s*y(?:es)?\s*$/i.test(answer ?? '')
}

function findUserName(): string {
  try {
    return userInfo().username
  } catch {
    // The user of a container may have a number only.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? error.message
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${formatStack(error.cause)}`
}
