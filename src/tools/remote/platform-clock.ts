/** One answer may be of a process of the platform whose clock is behind, or was for a moment. */
const ANSWERS_BEFORE_SET_BACK = 10

/** The platform's time, by which access tokens were issued, whatever the clock of this process says. */
export type PlatformClock = ReturnType<typeof createPlatformClock>

/** It runs with the monotonic clock of this process, so it does not jump when that of the machine is set. */
export function createPlatformClock() {
  /** The platform's time less the monotonic one. Until the first answer, that of this machine. */
  let offset = Date.now() - performance.now()
  let isKnown = false
  let answersBehind = 0

  return {
    now: () => Math.round(performance.now() + offset),
    /** An answer has told the time, and its request began then, on the monotonic clock. */
    set(time: number, startedAt: number): void {
      const answeredAt = performance.now()
      // The platform has read its clock at some time between the two. What fits is kept: it may be from a quicker answer.
      const [least, most] = [time - answeredAt, time - startedAt]
      const isAhead = isKnown && offset > most
      answersBehind = isAhead ? answersBehind + 1 : 0
      const fits = isKnown && offset >= least && offset <= most
      if (fits || (isAhead && answersBehind < ANSWERS_BEFORE_SET_BACK)) return
      offset = (least + most) / 2
      isKnown = true
      answersBehind = 0
    },
  }
}
