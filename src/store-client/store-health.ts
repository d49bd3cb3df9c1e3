import type { Emit } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'
import { STORE_CALLS, type StoreCallName } from './store-calls.js'
import { describeStoreFault } from './store-fault.js'

/** A call that the store was asked. */
export interface StoreCall {
  readonly name: StoreCallName | 'open'
  /** When it was asked, on the monotonic clock. */
  readonly since: number
}

/** What is wrong with the store, told by how its calls end: out of reach, refusing to save, or slow. */
export interface StoreHealth {
  answered(call: StoreCall): void
  failed(call: StoreCall, problem: unknown): void
  /** A call waited in vain; it may yet be answered, but nobody waits for that. */
  timedOut(call: StoreCall, problem: unknown): void
  /** Whether the store is known to say nothing: then nobody need wait for that again. */
  isSilent(): boolean
  isOut(): boolean
  /** In words for an operator; empty where all is well. */
  problems(): string[]
}

interface OutageOptions {
  readonly logger: Logger
  readonly emit: Emit
  readonly now: () => number
}

/** A store that is full, read-only or locked refuses changes, and answers all else. */
function isChange(name: StoreCall['name']): boolean {
  return name !== 'open' && STORE_CALLS[name] === 'change'
}

/** Milliseconds from which an answer is a slow one. */
const SLOW = 1000
/** Milliseconds for which a refused change is told of, where nobody has tried the same again. */
const TOLD = 60_000

export function createStoreHealth({ logger, emit, now }: OutageOptions): StoreHealth {
  let out: { readonly since: number; readonly why: string } | undefined
  let silent = false
  let answeredAt = -Infinity
  let took = 0
  /** By the call's name, since a store may take small changes while it has no room for larger ones. */
  const refused = new Map<StoreCall['name'], { since: number; last: number; why: string }>()

  function goOut(problem: unknown): void {
    // What it would not save is part of this now.
    refused.clear()
    if (out) return
    out = { since: now(), why: describeStoreFault(problem) }
    logger.error('The store is out of reach.', problem)
    emit('store.unavailable', { reason: problem instanceof Error ? problem.message : String(problem) })
  }

  function refuse(name: StoreCall['name'], problem: unknown): void {
    const last = performance.now()
    // What nobody has tried again for a while can't say whether it is over.
    for (const [each, { last: then }] of refused) if (then < last - TOLD) refused.delete(each)
    if (refused.size === 0) logger.error('The store refuses to save; what it holds is served.', problem)
    refused.set(name, { since: refused.get(name)?.since ?? now(), last, why: describeStoreFault(problem) })
  }

  return {
    answered({ name, since }) {
      answeredAt = performance.now()
      took = answeredAt - since
      silent = false
      if (refused.delete(name) && refused.size === 0) logger.warn('The store saves again.')
      if (!out) return
      out = undefined
      logger.warn('The store answers again.')
      emit('store.available', {})
    },
    failed({ name, since }, problem) {
      silent = false
      // Others were answered meanwhile: this one was starved of a connection, or asked what can't be.
      if (!isChange(name) && name !== 'changesSince' && answeredAt > since) return
      if (!isChange(name)) goOut(problem)
      // While it is out of reach, that is why.
      else if (!out) refuse(name, problem)
    },
    timedOut({ name, since }, problem) {
      // Others were answered meanwhile: this one met a lock, or a connection that is dead.
      if (answeredAt > since) return isChange(name) ? refuse(name, problem) : undefined
      silent = true
      goOut(problem)
    },
    isSilent: () => silent,
    isOut: () => out !== undefined,
    problems() {
      if (out) return [`The store has been out of reach since ${new Date(out.since).toISOString()}: ${out.why}.`]
      const problems: string[] = []
      if (took > SLOW) problems.push(`The store is slow: its last answer took ${(took / 1000).toFixed(1)} seconds.`)
      const end = performance.now() - TOLD
      const recent = [...refused.values()].find(({ last }) => last > end)
      if (recent)
        problems.push(`The store has refused to save since ${new Date(recent.since).toISOString()}: ${recent.why}.`)
      return problems
    },
  }
}
