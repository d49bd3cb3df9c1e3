import { invalidArgument } from '../../../shared/contracts/errors.js'
import type { MetadataSchema, SchemaIssue } from '../../../shared/contracts/metadata-schema.js'
import type { ApplicationRecord, JsonObject } from '../../../shared/contracts/application-record.js'
import { findJsonProblem, formatPath, NotJsonError, stringifyJsonObject } from '../../../shared/lib/plain-json.js'

/** 4 KiB of UTF-8. */
export const MAX_METADATA_BYTES = 4096
const MAX_ISSUES = 10

export type OperatorDataRecord = Partial<Pick<ApplicationRecord, 'metadata' | 'externalId'>>

/** Validates what an operator keeps on an application; null removes a member. Rejects with `ApplicationError`, or what the schema throws. */
export type ReadOperatorData = (given: {
  readonly metadata?: unknown
  readonly externalId?: unknown
}) => Promise<OperatorDataRecord>

export function createOperatorDataReader(schema: MetadataSchema | undefined): ReadOperatorData {
  return async function readOperatorData({ metadata, externalId }) {
    return {
      ...(externalId !== undefined && { externalId: externalId === null ? undefined : readExternalId(externalId) }),
      ...(metadata !== undefined && { metadata: metadata === null ? undefined : await readMetadata(metadata, schema) }),
    }
  }
}

/** The names of the members of metadata that a change has touched, for the audit log; never their values. */
export function listChangedMembers(former: JsonObject = {}, latter: JsonObject = {}): string[] {
  const names = new Set([...Object.keys(former), ...Object.keys(latter)])
  return [...names].filter((name) => stringifyMember(former, name) !== stringifyMember(latter, name))
}

function stringifyMember(metadata: JsonObject, name: string): string | undefined {
  return Object.hasOwn(metadata, name) ? JSON.stringify(metadata[name]) : undefined
}

async function readMetadata(metadata: unknown, schema: MetadataSchema | undefined): Promise<JsonObject> {
  const given = copyMetadata(metadata)
  if (!schema) return given
  const result = await schema['~standard'].validate(given)
  if (result.issues) throw invalidArgument(describeIssues(result.issues))
  checkSchemaOutput('metadata', result.value)
  return copyMetadata(result.value)
}

/** Throws if a schema has made something that is no JSON, such as a Date: a mistake of the schema's author. */
export function checkSchemaOutput(option: string, output: unknown): void {
  const problem = findJsonProblem('metadata', output)
  if (problem !== undefined)
    throw new Error(`The schema of the option ${option} has accepted a value, and made no JSON of it: ${problem}`)
}

/** A copy, so that neither the caller nor the schema can change it later. */
function copyMetadata(metadata: unknown): JsonObject {
  try {
    return JSON.parse(stringifyJsonObject('metadata', metadata, MAX_METADATA_BYTES)) as JsonObject
  } catch (error) {
    if (error instanceof NotJsonError) throw invalidArgument(error.message)
    throw error
  }
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  const described = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
    return `${formatPath('metadata', keys)}: ${message}`
  })
  const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : []
  return [...described, ...more].join('; ')
}

/** The operator's own id of an application: 1 to 255 visible characters. It is compared exactly, so it is not trimmed. */
export function readExternalId(externalId: unknown): string {
  if (typeof externalId === 'string' && EXTERNAL_ID.test(externalId) && externalId.length <= 255) return externalId
  throw invalidArgument(
    'externalId must be a string of 1 to 255 characters, without control characters, and without spaces around it.',
  )
}

const EXTERNAL_ID = /^(?!\s)[^\p{C}\p{Zl}\p{Zp}]+(?<!\s)$/u
