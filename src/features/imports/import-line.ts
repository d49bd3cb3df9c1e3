import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { readGrants } from '../../core/applications/records/grants.js'
import type { ImportedApplication } from './imports-calls.js'
import {
  readImportedCredentials,
  type CredentialReader,
  type ImportedCredentials,
  invalid,
  readInstant,
  readMembers,
} from './import-credentials.js'
import type { ReadOperatorData } from '../../core/applications/records/metadata.js'
import { readContact, readName } from '../../core/applications/records/validation.js'

/** A valid line: an application without ids. */
export interface ImportedLine
  extends
    ImportedCredentials,
    Pick<ApplicationRecord, 'name' | 'contact' | 'status' | 'apis' | 'metadata' | 'externalId' | 'createdAt'> {}

export interface LineReader extends CredentialReader {
  readonly readOperatorData: ReadOperatorData
}

/** 64 Ki characters: 40 credentials and 4 KiB of metadata need less. */
const MAX_LINE_LENGTH = 64 * 1024

/** Validates a line: JSON, or an object. Rejects with an `ApplicationError` whose message says what is wrong. */
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
