import { setTimeout as sleep } from 'node:timers/promises'

interface WaitOptions {
  /** Milliseconds; the default allows for a busy machine. */
  readonly timeout?: number
  /** Milliseconds between two polls. */
  readonly interval?: number
}

/** Polls until the condition is true, and resolves after how many milliseconds it was. Rejects after the time-out. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeout = 60_000, interval = 10 }: WaitOptions = {},
): Promise<number> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > timeout) throw new Error(`The condition was not met within ${timeout} ms.`)
    await sleep(interval)
  }
  return performance.now() - startedAt
}
