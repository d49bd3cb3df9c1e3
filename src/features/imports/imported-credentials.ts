import { timingSafeEqual } from 'node:crypto'
import { AsyncResource } from 'node:async_hooks'
import type { CredentialRecord } from '../../shared/contracts/application-record.js'
import {
  describePlain,
  isLive,
  isWellFormedKey,
  MAX_IMPORTED_LENGTH,
  MAX_LIVE_CREDENTIALS,
} from '../../core/applications/credentials/credentials.js'
import { type ImportedDigests, isOnlyMatch, isSlowHash, type SlowHashes } from './imported-hashes.js'
import type { CredentialReplacement, ImportedCredentials } from '../../shared/contracts/imports.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { Core } from '../../feature.js'

export function createImportedCredentials(
  core: Core,
  digests: ImportedDigests,
  slowHashes: Pick<SlowHashes, 'findMatch'>,
): ImportedCredentials {
  const { credentials, now } = core
  const replaceHash = createHashReplacement(core)

  function adopt(applicationId: string, record: CredentialRecord, plain: string): CredentialRecord {
    const adopted = { ...record, hash: credentials().hash(plain), prefix: describePlain(plain) }
    if (isLive(record, now()))
      replaceHash(applicationId, { former: record.hash, hash: adopted.hash, prefix: adopted.prefix })
    return adopted
  }

  /** A key in the platform's own form is never imported: else its import would work for a second application later. */
  function listKeyHashes(key: string): readonly string[] {
    return isWellFormedKey(key) ? [] : digests.list(key)
  }

  return {
    listKeyHashes,
    adoptKey(record, key) {
      const hashes = listKeyHashes(key)
      if (!record.keys.some(({ hash }) => hashes.includes(hash))) return record
      const keys = record.keys.map((each) => (hashes.includes(each.hash) ? adopt(record.id, each, key) : each))
      return { ...record, keys }
    },
    matchDigest(secret, application) {
      if (secret.length > MAX_IMPORTED_LENGTH) return undefined
      const matched = matchDigest(digests.list(secret), application?.secrets ?? [])
      return application && matched && isLive(matched, now()) ? adopt(application.id, matched, secret) : undefined
    },
    hasSlowHash: ({ secrets }) => secrets.some(({ hash }) => isSlowHash(hash)),
    async matchSlowHash(given, application, address) {
      const secrets = given.filter(({ length }) => length <= MAX_IMPORTED_LENGTH)
      const records = application.secrets.filter((record) => isSlowHash(record.hash) && isLive(record, now()))
      const hashes = records.map(({ hash }) => hash)
      const match = await slowHashes.findMatch(secrets, hashes, { applicationId: application.id, address })
      const record = match && records.find(({ hash }) => hash === match.stored)
      if (!match || !record) return undefined
      const { secret } = match
      // The platform's own hash would refuse every other text, and one of them may be the partner's secret.
      return { secret, record: isOnlyMatch(secret, record.hash) ? adopt(application.id, record, secret) : record }
    },
  }
}

/** The record that has one of the digests. As many comparisons in every case as with the platform's own hashes. */
function matchDigest(digests: readonly string[], records: readonly CredentialRecord[]): CredentialRecord | undefined {
  let matched: CredentialRecord | undefined
  for (let slot = 0; slot < Math.max(MAX_LIVE_CREDENTIALS, records.length); slot++) {
    for (const digest of digests) {
      const presented = Buffer.from(digest)
      const record = records[slot]
      const stored = record?.hash.length === digest.length ? record.hash : '-'.repeat(digest.length)
      if (timingSafeEqual(presented, Buffer.from(stored))) matched = record
    }
  }
  return matched
}

/** Between two attempts: a credential may be used a thousand times a second while its hash is being replaced. */
const RETRY_INTERVAL_MS = 60_000
const MAX_REMEMBERED_ATTEMPTS = 10_000

function createHashReplacement({ store, limitChanges, now }: Core) {
  /** Imported hash -> when its replacement was last attempted, on the monotonic clock. */
  const attempts = createBoundedCache<number>({ entries: MAX_REMEMBERED_ATTEMPTS })

  // The function is bound here, because a request makes the change: the write must not be part of that request's trace.
  const replace = AsyncResource.bind((applicationId: string, replacement: CredentialReplacement) => {
    // The store client has logged an outage. A later use tries again.
    limitChanges(applicationId, () => store.imports.replaceHash(replacement)).catch(() => undefined)
  })

  return function replaceHash(applicationId: string, replacement: Omit<CredentialReplacement, 'usedAt'>): void {
    const startedAt = performance.now()
    const last = attempts.get(replacement.former)
    if (last !== undefined && startedAt - last < RETRY_INTERVAL_MS) return
    attempts.set(replacement.former, startedAt)
    replace(applicationId, { ...replacement, usedAt: now() })
  }
}
