import * as z from 'zod/mini'

/** A member of an input or output, for forms, help and parsing. */
export interface MemberDescription {
  /** `json` is an object that the call reads; `grants` a list of APIs, or APIs with scopes; `record` and `object` have members. */
  readonly kind: 'text' | 'number' | 'flag' | 'time' | 'choice' | 'list' | 'grants' | 'json' | 'record' | 'object'
  readonly isOptional: boolean
  /** Whether null takes it away. */
  readonly isNullable: boolean
  readonly description: string
  /** The values of a choice. */
  readonly values: readonly string[]
  readonly members: z.ZodMiniObject<Readonly<Record<string, z.ZodMiniType>>> | undefined
}

/** Describes a schema, without being optional or nullable. */
export function describeMember(schema: z.ZodMiniType): MemberDescription {
  let [inner, isOptional, isNullable] = [schema, false, false]
  for (;;) {
    const { type, innerType, entries = {}, values = Object.values(entries) } = inner.def as Definition
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

/** The members of Zod's definitions that are read here. */
interface Definition {
  readonly type: string
  readonly innerType?: z.ZodMiniType
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
