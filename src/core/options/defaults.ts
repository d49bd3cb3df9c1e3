import type { Limit } from '../../shared/contracts/api.js'

/** Defaults that the command line needs to know, too. */
export const DEFAULT_FAILED_AUTHENTICATION: Limit = { limit: 20, window: 60 }
/** Seconds. */
export const DEFAULT_CLOCK_TOLERANCE = 5
