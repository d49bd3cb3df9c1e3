export const PROGRAM = 'express-platform-auth'

export const EXIT_CODES = { done: 0, failed: 1, usage: 2, problemFound: 3, storeUnavailable: 4 } as const

export const ENVIRONMENT_VARIABLES = { db: 'EXPRESS_PLATFORM_AUTH_DB', config: 'EXPRESS_PLATFORM_AUTH_CONFIG' } as const

export const EXAMPLE_ID = 'app_0123456789abcdef0123456789abcdef'

export interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}
