import { setTimeout as sleep } from 'node:timers/promises'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { CredentialSource, VerificationKey } from '../../shared/contracts/credential-source.js'
import type { Change, ChangesPage, RevokedAccessToken } from '../../shared/contracts/store.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { AskPlatform } from './platform-client.js'
import type { Reports } from './remote-reports.js'
import { readBoolean, readList, readNumber, readObject, readOptional, readText, type Members } from './read-answer.js'
import { readSharedApplication } from './shared-application.js'

/** A revocation is felt within a second also while no long poll is answered. */
const POLL_INTERVAL_MS = 500
/** A long poll is held for a third of `maxStaleness` at most. */
const MAX_HELD_MS = 1500
const RETRY_INTERVAL_MS = 250

export function createRemoteSource(options: {
  readonly ask: AskPlatform
  readonly nameOf: (kind: 'application' | 'token', id: string) => string
  readonly maxStaleness: number
  readonly entries: number
  /** Drops an application from the cache whose changes can be told no longer. */
  readonly forget: (id: string) => void
  readonly learnPlan: (plan: unknown) => string
  readonly noteCredentialUse: Reports['noteCredentialUse']
}): CredentialSource {
  const { ask, nameOf, maxStaleness, entries, forget, learnPlan, noteCredentialUse } = options
  const names = createKnownNames((id) => nameOf('application', id), entries * 4, forget)
  const fingerprints = createFingerprints(entries * 2)
  const held = Math.min(MAX_HELD_MS, Math.floor((maxStaleness * 1000) / 3))

  function readFound({ application }: Members): ApplicationRecord | undefined {
    if (application === null) return undefined
    const record = readSharedApplication(application, fingerprints.find, learnPlan)
    names.add(record.id)
    return record
  }

  return {
    pollInterval: POLL_INTERVAL_MS,
    /** The record has the fingerprints of keys that were presented here. */
    hasOtherHashes: true,
    async findApplication(id) {
      // Before the platform is asked: a change that comes meanwhile ends this look-up.
      names.add(id)
      const found = readFound(await ask('application', { id }))
      if (found !== undefined && found.id !== id) throw new Error('The platform answered another application.')
      return found
    },
    async findApplicationByKey(hash, key) {
      const answer = await ask('api-key', { key })
      if (answer['application'] === null) return undefined
      fingerprints.add(hash, readText(readObject(answer['application'])['id']), readText(answer['credentialId']))
      return readFound(answer)
    },
    async listVerificationKeys() {
      return readList((await ask('signing-keys', {}))['keys'], readVerificationKey)
    },
    async listRevokedAccessTokens(_now, limit) {
      return readList((await ask('revoked-tokens', { limit }))['tokens'], (token) => readRevoked(readObject(token)))
    },
    async isAccessTokenRevoked(id) {
      return readBoolean((await ask('revoked-token', { id }))['isRevoked'])
    },
    async changesSince(cursor) {
      const page = readPage(await ask('changes', { cursor }))
      return { ...page, changes: page.changes.map(toKnown) }
    },
    async noteCredentialUse(uses) {
      const known = uses.flatMap(({ hash, at }) => {
        const credential = fingerprints.credentialOf(hash)
        return credential ? [{ ...credential, at }] : []
      })
      await noteCredentialUse(known)
    },
    watch(wake) {
      const closing = new AbortController()
      void poll(wake, closing.signal)
      return () => closing.abort()
    },
  }

  /** Only wakes the change feed, which reads for itself: as a database's notification does. */
  async function poll(wake: () => void, signal: AbortSignal): Promise<void> {
    let cursor: string | undefined
    while (!signal.aborted) {
      const startedAt = performance.now()
      try {
        const page = readPage(await ask('changes', { cursor, wait: held }, { signal, held }))
        if (cursor === undefined || page.changes.length > 0) wake()
        cursor = page.cursor
        // Where no answer is held (too many wait there, or a proxy ends them), this asks no faster than the feed itself.
        const early = POLL_INTERVAL_MS - (performance.now() - startedAt)
        if (page.changes.length === 0 && early > 0) await sleep(early, undefined, { ref: false, signal })
      } catch {
        // The feed's own reads report the outage.
        await sleep(RETRY_INTERVAL_MS, undefined, { ref: false, signal }).catch(() => undefined)
      }
    }
  }

  /** The name of an application that is not in memory stands for its id: what was unknown is looked up again. */
  function toKnown(change: Change): Change {
    return change.kind === 'application' ? { kind: 'application', id: names.find(change.id) ?? change.id } : change
  }
}

/** Application ids by the names that changes have. Where too many are known, the application leaves the memory first. */
function createKnownNames(nameOf: (id: string) => string, limit: number, forget: (id: string) => void) {
  const ids = new Map<string, string>()
  return {
    find: (name: string): string | undefined => ids.get(name),
    add(id: string): void {
      const name = nameOf(id)
      // Added again, it is the newest.
      ids.delete(name)
      ids.set(name, id)
      if (ids.size <= limit) return
      const [oldest] = ids as Iterable<[string, string]>
      ids.delete(oldest![0])
      forget(oldest![1])
    },
  }
}

function createFingerprints(entries: number) {
  const hashes = createBoundedCache<string>({ entries })
  const credentials = createBoundedCache<{ readonly applicationId: string; readonly credentialId: string }>({ entries })
  return {
    add(hash: string, applicationId: string, credentialId: string): void {
      hashes.set(credentialId, hash)
      credentials.set(hash, { applicationId, credentialId })
    },
    credentialOf: credentials.get,
    /** A hash that no key has, for one that was not presented. */
    find: (credentialId: string): string => hashes.get(credentialId) ?? `unknown:${credentialId}`,
  }
}

function readPage({ cursor, changes }: Members): ChangesPage {
  return { cursor: readText(cursor), changes: readList(changes, (change) => readChange(readObject(change))) }
}

/** Every change of a kind that is not known here may concern everything. */
function readChange(change: Members): Change {
  if (change['kind'] === 'application') return { kind: 'application', id: readText(change['name']) }
  if (change['kind'] === 'accessTokenRevoked') return { kind: 'accessTokenRevoked', ...readRevoked(change) }
  return { kind: change['kind'] === 'signingKeys' ? 'signingKeys' : 'everything' }
}

function readRevoked({ name, expiresAt }: Members): RevokedAccessToken {
  return { id: readText(name), expiresAt: readNumber(expiresAt) }
}

function readVerificationKey(given: unknown): VerificationKey {
  const key = readObject(given)
  return {
    kid: readText(key['kid']),
    algorithm: readText(key['algorithm']),
    publicJwk: readObject(key['publicJwk']),
    createdAt: readNumber(key['createdAt']),
    signsFrom: readNumber(key['signsFrom']),
    formerVerifiesFor: readOptional(key['formerVerifiesFor'], readNumber) ?? 0,
  }
}
