import { setTimeout as sleep } from 'node:timers/promises'
import type { KeySetRecord, PublicJwk } from '../../shared/contracts/application-record.js'
import { OAuthError, OutageCause } from '../../shared/contracts/denial.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import type { FetchKeySet } from './fetch-key-set.js'
import { KeySetProblem, toVerificationKeys, type VerificationKey } from './public-key-set.js'
import { ownMembers } from '../../shared/lib/own-members.js'

export type PublishedKeySet = Extract<KeySetRecord, { readonly address: string }>

interface Known {
  readonly jwks: readonly PublicJwk[]
  readonly keys: readonly VerificationKey[]
  /** Milliseconds since 1970, as all times here. */
  readonly fetchedAt: number
  freshUntil: number
}

interface Entry {
  known: Known | undefined
  attemptedAt: number
  /** The latest reload that was asked for, by the clock of whoever asked. */
  reloadedAt: number
  /** Why the last attempt failed; undefined if it did not. */
  problem: KeySetProblem | undefined
  /** The last one that began. */
  reading: Reading | undefined
  /** By application: strangers whose turn comes late may have named the address, too. */
  readonly waiting: Map<string, Promise<void>>
}

interface Reading {
  /** The latest reload that was asked for before it. */
  readonly reloadedAt: number
  readonly ended: Promise<void>
  isEnded: boolean
}

const RETRY_MS = 60_000
/** Known keys go on for so long after they were read, while the address does not answer. */
const OUTAGE_MS = 24 * 3600_000
/** No request waits longer for its turn and the answer. */
const WAIT_MS = 4000
const UNREAD_ADDRESSES = 1000
const READ_ADDRESSES = 10_000
const BYTES_PER_KEY = 3000
const AT_ONCE = 4
const SLOW_AT_ONCE = 2
const WAITING = 1000
/** An application whose address took so long is slow for an hour. */
const SLOW_MS = 1000
const SLOW_FOR_MS = 3600_000
const SLOW_APPLICATIONS = 10_000

class TooManyReads extends KeySetProblem {}

/** Strangers who are slow on purpose delay each other: applications take turns, not hosts, as one can name somebody else's. */
function createTurns(now: () => number) {
  const onOverflow = () => new TooManyReads('is not read: too many others are being read')
  const limit = createConcurrencyLimit({ atOnce: AT_ONCE, waiting: WAITING, onOverflow })
  const limitSlow = createConcurrencyLimit({ atOnce: SLOW_AT_ONCE, waiting: WAITING, onOverflow })
  const slowUntil = createBoundedCache<number>({ entries: SLOW_APPLICATIONS })
  const isSlow = (application: string): boolean => (slowUntil.get(application) ?? 0) > now()

  return async function takeTurn<Result>(application: string, read: () => Promise<Result>): Promise<Result> {
    async function measure(): Promise<{ readonly result: Result }> {
      const startedAt = now()
      try {
        return { result: await read() }
      } finally {
        if (now() - startedAt >= SLOW_MS) slowUntil.set(application, now() + SLOW_FOR_MS)
      }
    }
    // It may have become slow while it waited.
    const measureUnlessSlow = async () => (isSlow(application) ? undefined : measure())
    const quick = isSlow(application) ? undefined : await limit(application, measureUnlessSlow)
    return (quick ?? (await limitSlow(application, measure))).result
  }
}

