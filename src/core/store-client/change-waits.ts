import type { Change } from '../../shared/contracts/store-records.js'

/** Requests that wait for the next change: other processes ask this one what has changed. */
export type ChangeWaits = ReturnType<typeof createChangeWaits>

export function createChangeWaits() {
  const waiting = new Set<() => void>()
  return {
    /** Ends all waits, if the change is one that guards judge by. */
    note({ kind }: Change): void {
      if (kind !== 'processes' && kind !== 'sessionSecret') for (const end of waiting) end()
    },
    /** Resolves with the next change, after that time, or when the signal is aborted. */
    next: (milliseconds: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(end, milliseconds)
        timer.unref()
        function end(): void {
          clearTimeout(timer)
          waiting.delete(end)
          signal.removeEventListener('abort', end)
          resolve()
        }
        waiting.add(end)
        signal.addEventListener('abort', end)
        if (signal.aborted) end()
      }),
  }
}
