import {
  any,
  options as readOptions,
  withCheckedArguments,
  type CallParameters,
} from '../../core/applications/call-arguments.js'
import { NoTurnError } from '../../shared/contracts/errors.js'
import type { CallTypes, Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import { createFairTurns } from '../../shared/lib/fair-turns.js'
import type { Imports } from './imports-calls.js'
import { createHashReplacement } from './hash-replacement.js'
import type { ImportOptions } from './import-api.js'
import { createImport } from './import.js'
import { createImportedCredentials } from './imported-credentials.js'
import { createImportedDigests } from './imported-digests.js'
import { readHmacKeys, type ImportsOptions } from './imports-options.js'
import { createSlowHashes } from './slow-hashes.js'

export type { Imports } from './imports-calls.js'
export type {
  ImportedApplication,
  ImportedKey,
  ImportedSecret,
  ImportOptions,
  ImportSource,
  ImportSummary,
} from './import-api.js'
export type { ImportsOptions } from './imports-options.js'

/** The types of `auth.imports`. */
export interface ImportsTypes extends CallTypes {
  readonly calls: Imports
}

/** What `imports()` returns, for the option `features`. */
export interface ImportsFeature extends Feature<'imports', ImportsTypes> {}

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

const PARAMETERS: CallParameters<Imports> = {
  run: [any, readOptions<ImportOptions>({ by: 'text', confirm: 'own', onRefused: 'function' })],
}

const MAX_WAITING_COMPARISONS = 2000
/** The result must be known before the request's own time is over (`http/authentication-timeout.ts`). */
const TURN_TIMEOUT_MS = 4000

function createImportsPart(core: Core, hmacKeys: readonly (string | Uint8Array)[]): FeaturePart {
  const { credentials, now } = core
  const digests = createImportedDigests(hmacKeys)
  // One at a time for each application and address, so that a flood occupies one thread of Node's pool.
  const takeTurn = createFairTurns({
    waiting: MAX_WAITING_COMPARISONS,
    timeout: TURN_TIMEOUT_MS,
    onRefused: () => new NoTurnError('A secret has waited too long for its turn to be compared.'),
  })
  const slowHashes = createSlowHashes({ takeTurn })
  const replaceHash = createHashReplacement(core)
  const importReader = { apis: core.settings.apis, digests, slowHashes, readOperatorData: core.calls.readOperatorData }
  return {
    calls: withCheckedArguments(PARAMETERS, { run: createImport({ ...core, importReader }) }),
    importedCredentials: createImportedCredentials({ credentials, digests, slowHashes, replaceHash, now }),
  }
}