export function createKeySetCache(options: { readonly fetchKeySet: FetchKeySet; readonly now: () => number }) {
  const { fetchKeySet, now } = options
  /** Apart, so that addresses that never answer drop none that did. */
  const unread = createBoundedCache<Entry>({ entries: UNREAD_ADDRESSES })
  const read = createBoundedCache<Entry>({
    entries: READ_ADDRESSES,
    bytesOf: ({ known }) => (known?.keys.length ?? 0) * BYTES_PER_KEY,
  })
  const takeTurn = createTurns(now)

  async function readAddress(entry: Entry, keySet: PublishedKeySet): Promise<void> {
    const { address, byOperator = false } = ownMembers(keySet)
    const { reloadedAt } = entry
    entry.attemptedAt = now()
    try {
      const { keys: jwks, maxAge } = await fetchKeySet(address, byOperator)
      const fetchedAt = now()
      keep(formatKey(keySet), entry, {
        jwks,
        keys: toVerificationKeys(jwks),
        fetchedAt,
        freshUntil: reloadedAt < entry.reloadedAt ? fetchedAt : fetchedAt + maxAge * 1000,
      })
      entry.problem = undefined
    } catch (error) {
      noteProblem(entry, error)
      if (entry.known) entry.known.freshUntil = now()
    }
  }

  /** Reads the address when it is the application's turn, unless it was read while the application waited. */
  async function readInTurn(entry: Entry, keySet: PublishedKeySet, application: string): Promise<void> {
    const { reading: before, reloadedAt } = entry
    const isOld = () => entry.reading === before || entry.reading!.reloadedAt < reloadedAt
    try {
      await takeTurn(application, async () => {
        // What is being read when a reload is asked for may be from before, so the address is read once more.
        while (entry.reading?.isEnded === false && isOld()) await entry.reading.ended
        if (isOld()) begin(entry, keySet)
        await entry.reading!.ended
      })
    } catch (error) {
      noteProblem(entry, error)
    }
  }

  function begin(entry: Entry, keySet: PublishedKeySet): void {
    const ended = readAddress(entry, keySet).finally(() => (reading.isEnded = true))
    const reading: Reading = { reloadedAt: entry.reloadedAt, ended, isEnded: false }
    entry.reading = reading
  }

  function keep(key: string, entry: Entry, known: Known): void {
    unread.delete(key)
    read.delete(key)
    entry.known = known
    read.set(key, entry)
  }

  async function refresh(entry: Entry, keySet: PublishedKeySet, application: string): Promise<void> {
    const isReload = keySet.reloadedAt > entry.reloadedAt
    // Who comes meanwhile waits for what is read.
    if (isReload && entry.known) entry.known.freshUntil = now()
    entry.reloadedAt = Math.max(entry.reloadedAt, keySet.reloadedAt)
    const isBeingRead = entry.reading?.isEnded === false && entry.reading.reloadedAt >= entry.reloadedAt
    if (!isBeingRead && (isReload || !entry.waiting.has(application))) {
      const waiting = readInTurn(entry, keySet, application).finally(() => {
        if (entry.waiting.get(application) === waiting) entry.waiting.delete(application)
      })
      entry.waiting.set(application, waiting)
    }
    const ended = isBeingRead ? entry.reading!.ended : entry.waiting.get(application)
    await Promise.race([ended, sleep(WAIT_MS, undefined, { ref: false })])
  }

  function isUsable(known: Known | undefined): known is Known {
    return known !== undefined && known.fetchedAt + OUTAGE_MS >= now()
  }

  function findEntry(keySet: PublishedKeySet): Entry {
    const key = formatKey(keySet)
    const entry = read.get(key) ?? unread.get(key)
    if (entry) return entry
    const created: Entry = {
      known: undefined,
      attemptedAt: -Infinity,
      reloadedAt: -Infinity,
      problem: undefined,
      reading: undefined,
      waiting: new Map(),
    }
    const { keys: jwks, readAt } = ownMembers<NonNullable<PublishedKeySet['outage']>>(keySet.outage ?? { since: 0 })
    if (jwks && readAt !== undefined)
      keep(key, created, { jwks, keys: toVerificationKeys(jwks), fetchedAt: readAt, freshUntil: -Infinity })
    else unread.set(key, created)
    return created
  }

  return {
    /**
     * The keys of a key set of that application. Its address is read again when its time is over, after `reloadedAt`, and for a `kid` that the
     * known set lacks; after a failure, and for unknown `kid`s, at most once a minute. While it does not answer, known keys go on for 24 hours;
     * a process that starts meanwhile has those that another has saved (`outage`). Rejects with 503 when nothing is known of it.
     */
    async find(
      keySet: PublishedKeySet,
      { application, kid }: { readonly application: string; readonly kid: string | undefined },
    ): Promise<readonly VerificationKey[]> {
      const entry = findEntry(keySet)
      const { known } = entry
      const isCurrent = known !== undefined && known.freshUntil > now()
      const lacksKid = kid !== undefined && known?.keys.every((key) => key.kid !== kid) === true
      // A stranger can name a kid that nobody has: who needs nothing that is being read does not wait for it.
      const isLate =
        (!isCurrent || lacksKid) && (entry.reading?.isEnded === false || entry.attemptedAt < now() - RETRY_MS)
      if (isLate || keySet.reloadedAt > entry.reloadedAt) await refresh(entry, keySet, application)
      const found = entry.known
      if (!isUsable(found))
        throw new OAuthError('temporarily_unavailable', 'The key set of the client cannot be read at present', {
          // Only the log may say it: the reason tells what is in the networks of this host.
          cause: new OutageCause(`The key set at ${keySet.address} ${entry.problem?.message ?? 'is not known'}.`),
        })
      return found.keys
    },
    /** What the last attempt has shown of an address; undefined if it was none of the address. */
    describe(keySet: PublishedKeySet): AddressState | undefined {
      const { problem, known } = findEntry(keySet)
      if (problem instanceof TooManyReads || !(problem ?? known)) return undefined
      return { problem: problem?.message, keys: known?.jwks, readAt: known?.fetchedAt }
    },
  }
}

function noteProblem(entry: Entry, error: unknown): void {
  if (!(error instanceof KeySetProblem)) throw error
  entry.problem = error
}

export interface AddressState {
  /** A part of a sentence; undefined if the address was read. */
  readonly problem: string | undefined
  /** What was read last, and when; undefined if nothing was so far. */
  readonly keys: readonly PublicJwk[] | undefined
  readonly readAt: number | undefined
}

function formatKey({ address, byOperator }: PublishedKeySet): string {
  return `${byOperator ? 'operator' : 'other'} ${address}`
}
