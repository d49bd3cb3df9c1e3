/** Cleans up at the start, and then every hour. */
export type HourlyCleanup = ReturnType<typeof createHourlyCleanup>

/** The same where one call deletes a limited number of rows, and resolves how many it has deleted. */
export function createHourlyDeletion(options: {
  readonly deleteSome: () => Promise<number>
  readonly subject: string
  readonly logger: Parameters<typeof createHourlyCleanup>[0]['logger']
}): HourlyCleanup {
  const { deleteSome, subject, logger } = options
  async function cleanUp(): Promise<void> {
    for (;;) if (cleanup.isClosed || (await deleteSome()) === 0) return
  }
  const cleanup = createHourlyCleanup({ cleanUp, subject, logger })
  return cleanup
}

/** The rows of one statement, which must not lock them for long. */
export const MAX_DELETED_PER_CALL = 1000

const CLEANUP_INTERVAL_MS = 3600 * 1000

export function createHourlyCleanup(options: {
  /** Ends early when the cleanup `isClosed`. */
  readonly cleanUp: () => Promise<unknown>
  readonly subject: string
  readonly logger: { warn(message: string, error: unknown): void }
}) {
  const { cleanUp, subject, logger } = options
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let running: Promise<unknown> = Promise.resolve()

  function run(): void {
    running = cleanUp().catch((error: unknown) => {
      // The store has been closed meanwhile.
      if (!closed) logger.warn(`Deleting ${subject} failed; the platform will retry in an hour.`, error)
    })
  }

  return {
    start(): void {
      run()
      timer = setInterval(run, CLEANUP_INTERVAL_MS).unref()
    },
    async close(): Promise<void> {
      closed = true
      clearInterval(timer)
      await running
    },
    get isClosed(): boolean {
      return closed
    },
  }
}
