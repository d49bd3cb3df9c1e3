import { ConfigurationError } from '../contracts/errors.js'
import { isObject } from '../lib/is-object.js'
import { invalidOption, readGroup } from './checks.js'
import type { ImportedCredentialsOptions } from './options.js'
import type { ImportedCredentialsSettings } from './settings.js'

/** Each costs an HMAC per failed authentication, and a hash in the look-up of an unknown key. */
const MAX_HMAC_KEYS = 5

/** The option `importedCredentials`; undefined where it is off. */
export function readImportedCredentials(
  option: boolean | ImportedCredentialsOptions | undefined,
): ImportedCredentialsSettings | undefined {
  if (option === undefined || option === false) return undefined
  if (option === true) return { hmacKeys: [] }
  if (!isObject(option)) throw invalidOption('importedCredentials', option, 'Write true, or { hmacKey }.')
  const { hmacKey } = readGroup<ImportedCredentialsOptions>('importedCredentials', option, ['hmacKey'])
  if (!Object.hasOwn(option, 'hmacKey')) return { hmacKeys: [] }
  const keys: readonly unknown[] = Array.isArray(hmacKey) ? hmacKey : [hmacKey]
  if (keys.length > 0 && keys.length <= MAX_HMAC_KEYS && keys.every(isKey)) return { hmacKeys: keys }
  // The value is not shown: it is a secret.
  throw new ConfigurationError({
    option: 'importedCredentials.hmacKey',
    problem: 'is no key',
    fix: `Give it the key as a string or as octets (Uint8Array), or a list of up to ${MAX_HMAC_KEYS}. Is an environment variable not set?`,
  })
}

function isKey(key: unknown): key is string | Uint8Array {
  return (typeof key === 'string' || key instanceof Uint8Array) && key.length > 0
}
