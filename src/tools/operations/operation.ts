import * as z from 'zod/mini'
import type { EmailQueue } from '../../features/emails/index.js'
import type { Plans } from '../../features/plans/index.js'
import type { Portal } from '../../features/portal/index.js'
import type { Registration } from '../../features/registration/index.js'
import type { Usage, UsageQuery } from '../../features/usage/index.js'
import {
  ApplicationError,
  type Applications,
  type AuditEntry,
  type AuditListQuery,
  type IssuedCredentials,
  type RotateByEmailOptions,
  type RotateOptions,
  type SessionSecretCalls,
  type SigningKeyRotation,
} from '../../index.js'
import { didYouMean } from '../../shared/lib/suggest.js'

/**
 * One operation of an operator: a call of a platform or of `openAdmin()`. Commands, management over HTTP with its document, and pages
 * are derived from it.
 *
 * The schemas are Zod's (its functions that can be left out of a build: `zod/mini`), because it has no dependency, infers types, has
 * Standard Schema and JSON Schema built in, and is what the docs show for the option `metadata`. The build makes it a part of the files
 * of these tools, 50 kB, so that nobody installs it, and nothing else loads it. Valibot with its converter would be 21 kB and two more
 * packages; TypeBox 150 kB, without Standard Schema. A table of our own would need their rules, messages, types and JSON Schema again.
 */
export interface Operation {
  /** The call of a platform, such as `applications.suspend`. */
  readonly name: CallName
  /** One sentence. */
  readonly summary: string
  /** The right that it takes. */
  readonly scope: Scope
  /** The members of the input that take a right of their own. */
  readonly memberScopes: Readonly<Record<string, Scope>>
  /** `store`: `openAdmin()` has it too. `platform`: it needs the options of the platform. */
  readonly needs: 'store' | 'platform'
  /** What it changes. What is changed of an application has its id as the input's first member. */
  readonly changes: 'nothing' | 'application' | 'signingKeys' | 'sessions' | 'emails'
  /** Whether each call makes something: it must not be repeated after a lost answer. */
  readonly creates: boolean
  /** Whether it cannot be undone. */
  readonly erases: boolean
  /** Whether the output has a key or a secret in plain text, this once. */
  readonly showsCredential: boolean
  /** Whether the call takes `by`. */
  readonly audited: boolean
  /** The members of the input that are parameters of the call, in their order; the others are its options. */
  readonly subject: readonly string[]
  readonly input: ObjectSchema
  /** Undefined if the call resolves nothing. */
  readonly output: z.ZodMiniType | undefined
}

export type Scope = keyof typeof SCOPES
export type ObjectSchema = z.ZodMiniObject<Entries>
type Entries = Readonly<Record<string, z.ZodMiniType>>

/** The rights of operators. */
export const SCOPES = {
  'applications:read': 'Read applications',
  'applications:write': 'Create, change and delete applications, and decide about registrations and requests',
  'credentials:write': 'Make, change and end credentials; change contacts; recover applications',
  'usage:read': 'Read usage, refusals and quotas',
  'audit:read': 'Read the audit log',
  'signing-keys:write': 'Read, rotate and revoke signing keys; replace the session secret',
  'emails:write': 'Read the state of queued e-mails, retry and cancel them',
} as const

type Credentials<Name extends 'clientId' | 'clientSecret'> = Required<
  Pick<IssuedCredentials & Record<Name, string>, Name>
>
/** A call with overloads, whose parameters the compiler could not read otherwise. */
type Rotate<Name extends 'clientId' | 'clientSecret'> = (
  id: string,
  options?: RotateOptions & Partial<RotateByEmailOptions>,
) => Promise<{ application: Awaited<ReturnType<Applications['update']>>; credentials?: Credentials<Name> }>

/** Types of events and days as the text that JSON has. */
type AnyType<Entry extends { readonly type?: unknown }> = Omit<Entry, 'type'> &
  (undefined extends Entry['type'] ? { readonly type?: string } : { readonly type: string })
