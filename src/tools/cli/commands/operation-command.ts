import type { QueuedEmail } from '../../../store.js'
import { OPERATIONS, offers, perform } from '../../operations/perform.js'
import type { Operation, ResultOf } from '../../operations/operation.js'
import type { CallName } from '../../operations/operator-calls.js'
import { APPLICATION } from '../../operations/schemas.js'
import { command, type Command, type CommandContext, type CommandResult, type OptionTable } from '../command.js'
import { UsageError, EXAMPLE_ID } from '../errors.js'
import { describeMissing } from '../target.js'
import { describeEmail, waitForEmails } from './emails.js'
import { createMemberOptions, toKebabCase, type GivenMembers, type MemberWords, type Values } from './member-options.js'

type Context = CommandContext

export interface SharedWords extends Partial<Pick<Command, 'name' | 'summary' | 'notes' | 'requires'>> {
  /** The example behind name and parameters; the store is added unless it names one. Or the whole line, with the name. */
  readonly example?: string
  readonly without?: readonly string[]
  readonly parameters?: readonly string[]
  readonly members?: Readonly<Record<string, MemberWords>>
  readonly options?: OptionTable
}

interface CommandWords<Name extends CallName> extends SharedWords {
  readonly needsChange?: boolean
  /** Runs before the operation; throws if the command line is wrong. The text gets what it returns. */
  before?(input: GivenMembers, context: Context): string | void | Promise<string | void>
  /** E-mails that it queues. The command waits until each was tried, if this process sends them. */
  readonly emails?: {
    when?(values: Values): boolean
    isAffected?(email: QueuedEmail, input: GivenMembers): boolean
  }
  /** The document of `--json`; the result if left out, an application as `{ application }`. */
  json?(result: ResultOf<Name>, input: GivenMembers): object
  text(result: ResultOf<Name>, input: GivenMembers, context: Context, before: string | void): string
}

export function findOperation(name: CallName): Operation {
  return OPERATIONS.find((each) => each.name === name)!
}

export function operationCommand<const Name extends CallName>(operationName: Name, words: CommandWords<Name>): Command {
  const operation = findOperation(operationName)
  const { emails } = words
  const { members, ...described } = describeCommand(operation, words)
  const { name } = described
  const queuesEmails = (values: Values): boolean => emails !== undefined && (emails.when?.(values) ?? true)
  return command({
    ...described,
    queuesEmails,
    async run(context): Promise<CommandResult> {
      const input = await members.read(context.values, context.parameters, name)
      if (words.needsChange && Object.keys(input).length === operation.subject.length)
        throw new UsageError(`Nothing to change: give ${listChoices(members.options)}.`, name)
      const before = await words.before?.(input, context)
      const result = (await run(operation, context.platform, input, context.by)) as ResultOf<Name>
      const text = words.text(result, input, context, before)
      const json =
        words.json?.(result, input) ?? (operation.output === APPLICATION ? { application: result } : (result as object))
      // A credential that is not shown is in an e-mail.
      const isShown = (result as { credentials?: object } | undefined)?.credentials !== undefined
      const sends = emails && !isShown && (operation.showsCredential || queuesEmails(context.values))
      if (!sends) return { json, text }
      const id = input.id ?? (result as { application: { id: string } }).application.id
      const queued = await waitForEmails(context, id, (email) => emails.isAffected?.(email, input) ?? true)
      // The e-mail may have changed it.
      const application = await context.platform.applications.get(id)
      return { json: { ...json, application, emails: queued }, text: `${text}\n${describeEmail(id, queued, context)}` }
    },
  })
}

export function describeCommand(operation: Operation, words: SharedWords) {
  const members = createMemberOptions(operation, words)
  const { parameters } = members
  const [group = '', call = ''] = operation.name.split('.').map(toKebabCase)
  const { name = `${group === 'applications' ? 'apps' : group} ${call}`, example = '', summary, notes = [] } = words
  const requires = words.requires ?? (operation.needs === 'platform' ? 'options' : 'store')
  const store = requires === 'options' ? '--config platform.js' : '--db platform.sqlite'
  const values = parameters.map((parameter) => EXAMPLE_VALUES[parameter])
  const shown = [name, ...values, example, ...(/--(?:db|config) /.test(example) ? [] : [store])]
  return {
    members,
    name,
    summary: summary ?? operation.summary,
    notes,
    example: example.startsWith(name) ? example : shown.filter(Boolean).join(' '),
    parameters,
    options: { ...members.options, ...words.options },
    requires: requires as 'store',
    audited: operation.audited,
  }
}

const EXAMPLE_VALUES: Readonly<Record<string, string>> = {
  ID: EXAMPLE_ID,
  CREDENTIAL: 'cred_...',
  API: 'orders',
  ADDRESS: 'dev@shop.example',
  KID: '8mGkSyRSnNDXkC0WDv8jJkWQ6p8nYyQ1D3bqXFq6n1o',
}

export async function run(operation: Operation, platform: object, input: object, by?: string): Promise<unknown> {
  if (!offers(platform, operation)) throw describeMissing(operation.name, operation.needs === 'platform')
  return perform(operation, platform, input, by)
}

function listChoices(options: OptionTable): string {
  const names = Object.keys(options).filter((name) => !name.startsWith('remove-'))
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map((name) => `--${name}`))
}
