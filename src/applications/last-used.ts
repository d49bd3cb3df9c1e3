import { AsyncResource } from 'node:async_hooks'
import type { Store } from '../contracts/store.js'

/** When credentials were last used: collected in memory, and written to the store every ten seconds. */
export interface LastUsed {
  note(hash: string): void
  /** Writes what has been collected. What cannot be written is kept for the next time. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface LastUsedOptions {
  readonly store: Store
  readonly now: () => number
}

const FLUSH_INTERVAL_MS = 10_000
/** Bounds memory while the store is unavailable. */
const MAX_NOTED_CREDENTIALS = 10_000

export function createLastUsed({ store, now }: LastUsedOptions): LastUsed {
  /** Milliseconds since `base`: small enough for a V8 Smi, so that a request allocates nothing here (test/hot-paths.integration.test.ts). */
  let noted = new Map<string, number>()
  let base = now()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  /** One write after another, so that a caller also waits for a write that is under way. */
  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    if (noted.size === 0) return
    const uses = [...noted].map(([hash, elapsed]) => ({ hash, at: base + elapsed }))
    noted = new Map()
    base = now()
    try {
      await store.noteCredentialUse(uses)
    } catch {
      // The store client has logged the outage. Newer uses, noted meanwhile, stay.
      for (const { hash, at } of uses) {
        if (noted.size < MAX_NOTED_CREDENTIALS && !noted.has(hash)) noted.set(hash, at - base)
      }
    }
  }

  // Bound here, because a request starts the timer: the write must not be part of that request's trace.
  const flushOnTimer = AsyncResource.bind(() => {
    timer = undefined
    void flush()
  })

  return {
    note(hash) {
      if (noted.size >= MAX_NOTED_CREDENTIALS && !noted.has(hash)) return
      noted.set(hash, now() - base)
      timer ??= setTimeout(flushOnTimer, FLUSH_INTERVAL_MS).unref()
    },
    flush,
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
