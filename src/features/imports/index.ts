import { createOperatorDataReader } from '../../core/applications/records/metadata.js'
import { any, options as readOptions, withCheckedArguments } from '../../core/applications/call-arguments.js'
import { NoTurnError, ConfigurationError } from '../../shared/contracts/errors.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import { createFairTurns } from '../../shared/lib/fair-turns.js'
import type { Imports, ImportOptions } from './imports-calls.js'
import { createImport } from './import.js'
import { createImportedCredentials } from './imported-credentials.js'
import { createImportedDigests, createSlowHashes } from './imported-hashes.js'
import { readGroup } from '../../shared/lib/option-checks.js'

export type { Imports } from './imports-calls.js'
export type {
  ImportedApplication,
  ImportedKey,
  ImportedSecret,
  ImportOptions,
  ImportSource,
  ImportSummary,
} from './imports-calls.js'

/** What `imports()` returns, for the option `features`. */
export interface ImportsFeature extends Feature<'imports'> {
  readonly calls?: Imports
}

/** Any platform that was given `imports()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithImports = PlatformAuth<any, any, readonly [ImportsFeature]>

/**
 * Accepts keys and secrets that another system issued and `auth.imports.run()` has stored, in any format; without it only credentials
 * that the platform has made are looked up. It throws nothing; `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { imports } from 'express-platform-auth/imports'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [imports()],
 * })
 * const lines = [{ externalId: 'C-1', name: 'Shop', apis: ['catalog'], keys: [{ plain: '4174348a-9222-4e81-b33e-5d72d2fd7f1e' }] }]
 * const { refused } = await auth.imports.run(lines, { confirm: true })
 * ```
 */
export function imports(options?: ImportsOptions): ImportsFeature {
  return {
    name: 'imports',
    storeParts: ['imports'],
    prepare() {
      const hmacKeys = readHmacKeys(options)
      return (core) => createImportsPart(core, hmacKeys)
    },
  }
}

const PARAMETERS = { run: [any, readOptions<ImportOptions>({ by: 'text', confirm: 'own', onRefused: 'function' })] }

const MAX_WAITING_COMPARISONS = 2000
/** The result must be known before the request's own time is over (`http/endpoints.ts`). */
const TURN_TIMEOUT_MS = 4000

function createImportsPart(core: Core, hmacKeys: readonly (string | Uint8Array)[]): FeaturePart {
  const digests = createImportedDigests(hmacKeys)
  // One at a time for each application and address, so that a flood occupies one thread of Node's pool.
  const takeTurn = createFairTurns({
    waiting: MAX_WAITING_COMPARISONS,
    timeout: TURN_TIMEOUT_MS,
    onRefused: () => new NoTurnError('A secret has waited too long for its turn to be compared.'),
  })
  const slowHashes = createSlowHashes(takeTurn)
  const readOperatorData = createOperatorDataReader(core.settings.metadata)
  const importReader = { apis: core.settings.apis, digests, slowHashes, readOperatorData }
  return {
    calls: withCheckedArguments(PARAMETERS, { run: createImport(core, importReader) }),
    importedCredentials: createImportedCredentials(core, digests, slowHashes),
  }
}

/** The options of `imports()`. */
export interface ImportsOptions {
  /** The key, or a list of keys, under which another system computed HMAC-SHA-256 hashes of its keys and secrets. A string is UTF-8. */
  readonly hmacKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
}

/** Each costs an HMAC per failed authentication, and a hash in the look-up of an unknown key. */
const MAX_HMAC_KEYS = 5

function readHmacKeys(options: ImportsOptions | undefined): readonly (string | Uint8Array)[] {
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
