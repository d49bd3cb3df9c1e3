import { AsyncResource } from 'node:async_hooks'
import type { Store } from '../contracts/store.js'

/** When credentials were last used: noted in memory as they are, and written together now and then. */
export interface LastUsed {
  note(hash: string): void
  /** Writes what has been noted; what can't be written is kept for the next time. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface UsageOptions {
  readonly store: Store
  readonly now: () => number
}

/** Milliseconds between two writes. */
const PAUSE = 10_000
/** So many credentials at most are written, and remembered while they can't be. */
const MOST = 10_000

export function createLastUsed({ store, now }: UsageOptions): LastUsed {
  /** Milliseconds after `began`: on every request's way, small numbers cost no memory, and times since 1970 would. */
  let noted = new Map<string, number>()
  let began = now()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  /** Behind what is being written: whoever waits for it finds that as well. */
  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    if (noted.size === 0) return
    const taken = [...noted].map(([hash, after]) => ({ hash, at: began + after }))
    noted = new Map()
    began = now()
    try {
      await store.noteCredentialUse(taken)
    } catch {
      // Of little weight beside what else an outage brings, and known by then: kept, and tried with the next.
      for (const { hash, at } of taken) if (noted.size < MOST && !noted.has(hash)) noted.set(hash, at - began)
    }
  }

  // Begun by whichever request comes first, and no part of its trace.
  const flushOnTime = AsyncResource.bind(() => {
    timer = undefined
    void flush()
  })

  return {
    note(hash) {
      if (noted.size >= MOST && !noted.has(hash)) return
      noted.set(hash, now() - began)
      timer ??= setTimeout(flushOnTime, PAUSE).unref()
    },
    flush,
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
