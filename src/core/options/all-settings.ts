import type { Core, FeaturePart } from '../../feature.js'
import type { Store } from '../../shared/contracts/store.js'
import type { CoreSettings } from './settings.js'

/** The validated form of the options: every default is filled in. Durations are in seconds. */
export interface Settings extends CoreSettings {
  /** The store as given, which only core/platform/foundation.ts reads. Undefined: applications are kept in memory. */
  readonly store: Store | undefined
  /** Each after those that it needs or may use. */
  readonly features: readonly FeatureSettings[]
}

export interface FeatureSettings {
  readonly name: string
  /** The pages that it serves, with their paths below `developersUrl`. */
  readonly pages: Readonly<Record<string, string>>
  create(core: Core): FeaturePart
}
