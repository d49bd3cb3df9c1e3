/** Work that goes first, and work that gives way to it. */
export interface Precedence {
  /** Runs the work. While it runs, and at most for the time given below, the other work gives way. */
  goFirst<Result>(work: () => Promise<Result>): Promise<Result>
  isUnderWay(): boolean
  /** Resolves when no work goes first, or after the pause. Undefined: at once. */
  giveWay(): Promise<void> | undefined
}

export function createPrecedence(options: {
  /** Milliseconds for which work that gives way waits at most, so that it is never stopped. */
  readonly pause: number
  /** Milliseconds after which work that still runs goes first no longer. */
  readonly atMost: number
}): Precedence {
  const { pause, atMost } = options
  const waiting = new Set<() => void>()
  let underWay = 0

  return {
    async goFirst(work) {
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
    giveWay() {
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
