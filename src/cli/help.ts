import type { Command, Option } from './command.js'
import { EXIT } from './failure.js'
import { optionsOf } from './parse.js'
import { VARIABLES } from './target.js'
import { PROGRAM } from './program.js'
import { columns, fold } from './table.js'

/** What there is: of everything, of a group such as `apps`, or of one command. */
export function helpOn(of: Command | string | undefined, commands: readonly Command[]): string {
  if (typeof of === 'object') return helpOnCommand(of)
  if (of === undefined) return overview(commands)
  const group = commands.filter(({ name }) => name.startsWith(`${of} `))
  return [`Usage: ${PROGRAM} ${of} COMMAND [options]`, listOf(group), MORE].join('\n\n')
}

function overview(commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} COMMAND [options]`,
    'The applications, keys and emails of a platform, beside the servers that run it: they follow within a second.',
    listOf(commands),
    `Where the platform is:\n${columns([
      ['  --db ADDRESS', 'postgres://user@host/database, or the path of a SQLite file: for what needs the store alone'],
      ['  --config MODULE', 'a module that exports the options of createPlatformAuth(): for everything'],
    ])}`,
    fold(
      `With both, --config gives the options and --db the store. With neither, ${VARIABLES.db} and ${VARIABLES.config} stand in: that is where an address with a password belongs, since others on the machine can read a command line.`,
    ),
    `Exit codes:\n${columns([
      [`  ${EXIT.done}`, 'done'],
      [`  ${EXIT.failed}`, 'refused or failed; stderr says why, and the cure'],
      [`  ${EXIT.usage}`, 'wrong usage'],
      [`  ${EXIT.findings}`, 'the doctor has found a problem'],
      [`  ${EXIT.unreachable}`, 'the store is out of reach'],
    ])}`,
    `${MORE}\n${PROGRAM} --version says which version this is. DEBUG=1 shows where an error comes from.`,
  ].join('\n\n')
}

const MORE = `${PROGRAM} COMMAND --help tells more, with an example.`

function listOf(commands: readonly Command[]): string {
  const rows = commands.map((command) => [`  ${synopsis(command)}`, firstSentence(command.summary)])
  return `Commands:\n${columns(rows)}`
}

function helpOnCommand(command: Command): string {
  const options = Object.entries(optionsOf(command))
  const required = options.filter(([, { required }]) => required).map(([name, option]) => flagOf(name, option))
  const width = Math.max(...options.map(([name, option]) => flagOf(name, option).length))
  const lines = options.map(
    ([name, option]) => `  ${flagOf(name, option).padEnd(width)}  ${fold(option.about, ' '.repeat(width + 4))}`,
  )
  const needs = command.needs === 'options' ? ['--config MODULE'] : []
  return [
    `Usage: ${[PROGRAM, synopsis(command), ...required, ...needs, '[options]'].join(' ')}`,
    ...[command.summary, ...command.notes].map((paragraph) => fold(paragraph)),
    `Options:\n${lines.join('\n')}`,
    `Example:\n  ${PROGRAM} ${command.example}`,
  ].join('\n\n')
}

function synopsis({ name, parameters }: Command): string {
  return [name, ...parameters].join(' ')
}

function flagOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

function firstSentence(text: string): string {
  return /^.*?[.:;](?= |$)/.exec(text)![0].slice(0, -1)
}
