import * as z from 'zod/mini'
import type { CallName, Calls, Scope } from './operator-calls.js'

/**
 * One operation of an operator: a call of a platform or of `openAdmin()`. Commands, management over HTTP with its document, and pages
 * are derived from it. The schemas are Zod's (`zod/mini`): it has no dependency, infers types, and has Standard Schema and JSON Schema
 * built in. The build makes it a part of the files of these tools, 50 kB. Valibot with its converter would be 21 kB and two more
 * packages; TypeBox 150 kB, without Standard Schema; a table of our own all of that again.
 */
export interface Operation {
  readonly name: CallName
  readonly summary: string
  readonly scope: Scope
  /** The members of the input that take a right of their own. */
  readonly memberScopes: Readonly<Record<string, Scope>>
  /** `store`: `openAdmin()` has it too. `platform`: it needs the options of the platform. */
  readonly needs: 'store' | 'platform'
  /** What it changes. What is changed of an application has its id as the input's first member. */
  readonly changes: 'nothing' | 'application' | 'signingKeys' | 'sessions' | 'emails'
  /** Whether each call makes something: it must not be repeated after a lost answer. */
  readonly creates: boolean
  readonly erases: boolean
  /** Whether the output has a key or a secret in plain text, this once. */
  readonly showsCredential: boolean
  readonly audited: boolean
  /** The members of the input that are parameters of the call, in their order; the others are its options. */
  readonly subject: readonly string[]
  readonly input: ObjectSchema
  readonly output: z.ZodMiniType | undefined
}

export type ObjectSchema = z.ZodMiniObject<Entries>
type Entries = Readonly<Record<string, z.ZodMiniType>>

type CallOf<Name extends CallName> = Name extends `${infer First extends keyof Calls}.${infer Second}`
  ? Second extends keyof Calls[First]
    ? Calls[First][Second]
    : never
  : never
type ParametersOf<Name extends CallName> = CallOf<Name> extends (...args: infer Args) => unknown ? Args : never
export type ResultOf<Name extends CallName> =
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
type OptionsOf<Name extends CallName, Subject extends Subjects> =
  Required<ParametersOf<Name>> extends [...{ [Each in keyof Subject]: z.output<Subject[Each][1]> }, infer Options]
    ? Options
    : object
type GivenOptions<Name extends CallName, Subject extends Subjects, Audited> = Audited extends false
  ? OptionsOf<Name, Subject>
  : Omit<OptionsOf<Name, Subject>, 'by'>
type FitsInput<Given, Members extends Entries> = [Members] extends [never]
  ? AreAlike<keyof Given, never>
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

/** Does not compile unless its options have every member of those of the call, and its output those of the result. */
export function operation<
  const Name extends CallName,
  const Subject extends Subjects = readonly [],
  const Options extends Entries = never,
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

export function leaveOut(given: Operation, member: string): Operation {
  if (!Object.hasOwn(given.input.shape, member)) return given
  const { [member]: _, ...shape } = given.input.shape
  return { ...given, input: z.strictObject(shape) }
}

export interface MemberDescription {
  /** `json` is an object that the call reads; `grants` a list of APIs, or APIs with scopes; `record` and `object` have members. */
  readonly kind: 'text' | 'number' | 'flag' | 'time' | 'choice' | 'list' | 'grants' | 'json' | 'record' | 'object'
  readonly isOptional: boolean
  readonly isNullable: boolean
  readonly description: string
  readonly values: readonly string[]
  readonly members: z.ZodMiniObject<Readonly<Record<string, z.ZodMiniType>>> | undefined
}

/** Describes a schema, without being optional or nullable. */
export function describeMember(schema: z.ZodMiniType): MemberDescription {
  let [inner, isOptional, isNullable] = [schema, false, false]
  for (;;) {
    const { type, innerType, entries = {}, values = Object.values(entries) } = inner.def as ZodDefinition
    if (type === 'optional') isOptional = true
    else if (type === 'nullable') isNullable = true
    else {
      const { description = '' } = z.globalRegistry.get(inner) ?? {}
      const members = type === 'object' ? (inner as NonNullable<MemberDescription['members']>) : undefined
      return { kind: KINDS[type] ?? 'text', isOptional, isNullable, description, values, members }
    }
    inner = innerType!
  }
}

export interface ZodDefinition {
  readonly type: string
  readonly innerType?: z.ZodMiniType
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>
  readonly element?: z.ZodMiniType
  readonly valueType?: z.ZodMiniType
  readonly options?: readonly z.ZodMiniType[]
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly string[]
}

const KINDS: Readonly<Record<string, MemberDescription['kind']>> = {
  string: 'text',
  number: 'number',
  boolean: 'flag',
  pipe: 'time',
  enum: 'choice',
  literal: 'choice',
  array: 'list',
  union: 'grants',
  custom: 'json',
  record: 'record',
  object: 'object',
}
