import { hash as digest } from 'node:crypto'
import type { Core } from '../../feature.js'
import { withholdTerms } from '../../core/applications/credentials/operator-terms.js'
import { ApplicationError, ConfigurationError, invalidArgument } from '../../shared/contracts/errors.js'
import type { AddOutcome } from '../../shared/contracts/imports.js'
import type { CredentialRecord } from '../../shared/contracts/application-record.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { AddedApplication } from '../../core/applications/records/application-writer.js'
import { EMPTY_APPLICATION } from '../../shared/lib/own-record.js'
import type { Credentials } from '../../core/applications/credentials/credentials.js'
import { readImportedFormat } from './imported-hashes.js'
import type { Imports } from './imports-calls.js'
import { readLine, type ImportedLine, type LineReader } from './import-line.js'

/** Lines that are stored in one transaction: a store waits for the disk once for all of them. */
const BATCH_SIZE = 50

export function createImport(
  { writer, opened, now }: Core,
  importReader: Omit<LineReader, 'credentials' | 'now'>,
): Imports['run'] {
  async function readNext(credentials: Credentials, text: unknown, line: number, seen: LineIndex) {
    const read = await readLine({ ...importReader, credentials, now: now() }, text)
    const application = createApplication(read, credentials)
    const { record, otherHashes } = application
    // Plain texts are remembered in every format, so that no order hides one.
    const texts = [...[...record.keys, ...record.secrets].map(({ hash }) => hash), ...otherHashes]
    if (record.externalId !== undefined) texts.push(`external id\n${record.externalId}`)
    const earlier = texts.map((each) => seen.add(each, line)).find((found) => found !== undefined && found !== line)
    if (earlier === undefined) return { line, application }
    throw invalidArgument(`Line ${earlier} has the same externalId or credential.`)
  }

  return async function importApplications(source, options = {}) {
    const { confirm = false, by, onRefused } = ownMembers(options)
    if (typeof confirm !== 'boolean') throw invalidArgument('confirm must be true or false.')
    // A string is iterable too, by characters.
    const isIterable = Symbol.asyncIterator in Object(source) || Symbol.iterator in Object(source)
    if (typeof source === 'string' || !isIterable)
      throw invalidArgument(
        'Import takes a list or a stream of applications or lines, such as readline.createInterface({ input }).',
      )
    const credentials = await opened()
    const seen = createLineIndex()
    const counts = { read: 0, added: 0, unchanged: 0, refused: 0 }
    let batch: { readonly line: number; readonly application: AddedApplication }[] = []
    let line = 0

    async function refuse(refused: number, reason: string): Promise<void> {
      counts.refused += 1
      await onRefused?.(refused, reason)
    }

    async function store(): Promise<void> {
      const applications = batch.map(({ application }) => application)
      const outcomes = await writer.addAll(applications, { type: 'application.imported', by }, { write: confirm })
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome === 'added') counts.added += 1
        else if (outcome === 'exists') counts.unchanged += 1
        else await refuse(batch[index]!.line, REASONS[outcome])
      }
      batch = []
    }

    for await (const text of source) {
      line += 1
      if (typeof text === 'string' && text.trim() === '') continue
      counts.read += 1
      try {
        batch.push(await readNext(credentials, text, line, seen))
      } catch (error) {
        if (!(error instanceof ApplicationError || error instanceof ConfigurationError)) throw error
        await refuse(line, error.message)
      }
      if (batch.length >= BATCH_SIZE) await store()
    }
    if (batch.length > 0) await store()
    return { ...counts, confirmed: confirm }
  }
}

const REASONS: Readonly<Record<Exclude<AddOutcome, 'added' | 'exists'>, string>> = {
  externalIdTaken: 'Another application has this externalId.',
  credentialTaken: 'Another application has one of its credentials.',
}

/** The id follows from the line, so a repeated import finds its application. As an HMAC under the pepper it tells nothing. */
function createApplication(read: ImportedLine, credentials: Pick<Credentials, 'hash'>): AddedApplication {
  const { otherHashes, ...given } = read
  const identity = read.externalId === undefined ? read.keys[0]!.hash : `external id\n${read.externalId}`
  const digest = Buffer.from(credentials.hash(`import\n${identity}`), 'base64url')
  const id = `app_${digest.toString('hex').slice(0, 32)}`
  return {
    record: {
      id,
      ...EMPTY_APPLICATION,
      language: undefined,
      ...given,
      withheld: withholdTerms(read),
      tokensRevokedAt: 0,
      version: 1,
    },
    otherHashes,
    details: {
      apis: read.apis,
      // Neither the id nor the values of metadata outlive the application, as with other changes.
      ...(read.externalId !== undefined && { externalId: true }),
      ...(read.metadata && { metadata: Object.keys(read.metadata) }),
      keys: read.keys.map(describeCredential),
      secrets: read.secrets.map(describeCredential),
    },
  }
}

function describeCredential({ id, name, hash }: CredentialRecord): object {
  const format = readImportedFormat(hash)
  return { id, name, ...(format !== undefined && { format }) }
}

/** Remembers in which line of a file a text has been seen first, at 12 to 36 bytes for each text. */
export type LineIndex = ReturnType<typeof createLineIndex>

/** Two words of the text's digest, and the number of the line; 0 in an empty slot. */
const SLOT_WORDS = 3
const FIRST_SLOTS = 1024
/** Fuller than this, a search takes many slots. */
const MAX_FILL = 0.66

/** A hash table with linear probing. A `Map` takes ten times the memory, which a file of a million lines would not leave. */
export function createLineIndex() {
  let words = new Uint32Array(FIRST_SLOTS * SLOT_WORDS)
  let size = 0

  function findSlot(table: Uint32Array, high: number, low: number): number {
    const slots = table.length / SLOT_WORDS
    let slot = low % slots
    while (table[slot * SLOT_WORDS + 2] !== 0) {
      if (table[slot * SLOT_WORDS] === high && table[slot * SLOT_WORDS + 1] === low) break
      slot = (slot + 1) % slots
    }
    return slot * SLOT_WORDS
  }

  function grow(): void {
    const larger = new Uint32Array(words.length * 2)
    for (let at = 0; at < words.length; at += SLOT_WORDS) {
      if (words[at + 2] !== 0)
        larger.set(words.subarray(at, at + SLOT_WORDS), findSlot(larger, words[at]!, words[at + 1]!))
    }
    words = larger
  }

  return {
    add(text: string, line: number): number | undefined {
      const octets = digest('sha256', text, 'buffer')
      const [high, low] = [octets.readUInt32LE(0), octets.readUInt32LE(4)]
      const at = findSlot(words, high, low)
      const earlier = words[at + 2]!
      if (earlier !== 0) return earlier
      words.set([high, low, line], at)
      size += 1
      if (size > (words.length / SLOT_WORDS) * MAX_FILL) grow()
      return undefined
    },
  }
}
