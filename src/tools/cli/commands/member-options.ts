import { describeMember, type ObjectSchema, type Operation } from '../../operations/operation.js'
import type { Option, OptionTable } from '../command.js'
import { UsageError, CommandError, describeError } from '../errors.js'
import { parseTime } from '../format.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { parseKeySetText } from '../../../shared/lib/key-set-text.js'
import { toSentence } from '../../../shared/contracts/errors.js'
import { readFile, stat } from 'node:fs/promises'

/** The words of one member of an operation's input on the command line, where they differ from those of the operation. */
export interface MemberWords {
  readonly option?: string
  readonly placeholder?: string
  readonly description?: string
  readonly hint?: string
  readonly flag?: string
  readonly read?: (text: string) => unknown
}

const WORDS: Readonly<Record<string, MemberWords>> = {
  id: { placeholder: 'ID' },
  applicationId: { placeholder: 'ID' },
  credentialId: { placeholder: 'CREDENTIAL' },
  contact: { placeholder: 'ADDRESS' },
  externalId: { placeholder: 'ID' },
  plan: { placeholder: 'NAME' },
  reason: { placeholder: 'TEXT' },
  overlap: { placeholder: 'SECONDS' },
  limit: { placeholder: 'N' },
  from: { placeholder: 'DAY' },
  to: { placeholder: 'DAY' },
  after: { placeholder: 'ID', description: 'Starts behind the page before, which names this.' },
  scopes: { option: 'scope', description: 'A scope; repeat it for the next. All that the API has now, if left out.' },
  apis: {
    option: 'api',
    placeholder: 'API[=SCOPES]',
    hint: "orders, with all scopes; 'orders=orders:read orders:write', with these. Repeat it for the next API.",
  },
  resourceServer: { placeholder: 'API', hint: 'Repeat it for the next.' },
  metadata: {
    placeholder: 'JSON|@FILE',
    hint: '@ and the path of a file that has one, too. It is replaced as a whole.',
  },
  expiresAt: {
    option: 'expires',
    placeholder: 'TIME',
    hint: 'A date such as 2027-01-31 (its start in UTC), a time in ISO 8601, or never.',
  },
  expiringBefore: {
    option: 'expiring',
    placeholder: 'TIME',
    description: 'Only those with a key or secret that expires within that time, such as 30d or 12h.',
    read: readExpiring,
  },
  jwks: {
    placeholder: 'FILE',
    hint: 'The path of a file that has it.',
    read: async (path) => parseKeySetText(await readGivenFile('jwks', path)).jwks,
  },
  jwksUri: { placeholder: 'URL' },
  order: { option: 'newest', flag: 'newest', description: 'Newest first.' },
  deliver: { option: 'mail', flag: 'email' },
}

export type Values = Readonly<Record<string, unknown>>

export interface GivenMembers {
  readonly id: string
  readonly credentialId: string
  readonly contact: string
  readonly address: string
  readonly kid: string
  readonly api?: string
  readonly apis?: unknown
  readonly deliver?: string
  readonly metadata?: object
  readonly resourceServer?: readonly string[] | null
  readonly expiringBefore?: string
  readonly above?: number
  readonly waiting?: boolean
}

export function createMemberOptions(
  { input, subject }: Pick<Operation, 'input' | 'subject'>,
  given: {
    readonly without?: readonly string[] | undefined
    readonly parameters?: readonly string[] | undefined
    readonly members?: Readonly<Record<string, MemberWords>> | undefined
  },
) {
  const { without = [], parameters = [], members = {} } = given
  const positional = [...subject, ...parameters]
  const named = Object.keys(input.shape).filter((name) => !positional.includes(name) && !without.includes(name))
  const derived = named.map((name) => deriveOption(name, input, { ...WORDS[name], ...members[name] }))
  return {
    options: Object.assign({}, ...derived.map(({ options }) => options)) as OptionTable,
    parameters: positional.map((name) => {
      const shown = WORDS[name]?.placeholder ?? name.toUpperCase()
      return describeMember(input.shape[name]!).isOptional ? `[${shown}]` : shown
    }),
    async read(values: Values, words: readonly (string | undefined)[], command: string): Promise<GivenMembers> {
      const given = positional.flatMap((name, index) =>
        words[index] === undefined ? [] : [[name, words[index]] as const],
      )
      // Safe, because the members are those of the operation.
      return Object.fromEntries([...given, ...(await readMembers(derived, values, command))]) as unknown as GivenMembers
    },
  }
}

interface DerivedOption {
  readonly member: string
  readonly options: OptionTable
  read(values: Values, command: string): unknown
}

