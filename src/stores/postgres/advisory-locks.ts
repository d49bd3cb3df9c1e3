import { getOften, type Work } from '../sql/work.js'

/** The advisory locks. Everything in the database shares the numbers: only their size makes them unlikely elsewhere. */
const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 6_023_885_187_240,
  /** Changes commit in the order of their numbers in the feed and in the audit. */
  feed: 6_023_885_187_241,
  /** Which signing key is the newest is no property of a row, so no row lock can protect it. */
  signingKeys: 6_023_885_187_242,
}

export function* takeAdvisoryLock(name: keyof typeof ADVISORY_LOCKS): Work<void> {
  yield* getOften('SELECT pg_advisory_xact_lock(?1::bigint)', ADVISORY_LOCKS[name])
}
