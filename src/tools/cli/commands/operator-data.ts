import { parseKeySetText } from '../../../shared/lib/key-set-text.js'
import { toSentence } from '../../../shared/contracts/errors.js'
import { readFile, stat } from 'node:fs/promises'
import { CommandError, describeError, UsageError } from '../errors.js'

/** The command line accepts more than the platform stores, so that the platform's message says how much that is. */
const MAX_FILE_BYTES = 64 * 1024

/** The value of `--jwks`: the JWK Set in that file, or one public key as a JWK or in PEM. */
export async function readJwks(path: string): Promise<object | undefined> {
  return parseKeySetText(await readGivenFile('jwks', path)).jwks
}

/** The value of `--metadata`: parsed JSON. */
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
