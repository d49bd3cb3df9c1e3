import { AsyncResource } from 'node:async_hooks'
import type { CredentialSource } from '../../../shared/contracts/credential-source.js'
import { createBoundedCache } from '../../../shared/lib/bounded-cache.js'

/** Collects when credentials were last used, and stores the times when the stored ones are some minutes old. */
export type LastUsed = ReturnType<typeof createLastUsed>

const FLUSH_INTERVAL_MS = 10_000
/** Uses that are less than this later than the stored time are not written, by any process. */
const MIN_STORED_AGE_SECONDS = 300
/** This limit bounds memory while the store is unavailable, and in general. */
const MAX_NOTED_CREDENTIALS = 10_000
/** The limit of one statement, which must not lock rows for long. */
const MAX_USES_PER_WRITE = 1000

export function createLastUsed(options: {
  readonly store: Pick<CredentialSource, 'noteCredentialUse'>
  readonly now: () => number
}) {
  const { store, now } = options
  /** Milliseconds since `base`: small enough for a V8 Smi, so that a request allocates nothing here (test/hot-paths.integration.test.ts). */
  let noted = new Map<string, number>()
  let base = now()
  /** The time from which a credential is recorded again, in seconds since 1970 (a V8 Smi too). */
  const nextNote = createBoundedCache<number>({ entries: MAX_NOTED_CREDENTIALS })
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve(true)

  /** One write after another, so that a caller also waits for a write that is under way. Resolves false if it failed. */
  function writeNext(): Promise<boolean> {
    writing = writing.then(write)
    return writing
  }

  /** As many writes as all that can be noted need. Those that come meanwhile do not make it longer. */
  async function writeAll(): Promise<void> {
    for (let left = MAX_NOTED_CREDENTIALS; left > 0; left -= MAX_USES_PER_WRITE)
      if (!(await writeNext()) || noted.size === 0) return
  }

  async function write(): Promise<boolean> {
    if (noted.size === 0) return true
    const all = [...noted].map(([hash, elapsed]) => ({ hash, at: base + elapsed }))
    const uses = all.slice(0, MAX_USES_PER_WRITE)
    noted = new Map()
    base = now()
    keep(all.slice(MAX_USES_PER_WRITE))
    try {
      await store.noteCredentialUse(uses, MIN_STORED_AGE_SECONDS * 1000)
      // Jitter: credentials that were first used together are not written together again, nor by all processes.
      for (const { hash, at } of uses)
        nextNote.set(hash, Math.ceil(at / 1000 + MIN_STORED_AGE_SECONDS * (1 + Math.random())))
      return true
    } catch {
      // The store client has logged the outage.
      keep(uses)
      return false
    }
  }

  /** Newer uses that came meanwhile stay. */
  function keep(uses: readonly { readonly hash: string; readonly at: number }[]): void {
    for (const { hash, at } of uses) {
      if (noted.size < MAX_NOTED_CREDENTIALS && !noted.has(hash)) noted.set(hash, at - base)
    }
    if (noted.size > 0) startTimer()
  }

  function startTimer(): void {
    timer ??= setTimeout(flushOnTimer, FLUSH_INTERVAL_MS).unref()
  }

  // The function is bound here, because a request starts the timer: the write must not be part of that request's trace.
  const flushOnTimer = AsyncResource.bind(() => {
    timer = undefined
    void writeNext()
  })

  return {
    note(hash: string): void {
      const at = now()
      const next = nextNote.get(hash)
      if (next !== undefined && at / 1000 < next) return
      if (noted.size >= MAX_NOTED_CREDENTIALS && !noted.has(hash)) return
      noted.set(hash, at - base)
      startTimer()
    },
    flush: writeAll,
    async close(): Promise<void> {
      await writeAll()
      clearTimeout(timer)
    },
  }
}
