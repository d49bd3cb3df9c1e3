import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import { readGrants } from '../../core/applications/records/grants.js'
import type { ImportedApplication, ImportedSecret } from './imports-calls.js'
import type { ReadOperatorData } from '../../core/applications/records/metadata.js'
import { readContact, readName } from '../../core/applications/records/validation.js'
import type { Api } from '../../shared/contracts/api.js'
import { findWeakness } from '../../shared/lib/secret-strength.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import {
  createCredentialId,
  describePlain,
  isWellFormedKey,
  MAX_LIVE_CREDENTIALS,
  type CredentialKind,
  type Credentials,
} from '../../core/applications/credentials/credentials.js'
import {
  DIGEST_MEMBERS,
  readDigest,
  type ImportedDigests,
  SLOW_HASH_MEMBERS,
  type SlowHashes,
} from './imported-hashes.js'
import { invalidArgument as invalid } from '../../shared/contracts/errors.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { EMPTY_CREDENTIAL } from '../../shared/lib/own-record.js'
import { didYouMean } from '../../shared/lib/suggest.js'

export interface ImportedLine extends Pick<
  ApplicationRecord,
  'name' | 'contact' | 'status' | 'apis' | 'metadata' | 'externalId' | 'createdAt' | 'keys' | 'secrets'
> {
  /** Digests of the plain texts: another system's hash of the same credential may be stored already. */
  readonly otherHashes: readonly string[]
}

export interface LineReader {
  readonly apis: ReadonlyMap<string, Api>
  readonly credentials: Pick<Credentials, 'hash'>
  readonly digests: ImportedDigests
  readonly slowHashes: Pick<SlowHashes, 'read'>
  readonly readOperatorData: ReadOperatorData
  readonly now: number
}

/** 64 Ki characters: 40 credentials and 4 KiB of metadata need less. */
const MAX_LINE_LENGTH = 64 * 1024

/** Validates a line: JSON, or an object. Rejects with an `ApplicationError` that says what is wrong, and quotes no credential. */
export async function readLine(reader: LineReader, line: unknown): Promise<ImportedLine> {
  const given = readMembers('The line', typeof line === 'string' ? parse(line) : line, MEMBERS) as ImportedApplication
  const apis = readGrants(reader.apis, given.apis)
  const createdAt = given.createdAt === undefined ? reader.now : readInstant('createdAt', given.createdAt)
  if (createdAt > reader.now) throw invalid('createdAt is in the future.')
  return {
    name: readName(given.name),
    contact: given.contact === undefined ? undefined : readContact(given.contact),
    status: readStatus(given.status),
    apis,
    createdAt,
    metadata: undefined,
    externalId: undefined,
    ...(await reader.readOperatorData(given)),
    ...(await readImportedCredentials(reader, given, { apis, createdAt })),
  }
}

const MEMBERS: readonly (keyof ImportedApplication)[] = [
  'name',
  'apis',
  'externalId',
  'contact',
  'status',
  'metadata',
  'createdAt',
  'clientId',
  'keys',
  'secrets',
]

function parse(line: string): unknown {
  if (line.length > MAX_LINE_LENGTH) throw invalid(`The line is longer than ${MAX_LINE_LENGTH} characters.`)
  try {
    return JSON.parse(line)
  } catch {
    // The error of JSON.parse() quotes the line, which may hold a secret.
    throw invalid('The line is not JSON.')
  }
}

function readStatus(status: unknown = 'active'): 'active' | 'suspended' {
  if (status === 'active' || status === 'suspended') return status
  throw invalid('status must be "active" or "suspended".')
}

type Owner = Pick<ApplicationRecord, 'apis' | 'createdAt'>
type GivenCredential = Partial<Record<keyof ImportedSecret, unknown>>

/** Each such hash takes part of a second per attempt of a client. */
const MAX_SLOW_HASHES = 2