function deriveObject(member: string, schema: ObjectSchema): DerivedOption {
  const parts = Object.keys(schema.shape).map((name) => deriveOption(name, schema, WORDS[name] ?? {}))
  return {
    member,
    options: Object.assign({}, ...parts.map(({ options }) => options)) as OptionTable,
    async read(values, command) {
      const given = await readMembers(parts, values, command)
      return given.length > 0 ? Object.fromEntries(given) : undefined
    },
  }
}

async function readMembers(derived: readonly DerivedOption[], values: Values, command: string) {
  const all = derived.map(async ({ member, read }) => [member, await read(values, command)] as const)
  return (await Promise.all(all)).filter(([, value]) => value !== undefined)
}

function deriveOption(member: string, input: ObjectSchema, words: MemberWords): DerivedOption {
  const { members, kind: given, isOptional, isNullable, description } = describeMember(input.shape[member]!)
  if (members) return deriveObject(member, members)
  const name = words.option ?? toKebabCase(member)
  const text = [words.description ?? description, words.hint].filter(Boolean).join(' ')
  const kind = words.flag !== undefined ? 'flag' : (KINDS[given] ?? 'text')
  const placeholder = words.placeholder ?? (given === 'time' ? 'TIME' : name.toUpperCase())
  const option: Option = {
    kind,
    description: text,
    ...(kind !== 'flag' && { placeholder }),
    ...(!isOptional && { required: true as const }),
  }
  const removal = `remove-${name}`
  const readGiven = (values: Values, command: string): unknown => {
    const value = values[name]
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return undefined
    if (words.flag !== undefined) return words.flag
    if (words.read) return words.read(value as string)
    if (given === 'grants') return parseApiGrants(value as readonly string[])
    if (given === 'time') return value === 'never' ? null : parseTime(`--${name}`, value as string).toISOString()
    return given === 'json' ? readMetadata(value as string, command) : value
  }
  // A time is `never`, and metadata `null`.
  if (!isNullable || (given !== 'text' && given !== 'list'))
    return { member, options: { [name]: option }, read: readGiven }
  return {
    member,
    options: {
      [name]: option,
      [removal]: { kind: 'flag', description: `It has no ${name.replaceAll('-', ' ')} any more.` },
    },
    read(values, command) {
      const value = readGiven(values, command)
      if (values[removal] !== true) return value
      if (value !== undefined) throw new UsageError(`Give --${name} or --${removal}, not both.`, command)
      return null
    },
  }
}

export function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const KINDS: Readonly<Partial<Record<ReturnType<typeof describeMember>['kind'], Option['kind']>>> = {
  number: 'number',
  flag: 'flag',
  list: 'list',
  grants: 'list',
}

/** The grants of `--api`: `orders` is all scopes, `orders=orders:read orders:write` is these; scopes of a repeated API add up. */
function parseApiGrants(apis: readonly string[]) {
  const grants = new Map<string, { scopes?: readonly string[] }>()
  for (const api of apis) {
    const [, name = api, scopes] = /^([^=]+)=(.*)$/s.exec(api) ?? []
    const before = grants.get(name)?.scopes ?? []
    // A scope contains no space, but may contain a comma (RFC 6749 3.3).
    grants.set(name, scopes === undefined ? {} : { scopes: [...before, ...scopes.split(' ').filter(Boolean)] })
  }
  return Object.fromEntries(grants)
}

/** The command line accepts more than the platform stores, so that the platform's message says how much that is. */
const MAX_FILE_BYTES = 64 * 1024

export async function readMetadata(given: string, command: string): Promise<object | null> {
  const text = given.startsWith('@') ? await readGivenFile('metadata', given.slice(1)) : given
  try {
    return JSON.parse(text) as object | null
  } catch (error) {
    const quote = given.startsWith('@') ? '' : ` Quote it for the shell: --metadata '{ "discount": 10 }'`
    throw new UsageError(toSentence(`--metadata is not JSON: ${describeError(error)}`) + quote, command)
  }
}

async function readGivenFile(option: string, path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`--${option}: ${path} could not be read: ${describeError(error)}`)
  }
}

function readExpiring(value: string): string {
  const [, digits, unit] = /^(\d{1,5})([dh])$/.exec(value) ?? []
  if (digits === undefined)
    throw new UsageError(`--expiring is "${value}". Write days or hours, such as 30d or 12h.`, 'apps list')
  return new Date(Date.now() + Number(digits) * (unit === 'd' ? DAY_MS : DAY_MS / 24)).toISOString()
}
