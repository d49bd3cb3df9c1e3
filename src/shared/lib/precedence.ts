/** Work that goes first, and work that gives way to it. */
export function createPrecedence(options: {
  /** Milliseconds for which work that gives way waits at most, so that it is never stopped. */
  readonly pause: number
  /** Milliseconds after which work that still runs goes first no longer. */
  readonly atMost: number
}) {
  const { pause, atMost } = options
  const waiting = new Set<() => void>()
  let underWay = 0

  return {
    /** Runs the work. While it runs, and at most for that time, the other work gives way. */
    async goFirst<Result>(work: () => Promise<Result>): Promise<Result> {
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        underWay -= 1
        if (underWay === 0) for (const goOn of waiting) goOn()
      }
      underWay += 1
      const timer = setTimeout(end, atMost)
      timer.unref()
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        end()
      }
    },
    isUnderWay: () => underWay > 0,
    /** Resolves when no work goes first, or after the pause. Undefined: at once. */
    giveWay(): Promise<void> | undefined {
      if (underWay === 0) return undefined
      return new Promise((resolve) => {
        const goOn = (): void => {
          clearTimeout(timer)
          waiting.delete(goOn)
          resolve()
        }
        const timer = setTimeout(goOn, pause)
        waiting.add(goOn)
      })
    },
  }
}