type ByDay<Query> = Omit<Query, 'from' | 'to'> & { readonly from?: string; readonly to?: string }

interface Calls {
  readonly applications: Omit<Applications, 'rotateKey' | 'rotateSecret'> & {
    rotateKey: Rotate<'clientId'>
    rotateSecret: Rotate<'clientSecret'>
  }
  readonly audit: { list(query?: AnyType<AuditListQuery>): Promise<{ items: AnyType<AuditEntry>[]; next?: string }> }
  readonly signingKeys: SigningKeyRotation
  readonly sessionSecret: SessionSecretCalls
  readonly emails: EmailQueue
  readonly usage: Omit<Usage, 'list' | 'routes'> & {
    list(query?: ByDay<UsageQuery>): ReturnType<Usage['list']>
    routes(query?: ByDay<UsageQuery>): ReturnType<Usage['routes']>
  }
  readonly plans: Plans
  readonly portal: Portal
  readonly registration: Registration
}

type Group = keyof Calls
export type CallName = { [Each in Group]: `${Each}.${keyof Calls[Each] & string}` }[Group]
type CallOf<Name extends CallName> = Name extends `${infer First extends Group}.${infer Second}`
  ? Second extends keyof Calls[First]
    ? Calls[First][Second]
    : never
  : never
type ParametersOf<Name extends CallName> = CallOf<Name> extends (...args: infer Args) => unknown ? Args : never
type ResultOf<Name extends CallName> =
  CallOf<Name> extends (...args: never[]) => Promise<infer Result> ? Exclude<Result, undefined> : never

/** A type with every member that it may have: two that are assignable to one another then have the same members. */
type Whole<Type, Time> = unknown extends Type
  ? unknown
  : Type extends Date
    ? Time
    : Type extends readonly (infer Item)[]
      ? Whole<Item, Time>[]
      : Type extends object
        ? [keyof Type] extends [never]
          ? Record<string, unknown>
          : { [Name in keyof Type]-?: Whole<Exclude<Type[Name], undefined>, Time> }
        : Type
type AreAlike<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
type RequiredNames<Type> = { [Name in keyof Type]-?: object extends Pick<Type, Name> ? never : Name }[keyof Type]

type Inferred<Members extends Entries> = z.output<z.ZodMiniObject<Members>>
type Subjects = readonly (readonly [name: string, schema: z.ZodMiniType])[]
/** The options of a call: its last parameter, after those of the subject. */
type OptionsOf<Name extends CallName, Subject extends Subjects> =
  Required<ParametersOf<Name>> extends [...{ [Each in keyof Subject]: z.output<Subject[Each][1]> }, infer Options]
    ? Options
    : object
type GivenOptions<Name extends CallName, Subject extends Subjects, Audited> = Audited extends false
  ? OptionsOf<Name, Subject>
  : Omit<OptionsOf<Name, Subject>, 'by'>
type FitsInput<Given, Members extends Entries> = [keyof Given] extends [never]
  ? AreAlike<keyof Members, never>
  : AreAlike<Whole<Given, Date>, Whole<Inferred<Members>, Date>> extends true
    ? AreAlike<RequiredNames<Given>, RequiredNames<Inferred<Members>>>
    : false

interface Definition<Name extends CallName, Subject, Options, Output, Audited> extends Partial<
  Pick<Operation, 'memberScopes' | 'creates' | 'erases' | 'showsCredential'>
> {
  readonly name: Name
  readonly summary: string
  readonly scope: Scope
  readonly needs: Operation['needs']
  readonly changes: Operation['changes']
  readonly audited?: Audited
  readonly subject?: Subject
  readonly options?: Options
  readonly output?: Output
}

/**
 * Defines an operation. It does not compile unless its options have every member of those of the call, of the same type, and its output
 * every member of the result.
 */
export function operation<
  const Name extends CallName,
  const Subject extends Subjects = readonly [],
  const Options extends Entries = Record<never, never>,
  Output extends z.ZodMiniType | undefined = undefined,
  const Audited extends boolean = true,
