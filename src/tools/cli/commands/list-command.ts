import type { ResultOf } from '../../operations/operation.js'
import type { CallName } from '../../operations/operator-calls.js'
import { command, type Command, type CommandContext, type CommandResult } from '../command.js'
import { EXPORT_OPTIONS, listOrExport, type ExportedList } from './export.js'
import { createMemberOptions, type Values } from './member-options.js'
import { findOperation, run, type CommandWords, type GivenMembers } from './operation-command.js'
import { PAGING_OPTIONS, type List } from './paging.js'

type Context = CommandContext
type ItemOf<Name extends CallName> = ResultOf<Name> extends { items: (infer Item)[] } ? Item : never
/** How the items of an operation are shown, and exported if others programs read them. */
export type Shown<Name extends CallName> = Omit<List<ItemOf<Name>>, 'readPage'> &
  Partial<Omit<ExportedList<ItemOf<Name>>, 'pages'>>

interface ListWords<Name extends CallName> extends Omit<
  CommandWords<Name>,
  'emails' | 'json' | 'text' | 'needsChange' | 'before' | 'requires'
> {
  /** Whether it has `--format`. */
  readonly exports?: boolean
  list(input: GivenMembers, context: Context): Shown<Name>
  /** Runs if the first page has no items; throws if the query cannot be right. */
  whenEmpty?(input: GivenMembers, context: Context): void
}

/** A command that lists pages of an operation, or all of them. */
export function listCommand<const Name extends CallName>(operationName: Name, words: ListWords<Name>): Command {
  const { name, without = [], exports = false } = words
  const operation = findOperation(operationName)
  const members = createMemberOptions(operation, { ...words, without: [...without, 'after', 'limit'] })
  return command({
    name,
    summary: words.summary ?? operation.summary,
    notes: words.notes ?? [],
    example: words.example,
    parameters: members.parameters,
    options: { ...members.options, ...words.options, ...(exports && EXPORT_OPTIONS), ...PAGING_OPTIONS },
    requires: (operation.needs === 'platform' ? 'options' : 'store') as 'store',
    audited: operation.audited,
    async run(context): Promise<CommandResult> {
      const input = (await members.read(context.values, context.parameters, name)) as Values & GivenMembers
      const shown = words.list(input, context)
      const whenEmpty = (): void => words.whenEmpty?.(input, context)
      return runList(name, operationName, { input, context, shown, whenEmpty })
    },
  })
}

interface ListRun<Name extends CallName> {
  readonly input: object
  readonly context: Context
  readonly shown: Shown<Name>
  readonly whenEmpty?: () => void
}

/** Lists a page of an operation, or all; or exports every item. */
export function runList<const Name extends CallName>(
  command: string,
  operationName: Name,
  { input, context, shown, whenEmpty }: ListRun<Name>,
): Promise<CommandResult> {
  const operation = findOperation(operationName)
  const { values, platform } = context
  const {
    after,
    limit,
    all = false,
    format,
  } = values as Values & { after?: string; limit?: number; all?: boolean; format?: string }
  return listOrExport<ItemOf<Name>>(
    command,
    { after, limit, all, format },
    {
      columns: [],
      formatRows: () => [],
      ...shown,
      async readPage(query) {
        const given = Object.entries(query).filter(([, value]) => value !== undefined)
        const page = (await run(operation, platform, { ...input, ...Object.fromEntries(given) })) as {
          items: ItemOf<Name>[]
          next?: string
        }
        if (page.items.length === 0 && query.after === after) whenEmpty?.()
        return page
      },
    },
  )
}
