/** A map that keeps what has been asked for lately, and never grows past its bounds. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  /** Drops every entry for which `isOver` holds. */
  sweep(isOver: (value: Value) => boolean): void
  readonly size: number
}

/** How much a cache may hold. */
export interface CacheBounds<Value> {
  /** The entries asked for last that are surely kept; twice as many are never exceeded. */
  readonly entries: number
  /** Rough bytes of an entry beyond the usual few hundred; together they stay below twice `MOST_BYTES`. None if left out. */
  readonly bytesOf?: (value: Value) => number
}

/** 16 MiB: what hostile or odd entries may take, each being far larger than the rest. */
const MOST_BYTES = 16 * 1024 * 1024

/**
 * Two generations in place of a linked list: entries live in the young map; when it is full it becomes the old one, and
 * what is asked for there moves back. A hit costs one map look-up.
 */
export function boundedCache<Value>({ entries, bytesOf = () => 0 }: CacheBounds<Value>): BoundedCache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  /** Of the young ones; the old ones were no more when they were young. */
  let bytes = 0

  function remove(key: string): void {
    const value = young.get(key)
    if (value !== undefined && young.delete(key)) bytes -= bytesOf(value)
    old.delete(key)
  }

  function set(key: string, value: Value): void {
    const more = bytesOf(value)
    remove(key)
    if (young.size >= entries || bytes + more > MOST_BYTES) {
      old = young
      young = new Map()
      bytes = 0
    }
    young.set(key, value)
    bytes += more
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
    delete: remove,
    clear() {
      young.clear()
      old.clear()
      bytes = 0
    },
    sweep(isOver) {
      for (const generation of [young, old]) {
        for (const [key, value] of generation) if (isOver(value)) remove(key)
      }
    },
    get size() {
      return young.size + old.size
    },
  }
}