async function readImportedCredentials(reader: LineReader, given: ImportedApplication, owner: Owner) {
  const clientIds = given.clientId === undefined ? [] : [readClientId(reader, given.clientId, owner)]
  const keys = [...clientIds, ...(await readList(reader, 'key', given.keys, owner))]
  const secrets = await readList(reader, 'secret', given.secrets, owner)
  if (keys.length === 0) throw invalid('The line needs a key or a clientId: an application is found by it.')
  if (keys.length > MAX_LIVE_CREDENTIALS) throw invalid(`An application has at most ${MAX_LIVE_CREDENTIALS} keys.`)
  const all = [...keys, ...secrets]
  const otherHashes = all.flatMap(({ plain }) => (plain === undefined ? [] : [...new Set(reader.digests.list(plain))]))
  const hashes = [...all.map(({ record }) => record.hash), ...otherHashes]
  if (new Set(hashes).size < hashes.length) throw invalid('The line has the same credential twice.')
  return {
    keys: keys.map(({ record }) => record),
    secrets: secrets.map(({ record }) => record),
    otherHashes,
  }
}

interface ReadCredential {
  readonly plain: string | undefined
  readonly record: CredentialRecord
}

async function readList(reader: LineReader, kind: CredentialKind, list: unknown = [], owner: Owner) {
  if (!Array.isArray(list)) throw invalid(`${kind}s must be a list of objects.`)
  if (list.length > MAX_LIVE_CREDENTIALS) throw invalid(`An application has at most ${MAX_LIVE_CREDENTIALS} ${kind}s.`)
  const read: ReadCredential[] = []
  for (const [index, one] of list.entries()) {
    const at = `${kind}s[${index}]`
    const given = readMembers(at, one, kind === 'key' ? KEY_MEMBERS : SECRET_MEMBERS) as GivenCredential
    const ofPosition = index === 0 ? 'default' : `default-${index + 1}`
    const name = given.name === undefined ? ofPosition : readName(given.name)
    read.push(await readCredential(reader, kind, ownMembers({ ...given, name }), at, owner))
  }
  const names = read.map(({ record }) => record.name)
  if (new Set(names).size < names.length) throw invalid(`Two ${kind}s of the line have the same name.`)
  const slow = read.filter(({ record }) => SLOW_HASH_MEMBERS.some((member) => record.hash.startsWith(`${member}:`)))
  if (slow.length > MAX_SLOW_HASHES)
    throw invalid(`An application has at most ${MAX_SLOW_HASHES} secrets as ${SLOW_HASH_MEMBERS.join(' or ')} hashes.`)
  return read
}

const VALUE_MEMBERS = ['plain', ...(Object.keys(DIGEST_MEMBERS) as (keyof typeof DIGEST_MEMBERS)[])] as const
const KEY_MEMBERS = [...VALUE_MEMBERS, 'name', 'createdAt', 'expiresAt', 'apis']
const SECRET_MEMBERS = [...KEY_MEMBERS, ...SLOW_HASH_MEMBERS]

async function readCredential(
  reader: LineReader,
  kind: CredentialKind,
  given: GivenCredential & { readonly name: string },
  at: string,
  owner: Owner,
): Promise<ReadCredential> {
  const plain = given.plain === undefined ? undefined : readPlain(kind, at, given.plain)
  const hash = await readHash(reader, kind, given, plain, at)
  const createdAt = given.createdAt === undefined ? owner.createdAt : readInstant(`${at}.createdAt`, given.createdAt)
  if (createdAt > reader.now) throw invalid(`${at}.createdAt is in the future.`)
  const expiresAt = given.expiresAt === undefined ? undefined : readInstant(`${at}.expiresAt`, given.expiresAt)
  if (expiresAt !== undefined && expiresAt <= reader.now) throw invalid(`${at} has expired. Leave it out.`)
  const apis =
    given.apis === undefined ? undefined : readRestriction(reader, given.apis as ImportedApplication['apis'], owner)
  const prefix = plain === undefined ? 'imported' : describePlain(plain)
  return { plain, record: createRecord({ name: given.name, hash, prefix, createdAt, expiresAt, apis }) }
}

