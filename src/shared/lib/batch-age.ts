/** A batch of counts that the store may have added is given up after this time ... */
export const MAX_UNKNOWN_AGE_MS = 12 * 3600 * 1000
/** ... and the ids of batches are kept for longer, so that none is ever added twice. */
export const BATCH_ID_RETENTION_MS = 2 * MAX_UNKNOWN_AGE_MS
