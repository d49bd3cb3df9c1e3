import { toSentence } from '../../shared/contracts/errors.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { describeStoreFault, UNKNOWN_STORE_FAULT, isPartialFault, isReplicaFault } from './store-faults.js'

/** A `write` can fail in a store that answers reads; `feed` polls the feed; a `notice` says nothing of health. */
export type StoreCallKind = 'read' | 'write' | 'feed' | 'notice'

export interface StoreCall {
  readonly name: string
  readonly kind: StoreCallKind
  readonly startedAt: number
}

interface Outage {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly reason: string
  readonly isReplica: boolean
}

interface RejectedWrite {
  /** The first failure, in milliseconds since 1970. */
  readonly since: number
  readonly reason: string
}

/** Answers usually take a few milliseconds. Callers notice a delay of this length. */
const SLOW_ANSWER_MS = 1000
/** Rejected writes are no longer reported if none was rejected for this time: no other call shows whether the cause persists. */
const REJECTED_WRITE_EXPIRY_MS = 60_000

/** Whether the store answers, rejects writes or is slow, as the ends of its calls show. */
export type StoreHealth = ReturnType<typeof createStoreHealth>

export function createStoreHealth(options: {
  readonly logger: Logger
  readonly emit: Emit
  readonly now: () => number
  readonly name?: string
}) {
  const { logger, emit, now, name: source = 'store' } = options
  let outage: Outage | undefined
  let isUnresponsive = false
  let answeredAt = -Infinity
  let feedAnsweredAt = -Infinity
  let answerTime = 0
  /** Rejected writes by call name: a full store may accept small writes while it rejects larger ones. */
  const rejectedWrites = new Map<string, RejectedWrite>()
  let rejectedWritesExpiry: NodeJS.Timeout | undefined
  /** Failing reads by call name, while other calls are answered: a table may be locked or missing. */
  const failingReads = new Map<string, RejectedWrite & { readonly at: number }>()
  const failingFeed = createFailingFeed(now)

  function startOutage(problem: unknown): void {
    // Rejected writes are not reported beside the outage.
    forgetRejectedWrites()
    const former = outage
    const isReplica = isReplicaFault(problem)
    // Each outage is reported once, and again if the store turns out to be a replica: that does not end by itself.
    if (former && !isReplica) return
    outage = { since: former?.since ?? now(), reason: describeStoreFault(problem), isReplica }
    if (former?.isReplica) return
    logger.error(`The ${source} is unavailable.`, problem)
    if (former) return
    emit('store.unavailable', { reason: problem instanceof Error ? problem.message : String(problem) })
  }

  function endOutage(kind: StoreCallKind): void {
    // A replica answers look-ups, and not what has changed.
    if (!outage || (outage.isReplica && kind !== 'feed')) return
    outage = undefined
    logger.warn(`The ${source} answers again.`)
    emit('store.available', {})
  }

  function noteFailingRead(name: string, problem: unknown): void {
    // A call that got no connection from the pool, say, tells nothing about the store.
    if (!isPartialFault(problem)) return
    const since = failingReads.get(name)?.since ?? now()
    failingReads.set(name, { since, reason: describeStoreFault(problem), at: performance.now() })
  }

  function noteRejectedWrite(name: string, problem: unknown): void {
    const isFirst = rejectedWrites.size === 0
    const since = rejectedWrites.get(name)?.since ?? now()
    rejectedWrites.set(name, { since, reason: describeStoreFault(problem) })
    clearTimeout(rejectedWritesExpiry)
    rejectedWritesExpiry = setTimeout(forgetRejectedWrites, REJECTED_WRITE_EXPIRY_MS).unref()
    if (!isFirst) return
    logger.error(`The ${source} rejects writes; reads are answered.`, problem)
    emit('store.writesRejected', { reason: problem instanceof Error ? problem.message : String(problem) })
  }

  function noteAcceptedWrite(name: string): void {
    if (!rejectedWrites.delete(name) || rejectedWrites.size > 0) return
    clearTimeout(rejectedWritesExpiry)
    logger.warn(`The ${source} accepts writes again.`)
    emit('store.writesAccepted', {})
  }

  function forgetRejectedWrites(): void {
    clearTimeout(rejectedWritesExpiry)
    if (rejectedWrites.size === 0) return
    rejectedWrites.clear()
    emit('store.writesAccepted', {})
  }

  return {
    answered({ name, kind, startedAt }: StoreCall): void {
      answeredAt = performance.now()
      if (kind === 'feed') {
        feedAnsweredAt = answeredAt
        failingFeed.end()
      }
      answerTime = answeredAt - startedAt
      isUnresponsive = false
      noteAcceptedWrite(name)
      failingReads.delete(name)
      endOutage(kind)
    },
    failed({ name, kind, startedAt }: StoreCall, problem: unknown): void {
      isUnresponsive = false
      if (kind === 'feed' && feedAnsweredAt <= startedAt) failingFeed.note(problem)
      // If other calls were answered meanwhile, this one got no connection from the pool, or is faulty itself.
      const lastAnswerAt = kind === 'feed' ? feedAnsweredAt : answeredAt
      if (kind === 'read' && (lastAnswerAt > startedAt || isPartialFault(problem)))
        return noteFailingRead(name, problem)
      if (kind === 'feed' && lastAnswerAt > startedAt) return
      if (kind !== 'write') startOutage(problem)
      else if (!outage) noteRejectedWrite(name, problem)
    },
    /** The call has timed out. A late answer is ignored. */
    timedOut({ name, kind, startedAt }: StoreCall, problem: unknown): void {
      if (kind === 'feed' && feedAnsweredAt <= startedAt) failingFeed.note(problem)
      // If other calls were answered meanwhile, this one met a lock or a dead connection.
      if (answeredAt > startedAt) {
        if (kind === 'write') noteRejectedWrite(name, problem)
        else if (kind === 'read') noteFailingRead(name, problem)
        return
      }
      isUnresponsive = true
      startOutage(problem)
    },
    /** Whether a call has timed out and none was answered since. Other calls then fail at once instead of waiting. */
    isUnresponsive: () => isUnresponsive,
    /** Whether `problems()` says why the changes cannot be read: in an outage, or where only they fail. */
    isUnavailable: () => outage !== undefined || failingFeed.current() !== undefined,
    /** The problems for `auth.health()`; empty if all is well. */
    problems(): string[] {
      const reading = failingFeed.current()
      if (outage) return [describeOutage(outage, reading, source)]
      const problems: string[] = []
      if (reading) problems.push(describeFailing('The latest changes cannot be read since', reading))
      if (answerTime > SLOW_ANSWER_MS)
        problems.push(`The ${source} is slow: its last answer took ${(answerTime / 1000).toFixed(1)} seconds.`)
      const [rejected] = rejectedWrites.values()
      if (rejected) problems.push(describeFailing(`The ${source} has rejected writes since`, rejected))
      const failing = [...failingReads.values()].find(({ at }) => performance.now() - at < REJECTED_WRITE_EXPIRY_MS)
      if (failing) problems.push(describeFailing(`Some reads of the ${source} fail since`, failing))
      return problems
    },
  }
}

/** Why the changes cannot be read. An answer to another call ends an outage, and not this. */
function createFailingFeed(now: () => number) {
  let current: RejectedWrite | undefined
  return {
    current: () => current,
    end: () => void (current = undefined),
    /** A reason that is known stays: later failures may be of a pool that waits for the same. */
    note(problem: unknown): void {
      const reason = describeStoreFault(problem)
      const known = reason === UNKNOWN_STORE_FAULT ? current?.reason : undefined
      current = { since: current?.since ?? now(), reason: known ?? reason }
    },
  }
}

function describeOutage({ since, reason }: Outage, reading: RejectedWrite | undefined, source: string): string {
  const known = reason === UNKNOWN_STORE_FAULT ? reading?.reason : undefined
  return describeFailing(`The ${source} has been unavailable since`, { since, reason: known ?? reason })
}

function describeFailing(since: string, failing: RejectedWrite): string {
  return toSentence(`${since} ${new Date(failing.since).toISOString()}: ${failing.reason}`)
}
