import type { ImportedCredentials } from '../../shared/contracts/imports.js'

/** What features add to parts that are created before them. It is read when it is used, once the features are there. */
export interface FeatureHooks {
  readonly importedCredentials: ImportedCredentials | undefined
  readonly wakeSender: (() => void) | undefined
}

export function createHooks(): { readonly hooks: FeatureHooks; setFeatures(created: FeatureHooks): void } {
  let features: FeatureHooks | undefined
  return {
    hooks: {
      get importedCredentials() {
        return features?.importedCredentials
      },
      get wakeSender() {
        return features?.wakeSender
      },
    },
    setFeatures: (created) => void (features = created),
  }
}
