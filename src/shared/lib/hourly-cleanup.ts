/** Cleans up at the start, and then every hour. */
export interface HourlyCleanup {
  start(): void
  /** Waits for a cleanup that is under way. */
  close(): Promise<void>
  readonly isClosed: boolean
}

interface HourlyCleanupOptions {
  /** Ends early when the cleanup `isClosed`. */
  readonly cleanUp: () => Promise<unknown>
  /** What it deletes, for the log. */
  readonly subject: string
  readonly logger: { warn(message: string, error: unknown): void }
}

const CLEANUP_INTERVAL_MS = 3600 * 1000

export function createHourlyCleanup({ cleanUp, subject, logger }: HourlyCleanupOptions): HourlyCleanup {
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
    start() {
      run()
      timer = setInterval(run, CLEANUP_INTERVAL_MS).unref()
    },
    async close() {
      closed = true
      clearInterval(timer)
      await running
    },
    get isClosed() {
      return closed
    },
  }
}
