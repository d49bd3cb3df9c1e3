import type { ImportedCredentials } from '../../shared/contracts/imported-credentials.js'

/** What features add to parts that are created before them. */
export interface FeatureHooks {
  readonly importedCredentials?: ImportedCredentials
  readonly wakeSender?: () => void
}