async function readHash(
  reader: LineReader,
  kind: CredentialKind,
  given: GivenCredential,
  plain: string | undefined,
  at: string,
): Promise<string> {
  const members = kind === 'key' ? VALUE_MEMBERS : [...VALUE_MEMBERS, ...SLOW_HASH_MEMBERS]
  const [member, ...more] = members.filter((name) => given[name] !== undefined)
  if (member === undefined || more.length > 0) throw invalid(`${at} must have exactly one of ${members.join(', ')}.`)
  if (plain !== undefined) return reader.credentials.hash(plain)
  if (member === 'bcrypt' || member === 'argon2id') return reader.slowHashes.read(member, given[member])
  if (member === 'hmacSha256' && !reader.digests.hasHmacKey)
    throw invalid(`${at}.hmacSha256 needs its key: write imports({ hmacKey }).`)
  return readDigest(member as keyof typeof DIGEST_MEMBERS, given[member])
}

const PLAIN_FORMATS = {
  key: { pattern: /^[\x21-\x7E]{16,512}$/, description: '16 to 512 visible ASCII characters' },
  secret: { pattern: /^[\x20-\x7E]{16,512}$/, description: '16 to 512 ASCII characters' },
} as const
/** Random hexadecimal text of 16 characters is estimated at about 54 bits. */
const MIN_ESTIMATED_BITS = 40

function readPlain(kind: CredentialKind, at: string, plain: unknown): string {
  const { pattern, description } = PLAIN_FORMATS[kind]
  if (typeof plain !== 'string' || !pattern.test(plain)) throw invalid(`${at}.plain must be ${description}.`)
  if (isApplicationId(plain)) throw invalid(`${at}.plain has the form of an application's id.`)
  if (isWellFormedKey(plain))
    throw invalid(`${at}.plain has the form of the platform's own keys, which are never imported.`)
  const weakness = findWeakness(plain, MIN_ESTIMATED_BITS)
  if (weakness !== undefined)
    throw invalid(`${at}.plain is easy to guess: ${weakness}. Leave it out, and give that client a new ${kind}.`)
  return plain
}

/** A key that only identifies the application: it is restricted to no API, so that it may be public and short. */
function readClientId(reader: LineReader, clientId: unknown, { createdAt }: Owner): ReadCredential {
  if (typeof clientId !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(clientId) || isApplicationId(clientId))
    throw invalid("clientId must be 1 to 255 visible ASCII characters, and not in the form of an application's id.")
  if (isWellFormedKey(clientId))
    throw invalid("clientId has the form of the platform's own keys, which are never imported.")
  const hash = reader.credentials.hash(clientId)
  const prefix = clientId.slice(0, MAX_SHOWN_CLIENT_ID)
  return {
    plain: clientId,
    record: createRecord({ name: 'client-id', hash, prefix, createdAt, expiresAt: undefined, apis: {} }),
  }
}

const MAX_SHOWN_CLIENT_ID = 32

function createRecord(given: Pick<CredentialRecord, 'name' | 'hash' | 'prefix' | 'createdAt' | 'expiresAt' | 'apis'>) {
  return { ...EMPTY_CREDENTIAL, id: createCredentialId(), ...given, isImported: true }
}

function readRestriction({ apis }: LineReader, given: ImportedApplication['apis'], { apis: granted }: Owner) {
  const available = new Map([...apis].filter(([name]) => Object.hasOwn(granted, name)))
  return readGrants(available, given, ({ name }) => granted[name]!.scopes)
}

/** Databases write null for what is left out. A mistyped restriction or end must not be ignored. */
function readMembers(what: string, value: unknown, known: readonly string[]): object {
  if (!isObject(value) || Array.isArray(value)) throw invalid(`${what} must be a JSON object.`)
  const unknown = Object.keys(value)
    .find((name) => !known.includes(name))
    ?.slice(0, MAX_SHOWN_LENGTH)
  if (unknown === undefined)
    return ownMembers(Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)))
  throw invalid(`${what} has no member "${unknown}".${didYouMean(unknown, known)}`)
}

/** Names in a file may be of any length. */
const MAX_SHOWN_LENGTH = 50

function readInstant(member: string, value: unknown): number {
  const isText = typeof value === 'string' && ISO_8601.test(value)
  const at = value instanceof Date ? value.getTime() : isText ? Date.parse(value) : NaN
  if (Number.isSafeInteger(at) && at >= 0) return at
  throw invalid(`${member} must be a time such as "2027-01-31T12:00:00Z".`)
}

/** A date without a time is midnight UTC. A time needs a zone: that of the machine may be another one than the file's. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/
