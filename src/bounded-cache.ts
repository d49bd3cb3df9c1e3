/** A map that forgets what has not been asked for lately, so that it never holds more than `limit` entries. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

/**
 * Two generations in place of a linked list: entries live in the young map; when it is half the limit it becomes the
 * old one, and what is asked for there moves back. A hit costs one map look-up.
 */
export function boundedCache<Value>(limit: number): BoundedCache<Value> {
  const half = Math.max(1, Math.floor(limit / 2))
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    if (young.size >= half && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    old.delete(key)
  }

  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const kept = old.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    set,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young.clear()
      old.clear()
    },
    get size() {
      return young.size + old.size
    },
  }
}
