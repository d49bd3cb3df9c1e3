import { toSentence } from '../../../shared/contracts/errors.js'
import { readFile, stat } from 'node:fs/promises'
import type { OperatorData } from '../../../index.js'
import { option, type OptionTable } from '../command.js'
import { CommandError, describeError, UsageError } from '../errors.js'

/** The options of commands that write what the operator keeps on an application. */
export const OPERATOR_DATA_OPTIONS = {
  'external-id': option.text(
    'ID',
    'Your own id of it, such as a customer number. No two applications have the same one.',
  ),
  metadata: option.text(
    'JSON|@FILE',
    'Your own data on it: a JSON object, or @ and the path of a file that has one. It is replaced as a whole.',
  ),
} as const satisfies OptionTable

/** The command line accepts more than the platform stores, so that the platform's message says how much that is. */
const MAX_FILE_BYTES = 64 * 1024

interface OperatorDataValues {
  readonly metadata: string | undefined
  readonly 'external-id': string | undefined
}

/** The operator data of a new application, as it was given. */
export async function readOperatorData(
  { metadata, 'external-id': externalId }: OperatorDataValues,
  command: string,
): Promise<OperatorData> {
  return {
    ...(externalId !== undefined && { externalId }),
    ...(metadata !== undefined && { metadata: (await readMetadata(metadata, command)) ?? undefined }),
  }
}

/** The value of `--metadata`: parsed JSON. */
export async function readMetadata(given: string, command: string): Promise<object | null> {
  const text = given.startsWith('@') ? await readMetadataFile(given.slice(1)) : given
  try {
    return JSON.parse(text) as object | null
  } catch (error) {
    const quote = given.startsWith('@') ? '' : ` Quote it for the shell: --metadata '{ "discount": 10 }'`
    throw new UsageError(toSentence(`--metadata is not JSON: ${describeError(error)}`) + quote, command)
  }
}

async function readMetadataFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`--metadata: ${path} could not be read: ${describeError(error)}`)
  }
}
