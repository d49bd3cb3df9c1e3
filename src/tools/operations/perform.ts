import type * as z from 'zod/mini'
import { ApplicationError } from '../../index.js'
import { copyOwn, isObject } from '../../shared/lib/own-members.js'
import { didYouMean } from '../../shared/lib/suggest.js'
import type { Operation, ZodDefinition } from './operation.js'
import type { CallName } from './operator-calls.js'
import { applicationOperations } from './applications.js'
import { credentialOperations } from './credentials.js'
import { platformOperations } from './platform.js'

export const OPERATIONS = [...applicationOperations, ...credentialOperations, ...platformOperations]

/** Reads the input as JSON, and makes the call. Rejects with `invalid_argument` for what the schema refuses. */
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

/** The platform with some calls of its members in place of its own. */
export function replaceCalls(platform: object, calls: Readonly<Record<string, object>>): object {
  const own = platform as Readonly<Record<string, object>>
  const replaced = Object.entries(calls).map(([name, some]) => [name, { ...own[name], ...some }])
  return { ...platform, ...Object.fromEntries(replaced) }
}

export function offers(platform: object, { name }: Operation): boolean {
  return findCall(name, platform) !== undefined
}

function findCall(name: CallName, platform: object): ((...args: unknown[]) => Promise<unknown>) | undefined {
  const [group, call] = name.split('.') as [string, string]
  const calls = (platform as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[group]
  const found = calls?.[call]
  return typeof found === 'function' ? (found as (...args: unknown[]) => Promise<unknown>) : undefined
}

function readInput({ input: schema }: Operation, input: unknown): Readonly<Record<string, unknown>> {
  const hostile = isObject(input)
    ? Object.entries(input).find(([, member]) => isObject(member) && Object.hasOwn(member, '__proto__'))
    : undefined
  // Zod would leave it out.
  if (hostile)
    throw new ApplicationError('invalid_argument', `${hostile[0]} has a member "__proto__", which nothing may have.`)
  const read = schema.safeParse(copyOwn(input))
  if (read.success) return read.data
  const { issues } = read.error
  // A member that is misspelt comes before the one that is missing for that reason, and an outer one before an inner one.
  const unknown = issues
    .filter(({ code }) => code === 'unrecognized_keys')
    .toSorted((a, b) => a.path.length - b.path.length)
  throw new ApplicationError('invalid_argument', describeIssue(unknown[0] ?? issues[0]!, schema))
}

/** Says what is expected, and never what was given, which may be a secret in the wrong place. */
function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodMiniType): string {
  const { code, path } = issue
  const place = path.length > 0 ? path.map(String).join('.') : 'The input'
  if (code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys
    const ofPlace = path.length > 0 ? ` of ${place}` : ''
    const names = listMembers(schema, path)
    const fix = didYouMean(unknown, names) || ` There are: ${names.join(', ')}.`
    return `There is no member ${JSON.stringify(unknown.slice(0, MAX_SHOWN))}${ofPlace}.${fix}`
  }
  if (code === 'invalid_value') return `${place} must be one of ${issue.values.map(String).join(', ')}.`
  if (code === 'invalid_type') return `${place} must be ${TYPES[issue.expected] ?? issue.expected}.`
  if (code === 'invalid_format') return `${place} must be a time, such as 2027-01-31T12:00:00Z.`
  if (code === 'too_small') return `${place} must be at least ${String(issue.minimum)}.`
  if (code === 'too_big') return `${place} must be at most ${String(issue.maximum)}.`
  return `${place} does not have the form that the documentation shows.`
}

function listMembers(schema: z.ZodMiniType, path: readonly PropertyKey[]): readonly string[] {
  const { innerType, shape, element, valueType, options } = schema.def as ZodDefinition
  if (innerType) return listMembers(innerType, path)
  if (options) return options.flatMap((each) => listMembers(each, path))
  const [name, ...rest] = path
  if (name === undefined) return Object.keys(shape ?? {})
  const inner = shape?.[String(name)] ?? (typeof name === 'number' ? element : valueType)
  return inner ? listMembers(inner, rest) : []
}

/** Characters of a name that does not exist: more would be data in the wrong place. */
const MAX_SHOWN = 40

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}
