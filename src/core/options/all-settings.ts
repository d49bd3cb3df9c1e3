import type { Core, FeaturePart } from '../../feature.js'
import type { CoreSettings } from './settings.js'

/** The validated form of the options: every default is filled in. Durations are in seconds. */
export interface Settings extends CoreSettings {
  /** Each after those that it needs or may use. */
  readonly features: readonly FeatureSettings[]
}

/** A feature that is given, with validated options. */
export interface FeatureSettings {
  readonly name: string
  /** The pages that it serves, with their paths below `developersUrl`. */
  readonly pages: Readonly<Record<string, string>>
  create(core: Core): FeaturePart
}
