import { parseArgs, type ParseArgsConfig } from 'node:util'
import { didYouMean } from '../../shared/lib/suggest.js'
import { option, type Command, type Option, type OptionTable } from './command.js'
import { PROGRAM, UsageError } from './errors.js'

export type ParsedCommandLine =
  | { readonly kind: 'help'; readonly topic: Command | string | undefined }
  | { readonly kind: 'version' }
  | ParsedCommand

export interface ParsedCommand {
  readonly kind: 'command'
  readonly command: Command
  readonly values: Readonly<Record<string, unknown>>
  readonly parameters: readonly (string | undefined)[]
}

export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const known = Object.assign({}, ...commands.map(listOptions)) as OptionTable
  const lenient = parseLeniently(argv, known)
  const { command, group, rest } = findCommand(lenient.positionals, commands)
  if (lenient.values['version'] === true) return { kind: 'version' }
  if (lenient.values['help'] === true) return { kind: 'help', topic: command ?? group }
  if (!command) throw createUnknownCommandError(lenient.positionals, group, commands)
  rejectUnknownOptions(lenient.tokens, command)
  return { kind: 'command', command, values: readValues(argv, command), parameters: readParameters(rest, command) }
}

export function listOptions({ options, audited, requires }: Command): OptionTable {
  return { ...options, ...listTargetOptions(requires), ...(audited && AUDIT_OPTIONS), ...COMMON_OPTIONS }
}

/** The line of a command with all that must be typed. */
export function formatUsage(command: Command): string {
  const required = Object.entries(listOptions(command)).filter(([, { required }]) => required)
  const flags = required.map(([name, option]) => formatFlag(name, option))
  const config = command.requires === 'options' ? ['--config MODULE'] : []
  return `Usage: ${[PROGRAM, formatSynopsis(command), ...flags, ...config, '[options]'].join(' ')}`
}

export function formatSynopsis({ name, parameters }: Command): string {
  return [name, ...parameters].join(' ')
}

export function formatFlag(name: string, { placeholder }: Option): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
}

function listTargetOptions(requires: Command['requires']): OptionTable {
  const config = option.text(
    'MODULE',
    'A JavaScript module (TypeScript if Node loads it) whose default export is the options of createPlatformAuth(), or a function or promise of them.',
  )
  const use = requires === 'options' ? "The store to use instead of the options' own" : 'The store'
  const db = option.text('ADDRESS', `${use}: postgres://..., or the path of a SQLite file.`)
  return requires === 'options' ? { config, db } : { db, config }
}

const AUDIT_OPTIONS: OptionTable = {
  by: option.text('NAME', 'Who makes the change, for the audit log; the default is the user of the operating system.'),
}

const COMMON_OPTIONS: OptionTable = {
  json: option.flag('Prints one JSON document, for scripts.'),
  help: option.flag('Describes the command and its options.'),
}

function findCommand(words: readonly string[], commands: readonly Command[]) {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = words.length >= length ? commands.find((each) => each.name === name) : undefined
    if (command) return { command, group: undefined, rest: words.slice(length) }
  }
  const group = commands.some(({ name }) => name.startsWith(`${words[0]} `)) ? words[0] : undefined
  return { command: undefined, group, rest: words }
}

function createUnknownCommandError(words: readonly string[], group: string | undefined, commands: readonly Command[]) {
  const [first, second] = words
  if (first === undefined) return new UsageError('No command is given.')
  const names = commands.map(({ name }) => name)
  if (group !== undefined) {
    const verbs = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))
    if (second === undefined) return new UsageError(`"${group}" needs a command: ${verbs.join(', ')}.`, group)
    return new UsageError(`There is no command "${group} ${second}".${didYouMean(second, verbs)}`, group)
  }
  const firstWords = [...new Set(names.map((name) => name.split(' ', 1)[0]!))]
  const typed = words.slice(0, 2).join(' ')
  const suggestion = didYouMean(typed, names) || didYouMean(first, firstWords)
  return new UsageError(`There is no command "${suggestion && second ? typed : first}".${suggestion}`)
}

/** Reads the options of every command, so that one that this command does not have is known as such. */
function parseLeniently(argv: readonly string[], known: OptionTable) {
  const options = toParseArgs(known)
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
}

function rejectUnknownOptions(tokens: ReturnType<typeof parseLeniently>['tokens'], command: Command): void {
  const own = listOptions(command)
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(own, token.name) || token.rawName === '-h') continue
    const suggestion = didYouMean(token.name, Object.keys(own), (name) => `--${name}`)
    const problem = `"${command.name}" has no option ${token.rawName}.${suggestion}`
    throw new UsageError(`${problem}\n${formatUsage(command)}`, command.name)
  }
}

function readValues(argv: readonly string[], command: Command): Readonly<Record<string, unknown>> {
  const own = listOptions(command)
  let values: Record<string, unknown>
  try {
    values = parseArgs({ args: [...argv], options: toParseArgs(own), allowPositionals: true }).values
  } catch (error) {
    // A value may be missing, for example. Node's first line says what is wrong; the others explain quoting.
    const [line = ''] = (error as Error).message.split('\n')
    throw new UsageError(line, command.name)
  }
  return Object.fromEntries(
    Object.entries(own).map(([name, option]) => [name, readValue(name, option, values[name], command)]),
  )
}

function readValue(name: string, { kind, required, placeholder }: Option, value: unknown, command: Command): unknown {
  if (kind === 'flag') return value === true
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    if (required) throw new UsageError(`"${command.name}" needs --${name} ${placeholder}.`, command.name)
    return kind === 'list' ? [] : undefined
  }
  if (kind !== 'number') return value
  if (!/^\d{1,15}$/.test(value as string))
    throw new UsageError(`--${name} is "${value as string}". It must be a whole number.`, command.name)
  return Number(value)
}

function readParameters(words: readonly string[], { name, parameters }: Command): readonly (string | undefined)[] {
  const missing = parameters[words.length]
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`"${name}" needs ${missing}.`, name)
  const extra = words[parameters.length]
  if (extra !== undefined) {
    const accepted = parameters.length === 0 ? 'options only' : parameters.join(' ')
    throw new UsageError(`"${name}" takes ${accepted}, and not "${extra}".`, name)
  }
  return words
}

function toParseArgs(table: OptionTable): NonNullable<ParseArgsConfig['options']> {
  const options: NonNullable<ParseArgsConfig['options']> = {
    version: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
  for (const [name, { kind }] of Object.entries(table)) {
    if (name === 'help') continue
    options[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' }
  }
  return options
}