>(
  definition: Definition<Name, Subject, Options, Output, Audited> &
    (FitsInput<GivenOptions<Name, Subject, Audited>, Options> extends true
      ? unknown
      : { readonly options: { readonly 'must be': GivenOptions<Name, Subject, Audited> } }) &
    (AreAlike<
      Whole<ResultOf<Name>, string>,
      Output extends z.ZodMiniType ? Whole<z.output<Output>, string> : void
    > extends true
      ? unknown
      : { readonly output: { readonly 'must be': Whole<ResultOf<Name>, string> } }),
): Operation {
  // Safe, because the members have these types whatever the call is.
  const {
    subject = [],
    options = {},
    audited = true,
    output,
    ...rest
  } = definition as Definition<Name, Subjects, Entries, z.ZodMiniType, boolean>
  return {
    memberScopes: {},
    creates: false,
    erases: false,
    showsCredential: false,
    ...rest,
    audited,
    subject: subject.map(([name]) => name),
    input: z.strictObject({ ...Object.fromEntries(subject), ...options }),
    output,
  }
}

/**
 * Reads the input, as JSON has it, and calls the platform, or what `openAdmin()` has opened. Rejects with `ApplicationError`: code
 * `invalid_argument` for an input that does not keep to the schema.
 */
export async function perform(operation: Operation, platform: object, input: unknown, by?: string): Promise<unknown> {
  const { name, subject, audited, output } = operation
  const given = readInput(operation, input)
  const options = Object.entries(given).filter(([each, value]) => !subject.includes(each) && value !== undefined)
  const parameters = subject.map((each) => (Object.hasOwn(given, each) ? given[each] : undefined))
  const hasOptions = options.length > 0 || (audited && by !== undefined)
  const args = hasOptions ? [...parameters, { ...Object.fromEntries(options), ...(audited && { by }) }] : parameters
  const result: unknown = await findCall(name, platform)!(...args)
  if (output === undefined || result !== undefined) return result
  throw new ApplicationError('application_not_found', `There is no application "${String(parameters[0])}".`)
}

/** Whether a platform has the call: it has those of the features that it was given. */
export function offers(platform: object, { name }: Operation): boolean {
  return findCall(name, platform) !== undefined
}

function findCall(name: CallName, platform: object): ((...args: unknown[]) => Promise<unknown>) | undefined {
  const [group, call] = name.split('.') as [string, string]
  const calls = (platform as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[group]
  const found = calls?.[call]
  return typeof found === 'function' ? (found as (...args: unknown[]) => Promise<unknown>) : undefined
}

/** The members of an input. */
export function readInput({ input: schema }: Operation, input: unknown): Readonly<Record<string, unknown>> {
  const read = schema.safeParse(input)
  if (read.success) return read.data
  throw new ApplicationError('invalid_argument', describeIssue(read.error.issues[0]!, Object.keys(schema.shape)))
}

/** Says what is expected, and never what was given, which may be a secret in the wrong place. */
function describeIssue(issue: z.core.$ZodIssue, names: readonly string[]): string {
  const place = issue.path.length > 0 ? issue.path.map(String).join('.') : 'The input'
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [unknown = ''] = issue.keys
      const fix = issue.path.length === 0 ? didYouMean(unknown, names) || ` There are: ${names.join(', ')}.` : ''
      return `There is no member ${JSON.stringify(unknown.slice(0, 40))}${issue.path.length > 0 ? ` of ${place}` : ''}.${fix}`
    }
    case 'invalid_value':
      return `${place} must be one of ${issue.values.map(String).join(', ')}.`
    case 'invalid_type':
      return `${place} must be ${TYPES[issue.expected] ?? issue.expected}.`
    case 'invalid_format':
      return `${place} must be a time, such as 2027-01-31T12:00:00Z.`
    case 'too_small':
      return `${place} must be at least ${String(issue.minimum)}.`
    case 'too_big':
      return `${place} must be at most ${String(issue.maximum)}.`
    default:
      return `${place} does not have the form that the documentation shows.`
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}
