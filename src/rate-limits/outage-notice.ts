import type { Emit } from '../contracts/events.js'
import type { Logger } from '../contracts/logger.js'

interface OutageNoticeOptions {
  readonly logger: Pick<Logger, 'warn'>
  readonly emit: Emit
}

/** Reports an outage of Redis, or its end (undefined), to log and listeners. Requests are answered either way, so health stays ok. */
export function createOutageNotice({ logger, emit }: OutageNoticeOptions): (problem: unknown) => void {
  return function reportOutage(problem) {
    if (problem === undefined) {
      logger.warn('Redis answers again: rate limits are shared.')
      emit('limits.available', {})
    } else {
      logger.warn('Redis is unavailable: each process counts its own rate limits until it answers.', problem)
      emit('limits.unavailable', problem instanceof Error ? { reason: problem.message } : {})
    }
  }
}
