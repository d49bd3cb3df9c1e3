import type { AdminApi } from '../admin/index.js'
import type { Manifest } from './errors.js'
import type { GivenPlatform, OpenTarget, Requirement, Target } from './target.js'

export interface Command {
  /** A group and a verb, such as `apps create`, or one word. */
  readonly name: string
  readonly summary: string
  readonly notes: readonly string[]
  /** `ID` is required, `[ID]` is optional. */
  readonly parameters: readonly string[]
  readonly options: OptionTable
  readonly requires: Requirement
  /** Whether it writes to the audit log, and so takes `--by`. */
  readonly audited: boolean
  /** Whether it queues e-mails. If the options have `emails()`, this process then sends them. */
  queuesEmails(values: Readonly<Record<string, unknown>>): boolean
  /** A command line that can be typed after the program's name. */
  readonly example: string
  run(context: CommandContext): Promise<CommandResult>
}

export type OptionTable = Readonly<Record<string, Option>>

export interface Option {
  readonly kind: 'text' | 'number' | 'flag' | 'list'
  readonly placeholder?: string
  readonly description: string
  readonly required?: true
}

export const option = {
  flag: (description: string) => ({ kind: 'flag', description }) as const,
  text: (placeholder: string, description: string) => ({ kind: 'text', placeholder, description }) as const,
  number: (placeholder: string, description: string) => ({ kind: 'number', placeholder, description }) as const,
  list: (placeholder: string, description: string) => ({ kind: 'list', placeholder, description }) as const,
}

export type CommandContext<
  Options extends OptionTable = OptionTable,
  Parameters extends readonly string[] = readonly string[],
  Requires extends Requirement = 'store',
> = CallerContext & {
  readonly values: OptionValues<Options>
  readonly parameters: ParameterValues<Parameters>
} & (Requires extends 'target' ? object : OpenTarget<Requires extends 'options' ? GivenPlatform : AdminApi>)

export interface CallerContext {
  readonly target: Target
  readonly by: string
  /** Asks the person at the terminal; undefined if there is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
  /** Prints a part of the result before the others are known; resolves once the reader of stdout has taken it. */
  readonly print: (part: ResultPart) => Promise<void>
  readonly manifest: Manifest
}

export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name]['kind'] extends 'flag'
    ? boolean
    : Options[Name]['kind'] extends 'list'
      ? readonly string[]
      :
          | (Options[Name]['kind'] extends 'number' ? number : string)
          | (Options[Name]['required'] extends true ? never : undefined)
}

type ParameterValues<Parameters extends readonly string[]> = {
  readonly [Index in keyof Parameters]: Parameters[Index] extends `[${string}]` ? string | undefined : string
}

/** One JSON document and its text, or parts, of which each is printed before the next one is read. */
export type CommandResult = { readonly exitCode?: number } & (
  | { readonly json: unknown; readonly text: string }
  | { readonly parts: AsyncIterable<ResultPart> | Iterable<ResultPart> }
)

export interface ResultPart {
  /** JSON documents, one a line, printed with `--json`. */
  readonly items: readonly unknown[]
  formatText(): string
}

export function command<
  const Options extends OptionTable = OptionTable,
  const Parameters extends readonly string[] = readonly [],
  Requires extends Requirement = 'store',
>(
  definition: Pick<Command, 'name' | 'summary' | 'example'> &
    Partial<Pick<Command, 'notes' | 'audited' | 'queuesEmails'>> & {
      readonly parameters?: Parameters
      readonly options?: Options
      readonly requires?: Requires
      run(context: CommandContext<Options, Parameters, Requires>): Promise<CommandResult>
    },
): Command {
  // Safe, because the values are parsed by the same table that these types are derived from.
  const run = definition.run as unknown as Command['run']
  const defaults = { notes: [], parameters: [], options: {}, requires: 'store', audited: true } as const
  return { ...defaults, queuesEmails: () => false, ...definition, run }
}
