import type { Emit } from '../../shared/contracts/events.js'
import type { Logger } from '../../shared/contracts/logger.js'

/** Compares the clock of this process with the store's, by which processes agree: access tokens of a wrong clock are refused. */
export type ClockCheck = ReturnType<typeof createClockCheck>

/** A tolerance of 0 would report every delay. */
const MIN_TOLERANCE_MS = 2000
/** One answer may be misread, as when the process was stopped while it arrived. */
const MIN_DEVIATIONS = 3

export function createClockCheck(options: {
  /** Seconds. */
  readonly clockTolerance: number
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly emit: Emit
}) {
  const { clockTolerance, logger, emit } = options
  const tolerance = Math.max(clockTolerance * 1000, MIN_TOLERANCE_MS)
  let deviations = 0
  let reported: string | undefined

  return {
    /** The store's time, and this process's before and after it was asked: milliseconds since 1970. */
    compare(storeTime: number, before: number, after: number): void {
      const ahead = (before + after) / 2 - storeTime
      // The answer may have been given at any time between the two.
      if (Math.abs(ahead) - Math.abs(after - before) / 2 <= tolerance) {
        deviations = 0
        if (reported === undefined) return
        reported = undefined
        logger.warn("The clocks of this process and the store's agree again.")
        emit('clock.agrees', {})
        return
      }
      deviations += 1
      if (deviations < MIN_DEVIATIONS) return
      const difference = `${Math.round(Math.abs(ahead) / 1000)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the store's`
      const isNew = reported === undefined
      reported = `The clock of this process is ${difference}: access tokens are refused that are right. Synchronize clocks by NTP.`
      if (!isNew) return
      logger.error(reported)
      emit('clock.deviates', { reason: difference })
    },
    problem: (): string | undefined => reported,
  }
}
