import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until the condition is true; rejects after `seconds`, which allow for a busy machine. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, seconds = 10): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${seconds} s.`)
    await sleep(10)
  }
}
