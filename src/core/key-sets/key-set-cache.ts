import { setTimeout as sleep } from 'node:timers/promises'
import { OAuthError, OutageCause } from '../../shared/contracts/denial.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import type { FetchKeySet } from './fetch-key-set.js'
import { KeySetProblem, toVerificationKeys, type VerificationKey } from './public-key-set.js'

/** What is known of the key set at an address. */
interface Known {
  readonly keys: readonly VerificationKey[]
  /** Milliseconds since 1970, as all times here. */
  readonly fetchedAt: number
  freshUntil: number
}

interface Entry {
  known: Known | undefined
  attemptedAt: number
  /** The latest reload that was asked for before the last attempt, by the clock of whoever asked. */
  reloadedAt: number
  /** Why the last attempt failed; undefined if it did not. */
  problem: string | undefined
  pending: Promise<void> | undefined
}

const RETRY_MS = 60_000
/** Known keys go on for so long while the address does not answer. */
const OUTAGE_MS = 24 * 3600_000
/** A client whose keys are known waits no longer for others, whose addresses may be slow on purpose. */
const WAIT_MS = 3000
const ADDRESSES = 1000
const AT_ONCE = 4
const WAITING = 200

/** Keeps the key sets of clients that publish theirs at an address. */
export function createKeySetCache({
  fetchKeySet,
  now,
}: {
  readonly fetchKeySet: FetchKeySet
  readonly now: () => number
}) {
  const entries = createBoundedCache<Entry>({ entries: ADDRESSES })
  const limit = createConcurrencyLimit({
    atOnce: AT_ONCE,
    waiting: WAITING,
    onOverflow: () => new KeySetProblem('is not read: too many others are being read'),
  })

  async function fetchInto(address: string, entry: Entry): Promise<void> {
    try {
      const { keys, maxAge } = await limit(new URL(address).host, () => fetchKeySet(address))
      const fetchedAt = now()
      entry.known = { keys: toVerificationKeys(keys), fetchedAt, freshUntil: fetchedAt + maxAge * 1000 }
      entry.problem = undefined
    } catch (error) {
      if (!(error instanceof KeySetProblem)) throw error
      entry.problem = error.message
      if (entry.known) entry.known.freshUntil = now()
    } finally {
      entry.pending = undefined
    }
  }

  async function read(address: string, entry: Entry, reloadedAt: number): Promise<void> {
    if (!entry.pending) {
      entry.attemptedAt = now()
      entry.reloadedAt = Math.max(entry.reloadedAt, reloadedAt)
      entry.pending = fetchInto(address, entry)
    }
    const { pending } = entry
    if (!isUsable(entry.known)) return pending
    await Promise.race([pending, sleep(WAIT_MS, undefined, { ref: false })])
  }

  function isUsable(known: Known | undefined): known is Known {
    return known !== undefined && known.fetchedAt + OUTAGE_MS >= now()
  }

  function findEntry(address: string): Entry {
    const entry = entries.get(address)
    if (entry) return entry
    const created: Entry = {
      known: undefined,
      attemptedAt: -Infinity,
      reloadedAt: -Infinity,
      problem: undefined,
      pending: undefined,
    }
    entries.set(address, created)
    return created
  }

  return {
    /**
     * The keys at an address. It is read again when its time is over, after `reloadedAt` (milliseconds), and for a `kid` that the known set
     * lacks; after a failure, and for unknown `kid`s, at most once a minute. While it does not answer, known keys go on for 24 hours. Rejects
     * with 503 when nothing is known of it.
     */
    async find(
      address: string,
      { kid, reloadedAt = -Infinity }: { readonly kid?: string | undefined; readonly reloadedAt?: number | undefined },
    ): Promise<readonly VerificationKey[]> {
      const entry = findEntry(address)
      const { known } = entry
      const isCurrent = known !== undefined && known.freshUntil > now()
      const lacksKid = kid !== undefined && known?.keys.every((key) => key.kid !== kid) === true
      const mayRetry = entry.attemptedAt < now() - RETRY_MS
      if (entry.pending || reloadedAt > entry.reloadedAt || ((!isCurrent || lacksKid) && mayRetry))
        await read(address, entry, reloadedAt)
      const found = entry.known
      if (!isUsable(found))
        throw new OAuthError('temporarily_unavailable', 'The key set of the client cannot be read at present', {
          // Only the log may say it: the reason tells what is in the networks of this host.
          cause: new OutageCause(`The key set at ${address} ${entry.problem ?? 'is not known'}.`),
        })
      return found.keys
    },
  }
}
