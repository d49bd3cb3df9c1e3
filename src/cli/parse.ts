import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { Command, Option, OptionTable } from './command.js'
import { didYouMean } from '../lib/suggest.js'
import { UsageError } from './failure.js'

/** What a command line asks for. */
export type Asked =
  | { readonly what: 'help'; readonly of: Command | string | undefined }
  | { readonly what: 'version' }
  | {
      readonly what: 'command'
      readonly command: Command
      readonly values: Readonly<Record<string, unknown>>
      readonly parameters: readonly (string | undefined)[]
    }

type ParseArgsOptions = NonNullable<ParseArgsConfig['options']>

/** Reads a command line by the table of commands; throws `UsageError` for what is not in it. */
export function parse(argv: readonly string[], commands: readonly Command[]): Asked {
  const known = Object.assign({}, ...commands.map(optionsOf)) as OptionTable
  const first = parseArgs({ args: [...argv], options: toParseArgs(known), strict: false, allowPositionals: true })
  const { command, group, rest } = findCommand(first.positionals, commands)
  if (first.values['version'] === true) return { what: 'version' }
  if (first.values['help'] === true) return { what: 'help', of: command ?? group }
  if (!command) throw unknownCommand(first.positionals, group, commands)
  refuseUnknownOptions(argv, command, known)
  return { what: 'command', command, values: readValues(argv, command), parameters: readParameters(rest, command) }
}

/** Every option of a command: its own, and those that come with what it does. */
export function optionsOf({ options, changes, needs }: Command): OptionTable {
  return { ...options, ...placeOptions(needs), ...(changes && BY), ...COMMON }
}

function placeOptions(needs: Command['needs']): OptionTable {
  const config = {
    kind: 'text',
    value: 'MODULE',
    about:
      'A JavaScript module (TypeScript where Node loads it) whose default export are the options of createPlatformAuth(), or a function or promise of them.',
  } as const
  const db = {
    kind: 'text',
    value: 'ADDRESS',
    about:
      needs === 'options'
        ? "The store, in place of the options' own: postgres://..., or the path of a SQLite file."
        : 'The store: postgres://..., or the path of a SQLite file.',
  } as const
  return needs === 'options' ? { config, db } : { db, config }
}

const BY: OptionTable = {
  by: {
    kind: 'text',
    value: 'NAME',
    about: 'Who makes the change, for the audit; the user of the operating system if left out.',
  },
}

const COMMON: OptionTable = {
  json: { kind: 'flag', about: 'One JSON document on stdout, for scripts.' },
  help: { kind: 'flag', about: 'Says what this command does, and takes.' },
}

interface Found {
  readonly command?: Command | undefined
  /** The first word, where several commands begin with it. */
  readonly group?: string | undefined
  readonly rest: readonly string[]
}

function findCommand(words: readonly string[], commands: readonly Command[]): Found {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = words.length >= length ? commands.find((each) => each.name === name) : undefined
    if (command) return { command, rest: words.slice(length) }
  }
  const group = commands.some(({ name }) => name.startsWith(`${words[0]} `)) ? words[0] : undefined
  return { group, rest: words }
}

function unknownCommand(words: readonly string[], group: string | undefined, commands: readonly Command[]): UsageError {
  const [first, second] = words
  if (first === undefined) return new UsageError('Which command?')
  const names = commands.map(({ name }) => name)
  if (group !== undefined) {
    const verbs = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))
    if (second === undefined) return new UsageError(`"${group}" what? There are: ${verbs.join(', ')}.`, group)
    return new UsageError(`There is no command "${group} ${second}".${didYouMean(second, verbs)}`, group)
  }
  const beginnings = [...new Set(names.map((name) => name.split(' ', 1)[0]!))]
  const typed = words.slice(0, 2).join(' ')
  const meant = didYouMean(typed, names) || didYouMean(first, beginnings)
  return new UsageError(`There is no command "${meant && second ? typed : first}".${meant}`)
}

function refuseUnknownOptions(argv: readonly string[], command: Command, known: OptionTable): void {
  const own = optionsOf(command)
  const { tokens } = parseArgs({
    args: [...argv],
    options: toParseArgs(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(own, token.name) || token.rawName === '-h') continue
    const meant = didYouMean(token.name, Object.keys(own))
      .replaceAll('"', '')
      .replaceAll(/(mean|or) /g, '$1 --')
    throw new UsageError(`"${command.name}" has no option ${token.rawName}.${meant}`, command.name)
  }
}

function readValues(argv: readonly string[], command: Command): Readonly<Record<string, unknown>> {
  const own = optionsOf(command)
  const values = strictly(argv, own, command)
  return Object.fromEntries(
    Object.entries(own).map(([name, option]) => [name, readValue(name, option, values[name], command)]),
  )
}

function strictly(argv: readonly string[], own: OptionTable, command: Command): Record<string, unknown> {
  try {
    return parseArgs({ args: [...argv], options: toParseArgs(own), allowPositionals: true }).values
  } catch (error) {
    // Such as a value that is missing. Its first line says all; what follows explains quoting.
    const [line = ''] = (error as Error).message.split('\n')
    throw new UsageError(line, command.name)
  }
}

function readValue(
  name: string,
  { kind, required, value: placeholder }: Option,
  value: unknown,
  command: Command,
): unknown {
  if (kind === 'flag') return value === true
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    if (required) throw new UsageError(`"${command.name}" needs --${name} ${placeholder}.`, command.name)
    return kind === 'list' ? [] : undefined
  }
  if (kind !== 'number') return value
  if (!/^\d{1,15}$/.test(value as string)) {
    throw new UsageError(`--${name} is "${value as string}". It is a whole number.`, command.name)
  }
  return Number(value)
}

function readParameters(words: readonly string[], { name, parameters }: Command): readonly (string | undefined)[] {
  const missing = parameters[words.length]
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`"${name}" needs ${missing}.`, name)
  const extra = words[parameters.length]
  if (extra !== undefined) {
    throw new UsageError(
      `"${name}" takes ${parameters.length === 0 ? 'options only' : parameters.join(' ')}: "${extra}" is too much.`,
      name,
    )
  }
  return words
}

function toParseArgs(table: OptionTable): ParseArgsOptions {
  const options: ParseArgsOptions = { version: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }
  for (const [name, { kind }] of Object.entries(table)) {
    if (name === 'help') continue
    options[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' }
  }
  return options
}
