import { ConfigurationError } from '../../shared/contracts/errors.js'
import { readGroup } from '../../shared/lib/option-checks.js'

/** The options of `imports()`. */
export interface ImportsOptions {
  /** The key, or a list of keys, under which another system computed HMAC-SHA-256 hashes of its keys and secrets. A string is UTF-8. */
  readonly hmacKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
}

/** Each costs an HMAC per failed authentication, and a hash in the look-up of an unknown key. */
const MAX_HMAC_KEYS = 5

/** The keys of HMAC-SHA-256 hashes; none if the option is left out. */
export function readHmacKeys(options: ImportsOptions | undefined): readonly (string | Uint8Array)[] {
  const { hmacKey } = readGroup('imports', options, ['hmacKey'])
  if (options === undefined || !Object.hasOwn(options, 'hmacKey')) return []
  const keys: readonly unknown[] = Array.isArray(hmacKey) ? hmacKey : [hmacKey]
  if (keys.length > 0 && keys.length <= MAX_HMAC_KEYS && keys.every(isKey)) return keys
  // The value is not shown: it is a secret.
  throw new ConfigurationError({
    option: 'imports.hmacKey',
    problem: 'is no key',
    fix: `Give it the key as a string or as octets (Uint8Array), or a list of up to ${MAX_HMAC_KEYS}. Is an environment variable not set?`,
  })
}

function isKey(key: unknown): key is string | Uint8Array {
  return (typeof key === 'string' || key instanceof Uint8Array) && key.length > 0
}
