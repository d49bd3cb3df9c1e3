import type { ImportedCredentials } from '../../shared/contracts/imported-credentials.js'
import { timingSafeEqual } from 'node:crypto'
import type { CredentialRecord } from '../../shared/contracts/application-record.js'
import {
  describePlain,
  isLive,
  isWellFormedKey,
  MAX_IMPORTED_LENGTH,
  MAX_LIVE_CREDENTIALS,
  type Credentials,
} from '../../core/applications/credentials/credentials.js'
import type { ImportedDigests } from './imported-digests.js'
import type { ReplaceHash } from './hash-replacement.js'
import { isOnlyMatch, isSlowHash, type SlowHashes } from './slow-hashes.js'

export function createImportedCredentials(options: {
  readonly credentials: () => Pick<Credentials, 'hash'>
  readonly digests: ImportedDigests
  readonly slowHashes: Pick<SlowHashes, 'findMatch'>
  readonly replaceHash: ReplaceHash
  readonly now: () => number
}): ImportedCredentials {
  const { credentials, digests, slowHashes, replaceHash, now } = options

  /** The credential with the platform's hash, which is also stored. */
  function adopt(applicationId: string, record: CredentialRecord, plain: string): CredentialRecord {
    const adopted = { ...record, hash: credentials().hash(plain), prefix: describePlain(plain) }
    if (isLive(record, now())) {
      replaceHash(applicationId, { former: record.hash, hash: adopted.hash, prefix: adopted.prefix })
    }
    return adopted
  }

  /**
   * A key in the platform's own form never counts as imported. Otherwise an import of its digest would make it work for a second
   * application when the first one ends it.
   */
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
