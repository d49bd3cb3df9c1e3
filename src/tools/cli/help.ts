import type { Command } from './command.js'
import { alignColumns, wrapText } from './format.js'
import { formatFlag, formatSynopsis, formatUsage, listOptions } from './parse.js'
import { ENVIRONMENT_VARIABLES, EXIT_CODES, PROGRAM } from './errors.js'

export function formatHelp(topic: Command | string | undefined, commands: readonly Command[]): string {
  if (typeof topic === 'object') return formatCommandHelp(topic)
  if (topic === undefined) return formatOverview(commands)
  const group = commands.filter(({ name }) => name.startsWith(`${topic} `))
  return [`Usage: ${PROGRAM} ${topic} COMMAND [options]`, listCommands(group), HINT].join('\n\n')
}

const HINT = `${PROGRAM} COMMAND --help describes a command and its options, with an example.`

function formatOverview(commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} COMMAND [options]`,
    'Works on the store, beside the servers that run on it. They follow within a second.',
    listCommands(commands),
    `Which store, which options:\n${alignColumns([
      ['  --db ADDRESS', 'postgres://user@host/database, or the path of a SQLite file: for what needs the store alone'],
      ['  --config MODULE', 'a module that exports the options of createPlatformAuth(): for everything'],
    ])}`,
    wrapText(
      `With both, --config gives the options and --db the store. With neither, ${ENVIRONMENT_VARIABLES.db} and ${ENVIRONMENT_VARIABLES.config} are used. Put an address with a password there, because others on a machine can read command lines.`,
    ),
    `Exit codes:\n${alignColumns([
      [`  ${EXIT_CODES.done}`, 'done'],
      [`  ${EXIT_CODES.failed}`, 'refused or failed; stderr says why, and how to fix it. "prove" found a deviation'],
      [`  ${EXIT_CODES.usage}`, 'wrong usage'],
      [`  ${EXIT_CODES.problemFound}`, 'the doctor found a problem; "restore-check" found something to do again'],
      [`  ${EXIT_CODES.storeUnavailable}`, 'the store is unavailable'],
    ])}`,
    `${HINT}\n${PROGRAM} --version prints the version. DEBUG=1 adds the stack trace of an error.`,
  ].join('\n\n')
}

function listCommands(commands: readonly Command[]): string {
  const rows = commands.map(
    (each) => [formatSynopsis(each), each.summary.split('. ', 1)[0]!.replace(/\.$/, '')] as const,
  )
  return `Commands:\n${formatDescriptions(rows)}`
}

function formatDescriptions(rows: readonly (readonly [term: string, description: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length))
  const indent = ' '.repeat(width + 4)
  return rows.map(([term, description]) => `  ${term.padEnd(width)}  ${wrapText(description, indent)}`).join('\n')
}

function formatCommandHelp(command: Command): string {
  const options = Object.entries(listOptions(command))
  return [
    formatUsage(command),
    ...[command.summary, ...command.notes].map((paragraph) => wrapText(paragraph)),
    `Options:\n${formatDescriptions(options.map(([name, option]) => [formatFlag(name, option), option.description]))}`,
    `Example:\n  ${PROGRAM} ${command.example}`,
  ].join('\n\n')
}
