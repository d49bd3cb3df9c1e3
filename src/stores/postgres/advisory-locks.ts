import { prepareStatement, type Sql } from './connection.js'

/**
 * The advisory locks of the package. Their numbers are shared by everything in the database, and only their size makes it
 * unlikely that other software uses the same ones.
 */
const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 6_023_885_187_240,
  /** Changes commit in the order of their numbers in the feed and in the audit. */
  feed: 6_023_885_187_241,
  /** Which signing key is the newest is no property of a row, so no row lock can protect it. */
  signingKeys: 6_023_885_187_242,
}

/** Waits for a lock and holds it until the transaction ends. */
export async function takeAdvisoryLock(sql: Sql, name: keyof typeof ADVISORY_LOCKS): Promise<void> {
  await sql.get(LOCK, ADVISORY_LOCKS[name])
}

const LOCK = prepareStatement('SELECT pg_advisory_xact_lock($1::bigint)')
