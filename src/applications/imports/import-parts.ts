import type { MetadataSchema } from '../../contracts/metadata-schema.js'
import type { StoreWith } from '../../contracts/store.js'
import type { ConcurrencyLimit } from '../../lib/concurrency-limit.js'
import type { TakeTurn } from '../../lib/fair-turns.js'
import type { Credentials } from '../credentials/credentials.js'
import { createImportedCredentials, type ImportedCredentials } from './imported-credentials.js'
import { createImportedDigests } from './imported-digests.js'
import { createHashReplacement } from './hash-replacement.js'
import type { LineReaderParts } from './import.js'
import { createOperatorDataReader } from '../records/metadata.js'
import { createSlowHashes } from './slow-hashes.js'

interface ImportedCredentialsOptions {
  readonly store: Pick<StoreWith<'imports'>, 'imports'>
  readonly credentials: () => Credentials
  readonly clientLimits: { readonly limitChanges: ConcurrencyLimit; readonly takeSlowHashTurn: TakeTurn }
  readonly settings: {
    readonly apis: LineReaderParts['apis']
    readonly applicationMetadata: MetadataSchema | undefined
    /** Undefined without the option `importedCredentials`. */
    readonly importedCredentials: { readonly hmacKeys: readonly (string | Uint8Array)[] } | undefined
  }
  readonly now: () => number
}

/** The parts that import credentials of another system and recognize them; none without the option `importedCredentials`. */
export function createImportParts(options: ImportedCredentialsOptions): {
  readonly importedCredentials: ImportedCredentials | undefined
  readonly importReader: LineReaderParts | undefined
} {
  const { settings, store, credentials, clientLimits, now } = options
  const { apis, applicationMetadata, importedCredentials } = settings
  if (!importedCredentials) return { importedCredentials: undefined, importReader: undefined }
  const digests = createImportedDigests(importedCredentials.hmacKeys)
  const slowHashes = createSlowHashes({ takeTurn: clientLimits.takeSlowHashTurn })
  const replaceHash = createHashReplacement({ store, limitChanges: clientLimits.limitChanges, now })
  return {
    importedCredentials: createImportedCredentials({ credentials, digests, slowHashes, replaceHash, now }),
    importReader: { apis, digests, slowHashes, readOperatorData: createOperatorDataReader(applicationMetadata) },
  }
}
