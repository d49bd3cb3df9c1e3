import type { AdminApi, PlatformAuth, Store } from '../index.js'
import type { Needs, Place } from './target.js'
import type { Manifest } from './program.js'

/** One command: what it is called, what it takes and does. Help is made from it, and the command line is read by it. */
export interface Command {
  /** `apps create`: a group and a verb; or one word. */
  readonly name: string
  /** A sentence. */
  readonly summary: string
  /** More to know, a paragraph each. */
  readonly notes: readonly string[]
  /** `ID` must be there, `[ID]` may be. */
  readonly parameters: readonly string[]
  readonly options: OptionTable
  readonly needs: Needs
  /** Goes into the audit: takes `--by`. */
  readonly changes: boolean
  /** Whether it puts a email into the outbox: that is sent from here where the options have a mailer. */
  mails(values: Readonly<Record<string, unknown>>): boolean
  /** What stands behind the program's name. */
  readonly example: string
  run(invocation: Invocation): Promise<Outcome>
}

/** An option by its name. */
export type OptionTable = Readonly<Record<string, Option>>

export interface Option {
  readonly kind: 'text' | 'number' | 'flag' | 'list'
  /** What help calls its value. */
  readonly value?: string
  readonly about: string
  readonly required?: true
}

/** What a command is run with. */
export type Invocation<
  Options extends OptionTable = OptionTable,
  Parameters extends readonly string[] = readonly string[],
  Need extends Needs = 'store',
> = Surroundings & {
  readonly values: Values<Options>
  readonly parameters: ParameterValues<Parameters>
} & (Need extends 'whatever there is' ? object : Hands<Need extends 'options' ? PlatformAuth : AdminApi>)

/** Who calls, and from where. */
export interface Surroundings {
  readonly place: Place
  /** Who it is, for the audit. */
  readonly by: string
  /** Asks the one who sits there; undefined where nobody does. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
  readonly manifest: Manifest
}

/** What a command does its work with. */
export interface Hands<Platform extends AdminApi = AdminApi> {
  readonly platform: Platform
  readonly store: Store
  /** Whether emails are sent from here; otherwise by a running server. */
  readonly sends: boolean
}

type Values<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name]['kind'] extends 'flag'
    ? boolean
    : Options[Name]['kind'] extends 'list'
      ? readonly string[]
      :
          | (Options[Name]['kind'] extends 'number' ? number : string)
          | (Options[Name]['required'] extends true ? never : undefined)
}

type ParameterValues<Parameters extends readonly string[]> = {
  readonly [Place in keyof Parameters]: Parameters[Place] extends `[${string}]` ? string | undefined : string
}

/** What came of it. */
export interface Outcome {
  /** What scripts get, as one JSON document. */
  readonly json: unknown
  /** What people get. */
  readonly text: string
  /** 0 unless it says otherwise. */
  readonly exitCode?: number
}

/** Writes a command down so that `run` knows the types of what it is given. */
export function command<
  const Options extends OptionTable = OptionTable,
  const Parameters extends readonly string[] = readonly [],
  Need extends Needs = 'store',
>(definition: {
  readonly name: string
  readonly summary: string
  readonly notes?: readonly string[]
  readonly parameters?: Parameters
  readonly options?: Options
  readonly needs: Need
  readonly changes?: boolean
  mails?(values: Readonly<Record<string, unknown>>): boolean
  readonly example: string
  run(invocation: Invocation<Options, Parameters, Need>): Promise<Outcome>
}): Command {
  // The command line is read by the very tables that these types come from.
  const run = definition.run as unknown as Command['run']
  return { notes: [], parameters: [], options: {}, changes: false, mails: () => false, ...definition, run }
}

/** Options of a list that comes in pages. */
export const PAGING = {
  after: { kind: 'text', value: 'ID', about: 'Goes on after this one, the last of the page before.' },
  limit: { kind: 'number', value: 'N', about: 'How many on a page, 1 to 1000; 100 if left out.' },
  all: { kind: 'flag', about: 'Every page, one behind the other.' },
} as const satisfies OptionTable
